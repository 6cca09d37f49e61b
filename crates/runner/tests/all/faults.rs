//! Every operation on a file of the results fails once, in every way: the run says so or gets over
//! it, nothing that is there is cut short, and the next run comes to the results of an undisturbed
//! one.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;
use delassus_records::disk::Operation;
use delassus_records::disk::fault::{Fault, arm, disarm};
use delassus_registry::Registry;
use delassus_runner::fsck;
use delassus_runner::isolate::LimitChoice;
use delassus_runner::run::{RunArgs, RunError, RunSummary, run};

/// Chains in a run of the full count, with two solvers each; the test takes fewer unless this
/// variable says otherwise.
const VARIABLE: &str = "DELASSUS_FAULT_CHAINS";

fn chains() -> usize {
    let asked = std::env::var(VARIABLE).ok();
    asked.map_or(1, |text| text.parse().expect("a number of chains"))
}

fn spec() -> String {
    let chains: Vec<String> = (2..2 + chains()).map(|n| n.to_string()).collect();
    format!(
        r#"title = "Faults"
[[problem]]
use = "chain"
n = [{}]
[[solver]]
use = "pgs"
[[solver]]
use = "dense-direct"
[stop]
max_sweeps = 3
[[table]]
id = "cells"
show = {{ cells = {{}} }}
"#,
        chains.join(", ")
    )
}

fn start(folder: &Path, out: &Path) -> Result<RunSummary, RunError> {
    let arguments = RunArgs {
        spec: folder.join("spec.toml"),
        out: Some(out.to_owned()),
        jobs: 1,
        shard: None,
        require_gpu: false,
        // the faults are those of this thread
        isolation: None,
        limits: LimitChoice::default(),
        build: Build::UNKNOWN,
    };
    run(
        &Registry::standard(),
        &arguments,
        &(),
        &AtomicBool::new(false),
    )
}

/// Rows of files, or their text.
pub(crate) type Files = BTreeMap<&'static str, Vec<Vec<String>>>;

/// The files that depend on nothing but the spec, without the columns of times.
pub(crate) fn files(out: &Path) -> Files {
    let names = [
        "experiment.json",
        "records.csv",
        "summary.csv",
        "tables/cells.csv",
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

/// A table without its columns of times.
fn without_times(bytes: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(bytes);
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let header = rows.first().expect("a header");
    let is_time = |name: &str| name.contains("seconds") || name.ends_with("[s]");
    let kept: Vec<usize> = (0..header.len())
        .filter(|i| !is_time(&header[*i]))
        .collect();
    let row = |row: &csv::StringRecord| kept.iter().map(|i| row[*i].to_owned()).collect();
    rows.iter().map(row).collect()
}

/// What is there is whole: cells by their checksums, the rest by comparison, or by its end.
fn nothing_is_cut_short(out: &Path, undisturbed: &Files, what: &str) {
    for (name, content) in files(out) {
        assert!(undisturbed[name] == content, "{what}: {name} differs");
    }
    if let Ok(checked) = fsck::check(out) {
        let cells = checked
            .damages
            .iter()
            .filter(|d| d.file.starts_with("cells/"));
        assert_eq!(cells.count(), 0, "{what}: {:?}", checked.damages);
    }
    for (name, end) in [("report.html", "</html>\n"), ("manifest.json", "}\n")] {
        if let Ok(text) = fs::read_to_string(out.join(name)) {
            assert!(text.ends_with(end), "{what}: {name} is cut short");
        }
    }
}

/// The results in a folder of their own, and the operations that they took.
fn undisturbed(folder: &Path) -> (Files, Vec<Operation>) {
    let out = folder.join("undisturbed");
    arm(None);
    let summary = start(folder, &out).expect("a run");
    let operations = disarm();
    assert_eq!((summary.cells, summary.missing), (2 * chains(), 0));
    let files = files(&out);
    assert_eq!(files.len(), 4);
    (files, operations)
}

/// A run whose operation of index `at` fails, and what is left.
fn disturbed(folder: &Path, at: usize, fault: Fault, whole: &Files) -> bool {
    let what = format!("{fault:?} at {at}");
    let out = folder.join("out");
    arm(Some((at, fault)));
    let ended = start(folder, &out);
    let met = disarm();
    nothing_is_cut_short(&out, whole, &what);
    let failed = match ended {
        Err(error) => {
            assert_eq!(error.exit_code(), 3, "{what}: {error}");
            true
        }
        Ok(summary) => {
            assert_eq!(summary.exit_code(), 0, "{what}");
            assert_eq!(summary.missing, 0, "{what}");
            assert!(files(&out) == *whole, "{what}: other results");
            false
        }
    };
    // a system that has lost what it should have kept would say the second time that all is well
    if met.get(at) == Some(&Operation::Sync) && fault != Fault::Short {
        assert!(failed, "{what}: an error of the disk was passed over");
    }
    let summary = start(folder, &out).unwrap_or_else(|error| panic!("{what}, again: {error}"));
    assert_eq!((summary.exit_code(), summary.missing), (0, 0), "{what}");
    assert!(files(&out) == *whole, "{what}, again: other results");
    let checked = fsck::check(&out).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(checked.damages, [], "{what}");
    fs::remove_dir_all(&out).expect("a folder");
    failed
}

#[test]
fn every_operation_fails_once_in_every_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    fs::write(folder.join("spec.toml"), spec()).expect("a spec");
    let (whole, operations) = undisturbed(folder);
    let count = operations.len();
    let of = |wanted| operations.iter().filter(|o| **o == wanted).count();
    // record and impulses of every cell and a file that says whose they are are forced to the disk
    assert_eq!(of(Operation::Sync), 4 * chains() + 1);
    assert!(of(Operation::Write) > 5 && of(Operation::Rename) > 5 && of(Operation::Read) > 5);
    let mut failed = 0;
    for fault in Fault::ALL {
        for (at, operation) in operations.iter().enumerate() {
            // only a write can be short
            if fault != Fault::Short || *operation == Operation::Write {
                failed += usize::from(disturbed(folder, at, fault, &whole));
            }
        }
    }
    println!("{count} operations, {failed} failed runs");
    // what was not gotten over: all but short writes, interrupted writes, and reads that a run can
    // do without
    assert!(failed > count, "{failed} of {count} operations");
}
