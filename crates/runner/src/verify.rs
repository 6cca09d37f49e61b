//! Checks a results folder from its own files: every residual again from the stored impulses, every
//! hash again.
//!
//! No solver runs. The problems come from frozen copies in the folder, if there are some, or from
//! the text of the spec that the run kept; the metrics see problem and impulses alone. What a
//! record says of problem, method and status is made again from spec, problem and impulses, and so
//! are tables, figures and the page.

mod entries;
mod evidence;
mod experiment;
mod files;
mod judge;
mod redundant;
mod status;
mod subjects;
mod texts;
mod versions;
mod views;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_records::build::Build;
use delassus_records::disk;

use crate::error::RunError;
use crate::folder::Folder;
use crate::impulses;
use crate::key::{self, Program};
use crate::matrix::CellMatrix;
use crate::matrix::cell::{MatrixCell, refused_key};
use crate::own_spec;
use crate::record::{CellRecord, Payload};
use crate::registry::Registry;
use crate::saved;
use crate::spec;
use crate::store::{self, CELLS, Kept, WrittenRecord};

pub use crate::folder::Vouched;
pub(crate) use subjects::Subjects;
pub use versions::Versions;

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
pub struct VerifyReport {
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
    /// Keys of cells whose ending nothing in their records shows: only running them again does.
    pub unshown: Vec<String>,
    /// Tables, figures and pages that another program drew, and this one draws otherwise.
    pub redrawn: Vec<Finding>,
    /// The program that has run the cells and this one, where they are two.
    pub versions: Option<Versions>,
    /// What is no mismatch and deserves a word: files that no list names, entries of other
    /// programs.
    pub notes: Vec<Finding>,
    /// Set if the user stopped the check.
    pub cancelled: bool,
}

/// Checks the results folder `dir`, and makes its tables, figures and page again, with the spec
/// that the user names or the one that the folder does. Setting `cancel` ends it at the next cell.
/// `build` is what this program was built from.
///
/// # Errors
/// Not a results folder; one that is damaged; a spec of another experiment; tables that cannot be
/// written for comparison.
pub fn verify(
    dir: &Path,
    spec: Option<&Path>,
    registry: &Registry,
    build: &Build,
    cancel: &AtomicBool,
) -> Result<VerifyReport, RunError> {
    let mut verdict = VerifyReport::default();
    let mut folder = Folder::open(dir)?;
    folder.saved.name_spec(spec);
    if let Some(file) = &folder.saved.named {
        let named = spec::read(file, registry)?;
        own_spec::require(dir, &folder.saved, &named, registry)?;
    }
    verdict.vouched = folder.vouched;
    let manifest = saved::manifest(dir).ok();
    verdict.versions = manifest.and_then(|manifest| Versions::of(&manifest, build));
    for (file, what) in &folder.flaws {
        verdict.find(file, what.clone());
    }
    if let Some(spec) = saved::unread_spec(dir, &folder.saved) {
        verdict.note(store::EXPERIMENT, saved::not_read(&spec));
    }
    experiment::origin(dir, &folder, registry, &mut verdict);
    files::check(dir, &folder.saved, &mut verdict)?;
    experiment::check_spec(dir, &folder.saved, &mut verdict);
    let mut matrix = saved::matrix_as_run(dir, &folder.saved, registry);
    if let Ok(matrix) = &mut matrix {
        for what in matrix.take_recorded(dir, &folder.saved.cells) {
            verdict.leave(CELLS, what);
        }
    }
    match &matrix {
        Ok(matrix) => experiment::check(dir, &folder.saved, matrix, &mut verdict),
        Err(error) => verdict.leave(
            store::EXPERIMENT,
            format!(
                "the spec cannot be read here, so no key was computed again: {}",
                error.on_one_line()
            ),
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
        unsaid: 0,
        verdict,
    };
    for key in &folder.saved.cells {
        if cancel.load(Ordering::Relaxed) {
            check.verdict.cancelled = true;
            return Ok(check.verdict);
        }
        check.cell(key);
    }
    let (mut verdict, unsaid) = (check.verdict, check.unsaid);
    if unsaid > 0 {
        let what = format!(
            "{unsaid} records do not say what program made them, so their keys were not computed again"
        );
        verdict.leave(CELLS, what);
    }
    if verdict.findings.is_empty() {
        views::check(dir, &folder, matrix.ok(), registry, build, &mut verdict)?;
    }
    Ok(verdict)
}

impl VerifyReport {
    /// Adds what is wrong with a file.
    fn find(&mut self, file: &str, what: impl Into<String>) {
        self.findings.push(about(file, what));
    }

    /// Adds what deserves a word of a file.
    fn note(&mut self, file: &str, what: impl Into<String>) {
        self.notes.push(about(file, what));
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

/// How old the program is that made a record, as its key tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Age {
    /// It leaves roots, and what this version leaves of a cell.
    LeavesRoot,
    /// It is older, or the key does not tell.
    Unknown,
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
    /// Records that do not say what program made them \[-\].
    unsaid: usize,
    verdict: VerifyReport,
}

impl Check<'_> {
    fn cell(&mut self, key: &str) {
        self.verdict.cells += 1;
        let file = format!("{CELLS}/{key}.json");
        // a key names a file: nothing that came from elsewhere may lead out of the folder
        let kept = match saved::is_key(key) {
            true => store::read_written(self.dir, key),
            false => Kept::Corrupt("its name is no key".to_owned()),
        };
        let written = match kept {
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
        let WrittenRecord { record, sum, text } = written;
        if let Some(what) = self.folder.flaw(key, Some(&sum)) {
            self.find(&record, file.clone(), what.to_owned());
        }
        self.entries(&record, &text, &file);
        self.program(&record);
        if let Some(what) = self.absent_engine(&record) {
            self.leave(&record, file, what);
            self.verdict.hashed += 1;
            return self.replay(&record);
        }
        let age = self.key(&record, &file);
        self.replay(&record);
        let solved = matches!(record.outcome.payload, Payload::Solve(_));
        let mut met = None;
        if solved && !record.outcome.impulse_hash.is_empty() {
            met = self.impulses(&record);
        } else {
            self.verdict.hashed += 1;
            let left = impulses::left_over(self.dir, key, &record.outcome.impulse_hash);
            for file in left.iter().filter(|_| solved) {
                self.verdict.note(
                    file,
                    "its record has no impulses, so that nothing was compared",
                );
            }
        }
        self.texts(&record, &file, met, age);
    }

    /// Entries that no record of this program has, and other letters of one of its own: in that
    /// they are a mismatch.
    fn entries(&mut self, record: &CellRecord, text: &[u8], file: &str) {
        let origin = record.origin.as_ref();
        let is_own = origin.is_some_and(|origin| origin.binary_sha256 == key::build_id());
        match entries::strange(record, text, is_own) {
            Some(what) if is_own => self.find(record, file.to_owned(), what),
            Some(what) => self.verdict.note(file, what),
            None => {}
        }
    }

    /// What the record says of problem, method and status.
    fn texts(&mut self, record: &CellRecord, file: &str, met: Option<f64>, age: Age) {
        let (Some(matrix), Some(cells)) = (self.matrix, &self.cells) else {
            return;
        };
        let Some(cell) = cells.get(&(record.problem.name.as_str(), record.method())) else {
            return;
        };
        let mut differences = texts::differences(matrix, cell, record, self.registry);
        differences.extend(status::differences(matrix, cell, record, met));
        if age == Age::LeavesRoot {
            differences.extend(evidence::differences(matrix, cell, record));
            differences.extend(redundant::differences(matrix, cell, record));
        }
        if let Some(what) = texts::absence(matrix, cell, record) {
            self.verdict.unchecked.push(Finding {
                file: file.to_owned(),
                cell: Some(names(record)),
                what,
            });
        }
        if !evidence::is_shown(cell, record) {
            self.verdict.unshown.push(record.key.clone());
        }
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

    /// Why key and texts of a record cannot be made again: an engine that this machine does not
    /// have has stepped the cell.
    fn absent_engine(&self, record: &CellRecord) -> Option<String> {
        let engine = record.scheme()?.device.as_ref()?;
        let name = (record.problem.name.as_str(), record.method());
        let cell = self.cells.as_ref()?.get(&name)?;
        let reason = self.matrix?.absent_engine(cell)?;
        Some(format!(
            "{engine} has stepped it, and its key was not computed again: {reason}"
        ))
    }

    fn leave(&mut self, record: &CellRecord, file: String, what: String) {
        self.verdict.unchecked.push(Finding {
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
    /// the record names; how old that is.
    fn key(&mut self, record: &CellRecord, file: &str) -> Age {
        let (Some(matrix), Some(cells)) = (self.matrix, &self.cells) else {
            return Age::Unknown;
        };
        let name = (record.problem.name.as_str(), record.method());
        let Some(cell) = cells.get(&name) else {
            self.find(
                record,
                file.to_owned(),
                "the spec has no such cell".to_owned(),
            );
            return Age::Unknown;
        };
        let follows = |program| {
            let own = matrix.key(cell, program);
            let refused = || refused_key(own.clone(), record.outcome.message.as_deref());
            own == record.key || refused() == record.key
        };
        let said = record.origin.as_ref();
        let said = said.map(|origin| origin.binary_sha256.as_str());
        let build = said.unwrap_or(key::build_id());
        if follows(Program::of(build)) {
            self.verdict.keys += 1;
            if said.is_none() {
                let what = "it does not say what program made it, as every record of this one does";
                self.find(record, file.to_owned(), what.to_owned());
            }
            self.wants_root(record);
            return Age::LeavesRoot;
        }
        if said.is_none() {
            self.unsaid += 1;
            return Age::Unknown;
        }
        if follows(Program::before_roots(build)) {
            self.verdict.keys += 1;
            return Age::Unknown;
        }
        let what = "its key does not follow from the spec, the problem and the program that it names: one of them has changed";
        self.find(record, file.to_owned(), what.to_owned());
        Age::Unknown
    }

    /// Finds fault with a folder without a root, where a key is that of a program that leaves one.
    fn wants_root(&mut self, record: &CellRecord) {
        if self.folder.vouched == Vouched::Older {
            let what = format!(
                "has no root of the cells, and the program that made the key {} leaves one",
                record.key
            );
            let known = |found: &Finding| found.what.starts_with("has no root");
            // once is enough
            if !self.verdict.findings.iter().any(known) {
                self.verdict.find(store::MANIFEST, what);
            }
        }
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
