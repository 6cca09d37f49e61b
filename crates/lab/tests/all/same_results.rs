//! One spec, run in every way that must not matter: its canonical export is the same.
//!
//! The export is everything that a run leaves but for times: records and summary without the
//! columns of the clock, the impulses, the motion, the figures and tables that show none, and the
//! keys of the cells.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::support::{Lab, Ran, without_times};

const SOLVES: &str = r#"
title = "Solves"
[[problem]]
name = "pile"
use = "stack"
n = [1, 2]
law = "coulomb"
[[problem]]
use = "chain"
n = 3
[[solver]]
use = "pgs"
[[solver]]
use = "block-gs"
[[solver]]
use = "random-pgs"
seed = 7
[stop]
tolerance = 1e-6
metrics = ["natural_map"]
[[figure]]
id = "curves"
plot = { convergence = { x = "sweeps" } }
[[table]]
id = "reached"
show = { solved = { metric = "natural_map", tolerances = [1e-4] } }
"#;

const MOTION: &str = r#"
title = "Motion"
[[scene]]
use = "heavy-tip-chain"
n = [2, 3]
[[scheme]]
use = "soft-step"
[[solver]]
use = "pgs"
[simulate]
seconds = 0.2
observables = ["drift_max", "energy"]
[replay]
[[figure]]
id = "drift"
plot = { trajectory = { y = "drift_max" } }
"#;

/// What a run leaves, by file, without times.
type Export = BTreeMap<String, Vec<u8>>;

fn export(lab: &Lab, out: &str) -> Export {
    let mut files = Export::new();
    for folder in ["", "cells", "figures"] {
        let path = lab.path(&format!("{out}/{folder}"));
        for entry in fs::read_dir(&path).expect("a folder of results") {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            let bytes = || fs::read(&path).expect("a file");
            let kept = match (folder, name.as_str()) {
                ("", "records.csv" | "summary.csv") => {
                    let rows = without_times(&bytes());
                    let lines = rows.iter().map(|row| row.join("\u{1f}"));
                    lines.collect::<Vec<_>>().join("\n").into_bytes()
                }
                // a record has times; its key says that it is the same cell
                ("cells", name) if name.ends_with(".json") => Vec::new(),
                ("cells" | "figures", _) => bytes(),
                _ => continue,
            };
            files.insert(format!("{folder}/{name}"), kept);
        }
    }
    files
}

fn lab() -> Lab {
    let lab = Lab::new();
    lab.file("solves/experiment.toml", SOLVES);
    lab.file("motion/experiment.toml", MOTION);
    lab
}

#[track_caller]
fn well(ran: Ran) {
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

fn run(lab: &Lab, spec: &str, out: &str, more: &[&str]) {
    well(lab.run(&[&["run", spec, "--out", out, "--quiet"], more].concat()));
}

/// Says which file differs first.
#[track_caller]
fn same(way: &str, own: &Export, first: &Export) {
    let names: Vec<&String> = own.keys().collect();
    assert_eq!(names, first.keys().collect::<Vec<_>>(), "{way}");
    for (name, bytes) in own {
        assert!(*bytes == first[name], "{way}: {name}");
    }
}

#[test]
fn five_ways_to_one_export() {
    let lab = lab();
    for (spec, cells) in [("solves", 9), ("motion", 2)] {
        let at = |way: &str| format!("{spec}-{way}");
        run(&lab, spec, &at("first"), &[]);
        let first = export(&lab, &at("first"));
        let records = first.keys().filter(|name| name.ends_with(".json"));
        assert_eq!(records.count(), cells, "{spec}");

        // run to run; every process has another seed of its hash maps
        run(&lab, spec, &at("second"), &[]);
        same("run to run", &export(&lab, &at("second")), &first);

        // after a resume: a part, as an interruption leaves it, and the rest
        run(&lab, spec, &at("resumed"), &["--shard", "1/2"]);
        run(&lab, spec, &at("resumed"), &[]);
        same("resumed", &export(&lab, &at("resumed")), &first);

        // in parts that are merged
        let parts =
            ["1/3", "2/3", "3/3"].map(|part| (part, format!("{}-{}", at("part"), &part[..1])));
        for (part, out) in &parts {
            run(&lab, spec, out, &["--shard", part]);
        }
        let [(_, a), (_, b), (_, c)] = &parts;
        well(lab.run(&["merge", c, a, b, "--out", &at("merged")]));
        run(&lab, spec, &at("merged"), &[]);
        same("in parts", &export(&lab, &at("merged")), &first);

        // with every cell kept, and then with none
        run(&lab, spec, &at("first"), &[]);
        same("kept", &export(&lab, &at("first")), &first);
        fs::remove_dir_all(lab.path(&at("first"))).expect("the folder goes");
        run(&lab, spec, &at("first"), &[]);
        same("from nothing", &export(&lab, &at("first")), &first);

        // in processes for cells, in none, and two at a time
        for (way, more) in [
            ("isolated", ["--isolate", "--jobs", "2"].as_slice()),
            ("together", &["--no-isolate"]),
        ] {
            run(&lab, spec, &at(way), more);
            same(way, &export(&lab, &at(way)), &first);
        }
    }
}

/// Gives a command another environment.
type Change = Box<dyn Fn(&mut Command)>;

/// Changes of the environment, each with its name.
fn environments(lab: &Lab) -> Vec<(&'static str, Change)> {
    let elsewhere = lab.path("elsewhere");
    fs::create_dir_all(&elsewhere).expect("a folder");
    let other = elsewhere.clone();
    let set = |pairs: &'static [(&'static str, &'static str)]| -> Change {
        Box::new(move |command| {
            command.envs(pairs.iter().copied());
        })
    };
    vec![
        (
            "locale",
            set(&[
                ("LC_ALL", "tr_TR.UTF-8"),
                ("LANG", "de_DE.UTF-8"),
                ("LC_NUMERIC", "de_DE"),
            ]),
        ),
        ("no locale", set(&[("LC_ALL", "C"), ("LANG", "C")])),
        ("time zone", set(&[("TZ", "Asia/Kathmandu")])),
        ("time zone of half a day", set(&[("TZ", "Pacific/Chatham")])),
        (
            "user",
            set(&[
                ("USER", "somebody"),
                ("LOGNAME", "somebody"),
                ("HOSTNAME", "elsewhere"),
            ]),
        ),
        (
            "terminal",
            set(&[("TERM", "dumb"), ("COLUMNS", "7"), ("NO_COLOR", "1")]),
        ),
        (
            "colours",
            set(&[
                ("CLICOLOR_FORCE", "1"),
                ("FORCE_COLOR", "1"),
                ("COLORTERM", "truecolor"),
            ]),
        ),
        (
            "threads",
            set(&[("RAYON_NUM_THREADS", "3"), ("OMP_NUM_THREADS", "5")]),
        ),
        (
            "traces",
            set(&[("RUST_BACKTRACE", "full"), ("RUST_LOG", "trace")]),
        ),
        (
            "home",
            Box::new(move |command| {
                command
                    .env("HOME", &elsewhere)
                    .env("XDG_CACHE_HOME", &elsewhere)
                    .env("TMPDIR", &elsewhere);
            }),
        ),
        (
            "nothing at all",
            Box::new(|command| {
                command.env_clear();
            }),
        ),
        (
            "folder",
            Box::new(move |command| {
                command.current_dir(&other);
            }),
        ),
    ]
}

#[test]
fn the_environment_does_not_matter() {
    let lab = lab();
    let environments = environments(&lab);
    assert!(environments.len() >= 8);
    for spec in ["solves", "motion"] {
        run(&lab, spec, &format!("{spec}-first"), &[]);
        let first = export(&lab, &format!("{spec}-first"));
        for (number, (what, change)) in environments.iter().enumerate() {
            let out = format!("{spec}-{number}");
            // named from the root: the folder is one of the things that change
            let (path, dir) = (lab.path(spec), lab.path(&out));
            let arguments = [
                "run",
                &path.to_string_lossy(),
                "--out",
                &dir.to_string_lossy(),
                "--quiet",
            ];
            let mut command = lab.command(&arguments);
            change(&mut command);
            well(Ran::from(command.output().expect("the program starts")));
            same(what, &export(&lab, &out), &first);
        }
    }
}
