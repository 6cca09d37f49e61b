//! What is no file in the place of a file that the user names.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;

use super::{SOLVES, results, run_briefly};
use crate::support::Lab;

/// Verbs with a pipe in the place of a file that the user names.
const NAMED: [&[&str]; 16] = [
    &["run", "pipe.toml", "--out", "out"],
    &["run", "pipe.toml", "--dry-run"],
    &["plan", "pipe.toml"],
    &["watch", "pipe.toml", "--out", "out"],
    &["gate", "pipe.toml", "--out", "out"],
    &["status", "pipe.toml", "--out", "out"],
    &["cite", "pipe.toml"],
    &["verify", "r", "--spec", "pipe.toml"],
    &["check", "pipe.toml"],
    &["play", "pipe.toml", "--out", "out"],
    &["export", "pipe.toml", "--frame", "1", "--out", "x.dls"],
    &["solve", "pipe.dls", "--solver", "pgs"],
    &["inspect", "pipe.dls"],
    &["show", "pipe.dls"],
    &["reference", "pipe.dls"],
    &["convert", "pipe.dls", "x.dls"],
];

/// Specs that name a pipe, or have one for a page.
const NAMING: [(&str, &str); 3] = [
    (
        "problem",
        "title = \"p\"\n[[problem]]\nfiles = [\"../pipe.dls\"]\n[[solver]]\nuse = \"pgs\"\n",
    ),
    (
        "scene",
        "title = \"p\"\n[[scene]]\nfile = \"../pipe.toml\"\n[[scheme]]\nuse = \"xpbd\"\nseconds = 0.1\n\
         [simulate]\nobservables = [\"drift_max\"]\n",
    ),
    ("page", SOLVES),
];

/// What a verb reads in the place of a file, and what the verb calls it.
const THINGS: [(&str, &str); 3] = [
    ("", "a pipe"),
    ("/proc/kmsg", "an entry of /proc"),
    ("/proc/self/pagemap", "an entry of /proc"),
];

/// Puts a pipe or a link to `target` under a name.
fn put(lab: &Lab, name: &str, target: &str) {
    let path = lab.path(name);
    let _ = fs::remove_file(&path);
    match target {
        "" => {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        }
        target => symlink(target, path).expect("a link"),
    }
}

#[test]
fn what_is_no_file_is_named_and_waited_for_by_no_verb() {
    let (lab, _) = results(SOLVES);
    for (target, kind) in THINGS {
        put(&lab, "pipe.toml", target);
        put(&lab, "pipe.dls", target);
        for words in NAMED {
            let ran = run_briefly(&lab, words);
            let said = format!("{words:?}: {} {}{}", ran.code, ran.stdout, ran.stderr);
            assert!([1, 2].contains(&ran.code), "{said}");
            assert!((ran.stdout + &ran.stderr).contains(kind), "{said}");
        }
        for (name, spec) in NAMING {
            lab.file(&format!("{name}/experiment.toml"), spec);
            if name == "page" {
                put(&lab, "page/README.md", "");
            }
            let ran = run_briefly(&lab, &["run", name, "--out", "named", "--no-isolate"]);
            let said = format!("{name}: {} {}{}", ran.code, ran.stdout, ran.stderr);
            assert!([1, 2].contains(&ran.code), "{said}");
            let kind = match name {
                // of a page a link is none
                "page" => "a pipe",
                _ => kind,
            };
            assert!((ran.stdout + &ran.stderr).contains(kind), "{said}");
        }
    }
}
