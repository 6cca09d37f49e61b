//! The Python side of peers, tested by its own tests where a Python has NumPy.

use std::path::{Path, PathBuf};
use std::process::Command;

use delassus_conformance::skip;

const NAME: &str = "the_tests_of_the_python_side_pass";

/// The root of the workspace.
fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The interpreter of the environment of the peers, or the one on the path.
fn python() -> PathBuf {
    let environment = std::env::var_os("DELASSUS_PEERS_VENV");
    environment.map_or_else(
        || PathBuf::from("python3"),
        |folder| Path::new(&folder).join("bin/python"),
    )
}

#[test]
fn the_tests_of_the_python_side_pass() {
    let tests = Command::new(python())
        .args(["-m", "unittest", "discover", "-s"])
        .arg("crates/peers/python/tests")
        .current_dir(workspace())
        .env("DELASSUS", env!("CARGO_BIN_EXE_delassus"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    let output = match tests {
        Ok(output) => output,
        Err(error) => return skip(NAME, format!("no Python here: {error}")),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    for missing in ["numpy", "tomllib"] {
        if said.contains(&format!("No module named '{missing}'")) {
            return skip(NAME, format!("this Python has no {missing}"));
        }
    }
    assert!(output.status.success(), "{said}");
    // a discovery that finds nothing ends well too
    let ran = said
        .lines()
        .find_map(|line| line.strip_prefix("Ran "))
        .and_then(|rest| rest.split(' ').next()?.parse::<usize>().ok());
    assert!(ran.is_some_and(|count| count >= 20), "{said}");
    assert!(!said.contains("skipped="), "{said}");
}

#[test]
fn the_helper_stays_small() {
    let path = workspace().join("crates/peers/python/delassus_peer.py");
    let text = std::fs::read_to_string(path).expect("the helper");
    assert!(text.lines().count() <= 150, "{}", text.lines().count());
}
