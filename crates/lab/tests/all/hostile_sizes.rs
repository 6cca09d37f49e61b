//! Limits of the system for files, and small texts that ask for much memory.

use std::fs;
use std::os::unix::fs::FileExt;
use std::process::Command;

use crate::bundles::unpack;
use crate::forger::edit;
use crate::hostile_folders::{SPEC, VERBS, results};
use crate::support::{LCP, Lab, Ran};

/// Runs a verb within a limit of the shell.
fn limited(lab: &Lab, limit: &str, arguments: &[&str]) -> Ran {
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{limit} && exec \"$0\" \"$@\"")]);
    command.arg(lab.command(arguments).get_program());
    command.args(arguments).current_dir(lab.path(""));
    Ran::from(command.output().expect("a shell"))
}

/// A limit of the system for the length of a file ends every verb as a full disk does.
#[test]
fn a_limit_for_files_ends_every_verb_alike() {
    let lab = results();
    lab.file("a.dat", LCP);
    let verbs: [&[&str]; 8] = [
        &["bundle", "r", "--out", "x.zip"],
        &["data", "r", "--out", "x"],
        &["plot", "r", "convergence", "--out", "x.svg"],
        &["merge", "r", "--out", "m"],
        &["report", "r"],
        &["verify", "r"],
        &["convert", "a.dat", "x.dls"],
        &["run", "s", "--out", "new", "--no-isolate", "--quiet"],
    ];
    for verb in verbs {
        let ran = limited(&lab, "ulimit -f 0", verb);
        assert_eq!(ran.code, 3, "{verb:?}: {}{}", ran.stdout, ran.stderr);
        assert!(
            ran.stderr.contains("File too large"),
            "{verb:?}: {}",
            ran.stderr
        );
    }
    assert_eq!(lab.run(VERBS[VERBS.len() - 1]).code, 0);
    assert_eq!(lab.run(&["verify", "r"]).code, 0);
}

/// A file for which there is no memory cannot be read, whatever it is in a results folder.
#[test]
fn a_file_without_memory_cannot_be_read() {
    let lab = results();
    let whole = lab.path("r");
    let cells = fs::read_dir(whole.join("cells")).expect("cells").flatten();
    let mut records = cells.map(|entry| entry.path());
    let record = records.find(|path| path.extension().is_some_and(|ending| ending == "json"));
    let record = record.expect("a record");
    for (path, refuses) in [
        (
            record,
            &["verify", "fsck", "status", "report", "show", "migrate"][..],
        ),
        (whole.join("outputs.json"), &["verify", "fsck", "status"]),
    ] {
        let bytes = fs::read(&path).expect("a file");
        // it begins and ends as a run leaves it
        let sparse = fs::File::create(&path).expect("a file");
        sparse.set_len(5 << 30).expect("a length");
        sparse.write_at(b"{", 0).expect("a byte");
        sparse.write_at(b"}", (5 << 30) - 1).expect("a byte");
        for verb in refuses {
            let words = [*verb, "r", "--max-file", "6GiB"];
            let ran = limited(&lab, "ulimit -v 2000000", &words);
            let said = format!("{words:?}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, 3, "{said}");
            assert!(
                said.contains("has 5.0 GiB, and there is not enough memory"),
                "{said}"
            );
            // a limit that follows from the memory says so
            let ran = limited(&lab, "ulimit -v 1000000", &[verb, "r"]);
            let said = format!("{verb}: {}{}", ran.stdout, ran.stderr);
            assert_eq!(ran.code, 3, "{said}");
            assert!(
                said.contains("are read, as the memory is limited; give"),
                "{said}"
            );
        }
        fs::write(&path, bytes).expect("a file");
    }
}

/// A small text may ask for problems of gigabytes, each of which is small.
#[test]
fn a_spec_of_many_problems_ends_with_its_memory() {
    let lab = results();
    let numbers: Vec<String> = (2..40_000).map(|n| n.to_string()).collect();
    let many = SPEC.replace("[2, 3]", &format!("[{}]", numbers.join(",")));
    lab.file("many/experiment.toml", many);
    let verb = ["run", "many", "--out", "never", "--dry-run"];
    let ran = limited(&lab, "ulimit -v 2000000", &verb);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert!(
        ran.stderr.contains("of the memory limit is left"),
        "{}",
        ran.stderr
    );
}

/// Each of many files that a list names and that are not there is one mismatch, in little memory.
#[test]
fn each_missing_file_of_a_long_list_is_named_once() {
    let lab = results();
    assert_eq!(lab.run(&["bundle", "r", "--out", "x.zip"]).code, 0);
    let archive = fs::read(lab.path("x.zip")).expect("the archive");
    unpack(&archive, &lab.path("u"));
    edit(&lab.path("u/s/bundle.json"), |list| {
        for number in 0..50_000 {
            list["files"][format!("z/{number:05}")] = "00".into();
            list["bytes"][format!("z/{number:05}")] = 0.into();
        }
    });
    let ran = limited(&lab, "ulimit -v 2000000", &["verify", "u/s"]);
    assert_eq!(ran.code, 6, "{}", ran.stderr);
    // each file is missing, and no bundle of this run has it
    assert!(ran.stderr.contains("100000 mismatches"), "{}", ran.stderr);
    for number in [0, 1, 31_415, 49_999] {
        let line = format!("mismatch  z/{number:05}  is missing");
        assert_eq!(ran.stdout.matches(&line).count(), 1, "{line}");
    }
}

/// A size with another unit is refused with those that there are.
#[test]
fn a_size_of_a_file_has_a_unit_of_two_powers() {
    let lab = Lab::new();
    for size in ["512MB", "512", "1.5GiB"] {
        lab.run(&["verify", "r", "--max-file", size])
            .is_refused_with(&[
                size,
                "--max-file",
                "a whole number with KiB, MiB, GiB or TiB",
            ]);
    }
}
