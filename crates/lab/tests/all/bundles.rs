//! `bundle`: results that a stranger can draw again and run again.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;

use zip::ZipArchive;

use crate::passing::{SPEC, cell, lab, verify};
use crate::support::{CONTACT, Lab, Ran};

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

/// Every file of the archive, unpacked into `folder`.
pub(crate) fn unpack(bytes: &[u8], folder: &Path) -> BTreeMap<String, Vec<u8>> {
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
    assert!(!ran.stderr.contains("replaces"), "{}", ran.stderr);
    let bytes = fs::read(lab.path("small.zip")).expect("the archive");
    let ran = lab.run(&["bundle", "out"]);
    let note = "note: replaces the archive that small.zip was\n";
    assert!(ran.stderr.contains(note), "{}", ran.stderr);
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

    its_commands_run(&elsewhere, &files);
}

/// The commands of the page of a bundle that was unpacked, from its folder.
fn its_commands_run(elsewhere: &Lab, files: &BTreeMap<String, Vec<u8>>) {
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

/// An absolute path leads to the file from every copy on this machine, and from none on another.
#[test]
fn absolute_paths_of_a_spec_are_refused() {
    let lab = Lab::new();
    lab.file("problems/contact.dat", CONTACT);
    lab.file(
        "s/times.csv",
        "kind,problem,solver,tol,outcome,iters,wall_s,nat_rel\n",
    );
    let here = lab.path("").to_string_lossy().into_owned();
    let problem = |folder: &str, otherwise: &str| {
        format!(
            "title = \"t\"\n[[problem]]\nfiles = [\"{folder}problems/*.dat\"]\n{otherwise}\n[[solver]]\nuse = \"pgs\"\n"
        )
    };
    let table = |file: &str| {
        format!(
            "[[table]]\nid = \"b\"\nshow = {{ baseline = {{ file = \"{file}\", tolerances = [1e-6] }} }}\n"
        )
    };
    let cases = [
        (problem(&here, ""), "problems/*.dat", 3),
        (
            problem("../", &format!("otherwise = [\"{here}other/*.dat\"]")),
            "other/*.dat",
            4,
        ),
        (
            problem("../", "") + &table(&format!("{here}s/times.csv")),
            "s/times.csv",
            9,
        ),
    ];
    for (text, path, line) in cases {
        lab.file("s/experiment.toml", &text);
        let ran = lab.run(&["run", "s", "--out", "out", "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let place = format!("s/experiment.toml:{line}:");
        let path = format!("{here}{path}\" is an absolute path");
        let refused = lab.run(&["bundle", "out", "--out", "x.zip"]);
        refused.is_refused_with(&[&place, &path, "relative to the spec", "run the experiment"]);
        assert!(!lab.path("x.zip").exists());
    }
    // relative, as the message says: the cells are kept
    lab.file(
        "s/experiment.toml",
        problem("../", "") + &table("times.csv"),
    );
    let ran = lab.run(&["run", "s", "--out", "out"]);
    assert!(ran.stderr.contains("0 ran, 1 kept"), "{}", ran.stderr);
    assert_eq!(lab.run(&["bundle", "out", "--out", "x.zip"]).code, 0);
}

/// Whatever is not as the run left it, there is no archive of it.
#[test]
fn what_has_changed_is_not_passed_on() {
    type Change = fn(&Lab) -> &'static str;
    fn replace(lab: &Lab, name: &'static str, from: &str, to: &str) -> &'static str {
        let path = lab.path("out").join(name);
        let text = fs::read_to_string(&path).expect("a file");
        assert!(text.contains(from), "no {from} in {name}");
        fs::write(&path, text.replacen(from, to, 1)).expect("a file");
        name
    }
    let changes: [Change; 8] = [
        |lab| {
            let path = cell(lab, "chain n=3", "pgs").with_extension("impulses");
            let mut bytes = fs::read(&path).expect("impulses");
            bytes[3] ^= 1;
            fs::write(&path, bytes).expect("a file");
            ".impulses"
        },
        |lab| {
            fs::remove_file(cell(lab, "chain n=3", "pgs").with_extension("impulses"))
                .expect("impulses");
            ".impulses"
        },
        |lab| {
            fs::remove_file(cell(lab, "chain n=3", "pgs")).expect("a cell");
            "is gone: the run left it"
        },
        |lab| replace(lab, "experiment.json", "Passed on", "Passed off"),
        |lab| replace(lab, "outputs.json", "\"bytes\": ", "\"bytes\": 1"),
        |lab| {
            replace(
                lab,
                "manifest.json",
                "\"cells_sha256\": \"",
                "\"cells_sha256\": \"0",
            )
        },
        |lab| replace(lab, "summary.csv", "max_sweeps", "solved"),
        // it would be drawn again without a word
        |lab| replace(lab, "report.html", "Passed on", "Passed off"),
    ];
    let lab = lab();
    for (index, change) in changes.iter().enumerate() {
        let named = change(&lab);
        let ran = lab.run(&["bundle", "out"]);
        assert_eq!(ran.code, 6, "change {index}: {}", ran.stderr);
        assert!(ran.stderr.contains(named), "change {index}: {}", ran.stderr);
        assert!(!lab.path("small.zip").exists());
        let ran = lab.run(&["run", "specs/small", "--out", "out", "--quiet"]);
        assert_eq!(ran.code, 0, "change {index}: {}", ran.stderr);
        let ran = verify(&lab, "out");
        assert_eq!(ran.code, 0, "change {index}: {}{}", ran.stdout, ran.stderr);
    }
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
}

/// Results of a stranger may say what they are called, and hold links.
#[cfg(unix)]
#[test]
fn nothing_of_a_strangers_results_leads_out_of_them() {
    let lab = lab();
    // a figure would be drawn anew in the place of the link
    let table = lab.path("out/records.csv");
    fs::rename(&table, lab.path("elsewhere.csv")).expect("a move");
    std::os::unix::fs::symlink(lab.path("elsewhere.csv"), &table).expect("a link");
    let linked = lab.run(&["bundle", "out"]);
    assert_eq!(linked.code, 6, "{}", linked.stderr);
    assert!(
        linked
            .stderr
            .contains("records.csv: is a link, and links in a results folder are not followed"),
        "{}",
        linked.stderr
    );
    fs::remove_file(&table).expect("the link goes");
    fs::rename(lab.path("elsewhere.csv"), &table).expect("a move");

    let path = lab.path("out/experiment.json");
    let text = fs::read_to_string(&path).expect("an experiment");
    let forged = text.replacen("\"id\": \"small\"", "\"id\": \"../../escaped\"", 1);
    assert_ne!(forged, text);
    fs::write(&path, forged).expect("a file");
    let refused = lab.run(&["bundle", "out"]);
    assert_eq!(refused.code, 6, "{}", refused.stderr);
    // nothing says what a folder held whose list is gone
    fs::remove_file(lab.path("out/outputs.json")).expect("a list");
    let bundled = lab.run(&["bundle", "out"]);
    assert_eq!(bundled.code, 0, "{}", bundled.stderr);
    assert_eq!(bundled.stdout.trim(), "-..-escaped.zip");
    let archive = fs::File::open(lab.path("-..-escaped.zip")).expect("an archive here");
    let archive = ZipArchive::new(archive).expect("an archive");
    let mut names = archive.file_names().map(|name| name.expect("a name"));
    let outside = |name: &str| !name.starts_with("-..-escaped/") || name.contains("/../");
    assert!(!names.any(|name| outside(&name)));
}
