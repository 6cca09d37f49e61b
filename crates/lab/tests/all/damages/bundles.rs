//! Every verb that reads an unpacked bundle, with its own files damaged.

use std::fs;

use delassus_conformance::whole;

use super::{DAMAGES, Damage, MOST, Use, VERBS, first_key, names, restore, run_briefly, with_key};
use crate::bundles::unpack;
use crate::forger::copy;
use crate::support::{CONTACT, Lab};

/// Two methods on the problem files of a folder next to the spec.
pub(super) const SPEC: &str = r#"
title = "Bundled"
[[problem]]
files = ["../problems/*.dat"]
[[solver]]
use = "pgs"
[[solver]]
use = "psor"
omega = 1.3
[stop]
max_sweeps = 1
tolerance = 1e-14
[[figure]]
id = "curves"
plot = { convergence = { x = "sweeps" } }
[[gate]]
value = "status"
equals = "max_sweeps"
"#;

/// The role of a file that a bundle adds to the results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// What the experiment is made from.
    Source,
    /// What nobody reads who shows results.
    Unread,
}

const FILES: [(&str, Role); 6] = [
    ("sources/s/experiment.toml", Role::Source),
    ("sources/s/README.md", Role::Source),
    ("sources/problems/contact.dat", Role::Source),
    ("bundle.json", Role::Unread),
    ("problems/index.json", Role::Unread),
    ("LICENSE-MIT", Role::Unread),
];

/// An unpacked bundle in `r`, a copy of it in `whole`, its spec in `s`, and the key of a cell.
fn unpacked() -> (Lab, String) {
    let lab = Lab::new();
    lab.file("s/experiment.toml", SPEC);
    lab.file("s/README.md", "# The page\n");
    lab.file("problems/contact.dat", CONTACT);
    let ran = lab.run(&["run", "s", "--out", "made", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = lab.run(&["bundle", "made", "--out", "made.zip"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let archive = fs::read(lab.path("made.zip")).expect("the archive");
    unpack(&archive, &lab.path("unpacked"));
    fs::rename(lab.path("unpacked/s"), lab.path("r")).expect("the bundle");
    copy(&lab.path("r"), &lab.path("whole"));
    let key = first_key(&lab);
    (lab, key)
}

/// The table for the files of a bundle. The list has the length of each, so that a larger one is
/// damaged, whatever the limit is.
fn expected(verb: &[&str], treats: Use, role: Role) -> i32 {
    match (treats, role) {
        (Use::Check, _) => 6,
        // they count cells and copy them
        (_, Role::Source) if matches!(verb[0], "status" | "merge") => 0,
        (_, Role::Source) => 6,
        (_, Role::Unread) => 0,
    }
}

#[test]
fn every_verb_ends_with_one_code_for_a_damaged_file_of_a_bundle() {
    let (lab, key) = unpacked();
    for (words, treats) in VERBS.into_iter().filter(|(_, treats)| *treats != Use::Run) {
        restore(&lab);
        let ran = run_briefly(&lab, &with_key(words, &key));
        assert_eq!(ran.code, 0, "{treats:?} {words:?}: {}", ran.stderr);
    }
    let mut found = Vec::new();
    for (f, (name, role)) in FILES.into_iter().enumerate() {
        for (d, damage) in DAMAGES.into_iter().enumerate() {
            for (v, (words, treats)) in VERBS.into_iter().enumerate() {
                let is_left_out = treats == Use::Run || words.contains(&"--rerun");
                if is_left_out || !(whole() || (f + d + v) % 3 == 0) {
                    continue;
                }
                restore(&lab);
                damage.hit(&lab, name);
                let mut words = with_key(words, &key);
                let wanted = expected(&words, treats, role);
                if damage == Damage::Large {
                    words.extend(["--max-file", MOST]);
                }
                let ran = run_briefly(&lab, &words);
                let says = ran.code == 0 || names(&ran, name);
                // one advice, whatever the verb
                let said = format!("{}{}", ran.stdout, ran.stderr);
                let advises = ran.code != 6 || said.contains("unpack the archive again");
                if ran.code != wanted || !says || !advises || said.contains("panicked") {
                    found.push(format!(
                        "{damage:?} {name}: {words:?}: {} instead of {wanted}: {said}",
                        ran.code
                    ));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A bundle is never an unfinished run: without a list it is unpacked again, and nothing advises a
/// run, which would make it another folder.
#[test]
fn a_bundle_without_a_list_is_unpacked_again() {
    let (lab, key) = unpacked();
    let mut found = Vec::new();
    for name in ["outputs.json", "bundle.json"] {
        for (words, treats) in VERBS.into_iter().filter(|(_, treats)| *treats != Use::Run) {
            let is_named = words.contains(&"s");
            if is_named || words.contains(&"--rerun") {
                continue;
            }
            restore(&lab);
            fs::remove_file(lab.path("r").join(name)).expect("a list");
            let ran = run_briefly(&lab, &with_key(words, &key));
            let said = format!("{}{}", ran.stdout, ran.stderr);
            let wanted = match (name, treats) {
                ("bundle.json", Use::Read | Use::Draw) => 0,
                _ => 6,
            };
            let advises = wanted == 0
                || (said.contains("unpack the archive again")
                    && !said.contains("run the ")
                    && !said.contains("no bundle of these results has such a file"));
            if ran.code != wanted || !advises {
                found.push(format!("{name}: {words:?}: {}: {said}", ran.code));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
