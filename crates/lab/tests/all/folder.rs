//! The results folder: whose it is, who is in it, what stays behind.

use std::fs;

use crate::support::{Lab, Ran};

/// Four cells, done at once.
pub(crate) const QUICK: &str = r#"
title = "Quick"
question = "What is left?"
[[problem]]
name = "pile"
use = "stack"
n = [1, 2]
law = "coulomb"
[[solver]]
use = "pgs"
[[solver]]
use = "block-gs"
[stop]
tolerance = 1e-6
metrics = ["natural_map"]
[[figure]]
id = "curves"
plot = { convergence = { x = "seconds" } }
[[table]]
id = "all"
show = { cells = {} }
"#;

pub(crate) fn quick() -> Lab {
    let lab = Lab::new();
    lab.file("quick/experiment.toml", QUICK);
    lab
}

#[track_caller]
pub(crate) fn run(lab: &Lab, arguments: &[&str]) -> Ran {
    let ran = lab.run(&[&["run", "quick", "--out", "out"], arguments].concat());
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

#[test]
fn figures_of_renamed_ids_go_and_files_of_the_user_stay() {
    let lab = quick();
    run(&lab, &[]);
    lab.file("out/figures/mine.svg", "mine");
    lab.file("out/tables/all.csv", "edited");
    let renamed = QUICK
        .replace("\"curves\"", "\"lines\"")
        .replace("\"all\"", "\"cells\"");
    lab.file("quick/experiment.toml", renamed);
    run(&lab, &[]);
    let names = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(lab.path(folder)).expect("a folder");
        let mut names: Vec<String> = entries
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .into_string()
                    .expect("UTF-8")
            })
            .collect();
        names.sort();
        names
    };
    let figures = [
        "lines.csv",
        "lines.pdf",
        "lines.svg",
        "lines.tex",
        "mine.svg",
    ];
    assert_eq!(names("out/figures"), figures);
    assert_eq!(names("out/tables"), ["all.csv", "cells.csv", "cells.tex"]);
    // a report without a run clears up likewise
    lab.file("quick/experiment.toml", QUICK);
    assert_eq!(lab.run(&["report", "out"]).code, 0);
    let figures = [
        "curves.csv",
        "curves.pdf",
        "curves.svg",
        "curves.tex",
        "mine.svg",
    ];
    assert_eq!(names("out/figures"), figures);
    assert!(lab.path("out/records.csv").is_file());
}

#[test]
fn a_report_that_is_there_is_not_made_again() {
    let lab = quick();
    run(&lab, &[]);
    // a file that is written again is another one
    let written = || {
        let list = fs::metadata(lab.path("out/outputs.json")).expect("a list");
        list.modified().expect("a time")
    };
    let before = written();
    run(&lab, &[]);
    assert_eq!(written(), before);
    // other words, of the same length, do not stay
    let read = || fs::read_to_string(lab.path("out/report.html")).expect("a page");
    let page = read();
    let marked = page.replace("What is left?", "Nothing new.?");
    assert_ne!(page, marked);
    lab.file("out/report.html", &marked);
    run(&lab, &[]);
    assert_eq!(read(), page);
    // a caption is news, and so is a missing file, a cell that ran again and a figure's own text
    let captioned = QUICK.replace("id = \"curves\"", "id = \"curves\"\ncaption = \"New.\"");
    lab.file("quick/experiment.toml", &captioned);
    run(&lab, &[]);
    assert!(read().contains("New.") && read().contains("What is left?"));
    fs::remove_file(lab.path("out/figures/curves.svg")).expect("a figure");
    run(&lab, &[]);
    assert!(lab.path("out/figures/curves.svg").is_file());
    lab.file("quick/README.md", "# Words of the author");
    run(&lab, &[]);
    assert!(read().contains("Words of the author"));
}

#[test]
fn temporary_files_of_killed_runs_are_removed() {
    let lab = quick();
    for name in [
        "out/.part-Ab1.tmp",
        "out/cells/.part-x.tmp",
        "out/figures/.part-y.tmp",
    ] {
        lab.file(name, "half");
    }
    lab.file("out/cells/mine.tmp", "mine");
    run(&lab, &["--shard", "1/2"]);
    // another part may be writing
    assert!(lab.path("out/.part-Ab1.tmp").exists());
    run(&lab, &[]);
    for name in [
        "out/.part-Ab1.tmp",
        "out/cells/.part-x.tmp",
        "out/figures/.part-y.tmp",
    ] {
        assert!(!lab.path(name).exists(), "{name}");
    }
    assert!(lab.path("out/cells/mine.tmp").exists());
}

#[test]
fn two_specs_of_one_name_do_not_share_a_folder() {
    let lab = Lab::new();
    lab.file("x/same/experiment.toml", QUICK);
    lab.file("y/same/experiment.toml", QUICK.replace("Quick", "Another"));
    assert_eq!(lab.run(&["run", "x/same"]).code, 0);
    let before = fs::read(lab.path("results/same/experiment.json")).expect("a file");
    for more in [&[][..], &["--shard", "1/2"]] {
        let refused = lab.run(&[&["run", "y/same"], more].concat());
        refused.is_refused_with(&["results/same", "x/same/experiment.toml", "--out"]);
    }
    let after = fs::read(lab.path("results/same/experiment.json")).expect("a file");
    assert!(before == after);
    // two endings of one stem are the same trap
    lab.file("y/one.toml", QUICK);
    lab.file("y/one.txt", QUICK.replace("Quick", "Another"));
    assert_eq!(lab.run(&["run", "y/one.toml"]).code, 0);
    let refused = lab.run(&["run", "y/one.txt"]);
    refused.is_refused_with(&["results/one", "y/one.toml"]);
    // an experiment that moves takes its results along
    fs::rename(lab.path("x/same"), lab.path("x/moved")).expect("a folder");
    assert_eq!(
        lab.run(&["run", "x/moved", "--out", "results/same"]).code,
        0
    );
}

#[test]
fn a_folder_that_cannot_be_written_is_noticed_before_the_first_cell() {
    let lab = quick();
    // a file where a folder must be stands for every reason, for the administrator too
    lab.file("cells-taken/cells", "");
    lab.file("figures-taken/figures", "");
    for (out, named) in [
        ("cells-taken", "cells-taken/cells"),
        ("figures-taken", "figures-taken/figures"),
        ("quick/experiment.toml/out", "quick/experiment.toml/out"),
    ] {
        let ran = lab.run(&["run", "quick", "--out", out]);
        assert_eq!(ran.code, 3, "{}", ran.stderr);
        assert!(
            ran.stderr
                .starts_with(&format!("error: cannot write {named}")),
            "{}",
            ran.stderr
        );
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        let cells = lab.path(out).join("cells");
        assert_eq!(fs::read_dir(cells).map_or(0, Iterator::count), 0);
    }
}
