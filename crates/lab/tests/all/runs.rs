//! Runs of the spawned program: killed and resumed, repeated, in parts, with damaged files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// Long enough for any machine; a program that hangs fails the test instead of stopping it.
const PATIENCE: Duration = Duration::from_secs(300);

/// Ten cells of equal work, one of them skipped, one that does not converge; about 0.1 s each in a
/// debug build.
const SPEC: &str = r#"
title = "Ten cells"
question = "Do they come back?"

[[problem]]
name = "long"
use = "chain"
n = [20, 21, 22, 23]
gravity = 0.0
as_matrix = true
start = "ones"
stop = { tolerance = 1e-300, max_sweeps = 150000 }

[[problem]]
name = "short"
use = "stack"
n = 3
law = "coulomb"

[[solver]]
use = "pgs"

[[solver]]
use = "dense-direct"

[stop]
tolerance = 1e-8
max_sweeps = 20000

[measure]
metrics = ["natural_map", "siconos", "v[1].y"]
samples = { geometric = 1.1 }

[[figure]]
id = "curves"
plot = { convergence = { x = "sweeps", log_x = true } }

[[table]]
id = "sweeps"
show = { matrix = { tolerances = [1e-8] } }
"#;
const CELLS: usize = 10;
/// A problem whose cells no machine solves before the run is killed.
const NEVER: &str = r#"
[[problem]]
name = "never"
use = "chain"
n = 4000
stop = { tolerance = 1e-300, max_sweeps = 1000000000 }
"#;

struct Lab(TempDir);

impl Lab {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("ten")).expect("a folder");
        fs::write(folder.path().join("ten/experiment.toml"), SPEC).expect("a spec");
        Self(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn command(&self, out: &str, more: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_delassus"));
        command.args(["run", "ten", "--out", out]).args(more);
        command.current_dir(self.0.path());
        command
    }

    /// Runs to the end and returns the last JSON object: the totals.
    fn run(&self, out: &str, more: &[&str]) -> (Value, String) {
        let output: Output = self
            .command(out, &[more, &["--json"]].concat())
            .output()
            .expect("the program starts");
        let stderr = String::from_utf8(output.stderr).expect("UTF-8");
        assert_eq!(output.status.code(), Some(0), "{stderr}");
        let stdout = String::from_utf8(output.stdout).expect("UTF-8");
        let last = stdout.lines().last().expect("totals");
        (serde_json::from_str(last).expect("an object"), stderr)
    }

    /// Files of finished cells.
    fn cells(&self, out: &str) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path(out).join("cells"));
        let paths = entries.into_iter().flatten().flatten().map(|e| e.path());
        let mut paths: Vec<PathBuf> = paths
            .filter(|path| path.extension().is_some_and(|e| e == "json"))
            .collect();
        paths.sort();
        paths
    }
}

/// A CSV file without its last `clock` columns.
fn without_clock(path: &Path, clock: usize) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_path(path).expect("a CSV file");
    let columns = reader.headers().expect("a header").len() - clock;
    let header: Vec<String> = reader
        .headers()
        .expect("a header")
        .iter()
        .map(str::to_owned)
        .collect();
    for name in &header[columns..] {
        assert!(name.ends_with("seconds"), "{name} is no clock column");
    }
    let rows = reader.records().map(|row| {
        let row = row.expect("a row");
        row.iter().take(columns).map(str::to_owned).collect()
    });
    std::iter::once(header[..columns].to_vec())
        .chain(rows)
        .collect()
}

/// Fails unless two result folders agree in everything that does not depend on the clock.
fn assert_same(lab: &Lab, a: &str, b: &str) {
    for (file, clock) in [("records.csv", 1), ("summary.csv", 5)] {
        let (left, right) = (lab.path(a).join(file), lab.path(b).join(file));
        assert!(
            without_clock(&left, clock) == without_clock(&right, clock),
            "{file} differs between {a} and {b}"
        );
    }
    for file in ["figures/curves.svg", "tables/sweeps.csv", "experiment.json"] {
        let read = |out: &str| fs::read(lab.path(out).join(file)).expect("a file");
        assert!(read(a) == read(b), "{file} differs between {a} and {b}");
    }
}

#[test]
fn a_repeated_run_gives_the_same_bytes_and_runs_nothing_twice() {
    let lab = Lab::new();
    let (first, _) = lab.run("a", &[]);
    assert_eq!(first["ran"], CELLS);
    assert_eq!(first["missing"], 0);
    assert_eq!(first["statuses"]["unsupported"], 1, "{first}");
    let (second, _) = lab.run("b", &["--jobs", "3"]);
    assert_eq!(second["ran"], CELLS);
    assert_same(&lab, "a", "b");

    let before = fs::read(lab.path("a/records.csv")).expect("a file");
    let (again, _) = lab.run("a", &[]);
    assert_eq!((&again["ran"], &again["kept"]), (&0.into(), &CELLS.into()));
    // nothing was timed anew: even the clock columns are those of the first run
    assert!(before == fs::read(lab.path("a/records.csv")).expect("a file"));

    // a comment and a caption are no reason to solve anything; a tolerance is
    let changed = SPEC.replace(
        "id = \"curves\"",
        "id = \"curves\"\ncaption = \"New.\" # a comment",
    );
    fs::write(lab.path("ten/experiment.toml"), &changed).expect("a spec");
    assert_eq!(lab.run("a", &[]).0["ran"], 0);
    fs::write(
        lab.path("ten/experiment.toml"),
        changed.replace("tolerance = 1e-8", "tolerance = 1e-7"),
    )
    .expect("a spec");
    // the tolerance of the long chains is their own
    assert_eq!(lab.run("a", &[]).0["ran"], 2);
}

#[test]
fn a_killed_run_goes_on_where_it_was() {
    let lab = Lab::new();
    lab.run("whole", &[]);
    let mut kept = 0;
    let spec = lab.path("ten/experiment.toml");
    fs::write(&spec, [SPEC, NEVER].concat()).expect("a spec");
    // killed again and again, a little later each time
    for wanted in [1, 3, 5] {
        let mut child = lab
            .command("killed", &["--quiet"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the program starts");
        let begun = Instant::now();
        while lab.cells("killed").len() < wanted && begun.elapsed() < PATIENCE {
            sleep(Duration::from_millis(1));
        }
        // SIGKILL on Unix: nothing of the program runs any more
        child.kill().expect("a child");
        child.wait().expect("a child");
        let left = lab.cells("killed").len();
        assert!(left >= wanted.max(kept), "{left} of {wanted} cells");
        kept = left;
    }
    fs::write(&spec, SPEC).expect("a spec");
    let (rest, _) = lab.run("killed", &[]);
    assert_eq!(
        (&rest["kept"], &rest["ran"]),
        (&kept.into(), &(CELLS - kept).into())
    );
    assert_same(&lab, "whole", "killed");
}

#[test]
fn parts_make_the_whole() {
    let lab = Lab::new();
    lab.run("whole", &[]);
    let mut expected = 0;
    for (part, cells) in [("1/3", 4), ("2/3", 3), ("3/3", 3)] {
        let (totals, _) = lab.run("parts", &["--shard", part]);
        expected += cells;
        assert_eq!(totals["ran"], cells, "{part}");
        assert_eq!(totals["report"], Value::Null);
        assert_eq!(lab.cells("parts").len(), expected);
        assert!(!lab.path("parts/records.csv").exists());
    }
    let (merged, _) = lab.run("parts", &[]);
    assert_eq!(
        (&merged["ran"], &merged["kept"]),
        (&0.into(), &CELLS.into())
    );
    assert_same(&lab, "whole", "parts");
}

#[test]
fn damaged_cells_are_noticed_and_run_again() {
    let lab = Lab::new();
    lab.run("whole", &[]);
    lab.run("out", &[]);
    let cells = lab.cells("out");
    let whole = fs::read(&cells[0]).expect("a cell");
    // cut short, empty, one digit changed, the content of another cell, nothing
    fs::write(&cells[0], &whole[..whole.len() / 2]).expect("a file");
    fs::write(&cells[1], "").expect("a file");
    let text = fs::read_to_string(&cells[2]).expect("a cell");
    let digit = text
        .rfind(|c: char| c.is_ascii_digit() && c != '9')
        .expect("a digit");
    let mut bytes = text.into_bytes();
    bytes[digit] += 1;
    fs::write(&cells[2], bytes).expect("a file");
    fs::copy(&cells[4], &cells[3]).expect("a copy");
    fs::remove_file(&cells[5]).expect("a removal");

    let output = lab
        .command("out", &["--dry-run"])
        .output()
        .expect("the program starts");
    let plan = String::from_utf8(output.stdout).expect("UTF-8");
    // the totals, and an estimate after them
    let last = plan.lines().rev().nth(1).expect("totals");
    // such a cell is "unsupported" whatever its file holds
    assert!(
        last.starts_with("10 cells: ") && last.ends_with("1 unsupported"),
        "{plan}"
    );
    assert!(plan.contains("to do: kept file: "), "{plan}");

    let (totals, stderr) = lab.run("out", &[]);
    assert_eq!((&totals["kept"], &totals["ran"]), (&5.into(), &5.into()));
    for reason in [
        "it is cut short",
        "its checksum is wrong",
        "it holds another cell",
    ] {
        assert!(stderr.contains(reason), "{reason}: {stderr}");
    }
    assert_same(&lab, "whole", "out");
}

#[test]
fn a_folder_that_cannot_be_written_is_an_error() {
    let lab = Lab::new();
    fs::write(lab.path("file"), "").expect("a file");
    let output = lab
        .command("file/out", &["--quiet"])
        .output()
        .expect("the program starts");
    let stderr = String::from_utf8(output.stderr).expect("UTF-8");
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(
        stderr.starts_with("error: cannot write file/out: "),
        "{stderr}"
    );
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

#[test]
fn nothing_private_is_written() {
    let lab = Lab::new();
    lab.run("out", &[]);
    let here = lab.0.path().to_string_lossy().into_owned();
    for file in [
        "manifest.json",
        "experiment.json",
        "report.html",
        "summary.csv",
    ] {
        let text = fs::read_to_string(lab.path("out").join(file)).expect("a file");
        assert!(!text.contains(&here), "{file}");
    }
    let manifest: Value =
        serde_json::from_slice(&fs::read(lab.path("out/manifest.json")).expect("a file"))
            .expect("an object");
    for key in [
        "date",
        "commit",
        "rustc",
        "cpu",
        "vector_level",
        "logical_cores",
        "jobs",
        "spec_sha256",
        "binary_sha256",
        "packages",
    ] {
        assert!(!manifest[key].is_null(), "{key}");
    }
}
