//! The cells of a results folder, one after the other: record, key, impulses, motion.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_records::build::Build;
use delassus_records::machine::MachineInfo;

use super::recorded::RecordedCell;
use super::report::{Finding, VerifyReport, about};
use super::subjects::Subjects;
use super::unverified::only_rerun;
use super::versions::is_own;
use super::{entries, evidence, experiment, origin, redundant, schedule, status, texts};
use crate::folder::{Folder, RecordEvidence};
use crate::key::{self, Program};
use crate::machine::{is_like, machine};
use crate::matrix::CellMatrix;
use crate::matrix::cell::{MatrixCell, refused_key};
use crate::matrix::recorded::cells_of;
use crate::record::{CellRecord, Payload};
use crate::registry::Registry;
use crate::store::{self, CELLS, StoredCell, WrittenRecord};
use crate::{run_metadata, strays};

mod files;

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

/// A check of the cells under way.
pub(super) struct Check<'c> {
    dir: &'c Path,
    registry: &'c Registry,
    /// What this program was built from.
    build: &'c Build,
    folder: &'c Folder,
    /// Hash of the program that the manifest names.
    binary: Option<String>,
    cells: Option<ByName<'c>>,
    matrix: Option<&'c CellMatrix>,
    subjects: Subjects<'c>,
    /// Records that do not say what program made them \[-\].
    unsaid: usize,
    /// Cells whose program was not there for another reason than here: the program and what is said
    /// of them, with their methods and their number.
    absences: BTreeMap<(String, String), (BTreeSet<String>, usize)>,
    verdict: VerifyReport,
    /// The machine that checks.
    here: MachineInfo,
}

impl<'c> Check<'c> {
    /// Begins a check of the cells of `folder`, which lies in `dir`; `matrix` is that of its spec.
    pub(super) fn new(
        dir: &'c Path,
        folder: &'c Folder,
        matrix: Option<&'c CellMatrix>,
        registry: &'c Registry,
        build: &'c Build,
        mut verdict: VerifyReport,
    ) -> Self {
        let binary = experiment::binary(dir, folder);
        let subjects = Subjects::new(dir, matrix, &mut verdict);
        subjects.check_files(binary.as_deref() == Some(key::build_id()), &mut verdict);
        Self {
            dir,
            registry,
            build,
            folder,
            binary,
            cells: matrix.map(cells_by_name),
            matrix,
            subjects,
            unsaid: 0,
            absences: BTreeMap::new(),
            verdict,
            here: machine(),
        }
    }

    /// Checks every cell of the folder, unless `cancel` is set on the way.
    pub(super) fn run(mut self, cancel: &AtomicBool) -> VerifyReport {
        for key in &self.folder.saved.cells {
            if cancel.load(Ordering::Relaxed) {
                self.verdict.cancelled = true;
                return self.verdict;
            }
            self.cell(key);
        }
        for ((_, what), (labels, number)) in self.absences {
            let cells = cells_of(number, labels.iter().map(String::as_str));
            self.verdict.leave(CELLS, format!("{cells}: {what}"));
        }
        if self.verdict.missing > 0 {
            let what = format!(
                "{} without a record, as they have not run yet or were taken away: run the spec again into this folder",
                cells_in_words(self.verdict.missing)
            );
            self.verdict.leave(CELLS, what);
        }
        if self.unsaid > 0 {
            let what = format!(
                "the record of {} names no program, so that the key was not computed again",
                cells_in_words(self.unsaid)
            );
            self.verdict.leave(CELLS, what);
        }
        self.verdict
    }

    fn cell(&mut self, key: &str) {
        self.verdict.cells += 1;
        let file = format!("{CELLS}/{key}.json");
        // a key names a file: nothing that came from elsewhere may lead out of the folder
        let kept = match run_metadata::is_key(key) {
            true => store::read_written(self.dir, key),
            false => StoredCell::Corrupt("its name is no key".to_owned()),
        };
        let written = match kept {
            StoredCell::Cell(kept) => kept,
            StoredCell::Nothing => {
                self.verdict.missing += 1;
                if let Some(what) = self.folder.flaw(key, None) {
                    self.verdict.find(&file, what);
                }
                return;
            }
            StoredCell::Corrupt(what) => return self.verdict.find(&file, what),
        };
        self.verdict.files += 1;
        let WrittenRecord { record, sum, text } = written;
        self.verdict.records.push(key.to_owned());
        self.verdict.only_rerun.extend(only_rerun(&record));
        if let Some(what) = self.folder.flaw(key, Some(&sum)) {
            self.find(&record, file.clone(), what.to_owned());
        }
        self.entries(&record, &text, &file);
        self.program(&record);
        let age = self.key(&record, &file);
        self.replay(&record);
        let solved = matches!(record.outcome.payload, Payload::Solve(_));
        let mut met = None;
        if solved && !record.outcome.impulse_hash.is_empty() {
            met = self.impulses(&record);
        } else {
            self.verdict.hashed += 1;
        }
        let strays = strays::of_record(self.dir, Some(self.folder), &record);
        self.verdict.find_strays(strays);
        self.texts(&record, &file, met, age);
    }

    /// Entries that no record of this program has, and other letters of one of its own: in that
    /// they are a mismatch.
    fn entries(&mut self, record: &CellRecord, text: &[u8], file: &str) {
        let is_own = is_own(record);
        match entries::strange(record, text, is_own) {
            Some(what) if is_own => self.find(record, file.to_owned(), what),
            Some(what) => self.verdict.note(file, what),
            None => {}
        }
    }

    /// What the record says of problem, method and status.
    fn texts(&mut self, record: &CellRecord, file: &str, met: Option<f64>, age: Age) {
        let (Some(matrix), Some(cell)) = (self.matrix, self.cell_of(record)) else {
            return;
        };
        let of = RecordedCell {
            matrix,
            cell,
            record,
            is_of_here: self.is_of_here(record),
        };
        let mut differences = texts::differences(of, self.registry);
        differences.extend(status::differences(of, met));
        if age == Age::LeavesRoot {
            differences.extend(evidence::differences(of));
            differences.extend(redundant::differences(of));
            differences.extend(schedule::difference(of, self.registry));
            differences.extend(origin::differences(record, self.build));
        }
        if let Some(what) = texts::absence(of) {
            let program = matrix.program_id(cell.method).to_owned();
            let (labels, number) = self.absences.entry((program, what)).or_default();
            labels.insert(record.method().to_owned());
            *number += 1;
        }
        if !evidence::is_shown(cell, record) {
            self.verdict.unshown.push(record.key.clone());
        }
        for what in differences {
            self.find(record, file.to_owned(), what);
        }
    }

    /// True for a record of a machine like this one.
    fn is_of_here(&self, record: &CellRecord) -> bool {
        let origin = record.origin.as_ref();
        origin.is_some_and(|origin| is_like(&origin.machine, &self.here))
    }

    fn find(&mut self, record: &CellRecord, file: String, what: String) {
        self.verdict.findings.push(of_cell(record, file, what));
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
        let Some(matrix) = self.matrix else {
            return Age::Unknown;
        };
        let Some(cell) = self.cell_of(record) else {
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
                let what = "it does not name the program that made it, as every record does";
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
        let what = "spec, problem and program give another key: one of them has changed";
        self.find(record, file.to_owned(), what.to_owned());
        Age::Unknown
    }

    /// Finds fault with a folder without a root, where a key is that of a program that leaves one.
    fn wants_root(&mut self, record: &CellRecord) {
        if self.folder.vouched == RecordEvidence::Older {
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

    /// The cell of the spec that a record is of.
    fn cell_of(&self, record: &CellRecord) -> Option<&'c MatrixCell> {
        let name = (record.problem.name.as_str(), record.method());
        self.cells.as_ref()?.get(&name).copied()
    }
}

/// `1 cell`, `2 cells`.
fn cells_in_words(number: usize) -> String {
    match number {
        1 => "1 cell".to_owned(),
        number => format!("{number} cells"),
    }
}

/// What is wrong with a file of the cell of this record.
fn of_cell(record: &CellRecord, file: String, what: String) -> Finding {
    Finding {
        cell: Some((record.problem.name.clone(), record.method().to_owned())),
        ..about(&file, what)
    }
}
