//! `watch`: runs again when a file is saved.

use std::fs;
use std::io::{BufRead, BufReader};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use crate::processes::{PATIENCE, send, started};
use crate::support::Lab;

const SPEC: &str = r#"
title = "Watched"
[[problem]]
use = "chain"
n = [2, 3]
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-6
"#;

/// The next line.
fn next(lines: &Receiver<String>) -> String {
    lines.recv_timeout(PATIENCE).expect("a line in time")
}

fn until(lines: &Receiver<String>, part: &str) -> String {
    loop {
        let line = next(lines);
        if line.contains(part) {
            return line;
        }
    }
}

/// Saves the spec as a whole: a reader sees the old one or the new one.
fn save(lab: &Lab, text: &str) {
    lab.file("watched.new", text);
    fs::rename(lab.path("watched.new"), lab.path("watched.toml")).expect("a file in its place");
}

#[test]
fn a_saved_spec_runs_again_and_a_wrong_one_waits() {
    let lab = Lab::new();
    lab.file("watched.toml", SPEC);
    let mut child = started(&mut lab.command(&["watch", "watched.toml", "--out", "out"]));
    let stderr = child.stderr.take().expect("a pipe");
    let (sender, lines) = channel();
    thread::spawn(move || {
        for line in BufReader::new(stderr).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    assert_eq!(next(&lines), "2 solved; 2 ran, 0 kept from before");
    until(&lines, "watching");
    save(&lab, &SPEC.replace("[2, 3]", "[2, 3, 4]"));
    assert_eq!(next(&lines), "3 solved; 1 ran, 2 kept from before");
    until(&lines, "watching");
    save(&lab, &SPEC.replace("pgs", "pgss"));
    let wrong = until(&lines, "error: ");
    assert!(
        wrong.contains("watched.toml:7:7") && wrong.contains("\"pgs\""),
        "{wrong}"
    );
    until(&lines, "watching");
    save(&lab, SPEC);
    assert_eq!(next(&lines), "2 solved; 0 ran, 2 kept from before");
    until(&lines, "watching");
    send("-INT", &[child.id()]);
    let output = child.wait_with_output().expect("the program ends");
    assert_eq!(output.status.code(), Some(130));
    let reports = String::from_utf8(output.stdout).expect("text");
    assert_eq!(reports, "out/report.html\n".repeat(3));
}

#[test]
fn a_spec_that_is_not_there_is_not_waited_for() {
    Lab::new()
        .run(&["watch", "nowhere.toml"])
        .is_refused_with(&["nowhere.toml", "no such spec"]);
}
