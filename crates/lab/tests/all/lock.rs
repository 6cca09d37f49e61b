//! One run at a time in a results folder.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Stdio};

use crate::folder::quick;
use crate::processes::{send, wait_for};
use crate::support::Lab;

/// A run that has the lock and does nothing: it is stopped in a cell that takes hours.
pub(crate) struct Holder(Child);

const ENDLESS: &str = r#"
title = "Quick"
[[problem]]
name = "pile"
use = "chain"
n = 4000
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-12
max_sweeps = 1000000000
"#;

impl Holder {
    pub(crate) fn new(lab: &Lab, more: &[&str]) -> Self {
        lab.file("quick/endless.toml", ENDLESS);
        let arguments = ["run", "quick/endless.toml", "--out", "out", "--quiet"];
        let mut command = lab.command(&[&arguments, more].concat());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let child = command.spawn().expect("the program starts");
        let claimed = lab.path("out/experiment.json");
        // written under the lock
        wait_for("the run", || claimed.exists().then_some(()));
        send("-STOP", &[child.id()]);
        Self(child)
    }

    pub(crate) fn kill(mut self) {
        self.0.kill().expect("a child");
        self.0.wait().expect("a child");
    }
}

#[test]
fn a_second_run_is_told_who_is_there_and_a_killed_one_leaves_no_lock() {
    let lab = quick();
    let holder = Holder::new(&lab, &[]);
    let id = holder.0.id();
    for request in [
        &["run", "quick/endless.toml", "--out", "out"][..],
        &[
            "run",
            "quick/endless.toml",
            "--out",
            "out",
            "--shard",
            "1/2",
        ],
        &["report", "out"],
    ] {
        let ran = lab.run(request);
        assert_eq!(ran.code, 3, "{request:?}: {}", ran.stderr);
        let expected = format!("error: out is in use by process {id}");
        assert!(ran.stderr.starts_with(&expected), "{}", ran.stderr);
        let hint = "try again when that has ended";
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
        assert_eq!(ran.stdout, "");
    }
    // a plan reads only
    let plan = lab.run(&["run", "quick/endless.toml", "--out", "out", "--dry-run"]);
    assert_eq!(plan.code, 0, "{}", plan.stderr);
    holder.kill();
    lab.file("quick/endless.toml", ENDLESS.replace("1000000000", "1"));
    let ran = lab.run(&["run", "quick/endless.toml", "--out", "out"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
}

#[test]
fn a_run_that_is_asked_to_waits() {
    let lab = quick();
    let holder = Holder::new(&lab, &[]);
    let id = holder.0.id();
    lab.file("quick/endless.toml", ENDLESS.replace("1000000000", "1"));
    let mut command = lab.command(&["run", "quick/endless.toml", "--out", "out", "--wait"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut waiting = command.spawn().expect("the program starts");
    let mut said = BufReader::new(waiting.stderr.take().expect("a pipe"));
    let mut line = String::new();
    said.read_line(&mut line).expect("a line");
    assert_eq!(
        line,
        format!("waiting for process {id}, which has the folder\n")
    );
    assert!(waiting.try_wait().expect("a child").is_none());
    holder.kill();
    let mut rest = String::new();
    said.read_to_string(&mut rest).expect("text");
    assert!(waiting.wait().expect("a child").success(), "{rest}");
    assert!(rest.contains("1 ran"), "{rest}");
    assert!(!rest.contains("waiting"), "said once: {rest}");
}

#[test]
fn parts_run_beside_each_other() {
    let lab = quick();
    let holder = Holder::new(&lab, &["--shard", "1/3"]);
    let shard = |part: &str| {
        let request = ["run", "quick/endless.toml", "--out", "out", "--shard", part];
        lab.run(&request)
    };
    // the second part has no cell
    let second = shard("2/3");
    assert_eq!(second.code, 0, "{}", second.stderr);
    assert_eq!(shard("1/3").code, 3);
    let whole = lab.run(&["run", "quick/endless.toml", "--out", "out"]);
    assert_eq!(whole.code, 3, "{}", whole.stderr);
    holder.kill();
    // another folder was never in the way
    lab.file("other/experiment.toml", crate::folder::QUICK);
    assert_eq!(lab.run(&["run", "other"]).code, 0);
}
