//! Another problem in the memory of the last one.

use delassus_conformance::{Maker, Makers, Verdict, repeated_allocation, repeated_bits};
use delassus_core::{Problem, Solver};
use delassus_problems::generators::{ChainProblem, ContactLaw};
use delassus_solver_jacobi::parameters::{JacobiParameters, Named, Omega, StepParameters};
use delassus_solver_jacobi::rule::LocalSweep;
use delassus_solver_jacobi::{Jacobi, JacobiF32, visit_solvers};

use crate::common::{piles, problem};

/// A relaxation that is estimated.
fn estimate() -> JacobiParameters {
    JacobiParameters {
        step: StepParameters {
            sweep: LocalSweep::Points,
            omega: Omega::Named(Named::Estimate),
            ..StepParameters::default()
        },
        ..JacobiParameters::default()
    }
}

/// Every solver of this crate, also with what its defaults leave out.
fn makers() -> Vec<Maker> {
    let mut makers = Makers::default();
    visit_solvers(&mut makers);
    let estimating: [Maker; 2] = [
        || Box::new(Jacobi::new(estimate()).expect("valid")),
        || Box::new(JacobiF32::new(estimate()).expect("valid")),
    ];
    makers.0.extend(estimating);
    makers.0
}

/// Larger and smaller ones in turn, of all laws.
fn problems() -> Vec<Problem> {
    let laws = [ContactLaw::Coulomb, ContactLaw::Patch, ContactLaw::FixedBox];
    let piles = laws.into_iter().flat_map(piles);
    let chain = problem(&ChainProblem::default());
    let mut problems: Vec<Problem> = piles.map(|(_, pile)| pile).chain([chain]).collect();
    let back: Vec<Problem> = problems.iter().rev().cloned().collect();
    problems.extend(back);
    problems
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
