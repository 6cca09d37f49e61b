//! `run` and `report` end to end, on the smallest experiment.

use std::fs;

use crate::support::Lab;

const SPEC: &str = r#"
title = "Smallest"
question = "Does everything appear?"
[[problem]]
use = "chain"
n = [2, 3]
[[solver]]
use = "pgs"
[[solver]]
use = "dense-direct"
[stop]
tolerance = 1e-10
[[figure]]
id = "convergence"
plot = { convergence = { x = "sweeps", y = "natural_map" } }
[[table]]
id = "cells"
show = { cells = {} }
"#;

#[test]
fn a_run_says_where_its_report_is_and_report_draws_it_again() {
    let lab = Lab::new();
    lab.file("small/experiment.toml", SPEC);
    let ran = lab.run(&["run", "small"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "results/small/report.html\n");
    assert!(
        ran.stderr.contains("4 cells: 4 solved; 4 ran, 0 kept"),
        "{}",
        ran.stderr
    );
    // not a terminal: one line per cell
    assert_eq!(
        ran.stderr.matches(": solved, ").count(),
        4,
        "{}",
        ran.stderr
    );
    let parts = [
        "report.html",
        "figures/convergence.svg",
        "tables/cells.csv",
        "records.csv",
    ];
    for part in parts {
        assert!(lab.path("results/small").join(part).is_file(), "{part}");
    }
    let again = lab.run(&["run", "small", "--quiet", "--json"]);
    assert_eq!((again.code, again.stderr.as_str()), (0, ""));
    let totals = &again.objects()[0];
    assert_eq!((&totals["kept"], &totals["ran"]), (&4.into(), &0.into()));

    let figure = lab.path("results/small/figures/convergence.svg");
    let drawn = fs::read(&figure).expect("the figure");
    fs::remove_file(&figure).expect("the figure");
    let ran = lab.run(&["report", "results/small"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stdout, "results/small/report.html\n");
    assert_eq!(
        fs::read(&figure).expect("the figure"),
        drawn,
        "the same bytes"
    );
}

#[test]
fn json_of_a_run_is_one_object_per_cell_and_one_of_totals() {
    let lab = Lab::new();
    lab.file("small/experiment.toml", SPEC);
    let ran = lab.run(&["run", "small", "--out", "out", "--json", "--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let objects = ran.objects();
    assert_eq!(objects.len(), 5);
    for cell in &objects[..4] {
        assert_eq!(cell["status"], "solved", "{cell}");
        assert!(
            cell["residuals"]["natural_map"]
                .as_f64()
                .is_some_and(|r| r <= 1e-10),
            "{cell}"
        );
    }
    assert_eq!(objects[4]["statuses"]["solved"], 4);
    assert_eq!(objects[4]["report"], "out/report.html");
}

#[test]
fn a_dry_run_prints_the_matrix_and_makes_nothing() {
    let lab = Lab::new();
    lab.file("small/experiment.toml", SPEC);
    let ran = lab.run(&["run", "small", "--dry-run"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert_eq!(ran.stdout.matches("to do").count() / 4, 1, "{}", ran.stdout);
    assert!(!lab.path("results").exists());
}
