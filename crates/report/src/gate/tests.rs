use delassus_records::build::Build;
use delassus_records::machine::MachineInfo;
use serde_json::Map;

use super::*;
use crate::bundle::Bundle;
use crate::origin::Origin;
use crate::testing::{bundle, cell, decay, trajectories};
use delassus_core::Status;

/// A gate as a spec writes it.
fn gate(keys: Value) -> GateSpec {
    serde_json::from_value(keys).expect("a gate")
}

/// Chains that `pgs` solves in 40 sweeps and `slow` in 60, but for the last.
fn run() -> Bundle {
    let mut records = Vec::new();
    for name in ["a", "b", "c"] {
        records.push(cell(name, "pgs", Status::Solved, 40, decay(0.6)));
        let status = if name == "c" {
            Status::MaxSweeps
        } else {
            Status::Solved
        };
        records.push(cell(name, "slow", status, 60, decay(0.7)));
    }
    bundle(records)
}

fn of(keys: Value) -> Judged {
    judge(&gate(keys), &run(), &[])
}

#[test]
fn counts_are_exact() {
    let same = of(json!({ "value": "sweeps", "solvers": ["pgs"], "equals": 40 }));
    assert_eq!(same.verdict, GateVerdict::Pass);
    assert_eq!(same.message, "3 cells: 40");
    let other = of(json!({ "value": "sweeps", "equals": 40 }));
    assert_eq!(other.verdict, GateVerdict::Fail);
    assert_eq!(
        other.message,
        "3 of 6 cells: a, slow: 60; b, slow: 60; c, slow: 60"
    );
    let bounds = json!({ "value": "row_updates", "at_least": 1300, "at_most": 2100 });
    // a problem of one letter has 33 rows
    assert_eq!(of(bounds).message, "6 cells: 1320 to 1980");
    assert_eq!(
        of(json!({ "value": "rows", "equals": 33 })).verdict,
        GateVerdict::Pass
    );
    let none = of(json!({ "value": "frames", "equals": 1, "problems": ["a"] }));
    assert_eq!(none.verdict, GateVerdict::Fail);
    assert!(
        none.message.contains("a, pgs: no value; solved"),
        "{}",
        none.message
    );
}

#[test]
fn statuses_and_numbers_of_cells() {
    let all = of(json!({ "value": "status", "equals": "solved" }));
    assert_eq!(
        all.message,
        "1 of 6 cells: c, slow: max_sweeps (stopped: max_sweeps)"
    );
    let number = json!({ "value": "cells", "status": "solved", "equals": 5 });
    assert_eq!(
        gate(number.clone()).assertion(),
        "cells that are solved = 5"
    );
    assert_eq!(of(number).message, "5 of 6 cells");
    let fewer = of(json!({ "value": "cells", "status": "solved", "at_least": 6 }));
    assert_eq!(fewer.message, "5 of 6 cells; not c, slow: max_sweeps");
    assert_eq!(fewer.verdict, GateVerdict::Fail);
}

#[test]
fn residuals_have_bounds_and_what_has_none_fails() {
    let bound = json!({ "value": "natural_map", "at_most": 1e-8, "solvers": ["pgs"] });
    let kept = of(bound);
    assert_eq!(kept.verdict, GateVerdict::Pass);
    assert!((kept.cells[0].value.unwrap() - libm::pow(0.6, 40.0)).abs() < 1e-20);
    let missed = of(json!({ "value": "natural_map", "at_most": 1e-9, "problems": ["b"] }));
    assert_eq!(missed.verdict, GateVerdict::Fail);
    assert!(
        missed.message.starts_with("1 of 2 cells: b, pgs: 1.337e−9"),
        "{}",
        missed.message
    );
    let mut refused = run();
    refused.records[0].outcome =
        crate::record::Outcome::without_samples(Status::Unsupported, "no bodies");
    let bound = gate(json!({ "value": "natural_map", "at_most": 1.0 }));
    let judged = judge(&bound, &refused, &[]);
    assert_eq!(judged.verdict, GateVerdict::Fail);
    assert_eq!(
        judged.message,
        "1 of 6 cells: a, pgs: no value; unsupported (no bodies)"
    );
    // a residual that is not a number keeps no bound
    let broken = bundle(vec![cell("a", "pgs", Status::NonFinite, 4, |_| {
        Some(f64::NAN)
    })]);
    assert_eq!(judge(&bound, &broken, &[]).verdict, GateVerdict::Fail);
}

#[test]
fn what_has_not_run_decides_nothing_but_a_failure_stays_one() {
    let missing = [("d".to_owned(), "pgs".to_owned())];
    let same = gate(json!({ "value": "sweeps", "solvers": ["pgs"], "equals": 40 }));
    let judged = judge(&same, &run(), &missing);
    assert_eq!(judged.verdict, GateVerdict::Undecided);
    assert_eq!(judged.message, "1 of 4 cells: d, pgs: not run yet");
    let wrong = gate(json!({ "value": "sweeps", "equals": 41 }));
    assert_eq!(judge(&wrong, &run(), &missing).verdict, GateVerdict::Fail);
    let number = gate(json!({ "value": "cells", "at_least": 1 }));
    assert_eq!(
        judge(&number, &run(), &missing).verdict,
        GateVerdict::Undecided
    );
    // three are there and one more may come
    for (most, expected) in [(2, GateVerdict::Fail), (3, GateVerdict::Undecided)] {
        let bound = gate(json!({ "value": "cells", "solvers": ["pgs"], "at_most": most }));
        assert_eq!(judge(&bound, &run(), &missing).verdict, expected);
    }
    // a gate that is about nothing says nothing
    let nobody = judge(&same, &bundle(Vec::new()), &[]);
    assert_eq!(
        (nobody.verdict, nobody.message.as_str()),
        (GateVerdict::Fail, "no cell is meant")
    );
}

#[test]
fn work_beside_another_solver() {
    let ratio =
        json!({ "value": "row_updates", "solvers": ["pgs"], "beside": "slow", "at_most": 0.7 });
    let judged = of(ratio);
    // of the third, the other has no end to compare with
    assert_eq!(judged.verdict, GateVerdict::Undecided);
    assert_eq!(judged.cells[0].value, Some(40.0 / 60.0));
    assert!(
        judged
            .message
            .contains("nothing to compare with: slow max_sweeps")
    );
    let other = json!({ "value": "sweeps", "solvers": ["slow"], "beside": "pgs", "at_most": 2.0 });
    let judged = of(other);
    assert_eq!(judged.verdict, GateVerdict::Fail);
    assert!(
        judged
            .message
            .starts_with("1 of 3 cells: c, slow: max_sweeps")
    );
    assert_eq!(judged.cells[1].found, "1.500 (60 to 40)");
}

/// The same with passes that took turns on one machine, `slow` taking 1.5 times as long but for
/// jitter.
fn timed(repetitions: u64, noise: f64) -> Bundle {
    let mut run = run();
    run.records.retain(|r| r.problem.name == "a");
    let machine = MachineInfo::here("avx2".to_owned());
    for record in &mut run.records {
        let factor = if record.solver.label == "slow" {
            1.5
        } else {
            1.0
        };
        let jitter = |i: u64| 1.0 + 0.01 * crate::analysis::count((i * 7) % 5);
        let pass = |i| 1e-3 * factor * if factor > 1.0 { jitter(i) } else { 1.0 };
        record.outcome.iterate_seconds = (0..repetitions).map(pass).collect();
        record.outcome.prepare_seconds = vec![0.0; record.outcome.iterate_seconds.len()];
        let mut origin = Origin::begun(&Build::UNKNOWN, &machine, 1, &Map::new());
        (origin.noise, origin.interleaved_with) = (Some(noise), Some("together".to_owned()));
        record.origin = Some(origin);
    }
    run
}

fn seconds(key: &str, bound: f64) -> GateSpec {
    gate(json!({ "value": "seconds", "solvers": ["slow"], "beside": "pgs", key: bound }))
}

#[test]
fn times_are_ratios_that_their_interval_proves() {
    let run = timed(20, 0.02);
    let verdict = |key, bound| judge(&seconds(key, bound), &run, &[]).verdict;
    assert_eq!(verdict("at_most", 1.6), GateVerdict::Pass);
    assert_eq!(verdict("at_most", 1.3), GateVerdict::Fail);
    assert_eq!(verdict("at_least", 1.4), GateVerdict::Pass);
    assert_eq!(verdict("at_least", 1.8), GateVerdict::Fail);
    let judged = judge(&seconds("at_most", 1.3), &run, &[]);
    assert!(
        judged
            .message
            .starts_with("1 of 1 cell: a, slow: 1.53 (99.0 % CI 1.5"),
        "{}",
        judged.message
    );
    // noise hides what is no more than noise: 1.3 · 1.25 is beyond what was found, and 1.56 beyond
    // 1.3 is not proved
    let noisy = judge(&seconds("at_most", 1.3), &timed(20, 0.25), &[]);
    assert_eq!(noisy.verdict, GateVerdict::Pass);
    let between = judge(&seconds("at_most", 1.5), &timed(20, 0.03), &[]);
    assert_eq!(
        between.verdict,
        GateVerdict::Undecided,
        "{}",
        between.message
    );
}

#[test]
fn times_that_prove_nothing_are_undecided() {
    let few = judge(&seconds("at_most", 1.3), &timed(7, 0.02), &[]);
    assert_eq!(few.verdict, GateVerdict::Undecided);
    assert!(
        few.message.ends_with("7 repetitions; 8 prove something"),
        "{}",
        few.message
    );
    let mut alone = timed(20, 0.02);
    for record in &mut alone.records {
        record.origin.as_mut().unwrap().interleaved_with = None;
    }
    let judged = judge(&seconds("at_most", 1.3), &alone, &[]);
    assert!(
        judged.message.contains("took no turns"),
        "{}",
        judged.message
    );
    let mut elsewhere = timed(20, 0.02);
    elsewhere.records[0].origin.as_mut().unwrap().machine.cpu = "another".to_owned();
    let judged = judge(&seconds("at_most", 1.3), &elsewhere, &[]);
    assert_eq!(judged.verdict, GateVerdict::Undecided);
    assert!(
        judged.message.contains("different conditions"),
        "{}",
        judged.message
    );
}

#[test]
fn observables_over_time() {
    let run = trajectories();
    let name = run.records[0].outcome.metrics[0].clone();
    let bound = gate(json!({ "value": name, "over": "max", "at_least": -1e300 }));
    assert!(bound.assertion().starts_with(&format!("{name} (max) ≥ ")));
    let judged = judge(&bound, &run, &[]);
    assert_eq!(judged.cells.len(), run.records.len());
    let ended = |r: &CellRecord| r.outcome.status == Status::Solved;
    for (finding, record) in judged.cells.iter().zip(&run.records) {
        // a run that did not come to its end has no value
        let fails = finding.verdict == GateVerdict::Fail;
        assert!(fails || ended(record), "{}", finding.found);
    }
}

/// The refusal of a gate by an experiment that solves problems and measures the natural map.
fn refusal(keys: Value) -> String {
    let measured = ["natural_map".to_owned()];
    let columns = Columns {
        kind: Kind::Solves,
        measured: &measured,
        known: |name| name == "siconos",
        problems: Vec::new(),
        schemes: Vec::new(),
        solvers: Vec::new(),
        has_budget: false,
        has_worlds: false,
    };
    match gate(keys).check(&columns) {
        Ok(()) => panic!("accepted"),
        Err(refusal) => refusal.message,
    }
}

#[test]
fn what_cannot_be_meant_is_refused() {
    for (keys, part) in [
        (
            json!({ "value": "sweps", "equals": 3 }),
            "did you mean \"sweeps\"?",
        ),
        (
            json!({ "value": "natral_map", "at_most": 3 }),
            "did you mean \"natural_map\"?",
        ),
        (
            json!({ "value": "xyzzy", "at_most": 3 }),
            "known: status, cells",
        ),
        (
            json!({ "value": "siconos", "at_most": 3 }),
            "write metrics = [\"natural_map\", \"siconos\"] in [measure]",
        ),
        (
            json!({ "value": "sweeps" }),
            "needs equals, at_most or at_least",
        ),
        (
            json!({ "value": "natural_map", "equals": 3 }),
            "write at_most or at_least",
        ),
        (
            json!({ "value": "sweeps", "equals": "3" }),
            "is a count: write equals = 12",
        ),
        (
            json!({ "value": "sweeps", "equals": 3, "at_most": 4 }),
            "leave at_most out",
        ),
        (
            json!({ "value": "status", "equals": 3 }),
            "write equals = \"…\"",
        ),
        (json!({ "value": "status", "at_most": 3 }), "has no order"),
        (
            json!({ "value": "status", "equals": "solvd" }),
            "did you mean \"solved\"?",
        ),
        (
            json!({ "value": "cells", "status": "sol", "equals": 1 }),
            "did you mean \"solved\"?",
        ),
        (
            json!({ "value": "sweeps", "status": "solved", "equals": 1 }),
            "status goes with",
        ),
        (
            json!({ "value": "seconds", "at_most": 1 }),
            "beside = \"SOLVER\"",
        ),
        (
            json!({ "value": "ns_per_row", "at_most": 1 }),
            "compare times as ratios",
        ),
        (
            json!({ "value": "rows", "beside": "pgs", "at_most": 1 }),
            "not with rows",
        ),
        (
            json!({ "value": "natural_map", "over": "max", "at_most": 1 }),
            "over goes with [[scene]]",
        ),
        (
            json!({ "value": "sweeps", "over": "max", "at_most": 1 }),
            "over goes with an observable",
        ),
    ] {
        let message = refusal(keys.clone());
        assert!(message.contains(part), "{keys}: {message}");
    }
    let infinite = GateSpec {
        at_most: Some(f64::INFINITY),
        ..gate(json!({ "value": "sweeps" }))
    };
    let measured = Vec::new();
    let columns = Columns {
        kind: Kind::Solves,
        measured: &measured,
        known: |_| false,
        problems: Vec::new(),
        schemes: Vec::new(),
        solvers: Vec::new(),
        has_budget: false,
        has_worlds: false,
    };
    let message = infinite.clone().check(&columns).unwrap_err().message;
    assert!(
        message.contains("at_most must be a finite number"),
        "{message}"
    );
}
