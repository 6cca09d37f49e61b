//! `verify`: results that a stranger can check.

use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use crate::support::{CONTACT, Lab, Ran};

/// Problems of a generator and of a file, a solver that ends early, and one that needs more than
/// impulses are judged by.
pub(crate) const SPEC: &str = r#"
title = "Passed on"
question = "Is it all there?"
[[problem]]
use = "chain"
n = [2, 3]
[[problem]]
files = ["../problems/*.dat"]
law = "disc"
stop = { tolerance = 1e-3 }
[[solver]]
use = "pgs"
[[solver]]
use = "apgd"
[stop]
tolerance = 1e-10
max_sweeps = 40
metrics = ["natural_map", "siconos"]
[measure]
metrics = ["natural_map", "siconos", "natural_map_block", "v[0].y"]
[[figure]]
id = "curves"
plot = { convergence = { x = "row_updates", y = "natural_map" } }
[[table]]
id = "cells"
show = { cells = {} }
"#;

pub(crate) fn lab() -> Lab {
    let lab = Lab::new();
    lab.file("specs/small/experiment.toml", SPEC);
    lab.file("specs/small/README.md", "# Passed on\n");
    lab.file("specs/problems/contact.dat", CONTACT);
    let ran = lab.run(&["run", "specs/small", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    lab
}

pub(crate) fn verify(lab: &Lab, folder: &str) -> Ran {
    lab.run(&["verify", folder])
}

/// The only file of a folder of cells with this ending whose record is of `problem` and `solver`.
pub(crate) fn cell(lab: &Lab, problem: &str, solver: &str) -> PathBuf {
    let files = fs::read_dir(lab.path("out/cells"))
        .expect("cells")
        .flatten();
    let mut found = files.map(|file| file.path()).filter(|path| {
        let text = fs::read(path).expect("a file");
        let value: Option<serde_json::Value> = serde_json::from_slice(&text).ok();
        value.is_some_and(|cell| {
            let record = &cell["record"];
            record["problem"]["name"] == problem && record["solver"]["label"] == solver
        })
    });
    found.next().expect("the cell")
}

/// Changes the text of a record and gives it the checksum of its new text.
fn forge(path: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(path).expect("a record");
    let start = text.find("\"record\":").expect("a record") + "\"record\":".len();
    let record = &text[start..text.len() - 2];
    assert!(record.contains(from), "no {from} in {record}");
    let record = record.replacen(from, to, 1);
    let digits = Sha256::digest(record.as_bytes());
    let sum: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(
        path,
        format!("{{\"sha256\":\"{sum}\",\"record\":{record}}}\n"),
    )
    .expect("a file");
}

#[test]
fn results_agree_with_themselves() {
    let lab = lab();
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    // three metrics of impulses in each of six cells, and the worst block
    assert!(
        ran.stdout.starts_with("6 cells: ")
            && ran.stdout.contains(" residuals of 6 cells computed again"),
        "{}",
        ran.stdout
    );
    let objects = lab.run(&["verify", "out", "--json"]).objects();
    assert_eq!(objects.len(), 1);
    let totals = &objects[0];
    assert_eq!(
        (&totals["keys"], &totals["mismatches"]),
        (&6.into(), &0.into())
    );
    assert!(
        totals["residuals"].as_u64().is_some_and(|n| n >= 18),
        "{totals}"
    );
    // the velocities are the solver's own
    assert!(
        totals["residuals_left"].as_u64().is_some_and(|n| n >= 4),
        "{totals}"
    );
}

/// Every way to change a result is found, and named by its file.
#[test]
fn what_was_changed_is_found() {
    type Change = fn(&Lab) -> (String, &'static str);
    let changes: [Change; 8] = [
        |lab| {
            let path = cell(lab, "chain n=3", "pgs").with_extension("impulses");
            let mut bytes = fs::read(&path).expect("impulses");
            bytes[3] ^= 1;
            fs::write(&path, bytes).expect("a file");
            (name(&path), "are not the impulses of the record")
        },
        |lab| {
            let path = cell(lab, "chain n=3", "pgs").with_extension("impulses");
            fs::remove_file(&path).expect("impulses");
            (name(&path), "is missing")
        },
        |lab| {
            let path = cell(lab, "chain n=2", "apgd");
            let text = fs::read_to_string(&path).expect("a record");
            fs::write(&path, text.replacen("apgd", "apgx", 1)).expect("a file");
            (name(&path), "checksum")
        },
        |lab| {
            // a better residual than that of the impulses, with a right checksum
            let path = cell(lab, "chain n=3", "pgs");
            let text = fs::read_to_string(&path).expect("a record");
            let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
            let samples = value["record"]["outcome"]["samples"]
                .as_array()
                .expect("samples");
            let last = samples.last().expect("a sample")["values"].to_string();
            let inner = last
                .trim_start_matches('[')
                .split(',')
                .next()
                .expect("a value");
            let better = last.replacen(inner, "1e-300", 1);
            forge(&path, &last, &better);
            (name(&path), "natural_map of its impulses is")
        },
        |lab| {
            let path = cell(lab, "chain n=3", "pgs");
            forge(&path, "\"max_sweeps\"", "\"solved\"");
            (name(&path), "its status is solved, but natural_map is")
        },
        |lab| {
            // another label, which the key is made from
            let path = cell(lab, "chain n=2", "pgs");
            forge(&path, "\"binary_sha256\":\"", "\"binary_sha256\":\"0");
            (name(&path), "give another key")
        },
        |lab| {
            let path = lab.path("specs/problems/contact.dat");
            fs::write(&path, CONTACT.replace("0.1", "0.2")).expect("a file");
            (name(&cell(lab, "contact", "pgs")), "give another key")
        },
        |lab| {
            let path = lab.path("out/summary.csv");
            let text = fs::read_to_string(&path).expect("a summary");
            fs::write(&path, text.replace("max_sweeps", "solved")).expect("a file");
            ("summary.csv".to_owned(), "has changed since")
        },
    ];
    for (index, change) in changes.iter().enumerate() {
        let lab = lab();
        let (file, what) = change(&lab);
        let ran = verify(&lab, "out");
        assert_eq!(ran.code, 6, "change {index}: {}{}", ran.stdout, ran.stderr);
        let named = ran.stdout.lines().any(|line| {
            line.starts_with("mismatch") && line.contains(&file) && line.contains(what)
        });
        assert!(named, "change {index}, {file}, {what}: {}", ran.stdout);
        let objects = lab.run(&["verify", "out", "--json"]).objects();
        assert_eq!(objects[0]["verdict"], "mismatch", "change {index}");
    }
}

fn name(path: &Path) -> String {
    path.file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned()
}

#[test]
fn a_run_does_cells_again_whose_impulses_are_gone() {
    let lab = lab();
    let path = cell(&lab, "chain n=3", "pgs").with_extension("impulses");
    let before = fs::read(&path).expect("impulses");
    fs::remove_file(&path).expect("impulses");
    let ran = lab.run(&["run", "specs/small", "--out", "out"]);
    assert!(
        ran.stderr.contains(".impulses is missing; runs again"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("1 ran, 5 kept"), "{}", ran.stderr);
    assert_eq!(fs::read(&path).expect("impulses"), before);
    assert_eq!(verify(&lab, "out").code, 0);
}
