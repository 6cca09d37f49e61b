//! The mark of a folder that was made here: deleted, changed, or something else in its place.

use std::fs;

use super::{
    Damage, MOST, RUN, SOLVES, Use, VERBS, names, restore, results, run_briefly, with_key,
};
use crate::support::CONTACT;

const MARK: &str = ".made-here";

/// A spec with a file of its own.
const FILES: &str = "title = \"Files\"\n[[problem]]\nfiles = [\"../problems/*.dat\"]\n\
                     [[solver]]\nuse = \"pgs\"\n[stop]\nmax_sweeps = 2\n\
                     [[gate]]\nvalue = \"status\"\nequals = \"max_sweeps\"\n";

/// What is no file is damage; what says something else of the run is a contradiction.
#[test]
fn what_is_no_mark_is_named_by_all_checks() {
    let (lab, key) = results(SOLVES);
    fs::copy(lab.path("r").join(MARK), lab.path("whole").join(MARK)).expect("a mark");
    let mut found = Vec::new();
    for damage in [
        Damage::Pipe,
        Damage::Folder,
        Damage::Link,
        Damage::Flipped,
        Damage::Large,
    ] {
        for (words, treats) in VERBS {
            if words.contains(&"--rerun") {
                continue;
            }
            restore(&lab);
            claim(&lab);
            damage.hit(&lab, MARK);
            let mut words = with_key(words, &key);
            if damage == Damage::Large {
                words.extend(["--max-file", MOST]);
            }
            let ran = run_briefly(&lab, &words);
            let wanted = match treats {
                Use::Check => 6,
                // it is written anew
                Use::Run if damage.stays() => 3,
                // a merge takes the mark over
                _ => 0,
            };
            let said = format!("{}{}", ran.stdout, ran.stderr);
            let says = wanted == 0 || names(&ran, MARK) || said.contains("experiment.json");
            if ran.code != wanted || !says {
                found.push(format!("{damage:?} {words:?}: {}: {said}", ran.code));
            }
        }
        restore(&lab);
        claim(&lab);
        damage.hit(&lab, MARK);
        let path = lab.path("r").join(MARK);
        if damage.stays() && fs::remove_file(&path).is_err() {
            fs::remove_dir(&path).expect("a folder");
        }
        for words in [RUN, &["fsck", "r"], &["verify", "r"]] {
            let ran = lab.run(words);
            if ran.code != 0 {
                found.push(format!("{damage:?}: advice: {words:?}: {}", ran.stderr));
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// The mark of a run is two hashes. What is not was damaged; only a whole mark of another folder
/// makes results a copy.
#[test]
fn a_damaged_mark_is_no_mark_of_another_folder() {
    let (lab, _) = results(SOLVES);
    let mark = fs::read_to_string(lab.path("r").join(MARK)).expect("a mark");
    let lines: Vec<&str> = mark.lines().collect();
    let damaged = [
        "",
        "hello\n",
        &mark[..50],
        lines[0],
        &mark[..65],
        &mark[..129],
    ];
    let longer = format!("{mark}x\n");
    let other = format!("{}\n{}\n", "0".repeat(64), lines[1]);
    let texts = damaged.into_iter().chain([longer.as_str()]);
    let texts = texts.map(|text| (text, 6));
    for (text, code) in texts.chain([(other.as_str(), 0)]) {
        fs::write(lab.path("r").join(MARK), text).expect("a mark");
        for words in [
            &["fsck", "r"][..],
            &["verify", "r"],
            &["bundle", "r", "--out", "x.zip"],
        ] {
            let ran = lab.run(words);
            let said = format!("{text:?}: {words:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, code, "{said}");
            assert!(code == 0 || names(&ran, MARK), "{said}");
        }
        for words in [RUN, &["verify", "r"]] {
            assert_eq!(lab.run(words).code, 0, "{text:?}: {words:?}");
        }
    }
}

/// A run makes the folder its own again.
fn claim(lab: &crate::support::Lab) {
    let ran = lab.run(RUN);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

/// A folder without the mark is a copy: its files are whole, and only its own spec is missing.
#[test]
fn without_the_mark_the_spec_is_to_be_named() {
    let lab = crate::support::Lab::new();
    lab.file("s/experiment.toml", FILES);
    lab.file("problems/a.dat", CONTACT);
    claim(&lab);
    fs::remove_file(lab.path("r").join(MARK)).expect("a mark");
    for (words, code) in [
        (&["fsck", "r"][..], 0),
        (&["verify", "r"], 1),
        (&["bundle", "r", "--out", "x.zip"], 2),
        (&["show", "r"], 0),
        (&["report", "r", "--out", "drawn"], 0),
        (&["verify", "r", "--spec", "s"], 0),
        (&["bundle", "r", "--out", "x.zip", "--spec", "s"], 0),
    ] {
        let ran = lab.run(words);
        let said = format!("{words:?}: {}: {}{}", ran.code, ran.stdout, ran.stderr);
        assert_eq!(ran.code, code, "{said}");
        assert!(code == 0 || said.contains("--spec"), "{said}");
    }
}
