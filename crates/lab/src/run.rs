//! Runs an experiment: every cell once, finished cells kept, everything written so that a kill loses one cell at most.

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, OnceLock};

use delassus_core::Status;
use thiserror::Error;

use crate::manifest;
use crate::matrix::{self, Cell, Matrix, Task};
use crate::record::{CellRecord, NO_DEVICE};
use crate::registry::Registry;
use crate::report::{self, ReportError};
use crate::results;
use crate::spec::{self, SpecError};
use crate::store::{self, Kept};
use crate::{bundle::Bundle, key};

mod cell;
mod reference;
mod timed;
mod trajectory;

use reference::Reference;

/// What to run, and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunArgs {
    /// The spec: a file, or the folder of an `experiment.toml`.
    pub spec: PathBuf,
    /// Folder of the results; `results/ID` if left out.
    pub out: Option<PathBuf>,
    /// Cells that run at the same time; more than one disturbs the timing.
    pub jobs: usize,
    /// Run a part of the cells only.
    pub shard: Option<Shard>,
    /// Refuse to run where a solver's device is missing, instead of skipping its cells.
    pub require_gpu: bool,
}

/// One of `of` parts of the cells, dealt like cards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// Which part, from 1.
    pub index: usize,
    /// Number of parts.
    pub of: usize,
}

impl Shard {
    fn has(self, cell: usize) -> bool {
        cell % self.of == self.index - 1
    }
}

impl FromStr for Shard {
    type Err = String;

    /// Parses `I/N` with 1 ≤ I ≤ N.
    fn from_str(text: &str) -> Result<Self, String> {
        let refuse = || format!("{text:?} is not I/N with 1 ≤ I ≤ N, as in 2/8");
        let (index, of) = text.split_once('/').ok_or_else(refuse)?;
        let index = index.parse().map_err(|_| refuse())?;
        let of = of.parse().map_err(|_| refuse())?;
        if index == 0 || index > of {
            return Err(refuse());
        }
        Ok(Self { index, of })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index, self.of)
    }
}

/// Hears how a run goes. Every method has an empty default; `()` hears nothing.
///
/// Cells run on several threads: methods take `&self`.
pub trait Progress: Sync {
    /// Before the first cell: the cells of this run, and how many of them are kept from before.
    fn started(&self, cells: usize, kept: usize) {
        let _ = (cells, kept);
    }

    /// A cell begins.
    fn cell_started(&self, problem: &str, solver: &str) {
        let _ = (problem, solver);
    }

    /// A cell has ended and is kept.
    fn cell_finished(&self, record: &CellRecord) {
        let _ = record;
    }

    /// Something that the user should know.
    fn note(&self, text: &str) {
        let _ = text;
    }
}

impl Progress for () {}

/// How a run went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSummary {
    /// Folder of the results.
    pub dir: PathBuf,
    /// The report; `None` if this run wrote none (a shard).
    pub report: Option<PathBuf>,
    /// Cells of the matrix.
    pub cells: usize,
    /// Cells of this run that were kept from before.
    pub kept: usize,
    /// Cells that ran now.
    pub ran: usize,
    /// Cells without a record.
    pub missing: usize,
    /// Records by status, over everything that there is now.
    pub statuses: BTreeMap<Status, usize>,
    /// The word for [`Status::Solved`] in this experiment.
    pub good: &'static str,
    /// Scenes that no scheme steps.
    pub unstepped: Vec<String>,
    /// True if the user stopped the run.
    pub cancelled: bool,
}

impl RunSummary {
    /// Cells that failed or were not reproducible.
    pub fn failed(&self) -> usize {
        let count = |status| self.statuses.get(&status).copied().unwrap_or(0);
        count(Status::Failed) + count(Status::Broken)
    }

    /// Records by the word for how they ended.
    pub fn endings(&self) -> BTreeMap<&'static str, usize> {
        let named = self.statuses.iter().map(|(status, count)| match status {
            Status::Solved => (self.good, *count),
            other => (other.id(), *count),
        });
        named.collect()
    }

    /// 130 if the user stopped the run, 1 if a cell failed, otherwise 0: not converging is a result.
    pub fn exit_code(&self) -> u8 {
        match (self.cancelled, self.failed()) {
            (true, _) => 130,
            (false, 0) => 0,
            (false, _) => 1,
        }
    }
}

/// Why a run did not come about, or could not be written.
#[derive(Debug, Error)]
pub enum RunError {
    /// The spec cannot be meant.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// The device of a solver or scheme is missing, and the request does not allow to skip it.
    #[error(
        "{label} finds no adapter on this machine; `delassus doctor` lists them, and without --require-gpu its cells are skipped"
    )]
    NoDevice {
        /// Label of the solver or scheme.
        label: String,
    },
    /// A file of the results cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of the results cannot be read.
    #[error("cannot read {}: {source}; is this the results folder of a run?", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// Figures, tables or the report cannot be made.
    #[error(transparent)]
    Report(#[from] ReportError),
}

impl RunError {
    /// 2 if the request was wrong, 1 if something failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Spec(_) | Self::Read { .. } => 2,
            Self::NoDevice { .. } | Self::Write { .. } | Self::Report(_) => 1,
        }
    }
}

/// Reads and expands the spec: everything that can be wrong with a request is wrong here.
///
/// # Errors
/// [`RunError::Spec`]; [`RunError::NoDevice`] where a device is required.
pub fn plan(registry: &Registry, args: &RunArgs) -> Result<(Matrix, PathBuf), RunError> {
    let spec = spec::read(&args.spec, registry)?;
    let dir = args
        .out
        .clone()
        .unwrap_or_else(|| Path::new("results").join(&spec.id));
    let matrix = matrix::expand(spec, registry)?;
    let solvers = matrix.solvers.iter().map(|s| (&s.label, &s.device));
    let schemes = matrix.schemes.iter().map(|s| (&s.label, &s.device));
    let mut missing = solvers
        .chain(schemes)
        .filter(|(_, device)| device.as_deref() == Some(NO_DEVICE));
    match missing.next() {
        Some((label, _)) if args.require_gpu => Err(RunError::NoDevice {
            label: label.clone(),
        }),
        _ => Ok((matrix, dir)),
    }
}

/// Runs or resumes an experiment and writes its tables, figures and report.
///
/// Setting `cancel` ends the cells in flight at their next sample; finished cells stay, and what there is gets its
/// tables and report.
///
/// # Errors
/// A wrong request before anything runs; files that cannot be written.
pub fn run(
    registry: &Registry,
    args: &RunArgs,
    progress: &dyn Progress,
    cancel: &AtomicBool,
) -> Result<RunSummary, RunError> {
    let (matrix, dir) = plan(registry, args)?;
    let mut args = args.clone();
    if matrix.spec.timing.is_some() && args.jobs > 1 {
        progress.note("cells that are timed run one at a time");
        args.jobs = 1;
    } else if args.jobs > 1 {
        progress.note("several cells run at a time: counts are exact, times are disturbed");
    }
    if let Some(line) = matrix::left_over(&matrix.unstepped()) {
        progress.note(&format!("note: {line}"));
    }
    let mut run = Run::new(registry, &matrix, &dir, &args, progress, cancel);
    run.execute(args.jobs)?;
    run.finish(&args)
}

/// One run under way.
struct Run<'r> {
    registry: &'r Registry,
    matrix: &'r Matrix,
    dir: &'r Path,
    shard: Option<Shard>,
    progress: &'r dyn Progress,
    cancel: &'r AtomicBool,
    /// One per cell of the matrix.
    records: Vec<Option<CellRecord>>,
    /// One per problem.
    references: Vec<OnceLock<Reference>>,
    /// The problem of the last timed cell.
    latest: timed::Latest,
    kept: usize,
    ran: usize,
}

impl<'r> Run<'r> {
    fn new(
        registry: &'r Registry,
        matrix: &'r Matrix,
        dir: &'r Path,
        args: &RunArgs,
        progress: &'r dyn Progress,
        cancel: &'r AtomicBool,
    ) -> Self {
        Self {
            registry,
            matrix,
            dir,
            shard: args.shard,
            progress,
            cancel,
            records: vec![None; matrix.cells.len()],
            references: matrix.problems.iter().map(|_| OnceLock::new()).collect(),
            latest: timed::Latest::default(),
            kept: 0,
            ran: 0,
        }
    }

    /// Looks at what is kept, then runs the rest on `jobs` threads.
    fn execute(&mut self, jobs: usize) -> Result<(), RunError> {
        let mine = |index: &usize| self.shard.is_none_or(|shard| shard.has(*index));
        let mine: Vec<usize> = (0..self.matrix.cells.len()).filter(mine).collect();
        let mut todo = Vec::new();
        for index in &mine {
            let cell = &self.matrix.cells[*index];
            match store::read_cell(self.dir, &cell.key) {
                Kept::Cell(record) => self.records[*index] = Some(*record),
                Kept::Nothing => todo.push(*index),
                Kept::Corrupt(reason) => {
                    let (problem, solver) = self.names(cell);
                    let note = format!("{problem} with {solver}: kept file: {reason}; runs again");
                    self.progress.note(&note);
                    todo.push(*index);
                }
            }
        }
        self.kept = mine.len() - todo.len();
        self.progress.started(mine.len(), self.kept);
        for (index, record) in self.workers(&todo, jobs.max(1))? {
            self.records[index] = Some(record);
            self.ran += 1;
        }
        Ok(())
    }

    /// Runs the cells of `todo`; the records come back in any order, each with its place.
    fn workers(&self, todo: &[usize], jobs: usize) -> Result<Vec<(usize, CellRecord)>, RunError> {
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(todo.len()));
        let failure = Mutex::new(None);
        let work = || {
            while let Some(index) = todo.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.cancel.load(Ordering::Relaxed) || locked(&failure).is_some() {
                    return;
                }
                match self.cell(&self.matrix.cells[*index]) {
                    Ok(Some(record)) => locked(&done).push((*index, record)),
                    // stopped in the middle
                    Ok(None) => return,
                    Err(error) => {
                        locked(&failure).get_or_insert(error);
                        return;
                    }
                }
            }
        };
        if jobs == 1 {
            work();
        } else {
            std::thread::scope(|scope| {
                for _ in 0..jobs.min(todo.len()) {
                    scope.spawn(work);
                }
            });
        }
        match failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
            Some(error) => Err(error),
            None => Ok(done.into_inner().unwrap_or_else(|e| e.into_inner())),
        }
    }

    /// Runs one cell and keeps its record; `None` if the user stopped it.
    fn cell(&self, cell: &Cell) -> Result<Option<CellRecord>, RunError> {
        let (problem, solver) = self.names(cell);
        self.progress.cell_started(problem, &solver);
        let (label, facts) = self.matrix.subject(cell);
        let mut facts = facts.clone();
        let run = || match cell.task {
            Task::Time { problem, solver } => {
                let pair = (problem, solver);
                let (registry, latest) = (self.registry, &self.latest);
                let (outcome, made) =
                    timed::run(self.matrix, cell, pair, registry, latest, self.cancel);
                facts = made;
                outcome
            }
            Task::Solve { problem, solver } => {
                let reference = self.references[problem].get_or_init(|| {
                    reference::of(self.matrix, problem, self.registry, self.cancel)
                });
                let pair = (problem, solver);
                cell::run(
                    self.matrix,
                    cell,
                    pair,
                    self.registry,
                    reference,
                    self.cancel,
                )
            }
            Task::Simulate { .. } => trajectory::run(self.matrix, cell, self.registry, self.cancel),
        };
        // a solver of the user may panic: its cell has failed, the others have not
        let outcome = catch_unwind(AssertUnwindSafe(run))
            .unwrap_or_else(|payload| cell::panicked(payload.as_ref()));
        if outcome.status == Status::Cancelled {
            return Ok(None);
        }
        let (scheme, solver) = self.matrix.treatment(cell);
        let record = CellRecord {
            key: cell.key.clone(),
            problem: label.clone(),
            scheme,
            solver,
            facts,
            outcome,
        };
        store::write_cell(self.dir, &record).map_err(|source| RunError::Write {
            path: store::cell_path(self.dir, &record.key),
            source,
        })?;
        self.progress.cell_finished(&record);
        Ok(Some(record))
    }

    fn names(&self, cell: &Cell) -> (&'r str, String) {
        let (label, _) = self.matrix.subject(cell);
        (&label.name, self.matrix.method(cell))
    }

    /// Writes tables, figures and report of everything that there is.
    fn finish(self, args: &RunArgs) -> Result<RunSummary, RunError> {
        let cells = self.matrix.cells.len();
        let missing = self.records.iter().filter(|r| r.is_none()).count();
        let records: Vec<CellRecord> = self.records.into_iter().flatten().collect();
        let mut statuses = BTreeMap::new();
        for record in &records {
            *statuses.entry(record.outcome.status).or_insert(0) += 1;
        }
        let mut report = None;
        if args.shard.is_none() {
            let spec = &self.matrix.spec;
            let hash = key::of_text(&spec.text);
            let manifest = manifest::manifest(&hash, args.jobs.max(1));
            let bundle = Bundle {
                records,
                missing,
                unstepped: self.matrix.unstepped(),
                ..results::bundle(spec, command(args), manifest)
            };
            let keys = self.matrix.cells.iter().map(|cell| cell.key.clone());
            results::write(self.dir, spec, &bundle, keys.collect())?;
            report::write(&bundle, self.dir)?;
            report = Some(self.dir.join("report.html"));
        }
        Ok(RunSummary {
            dir: self.dir.to_owned(),
            report,
            cells,
            kept: self.kept,
            ran: self.ran,
            missing,
            statuses,
            good: self.matrix.good_ending(),
            unstepped: self.matrix.unstepped(),
            cancelled: self.cancel.load(Ordering::Relaxed),
        })
    }
}

/// The command that repeats the run. An absolute path would tell where the user keeps things: its end must do.
fn command(args: &RunArgs) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    let spec = args.spec.strip_prefix(&here).unwrap_or(&args.spec);
    let spec = if spec.is_absolute() {
        Path::new(spec.file_name().unwrap_or_default())
    } else {
        spec
    };
    let shown = spec.display().to_string();
    if shown.contains([' ', '\'', '"', '\\', '$']) {
        return format!(
            "cargo run --release -- run '{}'",
            shown.replace('\'', r"'\''")
        );
    }
    format!("cargo run --release -- run {shown}")
}

/// A lock whose holder panicked still holds whole data: every update is one push.
fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
