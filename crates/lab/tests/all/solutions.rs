//! Solvers that look for all solutions: what `solve` and `run` hand on.

use std::fs;

use serde_json::Value;

use crate::support::{LCP, Lab};

/// The contact with three solutions of the shipped data.
const THREE: &[u8] = include_bytes!("../../../../data/painleve-three.dls");

#[test]
fn enumeration_hands_out_every_solution() {
    let lab = Lab::new();
    let file = lab.file("three.dls", THREE);
    let arguments = ["solve", file, "--solver", "enumeration", "--save", "out"];
    let ran = lab.run(&arguments);
    assert!(ran.stdout.contains("3 solutions"), "{}", ran.stdout);
    let answer = lab
        .run(&[&arguments[..], &["--json"]].concat())
        .objects()
        .remove(0);
    let found = &answer["solutions"];
    assert_eq!(
        (&found["count"], &found["complete"]),
        (&3.into(), &true.into()),
        "{answer}"
    );
    let list = found["list"].as_array().expect("a list");
    let rows = usize::try_from(answer["rows"].as_u64().expect("rows")).expect("few");
    let each: Vec<Vec<f64>> = list
        .iter()
        .map(|s| serde_json::from_value(s["impulses"].clone()).expect("numbers"))
        .collect();
    assert!(each.len() == 3 && each.iter().all(|impulses| impulses.len() == rows));
    assert!(each[0] != each[1] && each[1] != each[2]);
    // one of them is to separate: nothing pushes
    assert!(each[0].iter().all(|impulse| *impulse == 0.0), "{each:?}");
    assert_eq!(answer["saved_solutions"], "out/three-all.csv");
    let text = fs::read_to_string(lab.path("out/three-all.csv")).expect("a file");
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("solution,isolated,row,impulse,velocity"));
    let saved: Vec<f64> = lines
        .map(|line| {
            line.split(',')
                .nth(3)
                .expect("an impulse")
                .parse()
                .expect("a number")
        })
        .collect();
    assert_eq!(saved, each.concat());
    // every other solver looks for one
    let file = lab.file("lcp.dat", LCP);
    let ran = lab.run(&["solve", file, "--solver", "pgs", "--json", "--save", "out"]);
    assert_eq!(ran.objects()[0]["solutions"], Value::Null);
    assert!(!lab.path("out/lcp-all.csv").exists());
}

#[test]
fn runs_keep_every_solution_too() {
    let lab = Lab::new();
    lab.file("three.dls", THREE);
    let spec = lab.file(
        "spec.toml",
        r#"title = "Three"
question = "How many?"
[[problem]]
files = ["three.dls"]
[[solver]]
use = "enumeration"
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-8
metrics = ["natural_map"]
[measure]
metrics = ["natural_map"]
samples = "every"
[[table]]
id = "cells"
show = { cells = {} }
"#,
    );
    let ran = lab.run(&["run", spec, "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let read = |name: &str| fs::read(lab.path("out").join(name)).expect("a file");
    let bytes = read("summary.csv");
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let header = reader.headers().expect("a header").clone();
    let at = |name: &str| header.iter().position(|h| h == name).expect("a column");
    let rows: Vec<csv::StringRecord> = reader.records().flatten().collect();
    assert_eq!(
        (&rows[0][at("solutions")], &rows[0][at("all_solutions")]),
        ("3", "true")
    );
    assert_eq!(&rows[1][at("solutions")], "");
    let table = String::from_utf8(read("solutions.csv")).expect("UTF-8");
    let solutions = table.lines().skip(1).map(|line| line.split(',').nth(3));
    let last = solutions.last().flatten();
    assert_eq!(last, Some("3"), "{table}");
    let cells = String::from_utf8(read("tables/cells.csv")).expect("UTF-8");
    assert!(cells.contains("3 solutions"), "{cells}");
}

#[test]
fn solutions_of_an_earlier_spec_do_not_stay() {
    let lab = Lab::new();
    lab.file("three.dls", THREE);
    let run = |solver: &str| {
        let text = format!(
            "title = \"Three\"\nquestion = \"How many?\"\n[[problem]]\nfiles = [\"three.dls\"]\n[[solver]]\nuse = \"{solver}\"\n\
             [stop]\ntolerance = 1e-8\nmetrics = [\"natural_map\"]\n[measure]\nmetrics = [\"natural_map\"]\n"
        );
        lab.file("spec.toml", text);
        assert_eq!(lab.run(&["run", "spec.toml", "--out", "out"]).code, 0);
        lab.path("out/solutions.csv").exists()
    };
    assert!(run("enumeration"));
    assert!(!run("pgs"));
}
