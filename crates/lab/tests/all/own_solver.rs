//! A user's own solver: the example of docs/adding-a-solver.md is its file, is short, runs, and
//! keeps the laws.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use delassus_conformance::{
    Case, Make, Verdict, allocation, cases, chunks, convergence, momentum, oracle_residual,
    refusal, repetition, scaling, warm_start,
};
use delassus_core::{Checked, ImpulseSolver, Solver};
use serde_json::Value;

use crate::bundles::unpack;
use crate::support::{Lab, Ran, example};

#[path = "../../../../tests/examples/my_solver.rs"]
#[expect(dead_code, reason = "its main is run as a program below")]
mod my_solver;

const EXAMPLE: &str = "tests/examples/my_solver.rs";

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).expect("a readable file")
}

#[test]
fn the_page_shows_the_file_and_the_file_is_short() {
    let page = read("docs/adding-a-solver.md");
    let file = read(EXAMPLE);
    let shown = page
        .split("```rust\n")
        .nth(1)
        .and_then(|rest| rest.split("```").next());
    assert_eq!(
        shown,
        Some(file.as_str()),
        "docs/adding-a-solver.md differs from {EXAMPLE}"
    );
    assert!(
        file.lines().count() <= 60,
        "the page promises a short program"
    );
}

/// The commands of the page that run the example, without cargo's part.
fn commands() -> Vec<Vec<String>> {
    let page = read("docs/adding-a-solver.md");
    let marker = "--example my_solver -- ";
    let lines = page.lines().filter_map(|line| line.split_once(marker));
    let split = |text: &str| text.split_whitespace().map(str::to_owned).collect();
    lines.map(|(_, arguments)| split(arguments)).collect()
}

#[test]
fn the_commands_of_the_page_solve() {
    let (program, commands) = (example("my_solver"), commands());
    assert_eq!(commands.len(), 2, "list and solve");
    for arguments in commands {
        let mut command = Command::new(&program);
        let output = command
            .args(&arguments)
            .arg("--json")
            .current_dir(root())
            .output();
        let output = output.expect("the example starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {stderr}");
        let answers = String::from_utf8(output.stdout).expect("text");
        for line in answers.lines() {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            if arguments[0] == "list" {
                assert_eq!(answer["id"], "richardson");
            } else {
                assert_eq!(answer["status"], "solved", "{answer}");
                assert_eq!(answer["solver"], "richardson");
            }
        }
        assert!(!answers.is_empty(), "{arguments:?} says nothing");
    }
}

fn make() -> Box<dyn ImpulseSolver> {
    let solver = Checked::<my_solver::Richardson>::new(());
    Box::new(solver.expect("it has no parameters"))
}

#[test]
fn the_example_keeps_the_laws() {
    assert_eq!(refusal(&make), Verdict::Holds);
    type Law = fn(Make<'_>, &Case) -> Verdict;
    let laws: [(&str, Law); 8] = [
        ("chunks", chunks),
        ("warm start", warm_start),
        ("oracle's residual", oracle_residual),
        ("convergence", convergence),
        ("repetition", |make, case| repetition(make, case, case)),
        ("allocation", allocation),
        ("scaling", scaling),
        ("momentum", momentum),
    ];
    let cases = cases();
    for (name, law) in laws {
        let verdicts = cases.iter().map(|case| (case, law(&make, case)));
        let mut held = 0;
        for (case, verdict) in verdicts {
            assert!(
                !matches!(verdict, Verdict::Violated(_)),
                "{name}, {}: {verdict:?}",
                case.name
            );
            held += usize::from(verdict == Verdict::Holds);
        }
        // the isolated system has laws that the example does not solve
        assert!(
            held >= 2 || name == "momentum",
            "{name} was met on {held} cases"
        );
    }
}

/// A spec of the solver of the example.
const SPEC: &str = r#"
title = "Own"
[[problem]]
use = "chain"
n = 3
[[solver]]
use = "richardson"
[[solver]]
use = "pgs"
[[table]]
id = "cells"
show = { cells = {} }
"#;

#[test]
fn a_bundle_of_an_own_method_is_checked_and_drawn_without_it() {
    let lab = Lab::new();
    lab.file("paper/own.toml", SPEC);
    let package = |place: &str| {
        let lab = format!("delassus-lab = {{ path = \"{place}/crates/lab\" }}\n");
        format!("[package]\nname = \"paper\"\n[dependencies]\n{lab}")
    };
    lab.file("paper/Cargo.toml", package("/home/me/delassus"));
    lab.file("paper/Cargo.lock", "version = 4\n");
    lab.file("paper/src/main.rs", "fn main() {}\n");
    lab.file("paper/src/deep/part.rs", "");
    let own = |arguments: &[&str]| {
        let mut command = Command::new(example("my_solver"));
        // under `cargo test` it names the package of the test
        command.env_remove("CARGO_MANIFEST_DIR");
        let ran = command.args(arguments).current_dir(lab.path("")).output();
        let ran = Ran::from(ran.expect("the example starts"));
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        ran
    };
    own(&["run", "paper/own.toml", "--out", "out", "--jobs", "1"]);
    let manifest = fs::read_to_string(lab.path("out/manifest.json")).expect("a manifest");
    let manifest: Value = serde_json::from_str(&manifest).expect("JSON");
    assert_eq!(manifest["linked_solvers"][0]["id"], "richardson");
    own(&["bundle", "out"]);
    let bytes = fs::read(lab.path("own.zip")).expect("the archive");
    let elsewhere = Lab::new();
    let files = unpack(&bytes, &elsewhere.path(""));
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "src/main.rs",
        "src/deep/part.rs",
    ] {
        assert!(files.contains_key(&format!("own/method/{file}")), "{file}");
    }
    // it leads to no folder of the author's; the README says what to write there
    let passed = String::from_utf8_lossy(&files["own/method/Cargo.toml"]).into_owned();
    assert_eq!(passed, package("DELASSUS"));
    let page = String::from_utf8_lossy(&files["own/README.md"]).into_owned();
    assert!(
        page.contains("replace `DELASSUS` in `method/Cargo.toml`"),
        "{page}"
    );
    assert!(
        page.contains(
            "--manifest-path method/Cargo.toml -- run sources/paper/own.toml --out again"
        ),
        "{page}"
    );
    for verb in ["verify", "report", "verify"] {
        let ran = elsewhere.run(&[verb, "own"]);
        assert_eq!(ran.code, 0, "{verb}: {}{}", ran.stdout, ran.stderr);
    }
    // what has changed is still found
    let changed = files
        .keys()
        .find(|name| name.ends_with(".impulses"))
        .expect("impulses");
    let mut bytes = files[changed].clone();
    bytes[7] ^= 1;
    elsewhere.file(changed, bytes);
    let ran = elsewhere.run(&["verify", "own"]);
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    elsewhere
        .run(&["run", "own/sources/paper/own.toml", "--out", "again"])
        .is_refused_with(&["unknown solver \"richardson\""]);
    // a bundle of solvers of the workspace alone has no package
    lab.file("plain.toml", SPEC.replace("richardson", "psor"));
    lab.run(&["run", "plain.toml", "--out", "plain"]);
    let ran = lab.run(&["bundle", "plain"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bytes = fs::read(lab.path("plain.zip")).expect("the archive");
    let files = unpack(&bytes, &elsewhere.path("plain"));
    assert!(!files.keys().any(|name| name.contains("/method/")));
    lab.run(&["bundle", "plain", "--method", "out"])
        .is_refused_with(&["--method out", "Cargo.toml"]);
}
