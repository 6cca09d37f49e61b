//! The conformance laws for solvers around solvers.

use std::fmt::Write;

use delassus_conformance::{
    Case, Make, Verdict, allocation, cases, chunks, convergence, friction, momentum,
    oracle_residual, recurrence, refusal, repetition, restart, scaling, sharing, warm_start, whole,
};
use delassus_core::{ImpulseSolver, LawKind, Precision, SolveError, Start, Support, Unsupported};
use delassus_registry::{Registry, SolverEntry};
use serde_json::Map;

use crate::citations::{equations, keys};

/// Each wrapper around solvers that differ: matrix-free and dense, f64 and f32, with and without a
/// restart.
const COMPOSITIONS: [&str; 14] = [
    "best-so-far(pgs)",
    "best-so-far(wide-pgs)",
    "best-so-far(dense-direct)",
    "anderson(block-gs)",
    "anderson(jacobi)",
    "anderson(jacobi-f32)",
    "cone-from-convex(pgs)",
    "cone-from-convex(ipm)",
    "refined(wide-pgs)",
    "refined(jacobi-f32)",
    "best-so-far(anderson(block-gs))",
    "per-world(pgs)",
    "per-world(wide-pgs)",
    "best-so-far(per-world(jacobi-f32))",
];

/// Those that allocate in a unit of work, as their wrappers say: solvers inside that prepare anew,
/// corrections.
const ALLOCATE: [&str; 3] = [
    "cone-from-convex(ipm)",
    "refined(wide-pgs)",
    "refined(jacobi-f32)",
];

fn entry(name: &str) -> SolverEntry {
    Registry::standard().find(name).expect("a composition")
}

fn build(entry: &SolverEntry) -> Box<dyn ImpulseSolver> {
    entry.build(&Map::new()).expect("defaults")
}

/// Runs a law for every composition but those that it is not about; each must meet it at least
/// twice.
fn for_every(but: &[&str], law: impl Fn(Make<'_>, &Case) -> Verdict) {
    let cases = cases();
    let mut broken = String::new();
    for name in COMPOSITIONS.iter().filter(|name| !but.contains(name)) {
        let entry = entry(name);
        let make = || build(&entry);
        let mut held = 0;
        for case in &cases {
            match law(&make, case) {
                Verdict::Holds => held += 1,
                Verdict::NotApplicable(_) => {}
                Verdict::Unavailable(what) | Verdict::Violated(what) => {
                    let _ = writeln!(broken, "{name} on {}: {what}", case.name);
                }
            }
        }
        if held < 2 {
            let _ = writeln!(broken, "{name} met the law on {held} cases");
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn chunks_do_not_matter() {
    for_every(&[], chunks);
}

#[test]
fn a_warm_start_from_the_solution_stays() {
    for_every(&[], warm_start);
    for_every(&[], oracle_residual);
}

#[test]
fn wrapped_solvers_converge_to_the_oracles_velocities() {
    for_every(&[], convergence);
}

#[test]
fn wrapped_solvers_repeat_bit_for_bit() {
    let all = cases();
    for_every(&[], |make, case| repetition(make, case, &all[0]));
}

#[test]
fn iterate_does_not_allocate() {
    for_every(&ALLOCATE, allocation);
}

#[test]
fn wrapped_solvers_scale_with_mass() {
    for_every(&[], scaling);
}

#[test]
fn what_cannot_be_done_is_refused() {
    for name in COMPOSITIONS {
        let entry = entry(name);
        assert_eq!(refusal(&|| build(&entry)), Verdict::Holds, "{name}");
    }
}

#[test]
fn momentum_is_kept() {
    let isolated = cases().into_iter().find(|case| case.centres.is_some());
    let isolated = isolated.expect("one case is isolated");
    for name in COMPOSITIONS {
        let entry = entry(name);
        if build(&entry).check(&isolated.problem).is_ok() {
            let verdict = momentum(&|| build(&entry), &isolated);
            assert_eq!(verdict, Verdict::Holds, "{name}");
        }
    }
}

#[test]
fn bodies_stick_and_slide() {
    let share = if whole() { 1 } else { 4 };
    for name in COMPOSITIONS {
        let entry = entry(name);
        let verdict = friction(&|| build(&entry), share);
        assert!(
            !matches!(verdict, Verdict::Violated(_)),
            "{name}: {verdict:?}"
        );
    }
}

#[test]
fn a_state_that_comes_back_repeats_itself() {
    // momentum of jacobi says nothing that a unit of many sweeps could use, a direct method has no
    // state; those that prepare in every unit are looked at for less long
    let silent = ["refined(jacobi-f32)", "best-so-far(dense-direct)"];
    let slow = ["cone-from-convex(ipm)", "refined(wide-pgs)"];
    let many = if whole() { 1500 } else { 500 };
    for sweeps in [many, 40] {
        let mut but = COMPOSITIONS.to_vec();
        but.retain(|name| silent.contains(name) || slow.contains(name) == (sweeps == many));
        for_every(&but, |make, case| recurrence(make, case, sweeps));
    }
}

#[test]
fn compliance_that_rows_share_is_taken_over() {
    // wide-pgs refuses it
    let but = [
        "best-so-far(wide-pgs)",
        "refined(wide-pgs)",
        "per-world(wide-pgs)",
    ];
    for_every(&but, sharing);
}

#[test]
fn a_restart_is_a_preparation() {
    for_every(&[], restart);
}

#[test]
fn the_convex_loop_claims_coulomb_and_nothing_that_is_missing() {
    let claims = |name: &str, law| entry(name).descriptor.support(law);
    for name in ["cone-from-convex(ipm)", "cone-from-convex(pgs)"] {
        assert_eq!(claims(name, LawKind::Coulomb), Some(Support::Exact));
        assert_eq!(claims(name, LawKind::Disc), Some(Support::Exact));
    }
    assert_eq!(claims("ipm", LawKind::Coulomb), None);
    assert_eq!(claims("cone-from-convex(dantzig)", LawKind::Coulomb), None);
    assert_eq!(claims("refined(pgs)", LawKind::Facets), None);
    assert_eq!(
        entry("refined(wide-pgs)").descriptor.precision,
        Precision::F64
    );
    assert_eq!(
        entry("anderson(jacobi-f32)").descriptor.precision,
        Precision::F32
    );
    assert!(entry("best-so-far(wide-pgs)").descriptor.needs_bodies);
}

#[test]
fn acceleration_refuses_solvers_whose_unit_is_no_map() {
    let case = &cases()[0];
    let check = |name: &str| build(&entry(name)).check(&case.problem);
    let prepare = |name: &str| build(&entry(name)).prepare(&case.problem, Start::Cold);
    for solver in ["auto", "prox-newton", "best-so-far(pgs)"] {
        assert!(check(solver).is_ok(), "{solver}");
        let name = format!("anderson({solver})");
        let wrapper = "anderson";
        let refused = Unsupported::UnitIsNoMap { wrapper, solver };
        assert_eq!(check(&name), Err(refused.clone()), "{name}");
        assert_eq!(prepare(&name), Err(SolveError::Unsupported(refused)));
    }
    assert!(check("anderson(per-world(pgs))").is_ok());
    assert!(check("anderson(per-world(auto))").is_err());
}

#[test]
fn wrappers_cite_their_theory_and_papers() {
    let (equations, keys) = (equations(), keys());
    for wrapper in Registry::standard().wrappers() {
        let descriptor = &wrapper.descriptor;
        let id = descriptor.id;
        assert!(!descriptor.citations.is_empty(), "{id} cites no paper");
        assert!(!descriptor.theory.is_empty(), "{id} cites no equation");
        for key in descriptor.citations {
            assert!(keys.contains(*key), "{id} cites {key}");
        }
        for number in descriptor.theory {
            assert!(equations.contains(*number), "{id} cites {number}");
        }
    }
}
