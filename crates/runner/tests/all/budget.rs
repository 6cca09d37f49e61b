//! `budget` of `[simulate]`: substeps that are chosen by what a frame costs.

use std::fs;

use delassus_core::Status;
use delassus_records::record::{CellRecord, FrameBudget};
use delassus_report::bundle::Bundle;

use crate::support::{bundle_of, run_into, write};

/// A chain with methods of unlike costs; `more` stands in `[simulate]`, `parameters` in every
/// `[[scheme]]`.
fn text(more: &str, parameters: &str) -> String {
    format!(
        r#"title = "Budget"

[[scene]]
use = "heavy-tip-chain"
n = 4
mass_ratio = [1, 30]

[[scheme]]
use = "soft-step"
label = "soft"
{parameters}

[[scheme]]
use = "pgs-baumgarte"
label = "baumgarte"
{parameters}

[[scheme]]
use = "xpbd"
label = "xpbd"
{parameters}

[[solver]]
use = "pgs"

[simulate]
dt = 0.02
seconds = 0.4
observables = ["drift_max", "row_updates"]
{more}
"#
    )
}

/// Frames of a run \[-\].
const FRAMES: u64 = 20;

fn cell<'b>(bundle: &'b Bundle, ratio: u32, method: &str) -> &'b CellRecord {
    let scene = format!("heavy-tip-chain n=4 mass_ratio={ratio}");
    bundle
        .cell(&scene, method)
        .unwrap_or_else(|| panic!("no {scene} with {method}"))
}

#[test]
fn every_method_gets_the_most_substeps_within_its_row_updates() {
    let bound = 700;
    let bundle = bundle_of(
        &text(&format!("budget = {{ row_updates = {bound} }}"), ""),
        2,
    );
    assert_eq!(bundle.records.len(), 6);
    for record in &bundle.records {
        let outcome = &record.outcome;
        assert_eq!(outcome.status, Status::Solved, "{:?}", outcome.message);
        let own = outcome.calibration().expect("a calibration");
        assert_eq!(own.budget, FrameBudget::RowUpdates(bound));
        // the scheme says nothing of substeps that it does not choose
        let scheme = record.scheme().expect("a scheme");
        assert!(!scheme.parameters.contains_key("substeps"), "{scheme:?}");
        let method = record.method();
        // the same run with fixed substeps, and one more substep
        let fixed = |substeps: u32| bundle_of(&text("", &format!("substeps = {substeps}")), 2);
        let ratio = if record.problem.parameters["mass_ratio"] == 1.0 {
            1
        } else {
            30
        };
        let run = fixed(own.substeps);
        let same = &cell(&run, ratio, method).outcome;
        assert_eq!(outcome.impulse_hash, same.impulse_hash, "{method}");
        assert_eq!(outcome.samples, same.samples, "{method}");
        assert_eq!(outcome.row_updates, same.row_updates, "{method}");
        assert!(same.row_updates <= bound * FRAMES, "{method}");
        let run = fixed(own.substeps + 1);
        let more = &cell(&run, ratio, method).outcome;
        assert!(more.row_updates > bound * FRAMES, "{method}");
        let cost = own.cost().expect("a cost");
        let updates = outcome.row_updates as f64;
        assert!((20.0 * cost - updates).abs() < 0.5, "{method}");
    }
    let substeps = |method: &str| {
        let own = cell(&bundle, 1, method).outcome.calibration();
        own.map(|own| own.substeps)
    };
    // 12 rows and 10 sweeps are 120 updates of a substep
    assert_eq!(substeps("baumgarte"), Some(5));
    assert!(substeps("xpbd") > substeps("soft"));
}

#[test]
fn a_finished_cell_keeps_its_substeps() {
    let folder = tempfile::tempdir().expect("a folder");
    let spec = write(
        folder.path(),
        &text("budget = \"500 us\"\nrepetitions = 2", ""),
    );
    let out = folder.path().join("out");
    let first = run_into(&spec, &out, 1);
    assert_eq!((first.cells, first.ran, first.exit_code()), (6, 6, 0));
    let summary = fs::read_to_string(out.join("summary.csv")).expect("a summary");
    let again = run_into(&spec, &out, 1);
    assert_eq!((again.ran, again.kept), (0, 6));
    let kept = fs::read_to_string(out.join("summary.csv")).expect("a summary");
    assert_eq!(summary, kept);
    for column in ["budget", "chosen_substeps", "calibrated_cost"] {
        assert!(
            summary
                .lines()
                .next()
                .is_some_and(|head| head.contains(column))
        );
    }
    assert!(summary.contains("500 µs per frame"), "{summary}");
    // another budget is another cell
    write(
        folder.path(),
        &text("budget = \"800 us\"\nrepetitions = 2", ""),
    );
    assert_eq!(run_into(&spec, &out, 1).ran, 6);
}

#[test]
fn one_substep_over_the_budget_runs_and_says_so() {
    let table =
        "[[table]]\nid = \"rank\"\nshow = { equal-budget = { quantity = \"drift_max\" } }\n";
    let spec = text("budget = { row_updates = 100 }", "") + table;
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("out");
    let summary = run_into(&write(folder.path(), &spec), &out, 1);
    assert_eq!(summary.exit_code(), 0);
    let rank = fs::read_to_string(out.join("tables/rank.csv")).expect("a table");
    let row = |method: &str| {
        let mut lines = rank.lines();
        lines
            .find(|line| line.contains(method))
            .unwrap_or_else(|| panic!("no {method} in {rank}"))
            .to_owned()
    };
    let over = row("baumgarte");
    assert!(
        over.contains(",–,") && over.contains("over the budget of 100 row updates"),
        "{over}"
    );
    assert!(row("xpbd").contains(",1,xpbd,"), "{rank}");
}

#[test]
fn a_scene_without_rows_is_unsupported() {
    let spec = text("budget = { row_updates = 100 }", "").replace(
        "use = \"heavy-tip-chain\"\nn = 4\nmass_ratio = [1, 30]",
        "use = \"dzhanibekov\"",
    );
    let bundle = bundle_of(&spec, 1);
    assert_eq!(bundle.records.len(), 3);
    for record in &bundle.records {
        let outcome = &record.outcome;
        assert_eq!(outcome.status, Status::Unsupported);
        let message = outcome.message.as_deref().unwrap_or_default();
        assert!(message.contains("counts no row updates"), "{message}");
        assert_eq!(outcome.calibration(), None);
    }
}
