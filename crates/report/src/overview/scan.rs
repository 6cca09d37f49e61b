//! Results folders as rows of the page. Nothing in them is trusted: they may be half copied,
//! damaged, or somebody else's.

use std::fs;
use std::io;
use std::path::Path;
use std::str::FromStr as _;

use delassus_core::Status;
use delassus_records::disk;
use delassus_records::store::{EXPERIMENT, MANIFEST};
use serde::Deserialize;
use serde_json::Value;

use super::finding::first_sentence;
use crate::tables::is_good;

/// A results folder.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// Name of the folder; letters that are none stand as �.
    pub folder: String,
    /// False where the name cannot be an address.
    pub linked: bool,
    /// What it holds, or why that cannot be said.
    pub holds: Result<ExperimentEntry, String>,
}

/// What the page says of an experiment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ExperimentEntry {
    /// Title of the spec.
    pub title: String,
    /// Its question.
    pub question: String,
    /// First sentence of the finding of its README.
    pub finding: Option<String>,
    /// Cells of the matrix \[-\].
    pub cells: usize,
    /// Cells with a record, as of the last report \[-\].
    pub done: usize,
    /// Those that are solved, ended or timed \[-\].
    pub good: usize,
    /// Those that failed \[-\]; not converging is no failure.
    pub failed: usize,
    /// When the last cell ran: date and time in UTC, ISO 8601.
    pub date: Option<String>,
    /// Processors that cells ran on.
    pub machine: Option<String>,
    /// Pages that there are, by their names.
    pub pages: Vec<&'static str>,
    /// What of the folder cannot be read.
    pub damage: Option<String>,
}

/// Pages and tables of a results folder that the page leads to.
pub(super) const PAGES: [&str; 4] = ["report.html", "replay.html", "summary.csv", "records.csv"];

/// All results folders in a folder, in the order of their names.
///
/// # Errors
/// The folder cannot be read.
pub fn scan(results: &Path) -> io::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for entry in fs::read_dir(results)? {
        let path = entry?.path();
        if fs::symlink_metadata(path.join(EXPERIMENT)).is_err() {
            continue;
        }
        let name = path.file_name().unwrap_or_default();
        rows.push(Row {
            folder: name.to_string_lossy().into_owned(),
            linked: name.to_str().is_some(),
            holds: experiment(&path),
        });
    }
    rows.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(rows)
}

/// What the page needs of `experiment.json`.
#[derive(Deserialize)]
struct ExperimentHeader {
    title: String,
    #[serde(default)]
    question: String,
    #[serde(default)]
    readme: Option<String>,
    cells: Vec<String>,
}

fn experiment(dir: &Path) -> Result<ExperimentEntry, String> {
    let header = bytes(&dir.join(EXPERIMENT))?;
    let header: ExperimentHeader = serde_json::from_slice(&header)
        .map_err(|error| format!("{EXPERIMENT} is damaged: {error}"))?;
    let there = |name: &&&str| fs::metadata(dir.join(name)).is_ok_and(|facts| facts.is_file());
    let mut experiment = ExperimentEntry {
        title: header.title,
        question: header.question,
        finding: header.readme.as_deref().and_then(first_sentence),
        cells: header.cells.len(),
        pages: PAGES.iter().filter(there).copied().collect(),
        ..ExperimentEntry::default()
    };
    // a run that was killed before its first report has neither
    let parts = [
        ("summary.csv", count as fn(&[u8], &mut ExperimentEntry) -> _),
        (MANIFEST, origin),
    ];
    for (name, read) in parts {
        let path = dir.join(name);
        if fs::symlink_metadata(&path).is_err() {
            continue;
        }
        let part = bytes(&path).and_then(|bytes| {
            read(&bytes, &mut experiment).map_err(|reason| format!("{name} is damaged: {reason}"))
        });
        if let Err(reason) = part {
            experiment.damage = Some(reason);
        }
    }
    Ok(experiment)
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    disk::read(path).map_err(|error| format!("{name}: {error}"))
}

/// Counts the rows of a summary by how their cells ended.
fn count(summary: &[u8], experiment: &mut ExperimentEntry) -> Result<(), String> {
    let mut reader = csv::Reader::from_reader(summary);
    let headers = reader.headers().map_err(|error| error.to_string())?;
    let column = headers.iter().position(|name| name == "status");
    let column = column.ok_or("it has no column of statuses")?;
    for row in reader.records() {
        let row = row.map_err(|error| error.to_string())?;
        let ending = row.get(column).unwrap_or_default();
        experiment.done += 1;
        if is_good(ending) {
            experiment.good += 1;
        } else if Status::from_str(ending).is_ok_and(Status::is_failure) {
            experiment.failed += 1;
        }
    }
    Ok(())
}

/// When and where it ran.
fn origin(manifest: &[u8], experiment: &mut ExperimentEntry) -> Result<(), String> {
    let manifest: Value = serde_json::from_slice(manifest).map_err(|error| error.to_string())?;
    experiment.date = manifest["date"].as_str().map(str::to_owned);
    let machine = match &manifest["cpu"] {
        Value::String(one) => Some(one.clone()),
        Value::Array(several) => {
            let names: Vec<&str> = several.iter().filter_map(Value::as_str).collect();
            (!names.is_empty()).then(|| names.join("; "))
        }
        _ => None,
    };
    experiment.machine = machine;
    Ok(())
}
