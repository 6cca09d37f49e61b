//! The conformance laws for the solvers of this crate, on whatever adapter there is.
//!
//! Law 6 (no allocation) is for solvers of the processor: recording commands allocates.

use std::fmt::Write;

use delassus_conformance::{
    Case, Make, Verdict, cases, chunks, convergence, endurance, law_cases, momentum, refusal,
    repetition, scaling, warm_start, whole,
};
use delassus_core::{Determinism, ImpulseSolver, LawKind, Solver};
use delassus_solver_jacobi::parameters::StepParameters;
use delassus_solver_jacobi::rule::FactorRule;

use crate::gpu_async_jacobi::{Accumulation, GpuAsyncJacobi, GpuAsyncJacobiParameters};
use crate::gpu_coloured_pgs::{Fused, GpuColouredPgs, GpuColouredPgsParameters};
use crate::gpu_jacobi::{GpuJacobi, GpuJacobiParameters};
use crate::gpu_worlds::{GpuWorlds, GpuWorldsParameters};
use crate::testing::device_or_skip;
use crate::variant::Variant;

fn boxed<S: Solver>(parameters: S::Parameters) -> Box<dyn ImpulseSolver> {
    Box::new(S::new(parameters).expect("valid parameters"))
}

/// A name, whether runs repeat, and what builds the solver.
type Candidate = (&'static str, bool, Box<dyn Fn() -> Box<dyn ImpulseSolver>>);

fn asynchronous(accumulation: Accumulation, bits: u32) -> GpuAsyncJacobiParameters {
    GpuAsyncJacobiParameters {
        accumulation,
        bits,
        step: StepParameters {
            rule: FactorRule::MassSplit,
            ..StepParameters::default()
        },
        ..GpuAsyncJacobiParameters::default()
    }
}

fn solvers() -> Vec<Candidate> {
    let coloured = |fused| GpuColouredPgsParameters {
        fused,
        ..GpuColouredPgsParameters::default()
    };
    let resident = GpuJacobiParameters {
        variant: Variant::Resident,
        ..GpuJacobiParameters::default()
    };
    let make = move || boxed::<GpuJacobi>(resident.clone());
    let mut list: Vec<Candidate> = vec![
        ("resident", true, Box::new(make)),
        (
            "worlds",
            true,
            Box::new(|| boxed::<GpuWorlds>(GpuWorldsParameters::default())),
        ),
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
    // the laws ask for four times what the default unit resolves: 22 bits
    for (name, accumulation) in [
        ("compare and exchange", Accumulation::Cas),
        ("fixed point", Accumulation::FixedPoint),
    ] {
        let make = move || boxed::<GpuAsyncJacobi>(asynchronous(accumulation, 22));
        list.push((name, false, Box::new(make)));
    }
    list
}

/// Of how many cases a solver meets one: law by law, the solvers take turns, and all cases are met
/// by some.
const SHARE: usize = 6;

/// Runs a law on every case, or on a share of them; each solver it is for must meet it on several.
fn for_every_solver(repeats: bool, law: impl Fn(Make<'_>, &Case) -> Verdict) {
    let cases = cases();
    let (share, least) = if whole() { (1, 5) } else { (SHARE, 2) };
    let mut broken = String::new();
    for (turn, (name, repeatable, make)) in solvers().into_iter().enumerate() {
        let mut held = 0;
        for case in cases.iter().skip(turn % share).step_by(share) {
            match law(&*make, case) {
                Verdict::Holds => held += 1,
                Verdict::NotApplicable(_) => {}
                Verdict::Unavailable(what) | Verdict::Violated(what) => {
                    let _ = writeln!(broken, "{name} on {}: {what}", case.name);
                }
            }
        }
        if held < least && (repeatable || !repeats) {
            let _ = writeln!(broken, "{name} met the law on {held} cases");
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
}

#[test]
fn chunks_do_not_matter() {
    if device_or_skip("laws: chunks_do_not_matter").is_some() {
        for_every_solver(true, chunks);
    }
}

#[test]
fn a_warm_start_from_the_solution_stays() {
    if device_or_skip("laws: a_warm_start_from_the_solution_stays").is_some() {
        for_every_solver(false, warm_start);
    }
}

#[test]
fn converges_to_the_oracles_velocities() {
    if device_or_skip("laws: converges_to_the_oracles_velocities").is_some() {
        for_every_solver(false, convergence);
    }
}

/// Velocities that are added to gather rounding as long as a solve runs (K.8, J.17).
#[test]
fn forty_thousand_sweeps_drift_away_from_nothing() {
    if device_or_skip("laws: forty_thousand_sweeps").is_none() {
        return;
    }
    let mut cases = law_cases(LawKind::Disc).into_iter();
    let case = cases
        .find(|c| c.name.contains("compliant"))
        .expect("a case");
    let share = if whole() { 1 } else { 6 };
    for (name, _, make) in solvers().into_iter().step_by(share) {
        assert_eq!(endurance(&*make, &case), Verdict::Holds, "{name}");
    }
}

#[test]
fn repeats_bit_for_bit() {
    if device_or_skip("laws: repeats_bit_for_bit").is_some() {
        let all = cases();
        for_every_solver(true, |make, case| repetition(make, case, &all[0]));
    }
}

#[test]
fn scales_with_mass() {
    if device_or_skip("laws: scales_with_mass").is_some() {
        for_every_solver(true, |make, case| {
            // a run that does not repeat cannot be compared with one of other masses
            if make().descriptor().determinism == Determinism::None {
                return Verdict::NotApplicable("declares no determinism".into());
            }
            scaling(make, case)
        });
    }
}

/// Whole numbers repeat, whatever the solver declares for all of its accumulations, and
/// contributions to velocities are the same numbers whatever the mass (K.9).
#[test]
fn fixed_point_repeats_and_scales_with_mass() {
    if device_or_skip("laws: fixed_point_repeats_and_scales").is_none() {
        return;
    }
    let make = || boxed::<GpuAsyncJacobi>(asynchronous(Accumulation::FixedPoint, 22));
    let mut held = 0;
    for case in cases() {
        match scaling(&make, &case) {
            Verdict::Holds => held += 1,
            Verdict::NotApplicable(_) => {}
            Verdict::Unavailable(what) | Verdict::Violated(what) => panic!("{}: {what}", case.name),
        }
    }
    assert!(held > 20, "{held} cases");
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
    // those of 2⁻²⁷ m/s do; the velocities of this case leave room for them (K.10)
    let fine = || boxed::<GpuAsyncJacobi>(asynchronous(Accumulation::FixedPoint, 27));
    assert_eq!(momentum(&fine, &isolated), Verdict::Holds, "fixed point");
    let coarse = || boxed::<GpuAsyncJacobi>(asynchronous(Accumulation::FixedPoint, 12));
    let verdict = momentum(&coarse, &isolated);
    assert!(
        matches!(verdict, Verdict::Violated(_)),
        "units of 2⁻¹² m/s: {verdict:?}"
    );
}
