//! The conformance laws for the solvers of this crate, on whatever adapter there is.
//!
//! Law 6 (no allocation) is for solvers of the processor: recording commands allocates.

use std::fmt::Write;

use delassus_conformance::{
    Case, Make, Verdict, cases, chunks, convergence, momentum, refusal, repetition, scaling,
    warm_start,
};
use delassus_core::{Determinism, ImpulseSolver, Solver};
use delassus_solver_jacobi::rule::Rule;

use crate::gpu_async_jacobi::{Accumulation, GpuAsyncJacobi, GpuAsyncJacobiParameters};
use crate::gpu_coloured_pgs::{Fused, GpuColouredPgs, GpuColouredPgsParameters};
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::testing::device_or_skip;
use crate::variant::Variant;

fn boxed<S: Solver>(parameters: S::Parameters) -> Box<dyn ImpulseSolver> {
    Box::new(S::new(parameters).expect("valid parameters"))
}

/// A name, whether runs repeat, and what builds the solver.
type Candidate = (&'static str, bool, Box<dyn Fn() -> Box<dyn ImpulseSolver>>);

fn solvers() -> Vec<Candidate> {
    let coloured = |fused| GpuColouredPgsParameters {
        fused,
        ..GpuColouredPgsParameters::default()
    };
    let asynchronous = |accumulation| GpuAsyncJacobiParameters {
        accumulation,
        rule: Rule::MassSplit,
        // the laws ask for four times what the default unit resolves
        bits: 22,
        ..GpuAsyncJacobiParameters::default()
    };
    let resident = GpuJacobiParameters {
        variant: Variant::Resident,
        ..GpuJacobiParameters::default()
    };
    let make = move || boxed::<GpuJacobi>(resident.clone());
    let mut list: Vec<Candidate> = vec![
        ("resident", true, Box::new(make)),
        (
            "coloured, fused",
            true,
            Box::new(move || boxed::<GpuColouredPgs>(coloured(Fused::On))),
        ),
        (
            "coloured, dispatches",
            true,
            Box::new(move || boxed::<GpuColouredPgs>(coloured(Fused::Off))),
        ),
    ];
    for (name, accumulation) in [
        ("compare and exchange", Accumulation::Cas),
        ("fixed point", Accumulation::FixedPoint),
    ] {
        let make = move || boxed::<GpuAsyncJacobi>(asynchronous(accumulation));
        list.push((name, false, Box::new(make)));
    }
    list
}

/// Runs a law on every `step`-th case; each solver it is for must meet it on several.
fn for_every_solver(step: usize, repeats: bool, law: impl Fn(Make<'_>, &Case) -> Verdict) {
    let cases = cases();
    let mut broken = String::new();
    for (name, repeatable, make) in solvers() {
        let mut held = 0;
        for case in cases.iter().step_by(step) {
            match law(&*make, case) {
                Verdict::Holds => held += 1,
                Verdict::NotApplicable(_) => {}
                Verdict::Violated(what) => {
                    let _ = writeln!(broken, "{name} on {}: {what}", case.name);
                }
            }
        }
        if held < 5 && (repeatable || !repeats) {
            let _ = writeln!(broken, "{name} met the law on {held} cases");
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn chunks_do_not_matter() {
    if device_or_skip("laws: chunks_do_not_matter").is_some() {
        for_every_solver(1, true, chunks);
    }
}

#[test]
fn a_warm_start_from_the_solution_stays() {
    if device_or_skip("laws: a_warm_start_from_the_solution_stays").is_some() {
        for_every_solver(1, false, warm_start);
    }
}

/// Forty thousand sweeps a case: every fifth case here, all of them below.
#[test]
fn converges_to_the_oracles_velocities() {
    if device_or_skip("laws: converges_to_the_oracles_velocities").is_some() {
        for_every_solver(5, false, convergence);
    }
}

#[test]
#[ignore = "minutes on software"]
fn converges_to_the_oracles_velocities_on_every_case() {
    if device_or_skip("laws: converges on every case").is_some() {
        for_every_solver(1, false, convergence);
    }
}

#[test]
fn repeats_bit_for_bit() {
    if device_or_skip("laws: repeats_bit_for_bit").is_some() {
        let all = cases();
        for_every_solver(1, true, |make, case| repetition(make, case, &all[0]));
    }
}

#[test]
fn scales_with_mass() {
    if device_or_skip("laws: scales_with_mass").is_some() {
        for_every_solver(1, true, |make, case| {
            // a run that does not repeat cannot be compared with one of other masses
            if make().descriptor().determinism == Determinism::None {
                return Verdict::NotApplicable("declares no determinism".into());
            }
            scaling(make, case)
        });
    }
}

#[test]
fn refuses_what_it_cannot_do_and_keeps_momentum() {
    if device_or_skip("laws: refusal and momentum").is_none() {
        return;
    }
    let isolated = cases().into_iter().find(|c| c.centres.is_some());
    let isolated = isolated.expect("one case is isolated");
    for (name, _, make) in solvers() {
        assert_eq!(refusal(&*make), Verdict::Holds, "{name}");
        // whole numbers of 2⁻²² m/s do not keep what f32 keeps
        if name != "fixed point" {
            assert_eq!(momentum(&*make, &isolated), Verdict::Holds, "{name}");
        }
    }
}
