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

/// Titles, tables and damage: whatever is drawn from the records is drawn again, in place as
/// elsewhere.
#[test]
fn report_writes_all_tables_again_in_place() {
    let lab = Lab::new();
    lab.file("small/experiment.toml", SPEC);
    let ran = lab.run(&["run", "small", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read = |name: &str| fs::read_to_string(lab.path("out").join(name)).ok();
    let names = ["summary.csv", "records.csv"];
    let before = names.map(read);
    let changed = SPEC
        .replace("\"Smallest\"", "\"Small\"")
        .replace("id = \"cells\"", "id = \"all\"");
    lab.file("small/experiment.toml", changed);
    type Damage = fn(&std::path::Path);
    let damages: [Damage; 3] = [
        |path| fs::write(path, "problem\nnone\n").expect("a file"),
        |path| fs::remove_file(path).expect("a file"),
        |_| {},
    ];
    for damage in damages {
        for name in names {
            damage(&lab.path("out").join(name));
        }
        let ran = lab.run(&["report", "out"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        assert_eq!(names.map(read), before);
        let ran = lab.run(&["verify", "out"]);
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    }
    assert!(read("tables/all.csv").is_some() && read("tables/cells.csv").is_none());
    // the same files as elsewhere
    let ran = lab.run(&["report", "out", "--out", "there"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let there = |name: &str| fs::read_to_string(lab.path("there").join(name)).ok();
    assert_eq!(names.map(there), before);
}

#[test]
fn a_folder_of_results_has_an_index() {
    let lab = Lab::new();
    for name in ["first", "second"] {
        lab.file(&format!("{name}/experiment.toml"), SPEC);
        lab.file(
            &format!("{name}/README.md"),
            "## Finding\n\nIt **appears as it should**. All of it.\n",
        );
        assert_eq!(lab.run(&["run", name, "--quiet"]).code, 0);
    }
    let index = lab.path("results/index.html");
    let text = fs::read_to_string(&index).expect("the index");
    for part in [
        "./first/report.html",
        "./second/report.html",
        "<bdi>It appears as it should.</bdi>",
        "<dt>cells</dt><dd>8</dd>",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // a damaged neighbour stops no run and no report
    lab.file("results/first/experiment.json", "{");
    fs::remove_file(&index).expect("the index");
    assert_eq!(lab.run(&["report", "results/second"]).code, 0);
    let text = fs::read_to_string(&index).expect("the index");
    assert!(text.contains("experiment.json is damaged") && text.contains("./second/report.html"));
    // nor does a page of somebody else, which stays
    lab.file("results/index.html", "mine");
    let ran = lab.run(&["run", "second"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("is not a page of this program"),
        "{}",
        ran.stderr
    );
    assert_eq!(fs::read_to_string(&index).expect("the page"), "mine");
    assert_eq!(lab.run(&["report", "results"]).code, 3);
    fs::remove_file(&index).expect("the page");
    let ran = lab.run(&["report", "results", "--json"]);
    assert_eq!(ran.objects()[0]["experiments"], 2, "{}", ran.stderr);
    assert!(index.is_file());
    // elsewhere nobody asked for one
    assert_eq!(
        lab.run(&["run", "second", "--quiet", "--out", "there/second"])
            .code,
        0
    );
    assert!(!lab.path("there/index.html").exists());
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
