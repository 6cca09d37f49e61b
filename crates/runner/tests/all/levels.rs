//! `tolerances` of a `[[problem]]`: the same problems once per tolerance, which is a parameter of
//! theirs.

use std::fs;
use std::path::Path;

use delassus_core::Status;
use delassus_registry::Registry;
use delassus_runner::{matrix, spec};

use crate::support::{bundle_of, run_into, write};

/// A grid, a file, and what is made of them.
fn text() -> String {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data");
    format!(
        r#"title = "Levels"

[[problem]]
name = "pile"
use = "stack"
n = [2, 3]
tolerances = [1e-2, 1e-6]

[[problem]]
use = "chain"
n = 3
tolerances = [1e-2]

[[problem]]
files = ["{}/stack-5.dls"]
tolerances = [1e-2, 1e-4]

[[solver]]
use = "pgs"

[stop]
metrics = ["natural_map"]

[[figure]]
id = "work"
plot = {{ work-precision = {{ x = "row_updates", y = "natural_map", along = "tolerance" }} }}

[[table]]
id = "first"
show = {{ quality = {{ problems = ["pile tolerance=0.01"] }} }}
"#,
        data.display()
    )
}

#[test]
fn every_tolerance_has_its_problems_and_its_end() {
    let bundle = bundle_of(&text(), 1);
    let ends = [
        ("pile tolerance=0.01 n=2", 1e-2),
        ("pile tolerance=0.01 n=3", 1e-2),
        ("pile tolerance=0.000001 n=2", 1e-6),
        ("pile tolerance=0.000001 n=3", 1e-6),
        ("chain tolerance=0.01 n=3", 1e-2),
        ("stack-5 tolerance=0.01", 1e-2),
        ("stack-5 tolerance=0.0001", 1e-4),
    ];
    assert_eq!(bundle.records.len(), ends.len());
    let mut work = Vec::new();
    for (name, tolerance) in ends {
        let cell = bundle
            .cell(name, "pgs")
            .unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(cell.outcome.status, Status::Solved, "{name}");
        assert_eq!(cell.problem.parameters["tolerance"], tolerance, "{name}");
        let last = cell.outcome.samples.last().expect("a sample");
        let map = last.value(0).expect("a natural map");
        assert!(map <= tolerance, "{name}: {map}");
        work.push(cell.outcome.row_updates);
    }
    assert!(
        work[0] < work[2] && work[1] < work[3] && work[5] < work[6],
        "{work:?}"
    );
}

#[test]
fn a_figure_joins_the_tolerances_of_a_problem() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("out");
    run_into(&write(folder.path(), &text()), &results, 1);
    let read = |path: &str| fs::read_to_string(results.join(path)).expect("a file");
    let figure = read("figures/work.svg");
    for panel in ["pile, n = 2", "pile, n = 3", "stack-5"] {
        assert!(figure.contains(panel), "{panel}");
    }
    assert!(!figure.contains("tolerance = 0"), "a panel per tolerance");
    let table = read("tables/first.csv");
    assert!(
        table.contains("n=2") && !table.contains("0.000001"),
        "{table}"
    );
}

#[test]
fn what_are_no_tolerances_is_refused_with_its_place() {
    for (wrong, words) in [
        ("[]", "empty"),
        ("1e-2", "an array of numbers"),
        ("[1e-2, 0.01]", "twice"),
        ("[1e-2, -1.0]", "> 0"),
        ("[1e-2, \"small\"]", "an array of numbers"),
    ] {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write(folder.path(), &text().replace("[1e-2, 1e-6]", wrong));
        let registry = Registry::standard();
        let planned = spec::read(&path, &registry).and_then(|s| matrix::expand(s, &registry));
        let Err(error) = planned else {
            panic!("{wrong} is taken");
        };
        let text = error.to_string();
        assert!(text.contains(words) && text.contains(":7:"), "{text}");
    }
}
