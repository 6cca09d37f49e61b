//! Solves to a tolerance in an experiment: its columns in records, tables and figures, and what is
//! refused.

use std::fs;

use delassus_core::Status;
use delassus_registry::Registry;
use delassus_report::analysis::over;
use delassus_report::view::Over;
use delassus_runner::{matrix, spec};

use crate::support::{bundle_of, run_into, write};

const SPEC: &str = r#"
title = "Chain"
question = "Algebra or time?"

[[scene]]
use = "chain"
n = 4

[[scheme]]
use = "pgs-baumgarte"
label = "to"
tolerance = [1e-2, 1e-6]

[[scheme]]
use = "pgs-baumgarte"
label = "counted"
tolerance_kind = "relative"

[[scheme]]
use = "xpbd"

[[solver]]
use = "pgs"

[simulate]
dt = 0.02
seconds = 0.4
every = 4
observables = ["solve_sweeps", "solve_residual", "stopped_by_tolerance", "stopped_by_limit", "stopped_by_count", "frame_sweeps"]

[[figure]]
id = "sweeps"
plot = { trajectory = { y = "solve_sweeps" } }

[[figure]]
id = "work"
plot = { parameter = { x = "tolerance", y = "solve_sweeps", over = "max", log_x = true } }

[[table]]
id = "residuals"
show = { trajectories = { quantity = "solve_residual", over = "max" } }
"#;

#[test]
fn sweeps_and_residuals_are_columns_of_every_kind() {
    let bundle = bundle_of(SPEC, 1);
    let value = |cell: &str, name: &str, what: Over| {
        let record = bundle.cell("chain n=4", cell).expect("a cell");
        over(record, name, what, &())
    };
    let mut sweeps = Vec::new();
    for (cell, tolerance) in [("to tolerance=0.01", 1e-2), ("to tolerance=0.000001", 1e-6)] {
        let worst = value(cell, "solve_residual", Over::Max).expect("a residual");
        assert!(worst <= tolerance && worst > 0.0, "{cell}: {worst}");
        assert_eq!(value(cell, "stopped_by_tolerance", Over::Last), Some(20.0));
        assert_eq!(value(cell, "stopped_by_limit", Over::Last), Some(0.0));
        sweeps.push(value(cell, "solve_sweeps", Over::Max).expect("sweeps"));
    }
    assert!(sweeps[0] < sweeps[1], "{sweeps:?}");
    let counted = "counted";
    assert_eq!(value(counted, "stopped_by_count", Over::Last), Some(20.0));
    assert_eq!(value(counted, "solve_sweeps", Over::Max), Some(10.0));
    assert!(value(counted, "solve_residual", Over::Max).is_some());
    // a scheme without frozen problems says so
    assert_eq!(value("xpbd", "solve_sweeps", Over::Max), None);
    let own = bundle.cell("chain n=4", "xpbd").expect("a cell");
    assert_eq!(own.outcome.status, Status::Solved);
    let message = own.outcome.message.as_deref().expect("a message");
    assert!(
        message.starts_with("xpbd solves no frozen problems"),
        "{message}"
    );
}

#[test]
fn figures_and_tables_show_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("out");
    run_into(&write(folder.path(), SPEC), &results, 1);
    let read = |path: &str| fs::read_to_string(results.join(path)).expect("a file");
    assert!(read("figures/sweeps.svg").contains("sweeps of the longest solve"));
    assert!(read("figures/work.svg").contains("<svg"));
    let table = read("tables/residuals.csv");
    assert!(table.lines().count() > 1, "{table}");
    assert!(read("report.html").contains("xpbd solves no frozen problems"));
}

#[test]
fn what_is_no_tolerance_is_refused_with_its_place() {
    for (from, to, words) in [
        ("[1e-2, 1e-6]", "0", vec!["tolerance", "(0, 1]"]),
        ("[1e-2, 1e-6]", "2.0", vec!["tolerance", "(0, 1]"]),
        ("\"relative\"", "\"relativ\"", vec!["relativ", "relative"]),
        (
            "use = \"xpbd\"",
            "use = \"xpbd\"\ntolerance = 1e-3",
            vec!["tolerance", "[[scheme]]"],
        ),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(folder.path(), &SPEC.replace(from, to));
        let registry = Registry::standard();
        let planned = spec::read(&path, &registry).and_then(|s| matrix::expand(s, &registry));
        let Err(error) = planned else {
            panic!("{to} is taken");
        };
        let text = error.to_string();
        for word in words {
            assert!(text.contains(word), "{text}");
        }
    }
}
