//! Results folders of somebody else: links, pipes and holes in the place of files, names that lead
//! elsewhere.

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::forger::renew;
use crate::support::{LCP, Lab, Ran};

pub(crate) const SPEC: &str = r#"
title = "t"
[[problem]]
use = "chain"
n = [2, 3]
[[solver]]
use = "pgs"
[[solver]]
use = "block-gs"
[stop]
max_sweeps = 5
[[figure]]
id = "curves"
caption = "c"
plot = { convergence = { x = "sweeps" } }
"#;

/// A lab with results in `r`.
pub(crate) fn results() -> Lab {
    let lab = Lab::new();
    lab.file("s/experiment.toml", SPEC);
    let ran = lab.run(&["run", "s", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    lab
}

/// Every verb that reads results.
pub(crate) const VERBS: [&[&str]; 14] = [
    &["report", "r"],
    &["plot", "r", "convergence", "--out", "x.svg"],
    &["compare", "r"],
    &["verify", "r"],
    &["fsck", "r"],
    &["migrate", "r"],
    &["merge", "r", "--out", "merged"],
    &["status", "r"],
    &["bundle", "r", "--out", "x.zip"],
    &["data", "r", "--out", "d"],
    &["data", "r", "--out", "d", "--format", "npz"],
    &["show", "r"],
    &["gate", "s", "--out", "r"],
    &["run", "s", "--out", "r", "--no-isolate", "--quiet"],
];

/// Runs a verb with two gigabytes of address space, and ends it where it waits for something that
/// never comes.
pub(crate) fn run_bounded(lab: &Lab, arguments: &[&str]) -> Ran {
    let program = lab.command(arguments);
    let mut command = Command::new("sh");
    let limits = "ulimit -v 2000000 && exec timeout 600 \"$0\" \"$@\"";
    command.args(["-c", limits]).arg(program.get_program());
    command.args(arguments).current_dir(lab.path(""));
    Ran::from(command.output().expect("a shell"))
}

/// What stands in the place of a file.
#[derive(Debug, Clone, Copy)]
enum Thing {
    Device,
    Pipe,
    Hole,
    Folder,
}

fn put(thing: Thing, path: &Path) {
    let _ = fs::remove_file(path);
    match thing {
        Thing::Device => symlink("/dev/zero", path).expect("a link"),
        Thing::Pipe => {
            let made = Command::new("mkfifo").arg(path).status();
            assert!(made.expect("mkfifo").success());
        }
        Thing::Hole => File::create(path)
            .and_then(|file| file.set_len(5 << 30))
            .expect("a hole"),
        Thing::Folder => fs::create_dir(path).expect("a folder"),
    }
}

#[test]
fn what_is_no_file_neither_fills_memory_nor_hangs_a_verb() {
    let lab = results();
    let files = of_cells(&lab);
    let names = [
        "experiment.json",
        "manifest.json",
        "outputs.json",
        "records.csv",
        ".lock",
    ];
    let names = names.map(str::to_owned).into_iter().chain(files);
    for name in names {
        let path = lab.path("r").join(&name);
        let before = fs::read(&path).ok();
        for thing in [Thing::Device, Thing::Pipe, Thing::Hole, Thing::Folder] {
            put(thing, &path);
            for verb in VERBS {
                let ran = run_bounded(&lab, verb);
                let said = format!("{thing:?} as {name}: {verb:?}: {} {}", ran.code, ran.stderr);
                assert!([0, 1, 2, 3, 6].contains(&ran.code), "{said}");
                assert!(!ran.stderr.contains("panicked"), "{said}");
                let checks = matches!(verb[0], "verify" | "fsck");
                // the lock of a folder that is only read is not asked for, and a run has written
                // the file anew
                let there = fs::symlink_metadata(&path).is_ok_and(|facts| !facts.is_file());
                if checks && there && name != ".lock" {
                    assert_ne!(ran.code, 0, "{said}");
                }
            }
            let _ = fs::remove_file(&path).or_else(|_| fs::remove_dir(&path));
        }
        if let Some(before) = before {
            fs::write(&path, before).expect("as it was");
        }
    }
}

/// The record and the impulses of one cell.
fn of_cells(lab: &Lab) -> Vec<String> {
    let entries = fs::read_dir(lab.path("r/cells")).expect("cells");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    names[..2]
        .iter()
        .map(|name| format!("cells/{name}"))
        .collect()
}

#[test]
fn larger_files_are_read_where_a_key_allows_them() {
    let lab = results();
    let list = lab.path("r/experiment.json");
    let mut text = fs::read_to_string(&list).expect("the list");
    text.push_str(&" ".repeat(3 << 20));
    fs::write(&list, text).expect("a long list");
    renew(&lab.path("r"));
    let ran = lab.run(&["show", "r", "--max-file", "1MiB"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let expected = "cannot read r/experiment.json: has 3.0 MiB, and at most 1.0 MiB of a file are read; raise it: --max-file";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
    for arguments in [&["show", "r", "--max-file", "8MiB"][..], &["show", "r"]] {
        assert_eq!(lab.run(arguments).code, 0, "{arguments:?}");
    }
}

#[test]
fn a_link_in_a_folder_leads_no_verb_elsewhere() {
    let lab = results();
    lab.file("elsewhere/letter.txt", "dear reader");
    lab.file("elsewhere/.part-x.tmp", "mine");
    let letter = lab.path("elsewhere/letter.txt");
    let lock = lab.path("r/.lock");
    fs::remove_file(&lock).expect("the lock");
    symlink(&letter, &lock).expect("a link");
    for verb in VERBS {
        lab.run(verb);
    }
    assert_eq!(fs::read(&letter).expect("the letter"), b"dear reader");
    fs::remove_file(&lock).expect("the link");
    for folder in ["cells", "figures"] {
        let inner = lab.path("r").join(folder);
        fs::rename(&inner, lab.path("aside")).expect("a folder");
        symlink(lab.path("elsewhere"), &inner).expect("a link");
        for verb in VERBS {
            lab.run(verb);
        }
        let entries = fs::read_dir(lab.path("elsewhere")).expect("a folder");
        assert_eq!(entries.count(), 2, "{folder}");
        fs::remove_file(&inner).expect("the link");
        fs::rename(lab.path("aside"), &inner).expect("a folder");
    }
    assert_eq!(lab.run(&["verify", "r"]).code, 0);
}

#[test]
fn a_damaged_experiment_ends_every_verb_alike() {
    let lab = results();
    let path = lab.path("r/experiment.json");
    let whole = fs::read_to_string(&path).expect("the experiment");
    for damaged in ["", "{", "[]", &whole[..whole.len() / 2]] {
        for verb in VERBS {
            // it migrates cells by their files, writes the experiment anew, or reads the spec
            // instead
            if matches!(verb[0], "migrate" | "run" | "gate") {
                continue;
            }
            fs::write(&path, damaged).expect("a file");
            let ran = lab.run(verb);
            assert_eq!(ran.code, 6, "{damaged:?}: {verb:?}: {}", ran.stderr);
        }
    }
    fs::write(&path, "{").expect("a file");
    let run = VERBS[VERBS.len() - 1];
    assert_eq!(lab.run(run).code, 0);
    assert_eq!(fs::read_to_string(&path).expect("the experiment"), whole);
}

#[test]
fn what_cannot_be_written_ends_every_verb_alike() {
    let lab = results();
    lab.file("a.dat", LCP);
    lab.file("full", "a file, where a folder should be");
    let verbs: [&[&str]; 9] = [
        &["bundle", "r", "--out", "full/x.zip"],
        &["data", "r", "--out", "full/x"],
        &["plot", "r", "convergence", "--out", "full/x.svg"],
        &["compare", "r", "--out", "full/x"],
        &["schema", "--out", "full/x.json"],
        &["man", "--out", "full/x"],
        &["convert", "a.dat", "full/x.dls"],
        &[
            "export",
            "single-box",
            "--format",
            "toml",
            "--out",
            "full/x.toml",
        ],
        &["solve", "a.dat", "--solver", "pgs", "--save", "full/x"],
    ];
    for verb in verbs {
        let ran = lab.run(verb);
        assert_eq!(ran.code, 3, "{verb:?}: {}", ran.stderr);
        assert!(
            ran.stderr.contains("cannot write full"),
            "{verb:?}: {}",
            ran.stderr
        );
    }
    let full = File::options()
        .write(true)
        .open("/dev/full")
        .expect("a device");
    let ran = lab.command(&["list", "solvers"]).stdout(full).output();
    assert_eq!(ran.expect("it starts").status.code(), Some(3));
}

/// A file from elsewhere that has a second name in the folder is never written.
#[test]
fn hard_links_change_nothing_outside() {
    let lab = results();
    let names = [
        ".lock",
        ".made-here",
        "outputs.json",
        "summary.csv",
        "report.html",
    ];
    for name in names.into_iter().map(str::to_owned).chain(of_cells(&lab)) {
        lab.file("own", "precious");
        let path = lab.path("r").join(&name);
        let before = fs::read(&path).expect("a file");
        fs::remove_file(&path).expect("a file");
        fs::hard_link(lab.path("own"), &path).expect("a link");
        for verb in VERBS {
            let ran = run_bounded(&lab, verb);
            assert!(
                [0, 1, 2, 3, 6].contains(&ran.code),
                "{name}: {verb:?}: {}",
                ran.stderr
            );
            let own = fs::read(lab.path("own")).expect("a file");
            assert_eq!(own, b"precious", "{name}: {verb:?}");
        }
        let _ = fs::remove_file(&path);
        fs::write(&path, before).expect("as it was");
    }
}

/// The spec of somebody else's results lies in their folder, and names a file of the reader.
#[test]
fn results_that_bring_their_spec_along_read_nothing_outside() {
    let lab = Lab::new();
    lab.file("secret.dat", LCP);
    lab.file("secret.md", "the secret of the reader");
    let spec =
        "title = \"t\"\n[[problem]]\nfiles = [\"../../secret.dat\"]\n[[solver]]\nuse = \"pgs\"\n";
    lab.file("s/a/experiment.toml", spec);
    let ran = lab.run(&["run", "s/a", "--out", "r", "--no-isolate", "--quiet"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let says = |verb: &[&str], code: i32| {
        let ran = lab.run(verb);
        assert_eq!(ran.code, code, "{verb:?}: {}{}", ran.stdout, ran.stderr);
        let said = ran.stdout + &ran.stderr;
        assert!(
            said.contains("secret.dat, which is not in the results folder"),
            "{verb:?}: {said}"
        );
    };
    assert_eq!(lab.run(&["verify", "r"]).code, 0);
    // the same results with the spec among them
    lab.file("r/a/experiment.toml", spec);
    let path = lab.path("r/experiment.json");
    let text = fs::read_to_string(&path).expect("the experiment");
    let own = text.replace("../s/a/experiment.toml", "a/experiment.toml");
    assert_ne!(own, text);
    fs::write(&path, &own).expect("the experiment");
    renew(&lab.path("r"));
    // where the folder was made, the place of the spec is known; a stranger's has no such mark
    says(&["verify", "r"], 6);
    let mark = lab.path("r/.made-here");
    fs::rename(&mark, lab.path("mark")).expect("the mark");
    says(&["report", "r"], 2);
    says(&["verify", "r"], 1);
    says(&["bundle", "r", "--out", "x.zip"], 2);
    assert!(!lab.path("x.zip").exists());
    // a page that is a link is no page
    symlink(lab.path("secret.md"), lab.path("s/a/README.md")).expect("a link");
    fs::rename(lab.path("mark"), &mark).expect("the mark");
    fs::write(&path, text).expect("the experiment");
    renew(&lab.path("r"));
    assert_eq!(lab.run(&["report", "r"]).code, 0);
    let page = fs::read_to_string(lab.path("r/report.html")).expect("the page");
    assert!(!page.contains("the secret of the reader"));
}

/// A spec outside of the folder is a file of TOML: nothing else is opened, and nothing of it said.
#[test]
fn no_file_outside_is_taken_for_a_spec() {
    let lab = results();
    lab.file("secret", "the secret of the reader");
    let path = lab.path("r/experiment.json");
    let text = fs::read_to_string(&path).expect("the experiment");
    for place in ["../secret", "../../../../../../../../../../../proc/kmsg"] {
        let forged = text.replace("../s/experiment.toml", place);
        assert_ne!(forged, text);
        fs::write(&path, &forged).expect("the experiment");
        for verb in VERBS {
            let ran = run_bounded(&lab, verb);
            let said = format!("{verb:?}: {} {}{}", ran.code, ran.stdout, ran.stderr);
            assert_ne!(ran.code, 124, "{said}");
            assert!(!said.contains("the secret of the reader"), "{said}");
            fs::write(&path, &forged).expect("the experiment");
        }
    }
}
