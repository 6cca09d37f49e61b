//! `verify` and `bundle`: results that a stranger can check, draw again and run again.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use zip::ZipArchive;

use crate::support::{CONTACT, Lab, Ran};

/// Problems of a generator and of a file, a solver that ends early, and one that needs more than impulses are judged by.
const SPEC: &str = r#"
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

const OVER_TIME: &str = r#"
title = "Moving"
[[scene]]
use = "pendulum"
[[scheme]]
use = "pgs-baumgarte"
seconds = 0.2
[[solver]]
use = "pgs"
[simulate]
observables = ["drift_max"]
[replay]
[[figure]]
id = "drift"
plot = { trajectory = { y = "drift_max" } }
[[strip]]
id = "still"
frames = 2
"#;

fn lab() -> Lab {
    let lab = Lab::new();
    lab.file("specs/small/experiment.toml", SPEC);
    lab.file("specs/small/README.md", "# Passed on\n");
    lab.file("specs/problems/contact.dat", CONTACT);
    let ran = lab.run(&["run", "specs/small", "--out", "out", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    lab
}

fn verify(lab: &Lab, folder: &str) -> Ran {
    lab.run(&["verify", folder])
}

/// The only file of a folder of cells with this ending whose record is of `problem` and `solver`.
fn cell(lab: &Lab, problem: &str, solver: &str) -> PathBuf {
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
        ran.stdout.starts_with("6 cells: 6 cells judged again, "),
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
            (name(&path), "not the impulses")
        },
        |lab| {
            let path = cell(lab, "chain n=3", "pgs").with_extension("impulses");
            fs::remove_file(&path).expect("impulses");
            (name(&path), "cannot be read")
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
            (name(&path), "it says solved, but natural_map is")
        },
        |lab| {
            // another label, which the key is made from
            let path = cell(lab, "chain n=2", "pgs");
            forge(&path, "\"binary_sha256\":\"", "\"binary_sha256\":\"0");
            (name(&path), "does not follow from the spec")
        },
        |lab| {
            let path = lab.path("specs/problems/contact.dat");
            fs::write(&path, CONTACT.replace("0.1", "0.2")).expect("a file");
            (
                name(&cell(lab, "contact", "pgs")),
                "does not follow from the spec",
            )
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
        ran.stderr.contains("its impulses are missing; runs again"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("1 ran, 5 kept"), "{}", ran.stderr);
    assert_eq!(fs::read(&path).expect("impulses"), before);
    assert_eq!(verify(&lab, "out").code, 0);
}

/// Every file of the archive, unpacked into `folder`.
fn unpack(bytes: &[u8], folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).expect("an entry");
        let inside = entry.enclosed_name().expect("a name inside");
        assert!(entry.is_file() && !entry.is_symlink(), "{inside:?}");
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).expect("bytes");
        let path = folder.join(&inside);
        fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
        fs::write(&path, &bytes).expect("a file");
        files.insert(inside.to_string_lossy().into_owned(), bytes);
    }
    files
}

/// Takes what can be drawn away, draws it again elsewhere, and compares.
fn draws_again(files: &BTreeMap<String, Vec<u8>>, id: &str) -> usize {
    let empty = Lab::new();
    for (name, bytes) in files {
        empty.file(name, bytes);
    }
    let list: serde_json::Value =
        serde_json::from_slice(&files[&format!("{id}/outputs.json")]).expect("a list");
    let drawn: Vec<&String> = list["files"].as_object().expect("files").keys().collect();
    let drawn = drawn
        .into_iter()
        .filter(|name| name.contains('/') || name.ends_with(".html"));
    let drawn: Vec<&String> = drawn.collect();
    for name in &drawn {
        fs::remove_file(empty.path(id).join(name)).expect("a drawn file");
    }
    let ran = empty.run(&["report", id]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for name in &drawn {
        let again = fs::read(empty.path(id).join(name)).expect("drawn again");
        assert!(again == files[&format!("{id}/{name}")], "{name} differs");
    }
    let ran = verify(&empty, id);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    drawn.len()
}

#[test]
fn a_bundle_in_an_empty_folder_draws_judges_and_runs_again() {
    let lab = lab();
    let ran = lab.run(&["bundle", "out"]);
    assert_eq!(
        (ran.code, ran.stdout.as_str()),
        (0, "small.zip\n"),
        "{}",
        ran.stderr
    );
    let bytes = fs::read(lab.path("small.zip")).expect("the archive");
    let again = lab.run(&["bundle", "out", "--out", "again.zip", "--json"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(again.objects()[0]["schema"], "bundle/1");
    assert!(
        bytes == fs::read(lab.path("again.zip")).expect("the archive"),
        "another archive"
    );

    let elsewhere = Lab::new();
    let files = unpack(&bytes, &elsewhere.path("."));
    for name in [
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "CITATION.cff",
        "references.bib",
        "manifest.json",
        "bundle.json",
        "sources/small/experiment.toml",
        "sources/small/README.md",
        "sources/problems/contact.dat",
        "problems/index.json",
    ] {
        assert!(
            files.contains_key(&format!("small/{name}")),
            "{name}: {:?}",
            files.keys()
        );
    }
    let bib = String::from_utf8(files["small/references.bib"].clone()).expect("text");
    assert!(bib.contains("@") && bib.contains("Catto2006"), "{bib}");
    // nothing tells where it was made
    let here = lab.path("").to_string_lossy().into_owned();
    for (name, bytes) in &files {
        let told = bytes
            .windows(here.len())
            .any(|window| window == here.as_bytes());
        assert!(!told, "{name} has {here}");
    }
    assert!(draws_again(&files, "small") >= 3);

    // the commands of its own page, from its folder
    let page = String::from_utf8(files["small/README.md"].clone()).expect("text");
    let commands = page
        .lines()
        .filter_map(|line| line.strip_prefix("    delassus "));
    let commands: Vec<Vec<&str>> = commands
        .map(|line| {
            line.split(" #")
                .next()
                .expect("a command")
                .split_whitespace()
                .collect()
        })
        .collect();
    assert_eq!(commands.len(), 3, "{page}");
    for words in commands {
        let mut command = elsewhere.command(&words);
        let ran = Ran::from(
            command
                .current_dir(elsewhere.path("small"))
                .output()
                .expect("a program"),
        );
        assert_eq!(ran.code, 0, "{words:?}: {}{}", ran.stdout, ran.stderr);
    }
    // the same program: the same keys, and the same impulses
    for entry in fs::read_dir(elsewhere.path("small/again/cells"))
        .expect("cells")
        .flatten()
    {
        let path = entry.path();
        if path.extension().is_some_and(|ending| ending == "impulses") {
            let first = fs::read(elsewhere.path("small/cells").join(entry.file_name()));
            assert_eq!(first.ok(), fs::read(&path).ok());
        }
    }
}

#[test]
fn a_bundle_that_was_changed_says_so() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let bytes = fs::read(lab.path("small.zip")).expect("the archive");
    for (name, what) in [
        ("README.md", "bundle.json"),
        ("problems/0001-chain_n_2.dls", "bundle.json"),
        ("sources/small/experiment.toml", "bundle.json"),
    ] {
        let other = Lab::new();
        unpack(&bytes, &other.path("."));
        let path = other.path("small").join(name);
        let mut text = fs::read(&path).expect("the file");
        *text.last_mut().expect("a byte") ^= 1;
        fs::write(&path, text).expect("the file");
        let ran = verify(&other, "small");
        assert_eq!(ran.code, 6, "{name}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stdout.contains(name) && ran.stdout.contains(what),
            "{}",
            ran.stdout
        );
    }
    let other = Lab::new();
    unpack(&bytes, &other.path("."));
    let list = other.path("small/problems/index.json");
    let text = fs::read_to_string(&list).expect("the list");
    let text = text.replacen("problems/0001", "../../problems/0001", 1);
    fs::write(&list, text).expect("the list");
    let ran = verify(&other, "small");
    assert!(
        ran.code == 6 && ran.stdout.contains("leads out of the folder"),
        "{}",
        ran.stdout
    );
}

#[test]
fn what_cannot_be_passed_on_is_refused() {
    let lab = lab();
    lab.run(&["bundle", "nowhere"])
        .is_refused_with(&["nowhere", "results folder"]);
    lab.run(&["verify", "specs"])
        .is_refused_with(&["experiment.json"]);
    lab.file("specs/small/experiment.toml", SPEC.replace("1e-10", "1e-9"));
    lab.run(&["bundle", "out"])
        .is_refused_with(&["the spec has changed"]);
    lab.file("specs/small/experiment.toml", SPEC);
    let path = cell(&lab, "chain n=3", "pgs");
    fs::write(&path, "{}").expect("a file");
    let ran = lab.run(&["bundle", "out"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    assert!(ran.stderr.contains("delassus verify"), "{}", ran.stderr);
    assert!(!lab.path("small.zip").exists());
}

#[test]
fn motion_is_passed_on_with_its_replays() {
    let lab = Lab::new();
    lab.file("moving.toml", OVER_TIME);
    let ran = lab.run(&["run", "moving.toml", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = lab.run(&["bundle", "results/moving"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let bytes = fs::read(lab.path("moving.zip")).expect("the archive");
    let folder = Lab::new();
    let files = unpack(&bytes, &folder.path("."));
    assert!(
        files.keys().any(|name| name.ends_with(".replay")),
        "{:?}",
        files.keys()
    );
    assert!(draws_again(&files, "moving") >= 4);
}
