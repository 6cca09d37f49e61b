//! Standard output is data and may close or fill up at any moment.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::Stdio;

use delassus_conformance::skip;

use crate::folder::QUICK;
use crate::support::{LCP, Lab, Ran};

#[test]
fn a_closed_pipe_is_no_error_and_no_panic() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    lab.file("quick/experiment.toml", QUICK);
    assert_eq!(lab.run(&["run", "quick", "--out", "out"]).code, 0);
    for arguments in [
        &["--help"][..],
        &["solve", "--help"],
        &["list", "generators", "--json"],
        &["list", "solvers", "pgs"],
        &["doctor"],
        &["plan", "quick"],
        &["plan", "quick", "--json"],
        &["status", "out", "--json"],
        &["merge", "out", "-o", "copy", "--json"],
        &["fsck", "out", "--json"],
        &["verify", "out", "--json"],
        &["run", "quick", "--out", "out", "--json", "--quiet"],
        &["solve", file, file, "--solver", "pgs"],
        &["solve", file, file, "--solver", "pgs", "--json"],
    ] {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        // the reader is gone before the program starts, as after `| head` at the latest moment
        drop(reader);
        let mut command = lab.command(arguments);
        let output = command.stdout(writer).output().expect("the program starts");
        let ran = Ran::from(output);
        assert_eq!(ran.code, 0, "{arguments:?}: {}", ran.stderr);
        assert_eq!(ran.stderr, "", "{arguments:?}");
    }
}

#[test]
fn a_closed_standard_error_stops_nothing() {
    let lab = Lab::new();
    let file = lab.file("lcp.dat", LCP);
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = lab.command(&["solve", file, "--solver", "pgs", "--json"]);
    let output = command.stderr(writer).output().expect("the program starts");
    let ran = Ran::from(output);
    assert_eq!(ran.code, 0);
    assert_eq!(ran.objects().len(), 1);
}

#[test]
fn a_full_disk_is_an_error() {
    let full = Path::new("/dev/full");
    if !full.exists() {
        skip("a_full_disk_is_an_error", format!("no {}", full.display()));
        return;
    }
    let lab = Lab::new();
    let sink = OpenOptions::new()
        .write(true)
        .open(full)
        .expect("/dev/full opens");
    let mut command = lab.command(&["list", "solvers"]);
    let output = command
        .stdout(Stdio::from(sink))
        .output()
        .expect("the program starts");
    let ran = Ran::from(output);
    assert_eq!(ran.code, 3);
    assert!(
        ran.stderr
            .contains("error: cannot write to standard output"),
        "{}",
        ran.stderr
    );
}
