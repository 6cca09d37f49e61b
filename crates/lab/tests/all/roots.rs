//! The root of a results folder: every verb that reads one notices a record that is gone or
//! replaced.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::bundles::unpack;
use crate::forger::{copy, edit, renew, take_cell};
use crate::forgeries::finds;
use crate::passing::{SPEC, cell, lab, verify};
use crate::support::Lab;

/// The exit codes of the verbs that read a results folder.
fn codes(lab: &Lab) -> Vec<(&'static str, i32)> {
    let verbs: [(&str, &[&str]); 10] = [
        ("verify", &["verify", "out"]),
        ("fsck", &["fsck", "out"]),
        ("bundle", &["bundle", "out"]),
        ("report", &["report", "out"]),
        ("compare", &["compare", "out"]),
        ("plot", &["plot", "out", "convergence", "--out", "plot.svg"]),
        ("data", &["data", "out", "--out", "tables"]),
        ("show", &["show", "out"]),
        (
            "gate",
            &["gate", "specs/small/gated.toml", "--no-run", "--out", "out"],
        ),
        ("merge", &["merge", "out", "--out", "merged"]),
    ];
    let run = |(name, words): (&'static str, &[&str])| (name, lab.run(words).code);
    verbs.into_iter().map(run).collect()
}

/// The verbs that do not end with 0.
fn refused(lab: &Lab) -> Vec<(&'static str, i32)> {
    let mut codes = codes(lab);
    codes.retain(|(_, code)| *code != 0);
    codes
}

const REFUSED: [(&str, i32); 10] = [
    ("verify", 6),
    ("fsck", 6),
    ("bundle", 6),
    ("report", 6),
    ("compare", 6),
    ("plot", 6),
    ("data", 6),
    ("show", 6),
    ("gate", 6),
    ("merge", 6),
];

#[test]
fn every_verb_notices_a_deleted_cell_and_a_run_mends_it() {
    let lab = lab();
    let gate = "[[gate]]\nvalue = \"status\"\nequals = \"solved\"\n";
    lab.file("specs/small/gated.toml", format!("{SPEC}{gate}"));
    let before = refused(&lab);
    assert_eq!(before, [("gate", 5)], "it has read the results");
    let path = cell(&lab, "chain n=2", "apgd");
    let record = fs::read(&path).expect("a record");
    for what in ["deleted", "replaced"] {
        match what {
            "deleted" => fs::remove_file(&path).expect("a cell"),
            _ => {
                // another date, with the checksum of its text
                let text = String::from_utf8(record.clone()).expect("text");
                let start = text.find("\"record\":").expect("a record") + 9;
                let forged =
                    text[start..text.len() - 2].replacen("\"date\":\"2", "\"date\":\"3", 1);
                let digits = Sha256::digest(forged.as_bytes());
                let sum: String = digits.iter().map(|byte| format!("{byte:02x}")).collect();
                let text = format!("{{\"schema\":2,\"sha256\":\"{sum}\",\"record\":{forged}}}\n");
                fs::write(&path, text).expect("a file");
            }
        }
        assert_eq!(refused(&lab), REFUSED, "{what}");
        let ran = lab.run(&["run", "specs/small", "--out", "out"]);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("1 ran, 5 kept"),
            "{what}: {}",
            ran.stderr
        );
        assert_eq!(refused(&lab), before, "{what}");
    }
}

/// A folder of a program that left no root is read as ever; `verify` says what it lacks.
#[test]
fn a_folder_without_a_root_is_read() {
    let lab = Lab::new();
    let older = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/older");
    copy(&older, &lab.path("out"));
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("2 keys computed again"),
        "{}",
        ran.stdout
    );
    assert!(ran.stderr.contains("it left no root"), "{}", ran.stderr);
    for words in [&["show", "out"][..], &["report", "out"], &["fsck", "out"]] {
        let ran = lab.run(words);
        assert_eq!(ran.code, 0, "{words:?}: {}", ran.stderr);
    }
    // a cell less is a cell that has not run
    fs::remove_file(cell(&lab, "chain n=2", "pgs")).expect("a cell");
    assert_eq!(lab.run(&["show", "out"]).code, 0);
    let ran = verify(&lab, "out");
    assert!(ran.stdout.contains("1 cell not run yet"), "{}", ran.stdout);
    assert!(ran.stdout.contains("taken away"), "{}", ran.stdout);
    assert_eq!(ran.code, 1);
}

/// A folder that a run has begun to change, and not left, says that nothing vouches for it.
#[test]
fn an_unfinished_folder_is_not_called_forged() {
    let lab = lab();
    let list = fs::read_to_string(lab.path("out/outputs.json")).expect("a list");
    fs::remove_file(lab.path("out/outputs.json")).expect("a list");
    fs::remove_file(cell(&lab, "chain n=2", "apgd")).expect("a cell");
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("the run has not come to its end"),
        "{}",
        ran.stdout
    );
    assert_eq!(lab.run(&["fsck", "out"]).code, 0);
    // a part that runs the cell again does not end the whole
    fs::write(lab.path("out/outputs.json"), list).expect("a list");
    assert_eq!(verify(&lab, "out").code, 6);
    let ran = lab.run(&["run", "specs/small", "--out", "out", "--shard", "2/2"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(verify(&lab, "out").code, 1);
    // nor does a report
    assert_eq!(lab.run(&["report", "out"]).code, 0);
    assert_eq!(verify(&lab, "out").code, 1);
    let ran = lab.run(&["run", "specs/small", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(verify(&lab, "out").code, 0);
}

/// A bundle that does not say any more that its run left a root, with all cells or without one.
#[test]
fn a_bundle_says_that_its_run_left_a_root() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    let path = cell(&lab, "chain n=2", "pgs");
    let key = path.file_stem().expect("a key").to_string_lossy();
    for is_whole in [true, false] {
        let other = Lab::new();
        unpack(&archive, &other.path("."));
        let folder = other.path("small");
        edit(&folder.join("experiment.json"), |value| {
            let removed = value.as_object_mut().and_then(|map| map.remove("has_root"));
            assert_eq!(removed, Some(true.into()));
        });
        if !is_whole {
            take_cell(&folder, &key);
        }
        renew(&folder);
        finds(
            &verify(&other, "small"),
            "experiment.json",
            "does not say that the run left a root",
        );
        for words in [
            &["fsck", "small"][..],
            &["bundle", "small"],
            &["show", "small"],
        ] {
            let ran = other.run(words);
            assert_eq!(ran.code, 6, "{words:?}: {}{}", ran.stdout, ran.stderr);
        }
    }
}
