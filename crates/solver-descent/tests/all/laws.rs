//! The conformance laws for every solver of this crate with its defaults and with its other
//! parameters.

use std::fmt::Write;

use delassus_conformance::{
    Case, Make, Verdict, allocation, cases, chunks, convergence, friction, momentum, recurrence,
    refusal, repetition, scaling, sharing, warm_start,
};
use delassus_core::{ImpulseSolver, Solver};
use delassus_solver_descent::admm::{AdmmParameters, PenaltyRule};
use delassus_solver_descent::apgd::{ApgdParameters, MomentumRestart};
use delassus_solver_descent::projected_cg::ProjectedCgParameters;
use delassus_solver_descent::spg::SpgParameters;
use delassus_solver_descent::{
    Admm, Apgd, Mprgp, PreconditionerKind, ProjectedCg, ProjectedGradient, Spg,
};

fn boxed<S: Solver>(parameters: S::Parameters) -> Box<dyn ImpulseSolver> {
    Box::new(S::new(parameters).expect("valid parameters"))
}

fn admm(rule: PenaltyRule) -> Box<dyn ImpulseSolver> {
    boxed::<Admm>(AdmmParameters {
        rule,
        ..AdmmParameters::default()
    })
}

fn cg(preconditioner: PreconditionerKind) -> Box<dyn ImpulseSolver> {
    boxed::<ProjectedCg>(ProjectedCgParameters { preconditioner })
}

/// A name and what builds the solver.
type Candidate = (&'static str, Box<dyn Fn() -> Box<dyn ImpulseSolver>>);

/// What must meet the laws.
fn solvers() -> Vec<Candidate> {
    vec![
        (
            "projected-gradient",
            Box::new(|| boxed::<ProjectedGradient>(Default::default())),
        ),
        ("spg", Box::new(|| boxed::<Spg>(Default::default()))),
        (
            "spg, monotone",
            Box::new(|| boxed::<Spg>(SpgParameters { window: 1 })),
        ),
        ("apgd", Box::new(|| boxed::<Apgd>(Default::default()))),
        (
            "apgd, L that never falls",
            Box::new(|| {
                boxed::<Apgd>(ApgdParameters {
                    restart: MomentumRestart::Gradient,
                    shrink: 1.0,
                })
            }),
        ),
        ("admm", Box::new(|| boxed::<Admm>(Default::default()))),
        ("admm, balancing", Box::new(|| admm(PenaltyRule::Balancing))),
        ("admm, fixed", Box::new(|| admm(PenaltyRule::Fixed))),
        (
            "projected-cg, none",
            Box::new(|| cg(PreconditionerKind::None)),
        ),
        (
            "projected-cg, block-jacobi",
            Box::new(|| cg(PreconditionerKind::BlockJacobi)),
        ),
        (
            "projected-cg, ssor",
            Box::new(|| cg(PreconditionerKind::Ssor)),
        ),
        ("mprgp", Box::new(|| boxed::<Mprgp>(Default::default()))),
    ]
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
        if held == 0 {
            let _ = writeln!(broken, "{name} met the law nowhere");
        }
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
    for_every_solver(sharing);
}

#[test]
fn momentum_is_kept() {
    for_every_solver(momentum);
}

#[test]
fn states_that_come_back_repeat_themselves() {
    let mut broken = String::new();
    for (name, make) in solvers() {
        for case in &cases() {
            if let Verdict::Violated(what) = recurrence(&*make, case, 500) {
                let _ = writeln!(broken, "{name} on {}: {what}", case.name);
            }
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn boxes_stick_and_slide() {
    let mut broken = String::new();
    for (name, make) in solvers() {
        if let Verdict::Violated(what) = friction(&*make, 1) {
            let _ = writeln!(broken, "{name}: {what}");
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn what_cannot_be_solved_is_refused() {
    for (name, make) in solvers() {
        assert_eq!(refusal(&*make), Verdict::Holds, "{name}");
    }
}
