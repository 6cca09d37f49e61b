//! Ctrl-C: exit code 130, and everything that was finished stays.
#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::support::{ENDLESS, LCP, Lab, Ran, write_chain};

/// Long enough for any machine; a program that hangs fails the test instead of stopping it.
const PATIENCE: Duration = Duration::from_secs(120);

fn interrupt(child: &Child) {
    let id = child.id().to_string();
    let status = Command::new("kill").args(["-INT", &id]).status();
    assert!(status.expect("kill starts").success());
}

fn wait(mut child: Child) -> Ran {
    let begun = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().expect("a child");
            panic!("the program does not stop");
        }
        sleep(Duration::from_millis(5));
    }
    Ran::from(child.wait_with_output().expect("its output"))
}

const SPEC: &str = r#"
title = "Interrupted"
question = "Do finished cells stay?"
[[problem]]
use = "chain"
n = [2, 4000]
[[solver]]
use = "pgs"
[stop]
tolerance = 1e-12
max_sweeps = 1000000000
"#;

#[test]
fn a_run_keeps_its_finished_cells() {
    let lab = Lab::new();
    lab.file("long/experiment.toml", SPEC);
    let mut command = lab.command(&["run", "long", "--out", "out"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let cells = || -> usize {
        let entries = fs::read_dir(lab.path("out/cells"));
        let files = entries.into_iter().flatten().filter_map(Result::ok);
        files
            .filter(|file| file.path().extension().is_some_and(|e| e == "json"))
            .count()
    };
    let begun = Instant::now();
    while cells() == 0 && begun.elapsed() < PATIENCE {
        sleep(Duration::from_millis(5));
    }
    assert_eq!(
        cells(),
        1,
        "the first cell is finished, the second one is not"
    );
    interrupt(&child);
    let ran = wait(child);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(ran.stderr.contains("1 to do"), "{}", ran.stderr);
    assert!(ran.stderr.contains("same command again"), "{}", ran.stderr);
    assert_eq!(cells(), 1);
    // the next run would begin with the second cell
    let planned = lab
        .run(&["run", "long", "--out", "out", "--dry-run", "--json"])
        .objects();
    // the last line is the estimate
    let cells = planned[..2].iter().map(|line| line["state"].clone());
    assert_eq!(cells.collect::<Vec<_>>(), ["done", "to do"]);
}

#[test]
fn a_solve_stops_between_and_within_files() {
    let lab = Lab::new();
    lab.file("lcp.dat", LCP);
    write_chain(&lab, ENDLESS);
    let files = ["lcp.dat", "chain.dls", "lcp.dat"];
    let rest = [
        "--solver",
        "pgs",
        "--tol",
        "1e-12",
        "--max-sweeps",
        "1000000000",
        "--json",
    ];
    let mut command = lab.command(&[&["solve"], &files[..], &rest].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    // the first answer is there before the second solve ends
    let stdout = child.stdout.take().expect("a pipe");
    let mut lines = BufReader::new(stdout).lines();
    let first = lines.next().expect("a line").expect("text");
    assert!(first.contains("\"solved\""), "{first}");
    interrupt(&child);
    let ran = wait(child);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    let others: Vec<String> = lines.map(|line| line.expect("text")).collect();
    assert!(others.len() <= 1, "the third file is not begun: {others:?}");
    assert!(
        others.iter().all(|line| line.contains("\"cancelled\"")),
        "{others:?}"
    );
}
