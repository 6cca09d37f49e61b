//! `gate`: assertions of a spec as an exit code.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{Lab, Ran};

/// The example of the documentation.
fn example() -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/gates.md");
    let page = fs::read_to_string(page).expect("the page");
    let block = page.split("```toml\n").nth(1).expect("an example");
    block.split("```").next().expect("its end").to_owned()
}

/// Judges a spec; what is kept from an earlier spec of the same cells is not run again.
fn gate(lab: &Lab, spec: &str, options: &[&str]) -> Ran {
    lab.file("spec.toml", spec);
    let words = ["gate", "spec.toml", "--out", "out"];
    lab.run(&[&words[..], options].concat())
}

fn verdicts(ran: &Ran) -> Vec<&str> {
    let words = ran.stdout.lines().map(|line| line.split(' ').next());
    words.flatten().collect()
}

#[test]
fn the_documented_example_passes_and_what_changes_fails() {
    let lab = Lab::new();
    let example = example();
    let ran = gate(&lab, &example, &["--quiet"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{}", ran.stdout);
    assert_eq!(verdicts(&ran), ["pass"; 6], "{}", ran.stdout);
    let first = "pass       everything is solved: status = solved: 6 cells\n";
    assert!(ran.stdout.starts_with(first), "{}", ran.stdout);
    // seconds have their interval, at the level of three problems
    assert!(ran.stdout.contains("99.7 % CI"), "{}", ran.stdout);
    let changed = example
        .replace("equals = 4\n", "equals = 5\n")
        .replace("at_most = 1e-10", "at_most = 1e-13");
    let ran = gate(&lab, &changed, &[]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert!(ran.stderr.contains("6 of 6 cells kept"), "{}", ran.stderr);
    assert!(
        ran.stderr.ends_with("error: 6 gates: 2 failed\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(
        verdicts(&ran),
        ["pass", "pass", "fail", "fail", "pass", "pass"]
    );
    assert!(
        ran.stdout.contains(
            "\nfail       rows = 5 of pgs on chain n=4: 1 of 1 cell: chain n=4, pgs: 4\n"
        )
    );
}

#[test]
fn objects_name_every_cell() {
    let lab = Lab::new();
    let spec = example().replace("value = \"cells\" ", "at_least = 7\nvalue = \"cells\" ");
    let spec = spec.replace("equals = 6\n", "");
    let ran = gate(&lab, &spec, &["--json"]);
    assert_eq!(ran.code, 5);
    assert_eq!(ran.stderr, "error: 6 gates: 1 failed\n");
    let objects = ran.objects();
    let (totals, gates) = objects.split_last().expect("totals");
    assert!(objects.iter().all(|object| object["schema"] == "gate/1"));
    for (key, number) in [
        ("gates", 6),
        ("passed", 5),
        ("failed", 1),
        ("undecided", 0),
        ("strangers", 0),
    ] {
        assert_eq!(totals[key], number, "{key}: {totals}");
    }
    assert_eq!(gates[1]["assertion"], "cells that are solved ≥ 7");
    assert_eq!(gates[1]["message"], "6 of 6 cells");
    let ratio = &gates[4]["cells"][0];
    assert_eq!(
        (&ratio["problem"], &ratio["solver"]),
        (&"chain n=4".into(), &"SOR".into())
    );
    assert!(
        ratio["value"].as_f64().is_some_and(|r| r > 0.0 && r < 0.9),
        "{ratio}"
    );
    assert_eq!(ratio["interval"], Value::Null);
    assert!(
        gates[5]["cells"][0]["interval"]["low"].is_f64(),
        "{}",
        gates[5]
    );
}

#[test]
fn results_that_are_there_are_judged_without_a_run() {
    let lab = Lab::new();
    let spec = example();
    gate(&lab, &spec, &["--no-run"]).is_refused_with(&["out has no results", "--no-run"]);
    assert!(!lab.path("out").exists());
    let small = spec
        .replace("n = [4, 6, 8]", "n = [4, 6]")
        .replace("equals = 6\n", "equals = 4\n");
    lab.file("spec.toml", &small);
    assert_eq!(
        lab.run(&["run", "spec.toml", "--out", "out", "--quiet"])
            .code,
        0
    );
    // two cells of the spec of now have not run: they decide nothing
    let ran = gate(&lab, &spec, &["--no-run"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        verdicts(&ran),
        [
            "undecided",
            "undecided",
            "pass",
            "undecided",
            "undecided",
            "undecided"
        ]
    );
    assert!(
        ran.stdout.contains("chain n=8, pgs: not run yet"),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stderr.ends_with("6 gates: none failed, 5 undecided\n"),
        "{}",
        ran.stderr
    );
    assert_eq!(gate(&lab, &spec, &["--no-run", "--strict"]).code, 5);
    // cells of another spec are said to be
    let other = small.replace("tolerance = 1e-10", "tolerance = 1e-9");
    let ran = gate(&lab, &other, &["--no-run"]);
    assert!(
        ran.stderr
            .contains("note: 4 cells of another program or an older spec"),
        "{}",
        ran.stderr
    );
    assert_eq!(ran.code, 0, "{}", ran.stdout);
}

#[test]
fn gates_that_cannot_be_meant_are_refused_before_anything_runs() {
    let lab = Lab::new();
    let spec = example();
    let bare = spec.split("[[gate]]").next().expect("the rest");
    gate(&lab, bare, &[]).is_refused_with(&["asserts nothing", "[[gate]]"]);
    let status = "value = \"status\"\nequals = \"solved\"";
    for (from, by, parts) in [
        (
            "value = \"row_updates\"",
            "value = \"row_update\"",
            &["did you mean \"row_updates\"?", "value = "][..],
        ),
        (
            "beside = \"pgs\"  ",
            "beside = \"SOOR\"  ",
            &["no solver is named \"SOOR\"; did you mean \"SOR\"?"],
        ),
        (
            "problems = [\"chain n=4\"]",
            "problems = [\"chian n=4\"]",
            &["did you mean \"chain n=4\"?"],
        ),
        (
            "status = \"solved\"",
            "status = \"sovled\"",
            &["did you mean \"solved\"?"],
        ),
        (
            status,
            "value = \"status\"\nequal = \"solved\"",
            &["unknown key \"equal\" in [[gate]]; did you mean \"equals\"?"],
        ),
        (
            status,
            "equals = \"solved\"",
            &["value is missing in [[gate]]"],
        ),
        (
            status,
            "value = \"status\"\nequals = -1",
            &["equals must be a whole number or a text"],
        ),
    ] {
        assert!(spec.contains(from), "{from}");
        let ran = gate(&lab, &spec.replacen(from, by, 1), &[]);
        ran.is_refused_with(parts);
        assert!(ran.stderr.contains("spec.toml:"), "{}", ran.stderr);
    }
    assert!(!lab.path("out").exists());
}

/// Runs over time: counts of the whole run, and what an observable comes to.
#[test]
fn scenes_have_gates() {
    let spec = r#"
title = "Swinging"
[[scene]]
use = "pendulum"
[[scheme]]
use = "xpbd"
[[scheme]]
use = "pgs-baumgarte"
[[solver]]
use = "pgs"
[simulate]
seconds = 0.5
observables = ["drift_max"]
[[gate]]
value = "status"
equals = "ended"
[[gate]]
value = "frames"
equals = 30
[[gate]]
value = "drift_max"
over = "max"
schemes = ["xpbd"]
at_most = 0.05
[[gate]]
value = "drift_max"
over = "max"
at_least = 1.0
"#;
    let lab = Lab::new();
    let ran = gate(&lab, spec, &["--quiet"]);
    assert_eq!(ran.code, 5, "{}", ran.stderr);
    assert_eq!(
        verdicts(&ran),
        ["pass", "pass", "pass", "fail"],
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout
            .contains("drift_max (max) ≤ 0.05 by xpbd: 1 cell: "),
        "{}",
        ran.stdout
    );
    let beside = spec.replace("at_least = 1.0", "at_least = 1.0\nbeside = \"pgs\"");
    gate(&lab, &beside, &[]).is_refused_with(&["beside goes with [[problem]]"]);
}
