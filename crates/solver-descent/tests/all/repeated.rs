//! Another problem in the memory of the last one.

use delassus_conformance::{Maker, Makers, Verdict, repeated_allocation, repeated_bits};
use delassus_core::{ImpulseSolver, Law, Problem, Solver};
use delassus_problems::generators::{BoxProblem, Boxes, ContactLaw, Generator, Stack};
use delassus_solver_descent::projected_cg::ProjectedCgParameters;
use delassus_solver_descent::{PreconditionerKind, ProjectedCg, visit_solvers};

use crate::common::{Dense, Numbers};

/// Every solver of this crate, and `projected-cg` with every preconditioner.
fn makers() -> Vec<Maker> {
    let mut makers = Makers::default();
    visit_solvers(&mut makers);
    let preconditioners: [Maker; 2] = [
        || preconditioned(PreconditionerKind::BlockJacobi),
        || preconditioned(PreconditionerKind::Ssor),
    ];
    makers.0.extend(preconditioners);
    makers.0
}

fn preconditioned(preconditioner: PreconditionerKind) -> Box<dyn ImpulseSolver> {
    let parameters = ProjectedCgParameters { preconditioner };
    Box::new(ProjectedCg::new(parameters).expect("valid"))
}

/// Stacks of all laws and matrices of bounds, large and small in turn.
fn problems() -> Vec<Problem> {
    let laws = [ContactLaw::Coulomb, ContactLaw::Patch, ContactLaw::FixedBox];
    let stack = |n: usize, law: ContactLaw| {
        let problem = BoxProblem::from(Stack {
            n,
            boxes: Boxes {
                law,
                ..Boxes::default()
            },
            ..Stack::default()
        });
        problem.generate().expect("valid parameters").problem
    };
    let sizes = [3, 1, 4, 2];
    let all = sizes.map(|n| (laws.map(|law| stack(n, law)), matrix(4 * n)));
    let mixed = all.into_iter();
    mixed
        .flat_map(|(stacks, matrix)| stacks.into_iter().chain([matrix]))
        .collect()
}

/// A problem given by its matrix, of single rows that push.
fn matrix(rows: usize) -> Problem {
    let mut numbers = Numbers::new(rows as u64);
    let bounds = Law::Bounds {
        lower: 0.0,
        upper: f64::INFINITY,
    };
    let b = (0..rows).map(|_| numbers.next()).collect();
    let matrix = Dense::gram(rows, rows + 2, &mut numbers);
    matrix.problem(&vec![(bounds, 1); rows], b)
}

#[test]
fn a_used_solver_has_the_bits_of_a_new_one() {
    let problems = problems();
    for (index, make) in makers().iter().enumerate() {
        let verdict = repeated_bits(make, &problems);
        assert_eq!(
            verdict,
            Verdict::Holds,
            "{index}: {}",
            make().descriptor().id
        );
    }
}

#[test]
fn preparing_again_allocates_nothing() {
    let problems = problems();
    for (index, make) in makers().iter().enumerate() {
        let verdict = repeated_allocation(make, &problems, 1);
        assert_eq!(
            verdict,
            Verdict::Holds,
            "{index}: {}",
            make().descriptor().id
        );
    }
}
