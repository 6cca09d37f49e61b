//! A run that is killed, at any moment, loses the cell in flight at most: what is there is whole,
//! and the same command comes to the results of an undisturbed run, byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::AtomicBool;
use std::thread::sleep;
use std::time::{Duration, Instant};

use delassus_conformance::skip;
use delassus_records::build::Build;
use delassus_registry::Registry;
use delassus_runner::error::RunError;
use delassus_runner::fsck;
use delassus_runner::verify::{RecordEvidence, VerifyReport, verify};

use crate::support::{Lab, without_times};

/// Kills at random moments, unless this variable says how many.
const RANDOM: (&str, usize) = ("DELASSUS_KILLS", 50);
/// Kills at system calls that change files, spread over all of them, unless this variable says how
/// many.
const CALLS: (&str, usize) = ("DELASSUS_CALL_KILLS", 8);

/// Twelve cells. Everything but times, the manifest and the date of a cell is the same in every
/// run.
const SPEC: &str = r#"title = "Killed"
[[problem]]
use = "chain"
n = [2, 3, 4]
[[solver]]
use = "pgs"
[[solver]]
use = "psor"
omega = [1.1, 1.3]
[[solver]]
use = "dense-direct"
[stop]
max_sweeps = 40
[[figure]]
id = "rates"
plot = { convergence = { x = "sweeps" } }
[[table]]
id = "cells"
show = { cells = {} }
"#;

/// Rows of files, or their text.
type Files = BTreeMap<&'static str, Vec<Vec<String>>>;

fn count((variable, default): (&str, usize)) -> usize {
    let asked = std::env::var(variable).ok();
    asked.map_or(default, |text| text.parse().expect("a number of kills"))
}

/// The files that depend on nothing but the spec, without the columns of times.
fn files(out: &Path) -> Files {
    let names = [
        "experiment.json",
        "records.csv",
        "summary.csv",
        "tables/cells.csv",
        "figures/rates.svg",
    ];
    let read = |name: &'static str| {
        let bytes = fs::read(out.join(name)).ok()?;
        let rows = match name.ends_with(".csv") {
            true => without_times(&bytes),
            false => vec![vec![String::from_utf8(bytes).expect("text")]],
        };
        Some((name, rows))
    };
    names.into_iter().filter_map(read).collect()
}

/// The cells of a folder, all of them whole: how many there are.
#[track_caller]
fn whole(out: &Path, undisturbed: &Files, what: &str) -> usize {
    for (name, content) in files(out) {
        assert!(undisturbed[name] == content, "{what}: {name} is not whole");
    }
    match fsck::check(out) {
        Ok(checked) => {
            assert_eq!(checked.damages, vec![], "{what}");
            // a run that was killed has changed nothing behind anybody's back
            let verdict = verdict_of(out);
            let verdict = verdict.unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(verdict.findings, vec![], "{what}");
            checked.whole
        }
        // killed before it had said whose the folder is
        Err(RunError::Read { .. }) => 0,
        Err(error) => panic!("{what}: {error}"),
    }
}

/// What `verify` makes of a folder.
fn verdict_of(out: &Path) -> Result<VerifyReport, RunError> {
    let cancel = AtomicBool::new(false);
    verify(out, None, &Registry::standard(), &Build::UNKNOWN, &cancel)
}

/// A folder with the spec, and the results of a run that nobody disturbs.
struct Undisturbed {
    lab: Lab,
    files: Files,
    /// How long it took.
    time: Duration,
}

impl Undisturbed {
    fn new() -> Self {
        let lab = Lab::new();
        lab.file("killed.toml", SPEC);
        let begun = Instant::now();
        let ran = lab.run(&["run", "killed.toml", "--out", "undisturbed", "--quiet"]);
        let time = begun.elapsed();
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let files = files(&lab.path("undisturbed"));
        assert_eq!(files.len(), 5);
        Self { lab, files, time }
    }

    /// Ends what was killed, and compares.
    fn finish(&self, out: &str, what: &str) {
        let ran = self
            .lab
            .run(&["run", "killed.toml", "--out", out, "--quiet"]);
        assert_eq!(ran.code, 0, "{what}: {}", ran.stderr);
        self.compare(out, what);
    }

    fn compare(&self, out: &str, what: &str) {
        let out = self.lab.path(out);
        assert!(files(&out) == self.files, "{what}: other results");
        let checked = fsck::check(&out).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert_eq!((checked.whole, checked.missing), (12, 0), "{what}");
        assert_eq!((checked.left_over, checked.damages), (0, vec![]), "{what}");
        let verdict = verdict_of(&out);
        let verdict = verdict.unwrap_or_else(|error| panic!("{what}: {error}"));
        let found = (verdict.findings, verdict.unchecked, verdict.vouched);
        assert_eq!(found, (vec![], vec![], RecordEvidence::Root), "{what}");
        fs::remove_dir_all(out).expect("a folder");
    }
}

/// True if a signal has ended the program, false if it has done its work before; anything else is
/// wrong.
fn was_killed(status: ExitStatus, what: &str) -> bool {
    match (status.signal(), status.code()) {
        (Some(9), _) => true,
        (None, Some(0)) => false,
        // strace says it as a shell does
        (None, Some(137)) => true,
        _ => panic!("{what}: {status}"),
    }
}

#[test]
fn at_random_moments() {
    let undisturbed = Undisturbed::new();
    let (lab, wanted) = (&undisturbed.lab, count(RANDOM));
    // a generator of Lehmer: the moments are spread, and the same in every test
    let mut seed = 48_271_u64;
    let (mut kills, mut folders, mut kept) = (0, 0, 0);
    while kills < wanted {
        seed = seed * 48_271 % 0x7fff_ffff;
        let share = u32::try_from(seed % 1000).expect("a small number");
        let what = format!("kill {kills} in folder {folders}");
        let out = format!("out-{folders}");
        // with workers and without, one and several at a time
        let how = [
            ["--isolate", "--jobs=1"],
            ["--no-isolate", "--jobs=1"],
            ["--isolate", "--jobs=3"],
        ];
        let how = how[folders % how.len()];
        let mut command = lab.command(&["run", "killed.toml", "--out", &out, "--quiet"]);
        command
            .args(how)
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        sleep(undisturbed.time * share / 900);
        child.kill().expect("a child");
        let killed = was_killed(child.wait().expect("a child"), &what);
        let cells = whole(&lab.path(&out), &undisturbed.files, &what);
        assert!(
            cells >= kept,
            "{what}: {kept} cells were kept, and {cells} are there"
        );
        kept = cells;
        kills += usize::from(killed);
        if !killed {
            undisturbed.compare(&out, &what);
            (folders, kept) = (folders + 1, 0);
        }
    }
    undisturbed.finish(&format!("out-{folders}"), "the last folder");
    println!("{kills} kills, {} folders", folders + 1);
}

/// System calls that change files, or decide which do.
const CHANGES: &str = "openat,write,fsync,rename,renameat,renameat2,link,linkat,unlink,unlinkat,mkdir,ftruncate,flock,close";

/// A run under strace with these options for it.
fn traced(lab: &Lab, out: &str, options: &[&str]) -> Command {
    let program = lab.command(&[]);
    let mut command = Command::new("strace");
    command.args(options).arg(program.get_program());
    command.args([
        "run",
        "killed.toml",
        "--out",
        out,
        "--quiet",
        "--no-isolate",
    ]);
    command
        .current_dir(lab.path(""))
        .env("XDG_RUNTIME_DIR", lab.path(""));
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The calls of a trace: name, and number among those of the same name, which is how strace counts.
fn numbered(trace: &str) -> Vec<(&str, usize)> {
    let mut seen = BTreeMap::new();
    let names = trace.lines().filter_map(|line| line.split_once('('));
    names
        .map(|(name, _)| {
            let number = seen.entry(name).or_insert(0);
            *number += 1;
            (name, *number)
        })
        .collect()
}

#[test]
fn at_system_calls() {
    if !Command::new("strace")
        .arg("-V")
        .output()
        .is_ok_and(|o| o.status.success())
    {
        skip("at_system_calls", "no strace");
        return;
    }
    let undisturbed = Undisturbed::new();
    let lab = &undisturbed.lab;
    let trace = format!("trace={CHANGES}");
    let status = traced(lab, "traced", &["-o", "calls", "-e", &trace]).status();
    if !status.expect("strace starts").success() {
        skip("at_system_calls", "strace may not trace here");
        return;
    }
    undisturbed.compare("traced", "traced");
    let calls = fs::read_to_string(lab.path("calls")).expect("a trace");
    let calls = numbered(&calls);
    assert!(calls.len() > 100, "{} calls", calls.len());
    let wanted = count(CALLS).min(calls.len());
    let mut kills = 0;
    for index in 0..wanted {
        let (name, at) = &calls[index * (calls.len() - 1) / wanted.max(2).saturating_sub(1)];
        let what = format!("call {at} of {name}");
        let inject = format!("inject={name}:signal=KILL:when={at}");
        let status = traced(
            lab,
            "out",
            &["-o", "/dev/null", "-e", &trace, "-e", &inject],
        )
        .status();
        kills += usize::from(was_killed(status.expect("strace starts"), &what));
        whole(&lab.path("out"), &undisturbed.files, &what);
        undisturbed.finish("out", &what);
    }
    println!("{kills} kills at {} calls", calls.len());
    // calls near the end may not come in every run
    assert!(
        kills + wanted / 10 + 1 >= wanted,
        "{kills} of {wanted} kills"
    );
}
