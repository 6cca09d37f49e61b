//! Every solver in the memory that it has: another problem changes no bit, and sweeping solvers
//! allocate nothing.

use delassus_conformance::{Makers, Verdict, allocations, cases, repeated_bits};
use delassus_core::{Determinism, Problem, ScaledKind};
use delassus_solver_si::visit_solvers;
use serde_json::Map;

use crate::pairs::{on_a_device, own_solvers};

/// The cases of the laws, there and back: larger and smaller ones, on bodies and by their matrix.
fn problems() -> Vec<Problem> {
    let there = cases().into_iter().map(|case| case.problem);
    let mut problems: Vec<Problem> = there.collect();
    problems.extend_from_within(..);
    let half = problems.len() / 2;
    problems[half..].reverse();
    problems
}

#[test]
fn the_last_problem_changes_no_bit_of_the_next() {
    let problems = problems();
    let mut held = 0;
    for entry in own_solvers() {
        if on_a_device(&entry) || entry.descriptor.determinism == Determinism::None {
            continue;
        }
        let make = || entry.build(&Map::new()).expect("the defaults");
        let verdict = repeated_bits(&make, &problems);
        assert_eq!(verdict, Verdict::Holds, "{}", entry.descriptor.id);
        held += 1;
    }
    assert!(held > 30, "{held}");
}

/// A sweeping solver that allocates where a problem is prepared again: on which problems, at most
/// in how many of the cases, there and back, and what for.
type Left = (&'static str, fn(&Problem) -> bool, usize, &'static str);

const LEFT: [Left; 3] = [
    (
        "coloured-pgs",
        |problem| problem.bodies().is_none(),
        usize::MAX,
        "lists what a matrix couples",
    ),
    (
        "wide-pgs",
        |problem| problem.bodies().is_some(),
        4,
        "plans anew where a manifold might take in another point",
    ),
    (
        "hybrid",
        |problem| problem.blocks().iter().any(|block| block.dim > 6),
        8,
        "looks at compliance that the many rows of a patch share",
    ),
];

#[test]
fn sweeping_solvers_prepare_again_without_an_allocation() {
    let mut problems = problems();
    // facts of their round rows (P.20) are found, and kept, when a solver first asks for them
    problems.retain(|problem| problem.laws().all(|kind| ScaledKind::of(kind).is_none()));
    let mut makers = Makers::default();
    visit_solvers(&mut makers);
    delassus_solver_wide::visit_solvers(&mut makers);
    assert!(makers.0.len() > 10);
    for make in makers.0 {
        let id = make().descriptor().id;
        // lists that change places with their memory have both after two
        let counted = allocations(&make, &problems, 2);
        let counted = counted.unwrap_or_else(|error| panic!("{id}: {error}"));
        assert!(counted.len() > 1, "{id}");
        let allocating: Vec<_> = counted.iter().filter(|(_, count)| *count > 0).collect();
        match LEFT.iter().find(|(left, ..)| *left == id) {
            Some((_, may, most, why)) => {
                let all = allocating.iter().all(|(index, _)| may(&problems[*index]));
                let count = allocating.len();
                assert!(
                    all && (1..=*most).contains(&count),
                    "{id} {why}: {allocating:?}"
                );
            }
            None => assert_eq!(allocating, [] as [&(usize, u64); 0], "{id}"),
        }
    }
}
