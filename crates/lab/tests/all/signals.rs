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
    signal(child, "-INT");
}

fn signal(child: &Child, name: &str) {
    let id = child.id().to_string();
    let status = Command::new("kill").args([name, &id]).status();
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
    // where the machine is too busy to end the cell in time, its end is not waited for
    let early = ran.stderr.contains("1 to do") || ran.stderr.contains("what was finished is kept");
    assert!(early, "{}", ran.stderr);
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

/// Starts the program, gives it the time to install its handler, sends one signal, and takes what it leaves.
fn ends_by_one(lab: &Lab, name: &str, arguments: &[&str]) -> Ran {
    let mut command = lab.command(arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("the program starts");
    let status = format!("/proc/{}/status", child.id());
    let begun = Instant::now();
    // bit n − 1 of the mask stands for signal n
    while cfg!(target_os = "linux") && begun.elapsed() < PATIENCE {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let mask = text.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        if mask.is_some_and(|mask| mask & 1 << 14 != 0 && mask & 1 << 1 != 0) {
            break;
        }
        sleep(Duration::from_millis(5));
    }
    // and to begin what it is asked for
    sleep(Duration::from_millis(300));
    signal(&child, name);
    let ran = wait(child);
    assert_eq!(ran.code, 130, "{}", ran.stderr);
    assert!(
        ran.stderr.starts_with("stopping; press Ctrl-C again"),
        "{}",
        ran.stderr
    );
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    ran
}

#[test]
fn one_signal_ends_a_read_that_blocks() {
    let lab = Lab::new();
    // nobody ever writes to it
    let made = Command::new("mkfifo").arg(lab.path("pipe")).status();
    assert!(made.expect("mkfifo starts").success());
    ends_by_one(&lab, "-INT", &["run", "pipe", "--out", "out"]);
    ends_by_one(&lab, "-TERM", &["run", "pipe", "--dry-run"]);
    ends_by_one(&lab, "-TERM", &["solve", "pipe", "--solver", "pgs"]);
}

#[test]
fn one_signal_ends_a_frame_that_takes_hours() {
    let lab = Lab::new();
    let spec = "title = \"A frame\"\n[[scene]]\nuse = \"pendulum\"\n[[scheme]]\nuse = \"tgs-soft\"\n\
                substeps = 1000000\nsweeps = 10000\n[[solver]]\nuse = \"pgs\"\n[simulate]\nseconds = 1.0\n\
                observables = [\"energy\"]\n";
    lab.file("frame/experiment.toml", spec);
    let ran = ends_by_one(&lab, "-TERM", &["run", "frame", "--out", "out"]);
    assert!(ran.stderr.contains("same command again"), "{}", ran.stderr);
    // the folder is free again
    let ran = ends_by_one(&lab, "-INT", &["run", "frame", "--out", "out"]);
    assert!(!ran.stderr.contains("in use"), "{}", ran.stderr);
}

#[test]
fn one_signal_ends_a_factorisation() {
    let lab = Lab::new();
    // the Delassus matrix of 4000 links: a minute and more of dense pivoting
    write_chain(&lab, ENDLESS);
    let request = ["solve", "chain.dls", "--solver", "dense-direct"];
    let ran = ends_by_one(&lab, "-INT", &request);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
}
