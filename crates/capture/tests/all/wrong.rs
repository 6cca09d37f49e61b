//! What the header refuses leaves no file, and no file is half written.

use std::fs;

use crate::support::{Capture, Script};

/// A contact that the header takes: a body that falls on a fixed plane.
fn contact() -> Script {
    let mut script = Script::new(0.01, 9.81);
    script.body(0.0, 0.0, [0.0; 6]);
    script.body(2.0, 5.0, [0.0, -1.0, 0.0, 0.0, 0.0, 0.0]);
    script.block(2, [0.0; 3], 1);
    script.row(0, [0, 1], [&DOWN, &UP], [0.0; 4]);
    script
}

const UP: [f64; 6] = [0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const DOWN: [f64; 6] = [0.0, -1.0, 0.0, 0.0, 0.0, 0.0];
const NAN_UP: [f64; 6] = [0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0];

/// Error codes of the header.
const NUMBER: &str = "2";
const SIZE: &str = "3";
const FILE: &str = "4";

/// Code and text of `write PATH`, the last call.
fn refusal(said: &[String]) -> (&str, &str) {
    let last = said.last().expect("an answer");
    last.split_once(' ').expect("a code and a text")
}

/// What makes a script wrong.
type Change = Box<dyn Fn(&mut Script)>;

#[test]
fn wrong_numbers_and_sizes_leave_no_file() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let number = |value: f64| move |s: &mut Script| s.row(0, [0, 1], [&DOWN, &UP], [value; 4]);
    let huge = f64::INFINITY;
    let cases: Vec<(&str, Change, &str)> = vec![
        (NUMBER, Box::new(number(f64::NAN)), "not finite"),
        (NUMBER, Box::new(number(huge)), "not finite"),
        (NUMBER, Box::new(number(-1.0)), "negative compliance"),
        (
            NUMBER,
            Box::new(|s| s.row(0, [0, 1], [&DOWN, &NAN_UP], [0.0; 4])),
            "Jacobian",
        ),
        (
            NUMBER,
            Box::new(move |s| s.body(huge, 1.0, [0.0; 6])),
            "a body",
        ),
        (
            NUMBER,
            Box::new(|s| s.body(-1.0, 1.0, [0.0; 6])),
            "negative mass",
        ),
        (
            NUMBER,
            Box::new(|s| s.body(1.0, 1.0, [f64::NAN; 6])),
            "a body",
        ),
        (
            NUMBER,
            Box::new(|s| s.reals("result 0", &[f64::NAN])),
            "an impulse",
        ),
        (
            NUMBER,
            Box::new(|s| s.reals("solved 1", &[f64::NAN; 6])),
            "solved velocity",
        ),
        (NUMBER, Box::new(|s| s.reals("lever 0", &[-0.5])), "lever"),
        (
            NUMBER,
            Box::new(|s| {
                s.reals("friction 0 6", &[-0.1]);
                s.row(0, [0, 1], [&DOWN, &UP], [0.0; 4]);
            }),
            "wrong mu",
        ),
        (NUMBER, Box::new(|s| s.reals("begin", &[0.0, 9.81])), "dt"),
        (
            NUMBER,
            Box::new(|s| s.row(0, [0, 1], [&[0.0; 6], &[0.0; 6]], [0.0; 4])),
            "moves nothing",
        ),
        (
            NUMBER,
            Box::new(|s| s.call("about e \"v\" p o 0 0 0")),
            "printable ASCII",
        ),
        (
            SIZE,
            Box::new(|s| s.row(7, [0, 1], [&DOWN, &UP], [0.0; 4])),
            "unknown block",
        ),
        (
            SIZE,
            Box::new(|s| s.row(0, [0, 9], [&DOWN, &UP], [0.0; 4])),
            "a body that was not added",
        ),
        (
            NUMBER,
            Box::new(|s| s.row(0, [1, 1], [&DOWN, &UP], [0.0; 4])),
            "twice",
        ),
        (SIZE, Box::new(|s| s.block(2, [0.0; 3], 2)), "its law"),
        (
            SIZE,
            Box::new(|s| {
                for _ in 0..3 {
                    s.row(0, [0, 1], [&DOWN, &UP], [0.0; 4]);
                }
            }),
            "its law",
        ),
        (
            SIZE,
            Box::new(|s| {
                s.block(12, [0.0; 3], 2);
                s.row(1, [0, 1], [&DOWN, &UP], [0.0; 4]);
            }),
            "unknown law",
        ),
        (
            NUMBER,
            Box::new(|s| {
                s.block(1, [1.0, -1.0, 0.0], 2);
                s.row(1, [0, 1], [&DOWN, &UP], [0.0; 4]);
            }),
            "wrong bounds",
        ),
        (
            SIZE,
            Box::new(|s| s.reals("friction 5 6", &[0.1])),
            "unknown normal",
        ),
    ];
    for (index, (code, change, what)) in cases.iter().enumerate() {
        let mut script = contact();
        change(&mut script);
        script.call("write wrong.dls test");
        let said = capture.run(&script);
        let (found, text) = refusal(&said);
        assert_eq!(&found, code, "case {index}: {text}");
        assert!(text.contains(what), "case {index}: {text}");
        assert!(!capture.path("wrong.dls").exists(), "case {index}");
        assert!(!capture.path("wrong.dls.part").exists(), "case {index}");
    }
    let mut empty = Script::new(0.01, 9.81);
    empty.call("write wrong.dls test");
    let said = capture.run(&empty);
    assert_eq!(refusal(&said).0, SIZE);
}

#[test]
fn friction_rows_of_a_contact_agree() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let mut script = contact();
    let along = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
    script.reals("friction 0 4", &[0.5]);
    script.row(0, [0, 1], [&[0.0; 6], &along], [0.0; 4]);
    script.reals("friction 0 4", &[0.6]);
    script.call("write wrong.dls test");
    let said = capture.run(&script);
    assert_eq!(refusal(&said).0, NUMBER);
    assert!(refusal(&said).1.contains("differ"), "{said:?}");
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let Some(capture) = Capture::new() else {
        return;
    };
    let mut script = contact();
    script.call("write old.dls test");
    assert_eq!(
        capture.run(&script).last().map(|line| line.trim()),
        Some("0")
    );
    let old = capture.bytes("old.dls");
    let said = capture.run_on_a_full_disk(&script, 1);
    assert_eq!(refusal(&said).0, FILE);
    assert_eq!(capture.bytes("old.dls"), old);
    let mut other = contact();
    other.call("write new.dls test");
    assert_eq!(refusal(&capture.run_on_a_full_disk(&other, 1)).0, FILE);
    let mut names: Vec<String> = fs::read_dir(capture.folder.path())
        .expect("the folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into()
        })
        .collect();
    names.sort();
    assert_eq!(names, ["driver-c99", "old.dls"]);
    // and neither does a folder that is not there
    let mut nowhere = contact();
    nowhere.call("write missing/new.dls test");
    assert_eq!(refusal(&capture.run(&nowhere)).0, FILE);
}
