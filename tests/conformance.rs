//! The conformance laws for every registered solver.

use std::fmt::Write;

use delassus_conformance::{
    Case, Make, Rewriting, Verdict, allocation, cases, chunks, convergence, friction, immobile,
    momentum, oracle_residual, recurrence, refusal, repetition, restart, restart_allocation,
    rewriting, scaling, sharing, unit_map, warm_start, whole,
};
use delassus_core::{Determinism, Start, Support, WorkUnit};
use delassus_registry::{Registry, SolverEntry};
use serde_json::Map;

use crate::pairs::{on_a_device, own_solvers, skip_in_test};

/// Runs one law for every registered solver on every case; each solver must meet the law at least
/// `least` times, or on all cases that it accepts if they are fewer.
fn for_every_solver(least: usize, law: impl Fn(Make<'_>, &Case) -> Verdict) {
    for_solvers(|_| true, least, law);
}

/// True for a solver that solves some law exactly: the others solve another problem in its place,
/// and say so.
fn solves_some_law(entry: &SolverEntry) -> bool {
    let mut laws = entry.descriptor.laws();
    laws.any(|(_, support)| support == Support::Exact)
}

/// The same for the solvers that the law is about, on their share of the cases.
fn for_solvers(
    concerns: impl Fn(&SolverEntry) -> bool,
    least: usize,
    law: impl Fn(Make<'_>, &Case) -> Verdict,
) {
    for_shares(concerns, device_share, least, law);
}

/// The same on one in so many cases.
fn for_shares(
    concerns: impl Fn(&SolverEntry) -> bool,
    share: impl Fn(&SolverEntry) -> usize,
    least: usize,
    law: impl Fn(Make<'_>, &Case) -> Verdict,
) {
    let cases = cases();
    let mut broken = String::new();
    'solvers: for entry in own_solvers().iter().filter(|entry| concerns(entry)) {
        let id = entry.descriptor.id;
        let make = || build(entry);
        let mut held = 0;
        for case in cases.iter().step_by(share(entry)) {
            match law(&make, case) {
                Verdict::Holds => held += 1,
                Verdict::NotApplicable(_) => {}
                Verdict::Unavailable(why) => {
                    skip_in_test(id, why);
                    continue 'solvers;
                }
                Verdict::Violated(what) => {
                    let _ = writeln!(broken, "{id} on {}: {what}", case.name);
                }
            }
        }
        let accepted = cases
            .iter()
            .filter(|case| make().check(&case.problem).is_ok());
        let least = least.min(accepted.count());
        if held < least {
            let _ = writeln!(broken, "{id} met the law on {held} cases, expected {least}");
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
}

/// Panics if a solver breaks a law or the law does not apply; skips the solver if its device is
/// missing.
fn assert_holds(id: &str, verdict: Verdict) {
    match verdict {
        Verdict::Unavailable(why) => skip_in_test(id, why),
        verdict => assert_eq!(verdict, Verdict::Holds, "{id}"),
    }
}

fn build(entry: &SolverEntry) -> Box<dyn delassus_core::ImpulseSolver> {
    let solver = entry.build(&Map::new());
    solver.expect("a solver is built with its defaults")
}

/// Of how many cases a solver meets one: devices take minutes, software ones longer, and their
/// crate has the laws too.
fn device_share(entry: &SolverEntry) -> usize {
    if on_a_device(entry) && !whole() { 4 } else { 1 }
}

/// True for a solver that promises equal bits.
fn repeats(entry: &SolverEntry) -> bool {
    entry.descriptor.determinism != Determinism::None
}

#[test]
fn law_1_chunks_do_not_matter() {
    for_solvers(repeats, 2, chunks);
}

#[test]
fn law_2_a_warm_start_from_the_solution_stays() {
    for_solvers(solves_some_law, 2, warm_start);
}

#[test]
fn law_3_the_oracles_residual_is_at_rounding_level() {
    for_every_solver(2, oracle_residual);
}

#[test]
fn law_4_converges_to_the_oracles_velocities() {
    for_solvers(solves_some_law, 2, convergence);
}

#[test]
fn law_5_repeats_bit_for_bit() {
    let all = cases();
    for_solvers(repeats, 2, |make, case| repetition(make, case, &all[0]));
}

#[test]
fn law_6_iterate_does_not_allocate() {
    // a submission to a device allocates in the driver, a combination prepares its methods one
    // after the other
    let combines = |entry: &SolverEntry| entry.descriptor.work_unit == WorkUnit::Stage;
    for_solvers(
        |entry| !on_a_device(entry) && !combines(entry),
        2,
        allocation,
    );
}

#[test]
fn law_7_scales_with_mass() {
    for_every_solver(2, scaling);
}

#[test]
fn law_8_refuses_what_it_cannot_do() {
    for entry in Registry::standard().entries() {
        assert_holds(entry.descriptor.id, refusal(&|| build(entry)));
    }
}

#[test]
fn law_9_keeps_momentum() {
    // solvers of equalities only or of small problems refuse the isolated system
    for_every_solver(0, momentum);
    let general = [
        "pgs",
        "psor",
        "block-gs",
        "coloured-pgs",
        "wide-pgs",
        "dense-pgs",
        "pdas",
        "ipm",
        "fischer-newton",
        "alart-curnier",
        "jean-moreau",
        "jacobi",
        "jacobi-f32",
        "async-jacobi",
        "projected-gradient",
        "spg",
        "apgd",
        "mprgp",
        "projected-cg",
        "admm",
        "gpu-jacobi",
        "gpu-worlds",
        "gpu-coloured-pgs",
        "gpu-async-jacobi",
    ];
    let registry = Registry::standard();
    let isolated = cases().into_iter().find(|c| c.centres.is_some());
    let isolated = isolated.expect("one case is isolated");
    for id in general {
        let entry = &registry.find(id).expect("a registered solver");
        assert_holds(id, momentum(&|| build(entry), &isolated));
    }
}

#[test]
fn law_10_bodies_stick_and_slide_by_their_law_of_friction() {
    let (mut broken, mut held) = (String::new(), 0);
    // these boxes are rigid, and sap needs compliance on every row
    for entry in own_solvers().iter().filter(|e| e.descriptor.id != "sap") {
        let id = entry.descriptor.id;
        match friction(&|| build(entry), device_share(entry)) {
            Verdict::Holds => held += 1,
            Verdict::NotApplicable(why) => eprintln!("{id}: {why}"),
            Verdict::Unavailable(why) => skip_in_test(id, why),
            Verdict::Violated(what) => drop(writeln!(broken, "{id}: {what}")),
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
    assert!(held >= 10, "{held} solvers met the law");
}

#[test]
fn law_11_a_state_that_comes_back_repeats_itself() {
    let mut telling = 0;
    // on a device every look is read back, so it is looked at for less long; conjugate directions
    // round on and on: projected-cg comes to a standstill on eight cases
    let (many, few) = if whole() {
        ((8, 3000), (2, 300))
    } else {
        ((4, 1000), (1, 100))
    };
    for (device, (least, sweeps)) in [(false, many), (true, few)] {
        let tells = |entry: &SolverEntry| on_a_device(entry) == device && tells_its_state(entry);
        telling += own_solvers().iter().filter(|entry| tells(entry)).count();
        // few states of a device come back in so few sweeps
        let law = |make: Make<'_>, case: &Case| recurrence(make, case, sweeps);
        let share = if device && !whole() { 3 } else { 1 };
        for_shares(tells, |_| share, least, law);
    }
    assert!(telling >= 8, "{telling} solvers tell their state");
}

#[test]
fn law_12_compliance_that_rows_share_is_taken_over() {
    let claims = |entry: &SolverEntry| entry.descriptor.coupled_compliance;
    for_solvers(claims, 2, sharing);
    let registry = Registry::standard();
    let refusing = registry.entries().iter().filter(|entry| !claims(entry));
    let mut refusing: Vec<&str> = refusing.map(|entry| entry.descriptor.id).collect();
    refusing.sort_unstable();
    let expected = [
        "async-jacobi",
        "gpu-async-jacobi",
        "gpu-coloured-pgs",
        "gpu-jacobi",
        "gpu-worlds",
        // its metric is that of a diagonal R
        "sap",
        "wide-pgs",
    ];
    assert_eq!(refusing, expected, "layouts without room for it");
}

#[test]
fn law_13_a_restart_is_a_preparation() {
    for_solvers(repeats, 2, restart);
    // Gauss–Seidel and Jacobi keep what they packed
    let keeping = [
        "pgs",
        "psor",
        "block-gs",
        "manifold-gs",
        "coloured-pgs",
        "naive-impulses",
        "dense-pgs",
        "jacobi",
        "jacobi-f32",
    ];
    for_solvers(
        |entry| keeping.contains(&entry.descriptor.id),
        2,
        restart_allocation,
    );
}

#[test]
fn law_14_other_writings_of_a_problem_have_its_velocities() {
    let plain = |case: &Case| {
        case.name.ends_with("compliant, bodies") || case.name == "joints and contacts, bodies"
    };
    let cases: Vec<Case> = cases().into_iter().filter(plain).collect();
    let (mut broken, mut held) = (String::new(), 0);
    for entry in own_solvers() {
        // a shader has the order of its twin on the processor, which is asked
        if on_a_device(&entry) || !solves_some_law(&entry) {
            continue;
        }
        let id = entry.descriptor.id;
        for (case, way) in cases
            .iter()
            .flat_map(|case| Rewriting::ALL.map(|way| (case, way)))
        {
            match rewriting(&|| build(&entry), case, way) {
                Verdict::Holds => held += 1,
                Verdict::NotApplicable(_) => {}
                Verdict::Unavailable(what) | Verdict::Violated(what) => {
                    let _ = writeln!(broken, "{id} on {}, {way:?}: {what}", case.name);
                }
            }
        }
    }
    assert!(broken.is_empty(), "\n{broken}");
    assert!(held >= 1000, "{held} writings were solved");
}

#[test]
fn law_15_friction_that_nothing_moves_stays_at_zero() {
    for_solvers(solves_some_law, 0, |make, case| {
        // its step of the Fischer-Burmeister function ends 3e-9 from this solution
        let stalls = make().descriptor().id == "fischer-newton"
            && case.name.starts_with("elliptic-cone, small, 3 rows");
        if stalls {
            return Verdict::NotApplicable("stalls at 3e-9 on a small elliptic cone".into());
        }
        immobile(make, case)
    });
}

#[test]
fn law_16_units_from_new_starts_stop_at_solutions_alone() {
    let is_map = |entry: &SolverEntry| entry.descriptor.unit_is_map;
    for_solvers(|entry| is_map(entry) && solves_some_law(entry), 2, unit_map);
    // a solver that declares no map stays elsewhere on some case
    let cases = cases();
    let mut never = Vec::new();
    for entry in own_solvers().iter().filter(|entry| !is_map(entry)) {
        let make = || build(entry);
        let stays = |case: &Case| matches!(unit_map(&make, case), Verdict::Violated(_));
        if !cases.iter().any(stays) {
            never.push(entry.descriptor.id);
        }
    }
    // one whose sets of active rows cycle does so on no case
    assert_eq!(never, ["pdas"]);
}

/// True for an iterative solver that shows what decides its next sweep; direct methods finish
/// instead.
fn tells_its_state(entry: &SolverEntry) -> bool {
    let mut solver = build(entry);
    if let Some(Err(why)) = solver.facts().device {
        skip_in_test(entry.descriptor.id, why);
        return false;
    }
    cases().iter().any(|case| {
        solver.prepare(&case.problem, Start::Cold).is_ok()
            && matches!(solver.fingerprint(&mut Vec::new()), Ok(Some(_)))
    })
}
