//! A time belongs to the machine, the vector level and the company that it was taken with.

use std::fs;

use serde_json::Value;

use crate::folder::{quick, run};
use crate::support::{Lab, Ran};

fn manifest(lab: &Lab) -> Value {
    let text = fs::read(lab.path("out/manifest.json")).expect("a manifest");
    serde_json::from_slice(&text).expect("an object")
}

fn scalar(lab: &Lab, arguments: &[&str]) -> Ran {
    let mut command = lab.command(&[&["run", "quick", "--out", "out"], arguments].concat());
    let output = command.env("DELASSUS_SIMD", "scalar").output();
    let ran = Ran::from(output.expect("the program starts"));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

#[test]
fn every_cell_says_where_it_ran() {
    let lab = quick();
    run(&lab, &["--jobs", "2"]);
    for entry in fs::read_dir(lab.path("out/cells")).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let text = fs::read(path).expect("a cell");
        let cell: Value = serde_json::from_slice(&text).expect("an object");
        let origin = &cell["record"]["origin"];
        assert_eq!(origin["jobs"], 2, "{origin}");
        assert_eq!(origin["threads"], 1, "{origin}");
        let date = origin["date"].as_str().expect("a date");
        assert!(date.len() == 20 && date.ends_with('Z'), "{date}");
        for key in ["binary_sha256", "commit", "profile"] {
            assert!(origin[key].is_string(), "{key}: {origin}");
        }
        for key in ["cpu", "vector_level", "solver_level", "os"] {
            assert!(origin["machine"][key].is_string(), "{key}: {origin}");
        }
        assert!(origin["machine"]["logical_cores"].is_u64(), "{origin}");
        assert_eq!(
            origin["load"].is_f64(),
            cfg!(target_os = "linux"),
            "{origin}"
        );
    }
}

#[test]
fn a_run_that_keeps_all_cells_leaves_the_manifest_of_those_that_ran() {
    let lab = quick();
    run(&lab, &["--jobs", "4"]);
    let before = fs::read(lab.path("out/manifest.json")).expect("a manifest");
    let again = run(&lab, &[]);
    assert!(
        again.stderr.contains("4 kept from before"),
        "{}",
        again.stderr
    );
    assert!(
        again.stderr.contains("jobs 4"),
        "the times were taken in company: {}",
        again.stderr
    );
    let other = scalar(&lab, &["--jobs", "4"]);
    assert!(
        other
            .stderr
            .contains("times from other conditions than now: 4 kept cells"),
        "{}",
        other.stderr
    );
    assert!(before == fs::read(lab.path("out/manifest.json")).expect("a manifest"));
    assert_eq!(manifest(&lab)["jobs"], 4);
    assert_ne!(manifest(&lab)["solver_level"], "scalar");
    // under the same conditions there is nothing to say
    let same = run(&lab, &["--jobs", "4"]);
    assert!(!same.stderr.contains("conditions"), "{}", same.stderr);
}

#[test]
fn a_mixture_of_conditions_is_listed_and_noted_beside_times() {
    let lab = quick();
    run(&lab, &[]);
    let level = manifest(&lab)["solver_level"].clone();
    let page = || fs::read_to_string(lab.path("out/report.html")).expect("a page");
    assert!(!page().contains("do not compare"));
    let entries = fs::read_dir(lab.path("out/cells")).expect("a folder");
    let cell = entries.flatten().next().expect("a cell");
    fs::remove_file(cell.path()).expect("a removal");
    scalar(&lab, &[]);
    let mixed = manifest(&lab);
    let levels: Vec<&Value> = mixed["solver_level"]
        .as_array()
        .expect("two")
        .iter()
        .collect();
    assert!(
        levels.contains(&&level) && levels.contains(&&"scalar".into()),
        "{levels:?}"
    );
    let machines = mixed["machines"].as_array().expect("machines");
    let mut cells: Vec<u64> = machines
        .iter()
        .filter_map(|m| m["cells"].as_u64())
        .collect();
    cells.sort_unstable();
    assert_eq!(cells, [1, 3]);
    // the figure against seconds and the table with a time
    assert_eq!(page().matches("do not compare").count(), 2);
}

#[test]
fn cells_that_are_nothing_but_a_time_run_again_elsewhere() {
    let lab = Lab::new();
    lab.file(
        "quick/experiment.toml",
        "title = \"Timed\"\n[[problem]]\nuse = \"wall\"\nbase = [1, 2]\n[[solver]]\nuse = \"wide-pgs\"\n\
         [timing]\nrow_updates = 600\nrepetitions = 1\n",
    );
    run(&lab, &[]);
    let again = run(&lab, &[]);
    assert!(again.stderr.contains("0 ran, 2 kept"), "{}", again.stderr);
    let plan = scalar(&lab, &["--dry-run"]).stdout;
    assert_eq!(
        plan.matches("to do: timed elsewhere: ").count(),
        2,
        "{plan}"
    );
    let elsewhere = scalar(&lab, &[]);
    assert!(
        elsewhere.stderr.contains("timed again"),
        "{}",
        elsewhere.stderr
    );
    assert!(
        elsewhere.stderr.contains("2 ran, 0 kept"),
        "{}",
        elsewhere.stderr
    );
    assert_eq!(manifest(&lab)["solver_level"], "scalar");
    assert!(scalar(&lab, &[]).stderr.contains("0 ran, 2 kept"));
}
