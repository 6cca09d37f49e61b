//! How real solves end: the same way however they are sampled, and never by a guess.

use std::sync::atomic::AtomicBool;

use delassus_core::{Start, Status};
use delassus_problems::{NamedProblem, generate};
use delassus_records::record::Outcome;
use delassus_registry::Registry;
use delassus_runner::driver::{Options, SampleSchedule, StopRule, drive};
use delassus_runner::judge::Judge;
use serde_json::{Map, Value, json};

fn map(value: Value) -> Map<String, Value> {
    serde_json::from_value(value).expect("an object")
}

fn problem(generator: &str, parameters: Value) -> NamedProblem {
    generate(generator, &map(parameters)).expect("a problem")
}

/// A solve of `named`.
fn solve(
    named: &NamedProblem,
    (solver, parameters): (&str, Value),
    start: Start<'_>,
    stop: StopRule,
    schedule: SampleSchedule,
) -> Outcome {
    let registry = Registry::standard();
    let entry = registry.find(solver).expect("a solver");
    let mut solver = entry.build(&map(parameters)).expect("its parameters");
    let criteria = ["natural_map"];
    let mut judge = Judge::new(&named.problem, &criteria, &criteria).expect("a judge");
    let options = Options {
        stop,
        schedule,
        repetitions: 1,
    };
    let cancel = AtomicBool::new(false);
    drive(
        solver.as_mut(),
        &named.problem,
        start,
        &mut judge,
        &options,
        &cancel,
    )
    .0
}

/// The end of a solve under samples that could not differ more.
fn end(
    named: &NamedProblem,
    solver: (&str, Value),
    start: Start<'_>,
    stop: &StopRule,
) -> (Status, u64) {
    let schedules = [
        SampleSchedule::Every(1),
        SampleSchedule::Every(10),
        SampleSchedule::Every(64),
        SampleSchedule::Geometric(1.05),
        SampleSchedule::Every(1_000_000),
    ];
    let mut ends = schedules.map(|schedule| {
        let outcome = solve(named, solver.clone(), start, stop.clone(), schedule);
        (outcome.status, outcome.sweeps)
    });
    ends.sort();
    assert_eq!(ends[0], ends[4], "{ends:?}");
    ends[0]
}

fn stop(tolerance: f64, max_sweeps: u64) -> StopRule {
    StopRule {
        tolerance,
        max_sweeps,
        ..StopRule::default()
    }
}

#[test]
fn velocities_that_are_summed_anew_do_not_end_a_solve() {
    let named = problem("stack", json!({ "n": 1, "mass": 1e-5, "friction": 0.4 }));
    let ones = vec![1.0; named.problem.rows()];
    let (status, sweeps) = end(
        &named,
        ("wide-pgs", json!({})),
        Start::Warm(&ones),
        &stop(1e-5, 10_000),
    );
    assert_eq!(status, Status::Solved);
    assert!(
        sweeps > 28,
        "its impulses rest from sweep 28 to the first renewal: {sweeps}"
    );
}

#[test]
fn cycles_are_named() {
    for (seed, omega) in [(32, 1.25), (7, 1.6)] {
        let parameters =
            json!({ "bodies": 3, "pyramid": 6, "coulomb": 0, "friction": 1.5, "seed": seed });
        let named = problem("planted", parameters);
        let over_relaxed = ("psor", json!({ "omega": omega }));
        let (status, sweeps) = end(&named, over_relaxed, Start::Cold, &stop(1e-10, 5000));
        assert_eq!(status.to_string(), "cycling(2)", "seed {seed}");
        // and it is one: two sweeps apart the impulses are the same, one sweep apart they are not
        let after = |sweeps| {
            let limit = stop(1e-10, sweeps);
            let solver = ("psor", json!({ "omega": omega }));
            let every = SampleSchedule::Every(1);
            solve(&named, solver, Start::Cold, limit, every).impulse_hash
        };
        assert_eq!(after(sweeps - 1), after(sweeps - 3));
        assert_ne!(after(sweeps - 1), after(sweeps - 2));
    }
}

#[test]
fn impulses_that_clamp_to_zero_twice_do_not_end_momentum() {
    let laws = [
        "equality",
        "bounds",
        "frictionless",
        "fixed_box",
        "pyramid",
        "disc",
        "coulomb",
        "convex_cone",
        "patch",
    ];
    for law in laws {
        for seed in 0..8 {
            let mut parameters =
                json!({ "bodies": 5, "coulomb": 0, "friction": 0.5, "seed": seed });
            parameters[law] = json!(6);
            let named = problem("planted", parameters);
            let rows = (0u32..).take(named.problem.rows());
            let start: Vec<f64> = rows
                .map(|row| f64::from((row * 7 + seed * 3) % 11) * 0.3 - 1.0)
                .collect();
            let outcome = solve(
                &named,
                ("jacobi", json!({})),
                Start::Warm(&start),
                stop(1e-8, 20_000),
                SampleSchedule::Every(1),
            );
            assert_eq!(outcome.status, Status::Solved, "{law}, seed {seed}");
        }
    }
}

#[test]
fn f32_at_its_floor_is_a_proved_standstill_or_a_named_cycle() {
    let plain = json!({ "acceleration": "none" });
    for (solver, parameters, n) in [("wide-pgs", json!({}), 1), ("jacobi-f32", plain, 2)] {
        let named = problem("stack", json!({ "n": n, "friction": 0.5 }));
        let (status, sweeps) = end(
            &named,
            (solver, parameters),
            Start::Cold,
            &stop(1e-14, 20_000),
        );
        assert!(
            matches!(status, Status::Stagnated | Status::Cycling(_)),
            "{solver}: {status} after {sweeps}"
        );
    }
}
