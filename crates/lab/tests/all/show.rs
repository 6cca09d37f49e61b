//! `show`: a problem, a cell or a results folder at a glance.

use std::fs;

use serde_json::Value;

use crate::support::{CONTACT, HDF5, LCP, Lab};

const SPEC: &str = r#"
title = "Two cells"
[[problem]]
use = "chain"
n = 3
[[solver]]
use = "pgs"
[[solver]]
use = "dense-direct"
[stop]
tolerance = 1e-10
"#;

#[test]
fn a_problem_has_rank_active_set_and_worst_rows() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    let ran = lab.run(&["show", file]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    // z = (0.4, 0.2) > 0: both rows are between their bounds
    for part in [
        "2 rows of full rank",
        "rows: 2 between their bounds, 0 at the lower",
        "auto, solved",
    ] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert_eq!(ran.stdout.matches("from row ").count(), 2, "{}", ran.stdout);
    let object = &lab
        .run(&["show", file, "--json", "--solver", "dantzig"])
        .objects()[0];
    assert_eq!(object["schema"], "show/1");
    assert_eq!(object["solution"]["active_set"]["free"], 2);
    let worst = object["solution"]["worst"].as_array().expect("a list");
    let mut impulses: Vec<f64> = worst
        .iter()
        .filter_map(|b| b["impulses"][0].as_f64())
        .collect();
    impulses.sort_by(f64::total_cmp);
    let close = (impulses[0] - 0.2).abs() < 1e-9 && (impulses[1] - 0.4).abs() < 1e-9;
    assert!(close, "{object}");
}

#[test]
fn a_contact_that_slides_is_said_to_slip() {
    let lab = Lab::new();
    let file = lab.file("contact.dat", CONTACT);
    let ran = lab.run(&["show", file]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stdout.contains("friction: 0 stick, 1 slip, 0 open"),
        "{}",
        ran.stdout
    );
}

#[test]
fn files_that_are_none_are_refused() {
    let lab = Lab::new();
    lab.run(&["show", "nowhere.dls"])
        .is_refused_with(&["no such file"]);
    lab.run(&["show", "."])
        .is_refused_with(&["no results folder"]);
    let file = lab.file("cut.hdf5", HDF5);
    let ran = lab.run(&["show", file]);
    assert!(
        ran.code == 1 && ran.stderr.contains("cut.hdf5"),
        "{}",
        ran.stderr
    );
    let file = lab.file("lcp.dat", LCP);
    lab.run(&["show", file, "--solver", "dantzg"])
        .is_refused_with(&["\"dantzig\""]);
}

#[test]
fn a_folder_shows_its_cells_and_a_cell_its_page() {
    let lab = Lab::new();
    lab.file("two.toml", SPEC);
    assert_eq!(
        lab.run(&["run", "two.toml", "--out", "out", "--quiet"])
            .code,
        0
    );
    let ran = lab.run(&["show", "out"]);
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    assert!(ran.stdout.starts_with("Two cells\nkey "), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches(" solved ").count(), 2, "{}", ran.stdout);
    let objects = lab.run(&["show", "out", "--json"]).objects();
    assert_eq!(objects.len(), 2);
    let key = objects[0]["key"].as_str().expect("a key").to_owned();
    let page = lab.run(&["show", "out", "--cell", &key[..12]]);
    assert_eq!(page.code, 0, "{}", page.stderr);
    for part in [
        key.as_str(),
        "chain n=3, pgs",
        "natural_map",
        "worst block",
        "▁",
    ] {
        assert!(page.stdout.contains(part), "{part}\n{}", page.stdout);
    }
    let file = format!("out/cells/{key}.json");
    let of_file = lab.run(&["show", &file, "--json"]).objects();
    assert_eq!(of_file[0]["status"], "solved");
    // the start of the key is enough
    let short = lab.run(&["show", "out", &key[..6]]);
    assert_eq!((short.code, &short.stdout), (0, &page.stdout));
    lab.run(&["show", "out", "zzzzzz"]).is_refused_with(&[
        "\"zzzzzz\"",
        "no cell has",
        "delassus show DIR",
    ]);
    lab.run(&["show", &file, "abcd"])
        .is_refused_with(&["is a file", "abcd"]);
    lab.run(&["show", "out", "--cell", "dense-dirct"])
        .is_refused_with(&["\"dense-direct\""]);
    // a cell that is damaged is not shown as if it were whole
    let text = fs::read_to_string(lab.path(&file)).expect("a cell");
    lab.file(&file, text.replacen("solved", "sölved", 1));
    let ran = lab.run(&["show", &file]);
    assert!(
        ran.code == 6 && ran.stderr.contains("checksum"),
        "{}",
        ran.stderr
    );
}

#[test]
fn explain_has_every_status_and_exit_code() {
    let lab = Lab::new();
    let objects = lab.run(&["explain", "--json"]).objects();
    let listed = lab.run(&["list", "statuses", "--json"]).objects();
    let codes: Vec<&Value> = objects.iter().map(|object| &object["code"]).collect();
    for status in &listed {
        assert!(codes.contains(&&status["id"]), "{status}");
    }
    let page = lab.run(&["explain", "6"]).stdout;
    assert!(
        page.starts_with("6 (exit code)\n") && page.contains("delassus verify"),
        "{page}"
    );
    lab.run(&["explain", "solvd"])
        .is_refused_with(&["\"solved\""]);
}
