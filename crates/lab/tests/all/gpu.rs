//! A machine without an adapter, as a user meets it: here every Vulkan driver is hidden.

use crate::support::{Lab, Ran};

const SPEC: &str = r#"
title = "Here and elsewhere"
[[problem]]
use = "chain"
[[solver]]
use = "pgs"
[[solver]]
use = "gpu-jacobi"
[[table]]
id = "cells"
show = { cells = {} }
"#;

const SCHEMES: &str = r#"
title = "Here and elsewhere, over time"
[[scene]]
use = "stack"
n = 1
[[scheme]]
use = "jacobi-soft-step"
[[scheme]]
use = "gpu-soft-step"
[simulate]
seconds = 0.05
observables = ["drift_max"]
[[table]]
id = "cells"
show = { cells = {} }
"#;

fn without_drivers(lab: &Lab, arguments: &[&str]) -> Ran {
    let mut command = lab.command(arguments);
    for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
        command.env(variable, lab.path("no-driver.json"));
    }
    command.output().expect("the program starts").into()
}

#[test]
fn cells_of_a_missing_adapter_are_skipped_and_the_run_goes_on() {
    for (name, spec, device, good) in [
        ("solvers", SPEC, "gpu-jacobi", "solved"),
        ("schemes", SCHEMES, "gpu-soft-step", "ended"),
    ] {
        let lab = Lab::new();
        lab.file(&format!("{name}/experiment.toml"), spec);
        let ran = without_drivers(&lab, &["run", name]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let line = format!("{device}: unsupported: no adapter");
        assert!(ran.stderr.contains(&line), "{}", ran.stderr);
        let sum = format!("2 cells: 1 {good}, 1 unsupported; 2 ran, 0 kept");
        assert!(ran.stderr.contains(&sum), "{}", ran.stderr);
        let table = lab.path(&format!("results/{name}/tables/cells.csv"));
        let table = std::fs::read_to_string(table).expect("a table");
        assert!(table.contains(",unsupported: no adapter,"), "{table}");
        let refused = without_drivers(&lab, &["run", name, "--require-gpu"]);
        assert_eq!(refused.code, 4, "{}", refused.stderr);
        let error = format!("error: {device} finds no adapter on this machine");
        assert!(refused.stderr.contains(&error), "{}", refused.stderr);
    }
}

#[test]
fn doctor_says_that_there_is_no_adapter() {
    let lab = Lab::new();
    let ran = without_drivers(&lab, &["doctor"]);
    let all = ran.stdout + &ran.stderr;
    assert!(all.contains("no adapter"), "{all}");
}

#[test]
fn results_of_an_adapter_are_unchecked_where_there_is_none() {
    for (name, spec) in [("solvers", SPEC), ("schemes", SCHEMES)] {
        let lab = Lab::new();
        lab.file(&format!("{name}/experiment.toml"), spec);
        let ran = lab.run(&["run", name, "--out", "out"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        if ran.stderr.contains("unsupported: no adapter") {
            let test = "results_of_an_adapter_are_unchecked_where_there_is_none";
            return delassus_conformance::skip_device(test, "no adapter on this machine");
        }
        let same = lab.run(&["verify", "out"]);
        assert_eq!(same.code, 0, "{}{}", same.stdout, same.stderr);
        let other = without_drivers(&lab, &["verify", "out"]);
        assert_eq!(other.code, 1, "{}{}", other.stdout, other.stderr);
        let lines: Vec<&str> = other.stdout.lines().collect();
        assert_eq!(lines.len(), 2, "{}", other.stdout);
        assert!(lines[0].starts_with("unchecked  cells"), "{}", lines[0]);
        assert!(lines[0].contains("no device here"), "{}", lines[0]);
        assert!(lines[1].contains("2 keys computed again"), "{}", lines[1]);
    }
}
