//! Every solver in the memory that it has: another problem changes no bit, and sweeping solvers allocate nothing.

use delassus_conformance::{Makers, Verdict, cases, repeated_allocation, repeated_bits};
use delassus_core::{Determinism, Problem};
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

/// Sweeping solvers that allocate where a problem is prepared again, and what for.
const LEFT: [(&str, &str); 3] = [
    ("coloured-pgs", "lists what a matrix couples"),
    (
        "wide-pgs",
        "plans anew where a manifold might take in another point",
    ),
    (
        "hybrid",
        "looks at compliance that the many rows of a patch share",
    ),
];

#[test]
fn sweeping_solvers_prepare_again_without_an_allocation() {
    let problems = problems();
    let mut makers = Makers::default();
    visit_solvers(&mut makers);
    assert!(makers.0.len() > 10);
    for make in makers.0 {
        let id = make().descriptor().id;
        // lists that change places with their memory have both after two
        let verdict = repeated_allocation(&make, &problems, 2);
        match LEFT.iter().find(|(left, _)| *left == id) {
            Some((_, why)) => assert_ne!(verdict, Verdict::Holds, "{id} no longer {why}"),
            None => assert_eq!(verdict, Verdict::Holds, "{id}"),
        }
    }
}
