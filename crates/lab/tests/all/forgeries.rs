//! Results that somebody has changed, with every checksum, list and root renewed: what follows from
//! other data is made again, and evidence that every record has is missed.

use std::fs;

use crate::bundles::unpack;
use crate::forger::{change_record, edit, forget_source, renew, replace};
use crate::passing::{SPEC, cell, lab, verify};
use crate::support::{Lab, Ran};

#[track_caller]
pub(crate) fn finds(ran: &Ran, file: &str, what: &str) {
    assert_eq!(ran.code, 6, "{}{}", ran.stdout, ran.stderr);
    let named = ran
        .stdout
        .lines()
        .any(|line| line.starts_with("mismatch") && line.contains(file) && line.contains(what));
    assert!(named, "{file}, {what}: {}", ran.stdout);
}

/// Views of every kind: tables of the run, page, figure, its captions for LaTeX, a table.
const VIEWS: [(&str, &str, &str); 6] = [
    ("summary.csv", "max_sweeps", "solved"),
    ("report.html", "Passed on", "Passed up"),
    ("figures/curves.svg", "</svg>", "<!-- --></svg>"),
    ("figures/curves.tex", "\\", "%\\"),
    ("tables/cells.csv", "pgs", "apgd"),
    ("tables/cells.tex", "pgs", "apgd"),
];

#[test]
fn views_are_made_again_whatever_the_list_says_of_their_source() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    for (name, from, to) in VIEWS {
        let path = lab.path("out").join(name);
        let before = fs::read(&path).expect("a view");
        for is_known in [true, false] {
            replace(&path, from, to);
            renew(&lab.path("out"));
            if !is_known {
                forget_source(&lab.path("out"));
            }
            finds(&verify(&lab, "out"), name, "is not what the records");
            // what is drawn anew would hide it
            let refused = lab.run(&["bundle", "out", "--out", "forged.zip"]);
            assert_eq!(refused.code, 6, "{name}: {}", refused.stderr);
            assert!(refused.stderr.contains(name), "{}", refused.stderr);
            assert!(!lab.path("forged.zip").exists());
            fs::write(&path, &before).expect("a view");
            renew(&lab.path("out"));
        }
        let other = Lab::new();
        unpack(&archive, &other.path("."));
        let ran = verify(&other, "small");
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("written again"), "{}", ran.stdout);
        replace(&other.path("small").join(name), from, to);
        renew(&other.path("small"));
        finds(&verify(&other, "small"), name, "is not what the records");
    }
    assert_eq!(verify(&lab, "out").code, 0);
}

#[test]
fn views_that_cannot_be_made_again_are_named() {
    let lab = lab();
    let binary = |to: &str| {
        edit(&lab.path("out/manifest.json"), |manifest| {
            manifest["binary_sha256"] = to.into();
        });
        renew(&lab.path("out"));
    };
    // a report of the spec as it is now, and one of a spec that is nobody's
    lab.file("specs/small/README.md", "# Passed on, and corrected\n");
    assert_eq!(lab.run(&["report", "out", "--width", "column"]).code, 0);
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    lab.file("specs/small/README.md", "# Passed on, and on\n");
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 1, "{}{}", ran.stdout, ran.stderr);
    assert!(
        ran.stdout.contains("unchecked  report.html")
            && ran.stdout.contains("the spec has changed since"),
        "{}",
        ran.stdout
    );
    lab.file("specs/small/README.md", "# Passed on\n");
    assert_eq!(lab.run(&["report", "out"]).code, 0);
    assert_eq!(verify(&lab, "out").code, 0);
    // another program's: the records say whose they are
    binary(&"0".repeat(64));
    finds(&verify(&lab, "out"), "manifest.json", "another program");
    // a view that nothing gives
    let lab = crate::passing::lab();
    lab.file("out/figures/more.svg", "<svg/>");
    edit(&lab.path("out/outputs.json"), |list| {
        list["files"]["figures/more.svg"] = serde_json::json!({ "bytes": 0, "sha256": "" });
    });
    renew(&lab.path("out"));
    finds(
        &verify(&lab, "out"),
        "figures/more.svg",
        "give no such file",
    );
}

/// What a bundle is judged by is that of its spec.
#[test]
fn frozen_problems_are_those_of_the_spec() {
    let lab = lab();
    assert_eq!(lab.run(&["bundle", "out"]).code, 0);
    let archive = fs::read(lab.path("small.zip")).expect("the archive");
    type Change = fn(&mut serde_json::Value);
    let changes: [(Change, &str); 3] = [
        (|entry| entry["tolerance"] = 1.0.into(), "tolerance"),
        (
            |entry| entry["criteria"] = serde_json::json!(["siconos"]),
            "criteria",
        ),
        (|entry| entry["digest"] = "0".repeat(64).into(), "content"),
    ];
    for (change, what) in changes {
        let other = Lab::new();
        unpack(&archive, &other.path("."));
        edit(&other.path("small/problems/index.json"), |list| {
            change(&mut list[0]);
        });
        renew(&other.path("small"));
        finds(&verify(&other, "small"), "problems/index.json", what);
    }
}

/// A folder without its root, which says that an older program has made it.
#[test]
fn a_key_tells_that_a_root_is_gone() {
    let lab = lab();
    for (name, entries) in [
        ("experiment.json", &["has_root"][..]),
        ("manifest.json", &["cells_sha256"]),
        ("outputs.json", &["cells", "sum"]),
    ] {
        edit(&lab.path("out").join(name), |value| {
            for entry in entries {
                let removed = value.as_object_mut().and_then(|map| map.remove(*entry));
                assert!(removed.is_some(), "{name} has no {entry}");
            }
            if name == "outputs.json" {
                value["files"] = serde_json::json!({});
            }
        });
    }
    // by the version of its keys, and by its program
    finds(&verify(&lab, "out"), "manifest.json", "has no root");
    let set = |name: &str, value: serde_json::Value| {
        edit(&lab.path("out/manifest.json"), |manifest| {
            manifest[name] = value;
        });
    };
    set("binary_sha256", "0".repeat(64).into());
    finds(&verify(&lab, "out"), "manifest.json", "has no root");
    assert_eq!(lab.run(&["show", "out"]).code, 6);
    set("schema", 1.into());
    finds(&verify(&lab, "out"), "manifest.json", "has no root");
    assert_eq!(lab.run(&["bundle", "out"]).code, 6);
    // records that do not say whose they are do not help
    for path in fs::read_dir(lab.path("out/cells"))
        .expect("cells")
        .flatten()
    {
        let path = path.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            change_record(&path, |record| {
                let start = record.find(",\"origin\":").expect("an origin");
                format!("{}}}", &record[..start])
            });
        }
    }
    finds(&verify(&lab, "out"), "manifest.json", "has no root");
    finds(&verify(&lab, "out"), "cells/", "does not name the program");
}

/// A relabelled cell, with what it leaves taken away as well.
#[test]
fn a_status_has_its_evidence() {
    type Change = fn(&str) -> String;
    fn relabelled(record: &str, from: &str, to: &str) -> String {
        let (old, new) = (
            format!("\"status\":\"{from}\""),
            format!("\"status\":\"{to}\""),
        );
        let record = record.replacen(&old, &new, 1);
        record.replacen("\"message\":null", "\"message\":\"it broke down\"", 1)
    }
    /// Without the value of an entry, which `empty` takes the place of.
    fn without(record: &str, name: &str, empty: &str) -> String {
        let start = record.find(&format!("\"{name}\":")).expect("an entry") + name.len() + 3;
        let close = match record.as_bytes()[start] {
            b'[' => ']',
            _ => '"',
        };
        let rest = &record[start + 1..];
        let end = start + 2 + rest.find(close).expect("an end");
        format!("{}{empty}{}", &record[..start], &record[end..])
    }
    fn without_passes(record: &str) -> String {
        let record = without(record, "prepare_seconds", "[]");
        without(&record, "iterate_seconds", "[]")
    }
    let changes: [(&str, Change, &str); 5] = [
        ("chain n=2", without_passes, "timed passes"),
        (
            "chain n=2",
            |record| {
                let record = relabelled(record, "solved", "failed");
                without(&record, "impulse_hash", "\"\"")
            },
            "as it has no impulses",
        ),
        (
            "chain n=2",
            |record| {
                let record = relabelled(record, "solved", "failed");
                without(&without_passes(&record), "impulse_hash", "\"\"")
            },
            "meets every criterion",
        ),
        (
            "chain n=2",
            |record| {
                let record = relabelled(record, "solved", "timeout");
                without(&without_passes(&record), "impulse_hash", "\"\"")
            },
            "contradicts its limit",
        ),
        (
            "chain n=2",
            |record| {
                let record = relabelled(record, "solved", "crashed");
                without(&without_passes(&record), "impulse_hash", "\"\"")
            },
            "more than such a cell leaves",
        ),
    ];
    for (problem, change, what) in changes {
        let lab = lab();
        let path = cell(&lab, problem, "pgs");
        change_record(&path, change);
        let text = fs::read_to_string(&path).expect("a record");
        if text.contains("\"impulse_hash\":\"\"") {
            fs::remove_file(path.with_extension("impulses")).expect("impulses");
        }
        renew(&lab.path("out"));
        let file = path.file_name().expect("a name").to_string_lossy();
        finds(&verify(&lab, "out"), &file, what);
    }
}

#[test]
fn a_record_without_an_entry_runs_again_and_strange_entries_are_named() {
    let lab = lab();
    let path = cell(&lab, "chain n=2", "pgs");
    let cut = |record: &str| {
        let start = record.find("\"facts\":").expect("facts");
        let end = start + record[start..].find("},").expect("an end") + 2;
        format!("{}{}", &record[..start], &record[end..])
    };
    change_record(&path, cut);
    renew(&lab.path("out"));
    let ran = lab.run(&["run", "specs/small", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = ran.stderr.contains("missing field `facts`") && ran.stderr.contains("runs again");
    assert!(
        said && ran.stderr.contains("1 ran, 5 kept"),
        "{}",
        ran.stderr
    );
    assert_eq!(verify(&lab, "out").code, 0);
    change_record(&path, |record| {
        record.replacen("{\"key\":", "{\"praise\":\"good\",\"key\":", 1)
    });
    renew(&lab.path("out"));
    let file = path.file_name().expect("a name").to_string_lossy();
    finds(&verify(&lab, "out"), &file, "that no record has: praise");
}

#[test]
fn files_that_no_list_names_are_named() {
    let lab = lab();
    lab.file("out/figures/mine.svg", "<svg/>");
    lab.file("out/notes/a.txt", "a note");
    let ran = verify(&lab, "out");
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let fsck = lab.run(&["fsck", "out"]);
    assert_eq!(fsck.code, 0, "{}", fsck.stderr);
    for file in ["figures/mine.svg", "notes/a.txt"] {
        assert!(
            ran.stdout.contains(&format!("note  {file}")),
            "{}",
            ran.stdout
        );
        assert!(fsck.stderr.contains(file), "{}", fsck.stderr);
    }
    let objects = lab.run(&["verify", "out", "--json"]).objects();
    assert_eq!(objects[0]["verdict"], "note");
    assert_eq!(objects[2]["notes"], 2, "{}", objects[2]);
    // no cell has such a file
    lab.file("out/cells/page.html", "<p>");
    finds(
        &verify(&lab, "out"),
        "cells/page.html",
        "lies among the cells",
    );
    let fsck = lab.run(&["fsck", "out"]);
    assert_eq!(fsck.code, 6, "{}", fsck.stderr);
    assert!(fsck.stdout.contains("cells/page.html"), "{}", fsck.stdout);
    assert_eq!(lab.run(&["bundle", "out"]).code, 6);
}

#[test]
fn cells_that_are_no_folder_end_every_verb_alike() {
    let lab = lab();
    let gate = "[[gate]]\nvalue = \"status\"\nequals = \"solved\"\n";
    lab.file("specs/small/gated.toml", format!("{SPEC}{gate}"));
    fs::rename(lab.path("out/cells"), lab.path("aside")).expect("the cells");
    lab.file("out/cells", "no folder");
    let gate = ["gate", "specs/small/gated.toml", "--no-run", "--out", "out"];
    for verb in [
        &["merge", "out", "--out", "merged"][..],
        &["verify", "out"],
        &["fsck", "out"],
        &["migrate", "out"],
        &["status", "out"],
        &["report", "out"],
        &["bundle", "out"],
        &["show", "out"],
        &gate,
        &["run", "specs/small", "--out", "out"],
    ] {
        let ran = lab.run(verb);
        // it writes there
        let wanted = if verb[0] == "run" { 3 } else { 6 };
        assert_eq!(ran.code, wanted, "{verb:?}: {}{}", ran.stdout, ran.stderr);
        let said = ran.stdout + &ran.stderr;
        let is_listed = verb[0] == "fsck" && said.starts_with("cells: is a file");
        assert!(is_listed || said.contains("out/cells"), "{verb:?}: {said}");
    }
    assert!(!lab.path("merged").exists());
}

/// A damaged experiment has one exit code in all verbs; so has one that was changed.
#[test]
fn a_damaged_or_changed_experiment_ends_gate_and_migrate_as_others() {
    let lab = lab();
    let gate = "[[gate]]\nvalue = \"status\"\nequals = \"solved\"\n";
    lab.file("specs/small/gated.toml", format!("{SPEC}{gate}"));
    let gate = ["gate", "specs/small/gated.toml", "--no-run", "--out", "out"];
    let path = lab.path("out/experiment.json");
    let whole = fs::read_to_string(&path).expect("the experiment");
    for damaged in ["{", "[]", &whole[..whole.len() / 2]] {
        fs::write(&path, damaged).expect("a file");
        for verb in [
            &gate[..],
            &["migrate", "out"],
            &["bundle", "out"],
            &["status", "out"],
        ] {
            let ran = lab.run(verb);
            assert_eq!(ran.code, 6, "{verb:?}: {}", ran.stderr);
            assert!(ran.stderr.contains("is damaged"), "{}", ran.stderr);
        }
    }
    // an entry under another name, which older programs do not leave
    fs::write(&path, whole.replacen("\"unstepped\"", "\"unstopped\"", 1)).expect("a file");
    renew(&lab.path("out"));
    let ran = verify(&lab, "out");
    finds(&ran, "experiment.json", "its unstepped is not in the form");
    finds(&ran, "experiment.json", "its unstopped is not in the form");
    fs::write(&path, &whole).expect("a file");
    renew(&lab.path("out"));
    // readable, and not as the run left it
    fs::write(&path, whole.replacen("Passed on", "Passed up", 1)).expect("a file");
    for verb in [
        &gate[..],
        &["bundle", "out"],
        &["verify", "out"],
        &["report", "out"],
        &["show", "out"],
        &["plot", "out"],
    ] {
        let ran = lab.run(verb);
        assert_eq!(ran.code, 6, "{verb:?}: {}", ran.stderr);
    }
    fs::write(&path, whole).expect("a file");
    assert_eq!(verify(&lab, "out").code, 0);
}

/// What a record says twice: a change of the one without the other names the record.
#[test]
fn pairs_that_must_agree_are_compared() {
    fn with(
        record: &str,
        name: &str,
        change: impl Fn(&serde_json::Value) -> serde_json::Value,
    ) -> String {
        let mut value: serde_json::Value = serde_json::from_str(record).expect("JSON");
        let entry = value.pointer_mut(name).expect("an entry");
        *entry = change(entry);
        value.to_string()
    }
    type Change = fn(&str) -> String;
    let changes: [(Change, &str); 6] = [
        (
            |record| {
                with(record, "/outcome/sweeps", |n| {
                    (n.as_u64().expect("a count") - 1).into()
                })
            },
            "sweeps, but its last sample",
        ),
        (
            |record| with(record, "/outcome/sweeps", |_| 41.into()),
            "it counts 41 sweeps, but the limit is 40",
        ),
        (
            |record| {
                with(record, "/outcome/row_updates", |n| {
                    (n.as_u64().expect("a count") + 1).into()
                })
            },
            "row updates, but its last sample",
        ),
        (
            |record| with(record, "/outcome/iterate_seconds/0", |_| (-1.0).into()),
            "is negative or not finite",
        ),
        (
            |record| with(record, "/outcome/worst_block/hidden", |_| true.into()),
            "is marked as hidden",
        ),
        (
            |record| with(record, "/outcome/worst_block", |_| serde_json::Value::Null),
            "but the record says none",
        ),
    ];
    let lab = lab();
    let path = cell(&lab, "chain n=2", "pgs");
    let file = path
        .file_name()
        .expect("a name")
        .to_string_lossy()
        .into_owned();
    let before = fs::read(&path).expect("a record");
    for (change, what) in changes {
        change_record(&path, change);
        renew(&lab.path("out"));
        let ran = verify(&lab, "out");
        finds(&ran, &file, what);
        assert!(!ran.stdout.contains("Some("), "{}", ran.stdout);
        fs::write(&path, &before).expect("a record");
        renew(&lab.path("out"));
    }
    assert_eq!(verify(&lab, "out").code, 0);
}

/// A text of a record, what takes its place, and what is said of it.
type Replacement = (&'static str, &'static str, &'static str);

/// The same of timed sweeps and of motion.
#[test]
fn passes_and_moments_follow_from_the_spec() {
    let lab = Lab::new();
    let times = "title = \"t\"\n[[problem]]\nuse = \"chain\"\nn = 3\n[[solver]]\nuse = \"pgs\"\n\
                 [timing]\nrow_updates = 400\nrepetitions = 2\n";
    let motion = "title = \"t\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"soft-step\"\n\
                  seconds = 0.1\n[[solver]]\nuse = \"pgs\"\n[simulate]\nobservables = [\"energy\"]\n";
    let cases: [(&str, &str, &[Replacement]); 2] = [
        (
            "times",
            times,
            &[
                ("\"short_sweeps\":", "\"short_sweeps\":1", "its passes have"),
                (
                    "\"working_set\":",
                    "\"working_set\":1",
                    "does not follow from its bytes",
                ),
                (
                    "\"read_bytes\":",
                    "\"read_bytes\":1",
                    "does not follow from its bytes",
                ),
            ],
        ),
        (
            "motion",
            motion,
            &[
                ("\"time\":0.0166", "\"time\":0.0266", "but the spec gives"),
                (
                    "\"frame\":5",
                    "\"frame\":4",
                    "no sample is taken at its frame 4",
                ),
            ],
        ),
    ];
    for (name, spec, changes) in cases {
        lab.file(&format!("{name}/experiment.toml"), spec);
        let ran = lab.run(&["run", name, "--out", &format!("{name}-out"), "--quiet"]);
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let out = format!("{name}-out");
        let cells = fs::read_dir(lab.path(&out).join("cells")).expect("cells");
        let mut records = cells.flatten().map(|file| file.path());
        let is_record = |path: &std::path::PathBuf| path.extension().is_some_and(|e| e == "json");
        let path = records.find(is_record).expect("a record");
        let before = fs::read(&path).expect("a record");
        let file = path
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        for (from, to, what) in changes {
            change_record(&path, |record| record.replacen(from, to, 1));
            renew(&lab.path(&out));
            finds(&verify(&lab, &out), &file, what);
            fs::write(&path, &before).expect("a record");
            renew(&lab.path(&out));
        }
        assert_eq!(verify(&lab, &out).code, 0);
    }
}
