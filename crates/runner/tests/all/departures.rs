//! What schemes leave out of a scene is said in the table of the cells and on the page.

use std::fs;

use crate::support::{run_into, write};

const SPEC: &str = r#"
title = "A ball that rolls"
question = "Who resists?"

[[scene]]
use = "rolling"
rolling = 0.01
slope = 0.0
speed = 1.0

[[scheme]]
use = "xpbd"

[[scheme]]
use = "penalty"

[[scheme]]
use = "soft-step"

[[solver]]
use = "pgs"

[simulate]
dt = 0.02
seconds = 0.1
observables = ["kinetic"]

[[figure]]
id = "speed"
plot = { trajectory = { y = "kinetic" } }
"#;

#[test]
fn schemes_say_what_they_leave_out() {
    let folder = tempfile::tempdir().expect("a folder");
    let results = folder.path().join("out");
    run_into(&write(folder.path(), SPEC), &results, 1);
    let read = |path: &str| fs::read_to_string(results.join(path)).expect("a file");
    let summary = read("summary.csv");
    let left_out = "resistance to rolling and spinning is left out";
    let said = |scheme: &str| {
        let line = summary.lines().find(|line| line.contains(scheme));
        line.expect("a cell").contains(left_out)
    };
    assert!(summary.contains(",approximations,"), "{summary}");
    assert!(said(",xpbd,") && said(",penalty,") && !said(",soft-step,"));
    let page = read("report.html");
    let heading = "Where methods depart from what was asked";
    assert!(page.contains(heading), "{heading}");
    assert!(page.contains(&format!("<li>xpbd: {left_out}")));
}
