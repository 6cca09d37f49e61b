//! Checks a results folder from its own files: every residual again from the stored impulses, every
//! hash again.
//!
//! No solver runs. The problems come from frozen copies in the folder, if there are some, or from
//! the text of the spec that the run kept; the metrics see problem and impulses alone. What a
//! record says of problem, method and status is made again from spec, problem and impulses; where
//! the same program checks, so are tables, figures and the page.

mod experiment;
mod files;
mod judge;
mod status;
mod subjects;
mod texts;
mod views;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_records::build::Build;
use delassus_records::disk;

use crate::error::RunError;
use crate::folder::Folder;
use crate::key;
use crate::matrix::CellMatrix;
use crate::matrix::cell::{MatrixCell, refused_key};
use crate::record::{CellRecord, Payload};
use crate::registry::Registry;
use crate::saved;
use crate::store::{self, CELLS, Kept};

pub use crate::folder::Vouched;
pub(crate) use subjects::Subjects;

/// Something that is not as it was recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The file, relative to the folder.
    pub file: String,
    /// Problem and solver, or scene and method, if it is about a cell.
    pub cell: Option<(String, String)>,
    /// What is wrong with it.
    pub what: String,
}

/// What was checked, and what was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Verdict {
    /// Cells of the run \[-\].
    pub cells: usize,
    /// Cells whose residuals were evaluated again \[-\].
    pub judged: usize,
    /// Cells without impulses to judge: times, motion, and what never came to an answer \[-\].
    pub hashed: usize,
    /// Cells without a record: the run has not done them \[-\].
    pub missing: usize,
    /// Residuals that were evaluated again \[-\].
    pub values: usize,
    /// Residuals that were not: they need a reference, velocities of the solver's own, or the way
    /// to the answer \[-\].
    pub left: usize,
    /// Cells whose key was computed again \[-\].
    pub keys: usize,
    /// Files whose hash was computed again \[-\].
    pub files: usize,
    /// Files that were made again from the records \[-\].
    pub made: usize,
    /// What vouches for the records.
    pub vouched: Vouched,
    /// What differs from the records.
    pub findings: Vec<Finding>,
    /// What could not be checked, and why.
    pub unchecked: Vec<Finding>,
    /// Set if the user stopped the check.
    pub cancelled: bool,
}

/// Checks the results folder `dir`, and makes its tables, figures and page again. Setting `cancel`
/// ends it at the next cell. `build` is what this program was built from.
///
/// # Errors
/// Not a results folder.
pub fn verify(
    dir: &Path,
    registry: &Registry,
    build: &Build,
    cancel: &AtomicBool,
) -> Result<Verdict, RunError> {
    check(dir, registry, cancel, Depth::Views(build))
}

/// What is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth<'b> {
    /// Cells and hashes.
    Cells,
    /// Also what is made from the cells, by making it again in a program of this build.
    Views(&'b Build),
}

/// Checks as much of the results folder `dir`.
///
/// # Errors
/// Not a results folder.
pub(crate) fn check(
    dir: &Path,
    registry: &Registry,
    cancel: &AtomicBool,
    depth: Depth<'_>,
) -> Result<Verdict, RunError> {
    let mut verdict = Verdict::default();
    let folder = Folder::open(dir)?;
    verdict.vouched = folder.vouched;
    for (file, what) in &folder.flaws {
        verdict.find(file, what.clone());
    }
    files::check(dir, &mut verdict);
    let matrix = saved::matrix_as_run(dir, &folder.saved, registry);
    match &matrix {
        Ok(matrix) => experiment::check(dir, &folder.saved, matrix, &mut verdict),
        Err(error) => verdict.leave(
            store::EXPERIMENT,
            format!("the spec cannot be read here, so no key was computed again: {error}"),
        ),
    }
    let mut check = Check {
        dir,
        registry,
        folder: &folder,
        binary: experiment::binary(dir, &folder),
        cells: matrix.as_ref().ok().map(cells_by_name),
        matrix: matrix.as_ref().ok(),
        subjects: Subjects::new(dir, matrix.as_ref().ok(), &mut verdict),
        verdict,
    };
    for key in &folder.saved.cells {
        if cancel.load(Ordering::Relaxed) {
            check.verdict.cancelled = true;
            return Ok(check.verdict);
        }
        check.cell(key);
    }
    let mut verdict = check.verdict;
    let clean = verdict.findings.is_empty();
    if let (Depth::Views(build), true, Ok(matrix)) = (depth, clean, matrix) {
        views::check(dir, &folder, &matrix, (registry, build), &mut verdict)?;
    }
    Ok(verdict)
}

impl Verdict {
    /// Adds what is wrong with a file.
    fn find(&mut self, file: &str, what: impl Into<String>) {
        self.findings.push(about(file, what));
    }

    /// Adds what cannot be checked of a file.
    fn leave(&mut self, file: &str, what: impl Into<String>) {
        self.unchecked.push(about(file, what));
    }
}

fn about(file: &str, what: impl Into<String>) -> Finding {
    Finding {
        file: file.to_owned(),
        cell: None,
        what: what.into(),
    }
}

type ByName<'m> = BTreeMap<(&'m str, &'m str), &'m MatrixCell>;

fn cells_by_name(matrix: &CellMatrix) -> ByName<'_> {
    let named = |cell| {
        let subject = matrix.experiment.subject(cell);
        ((subject.name.as_str(), matrix.method(cell)), cell)
    };
    matrix.cells.iter().map(named).collect()
}

/// A check under way.
struct Check<'c> {
    dir: &'c Path,
    registry: &'c Registry,
    folder: &'c Folder,
    /// Hash of the program that the manifest names.
    binary: Option<String>,
    cells: Option<ByName<'c>>,
    matrix: Option<&'c CellMatrix>,
    subjects: Subjects<'c>,
    verdict: Verdict,
}

impl Check<'_> {
    fn cell(&mut self, key: &str) {
        self.verdict.cells += 1;
        let file = format!("{CELLS}/{key}.json");
        // a key names a file: nothing that came from elsewhere may lead out of the folder
        let kept = match saved::is_key(key) {
            true => store::read_summed(self.dir, key),
            false => Kept::Corrupt("its name is no key".to_owned()),
        };
        let (record, sum) = match kept {
            Kept::Cell(kept) => kept,
            Kept::Nothing => {
                self.verdict.missing += 1;
                if let Some(what) = self.folder.flaw(key, None) {
                    self.verdict.find(&file, what);
                }
                return;
            }
            Kept::Corrupt(what) => return self.verdict.find(&file, what),
        };
        self.verdict.files += 1;
        if let Some(what) = self.folder.flaw(key, Some(&sum)) {
            self.find(&record, file.clone(), what.to_owned());
        }
        self.program(&record);
        self.key(&record, &file);
        self.replay(&record);
        let solved = matches!(record.outcome.payload, Payload::Solve(_));
        let mut met = None;
        if solved && !record.outcome.impulse_hash.is_empty() {
            met = self.impulses(&record);
        } else {
            self.verdict.hashed += 1;
        }
        self.texts(&record, &file, met);
    }

    /// What the record says of problem, method and status.
    fn texts(&mut self, record: &CellRecord, file: &str, met: Option<f64>) {
        let (Some(matrix), Some(cells)) = (self.matrix, &self.cells) else {
            return;
        };
        let Some(cell) = cells.get(&(record.problem.name.as_str(), record.method())) else {
            return;
        };
        let mut differences = texts::differences(matrix, cell, record, self.registry);
        differences.extend(status::differences(matrix, cell, record, met));
        for what in differences {
            self.find(record, file.to_owned(), what);
        }
    }

    fn find(&mut self, record: &CellRecord, file: String, what: String) {
        self.verdict.findings.push(Finding {
            file,
            cell: Some(names(record)),
            what,
        });
    }

    /// The program that the record names, which must be that of the manifest.
    fn program(&mut self, record: &CellRecord) {
        let recorded = record.origin.as_ref().map(|origin| &origin.binary_sha256);
        if let (Some(recorded), Some(said)) = (recorded, &self.binary)
            && recorded != said
        {
            let what = format!("names another program than the record of {}", record.key);
            self.verdict.find(store::MANIFEST, what);
            // once is enough
            self.binary = None;
        }
    }

    /// The key again, from the spec, the numbers of the problem and the hash of the program that
    /// the record names.
    fn key(&mut self, record: &CellRecord, file: &str) {
        let (Some(matrix), Some(cells), Some(origin)) = (self.matrix, &self.cells, &record.origin)
        else {
            return;
        };
        let name = (record.problem.name.as_str(), record.method());
        let Some(cell) = cells.get(&name) else {
            self.find(
                record,
                file.to_owned(),
                "the spec has no such cell".to_owned(),
            );
            return;
        };
        let own = matrix.key(cell, &origin.binary_sha256);
        let refused = || refused_key(own.clone(), record.outcome.message.as_deref());
        if own == record.key || refused() == record.key {
            self.verdict.keys += 1;
            return;
        }
        let what = "its key does not follow from the spec, the problem and the program that it names: one of them has changed";
        self.find(record, file.to_owned(), what.to_owned());
    }

    fn replay(&mut self, record: &CellRecord) {
        let path = store::replay_path(self.dir, &record.key);
        let hash = record.outcome.replay_hash();
        if hash.is_none() && !path.is_file() {
            return;
        }
        self.verdict.files += 1;
        if let Err(what) = crate::replays::check(self.dir, &record.key, hash) {
            let file = format!("{CELLS}/{}.replay", record.key);
            self.find(record, file, what);
        }
    }

    /// The impulses: their hash, and what the metrics make of them. The largest criterion, where
    /// all of them follow from impulses.
    fn impulses(&mut self, record: &CellRecord) -> Option<f64> {
        let file = format!("{CELLS}/{}.impulses", record.key);
        let bytes = match disk::read_in(self.dir, &file) {
            Ok(bytes) => bytes,
            Err(error) => {
                self.find(record, file, format!("cannot be read: {error}"));
                return None;
            }
        };
        self.verdict.files += 1;
        if key::of_bytes(&bytes) != record.outcome.impulse_hash {
            let what = "these are not the impulses that the record has the hash of".to_owned();
            self.find(record, file, what);
            return None;
        }
        let subject = match self.subjects.of(record) {
            Ok(subject) => subject,
            Err(what) => {
                self.verdict.unchecked.push(Finding {
                    file,
                    cell: Some(names(record)),
                    what,
                });
                return None;
            }
        };
        let judged = judge::judge(record, &subject, &bytes);
        self.verdict.judged += 1;
        self.verdict.values += judged.values;
        self.verdict.left += judged.left;
        let file = format!("{CELLS}/{}.json", record.key);
        for what in judged.differences {
            self.find(record, file.clone(), what);
        }
        judged.worst
    }
}

fn names(record: &CellRecord) -> (String, String) {
    (record.problem.name.clone(), record.method().to_owned())
}
