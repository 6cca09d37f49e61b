//! The conformance laws for every safe combination of rule, sweep and acceleration, and for all
//! three solvers.

use std::fmt::Write;

use delassus_conformance::{
    Case, Make, Verdict, allocation, cases, chunks, convergence, momentum, refusal, repetition,
    scaling, sharing, warm_start,
};
use delassus_core::{ImpulseSolver, Solver};
use delassus_solver_jacobi::parameters::{Named, StepParameters};
use delassus_solver_jacobi::rule::{LocalSweep, Splitting};
use delassus_solver_jacobi::{
    Acceleration, AsyncJacobi, Jacobi, JacobiF32, JacobiParameters, Omega,
};

fn boxed<S: Solver>(parameters: S::Parameters) -> Box<dyn ImpulseSolver> {
    Box::new(S::new(parameters).expect("valid parameters"))
}

/// A name and what builds the solver.
type Candidate = (&'static str, Box<dyn Fn() -> Box<dyn ImpulseSolver>>);

/// What must meet the laws.
fn solvers() -> Vec<Candidate> {
    let base = JacobiParameters::default();
    let rows = JacobiParameters {
        step: StepParameters {
            splitting: Splitting::Rows,
            sweep: LocalSweep::Points,
            ..base.step
        },
        ..base
    };
    let variants = [
        ("default", base),
        (
            "chebyshev",
            JacobiParameters {
                acceleration: Acceleration::Chebyshev,
                ..base
            },
        ),
        ("rows", rows),
        (
            "rows, estimate",
            JacobiParameters {
                step: StepParameters {
                    omega: Omega::Named(Named::Estimate),
                    ..rows.step
                },
                ..rows
            },
        ),
        (
            "blocks at once",
            JacobiParameters {
                step: StepParameters {
                    splitting: Splitting::Blocks,
                    ..rows.step
                },
                ..rows
            },
        ),
    ];
    let mut list: Vec<Candidate> = vec![
        ("f32", Box::new(move || boxed::<JacobiF32>(base))),
        (
            "async",
            Box::new(|| boxed::<AsyncJacobi>(Default::default())),
        ),
    ];
    for (name, parameters) in variants {
        list.push((name, Box::new(move || boxed::<Jacobi>(parameters))));
    }
    list
}

fn for_every_solver(law: impl Fn(Make<'_>, &Case) -> Verdict) {
    let mut broken = String::new();
    for (name, make) in solvers() {
        let mut held = 0;
        for case in &cases() {
            match law(&*make, case) {
                Verdict::Holds => held += 1,
                Verdict::NotApplicable(_) => {}
                Verdict::Unavailable(what) | Verdict::Violated(what) => {
                    let _ = writeln!(broken, "{name} on {}: {what}", case.name);
                }
            }
        }
        assert!(held > 0, "{name} met the law nowhere");
    }
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn chunks_do_not_matter() {
    for_every_solver(chunks);
}

#[test]
fn a_warm_start_from_the_solution_stays() {
    for_every_solver(warm_start);
}

#[test]
fn the_oracles_velocities_are_reached() {
    for_every_solver(convergence);
}

#[test]
fn bits_repeat() {
    let all = cases();
    for_every_solver(|make, case| repetition(make, case, &all[0]));
}

#[test]
fn iterations_do_not_allocate() {
    for_every_solver(allocation);
}

#[test]
fn impulses_scale_with_mass() {
    for_every_solver(scaling);
}

#[test]
fn shared_compliance_is_taken_over() {
    for (name, make) in solvers() {
        let cases = cases();
        for case in &cases {
            if let Verdict::Violated(what) = sharing(&*make, case) {
                panic!("{name} on {}: {what}", case.name);
            }
        }
    }
}

#[test]
fn momentum_is_kept() {
    for_every_solver(momentum);
}

#[test]
fn what_cannot_be_solved_is_refused() {
    for (name, make) in solvers() {
        assert_eq!(refusal(&*make), Verdict::Holds, "{name}");
    }
}
