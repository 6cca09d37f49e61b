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

use crate::support::example;

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
