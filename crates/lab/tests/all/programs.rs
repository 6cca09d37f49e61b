//! A cell belongs to the program that ran it: another program has another key for it, and the same
//! one elsewhere has not.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::{Lab, example};

const SPEC: &str =
    "title = \"P\"\n[[problem]]\nuse = \"chain\"\nn = 2\n[[solver]]\nuse = \"pgs\"\n";

/// The key of the only cell, as this program has it.
fn key(lab: &Lab, program: &Path) -> String {
    let mut command = Command::new(program);
    command
        .args(["run", "p.toml", "--dry-run", "--json"])
        .current_dir(lab.path(""));
    let output = command.output().expect("the program starts");
    let text = String::from_utf8(output.stdout).expect("text");
    let line = text.lines().next().expect("a line");
    let cell: serde_json::Value = serde_json::from_str(line).expect("JSON");
    cell["key"].as_str().expect("a key").to_owned()
}

#[test]
fn three_programs_have_three_keys_and_a_copy_has_no_fourth() {
    let lab = Lab::new();
    lab.file("p.toml", SPEC);
    let own = Path::new(env!("CARGO_BIN_EXE_delassus")).to_owned();
    let programs = [own, example("my_solver"), example("hostile")];
    let keys: BTreeSet<String> = programs.iter().map(|program| key(&lab, program)).collect();
    assert_eq!(keys.len(), 3);
    let copy = lab.path("copy");
    fs::copy(&programs[1], &copy).expect("a copy");
    assert!(keys.contains(&key(&lab, &copy)));
}
