//! The cells of a run: kept ones looked at, the others run on several threads.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

use delassus_core::{MemoryLimit, Status};
use delassus_records::machine::MachineInfo;

use super::kept::ForeignTimes;
use super::{RunArgs, RunError, RunListener};
use crate::checkout;
#[cfg(unix)]
use crate::isolate::WorkerSlot;
use crate::isolate::{self, Isolation};
use crate::key;
use crate::machine;
use crate::matrix::{CellMatrix, CellReuse, CellRun, MatrixCell, standing};
use crate::origin::Origin;
use crate::outputs;
use crate::record::{CellRecord, Outcome, Payload};
use crate::registry::Registry;
use crate::store::{self, CellSummary};

/// One run under way.
pub(super) struct Run<'r> {
    pub(super) registry: &'r Registry,
    pub(super) matrix: &'r CellMatrix,
    pub(super) dir: &'r Path,
    pub(super) args: &'r RunArgs,
    pub(super) progress: &'r dyn RunListener,
    pub(super) cancel: &'r AtomicBool,
    /// The machine that cells run on now.
    here: MachineInfo,
    /// The commit that is checked out in the folder of the spec, if one is.
    head: Option<String>,
    /// What a problem may take with its solver.
    pub(super) memory: MemoryLimit,
    /// The relative difference of times that this machine cannot tell apart, where times are
    /// repeated.
    noise: Option<f64>,
    /// The checksums of the records that the last run left, where it came to its end.
    left: BTreeMap<String, String>,
    /// True when the folder says that this run changes it.
    pub(super) is_marked: AtomicBool,
    /// One per cell of the matrix.
    pub(super) cells: Vec<Finished>,
    pub(super) kept: usize,
    pub(super) ran: usize,
    /// Cells without a record, as others have ended their processes again and again.
    pub(super) lost: AtomicUsize,
}

/// How long a failure waits for a signal to the run before it is kept: whoever ends a run ends its
/// workers and what solvers have started as well, and these may be the first to go.
const NOTICE: Duration = Duration::from_millis(100);

/// Where the cells of one thread run: in this process, or in those of a bench.
#[cfg(unix)]
pub(super) type Place<'p> = Option<Box<WorkerSlot<'p>>>;
#[cfg(not(unix))]
pub(super) type Place<'p> = Option<&'p std::convert::Infallible>;

/// A cell that has ended: its place, its record, the checksum of its file.
pub(super) type Done = (usize, CellRecord, String);

/// What there is of a cell.
#[derive(Debug)]
pub(super) enum Finished {
    /// Nothing.
    Not,
    /// A file from before, whose record is read when it is needed.
    Before(Box<CellSummary>),
    /// The record that ran now, with the checksum of its file.
    Now(Box<CellRecord>, String),
}

impl Finished {
    /// The checksum of its record.
    pub(super) fn sum(&self) -> Option<&str> {
        match self {
            Self::Not => None,
            Self::Before(summary) => Some(&summary.sum),
            Self::Now(_, sum) => Some(sum),
        }
    }
}

impl<'r> Run<'r> {
    pub(super) fn new(
        registry: &'r Registry,
        matrix: &'r CellMatrix,
        dir: &'r Path,
        args: &'r RunArgs,
        progress: &'r dyn RunListener,
        cancel: &'r AtomicBool,
    ) -> Self {
        Self {
            registry,
            matrix,
            dir,
            args,
            progress,
            cancel,
            here: machine::machine(),
            head: checkout::head(&matrix.spec.folder),
            memory: matrix.spec.memory(),
            noise: None,
            left: outputs::listed(dir).unwrap_or_default().cells,
            is_marked: AtomicBool::new(false),
            cells: matrix.cells.iter().map(|_| Finished::Not).collect(),
            kept: 0,
            ran: 0,
            lost: AtomicUsize::new(0),
        }
    }

    pub(super) fn jobs(&self) -> usize {
        self.args.jobs.max(1)
    }

    /// Looks at what is kept, then runs the rest.
    pub(super) fn execute(&mut self) -> Result<(), RunError> {
        let mine = |index: &usize| self.args.shard.is_none_or(|shard| shard.has(*index));
        let mine: Vec<usize> = (0..self.matrix.cells.len()).filter(mine).collect();
        let todo = self.keep(&mine);
        self.kept = mine.len() - todo.len();
        self.progress.started(mine.len(), self.kept);
        let isolation = self.isolation(&todo);
        let experiment = &self.matrix.experiment;
        let mut cells = todo.iter().map(|index| &self.matrix.cells[*index]);
        if self.jobs() == 1 && cells.any(|cell| cell.skip.is_none() && experiment.repeats(cell)) {
            self.noise = machine::noise_floor();
        }
        for (index, record, sum) in self.workers(&todo, self.jobs(), isolation)? {
            self.cells[index] = Finished::Now(Box::new(record), sum);
            self.ran += 1;
        }
        Ok(())
    }

    /// Keeps what can be kept of these cells, says what of it deserves a word, and returns the
    /// others.
    fn keep(&mut self, mine: &[usize]) -> Vec<usize> {
        let mut todo = Vec::new();
        let kind = self.matrix.experiment.kind();
        let (mut again, mut elsewhere) = (ForeignTimes::default(), ForeignTimes::default());
        for index in mine {
            let cell = &self.matrix.cells[*index];
            let (limits, left) = (&self.matrix.limits, self.left.get(&cell.key));
            match standing(self.dir, cell, &self.here, limits, kind, left) {
                CellReuse::Kept(summary) => {
                    elsewhere.look(&summary, &self.here, self.jobs());
                    self.cells[*index] = Finished::Before(summary);
                    continue;
                }
                CellReuse::New => {}
                CellReuse::Damaged(reason) => {
                    let (problem, solver) = self.names(cell);
                    let note = format!("{problem} with {solver}: {reason}; runs again");
                    self.progress.note(&note);
                }
                CellReuse::Timed(conditions) => again.add(conditions),
            }
            todo.push(*index);
        }
        if !again.is_empty() {
            let note = format!("timed again, as times belong to a machine: {again}");
            self.progress.note(&note);
        }
        if !elsewhere.is_empty() {
            self.progress.note(&format!(
                "times from other conditions than now: {elsewhere}; their counts and residuals stand"
            ));
        }
        todo
    }

    /// How the cells of `todo` are isolated, if they are.
    fn isolation(&self, todo: &[usize]) -> Option<&'r Isolation> {
        let isolation = self.args.isolation.as_ref()?;
        let cells = &self.matrix.cells;
        let running = todo.iter().filter(|index| cells[**index].skip.is_none());
        // a single cell has nobody to take down, and every worker holds the problems once more
        let held = (self.jobs() as u64 + 1).saturating_mul(self.matrix.held());
        let room = held <= self.memory.bytes();
        let worth = isolate::AVAILABLE && room && running.count() > 1;
        (isolation.always || worth).then_some(isolation)
    }

    /// Runs the cells of `todo`; the records come back in any order, each with its place.
    fn workers(
        &self,
        todo: &[usize],
        jobs: usize,
        isolation: Option<&Isolation>,
    ) -> Result<Vec<Done>, RunError> {
        let groups = self.groups(todo, isolation.is_some());
        let next = AtomicUsize::new(0);
        let done = Mutex::new(Vec::with_capacity(todo.len()));
        let failure = Mutex::new(None);
        let work = || {
            let mut place = self.place(isolation);
            while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.cancel.load(Ordering::Relaxed) || locked(&failure).is_some() {
                    return;
                }
                match self.group(group, &mut place) {
                    Ok(records) => locked(&done).extend(records),
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
            thread::scope(|scope| {
                // this thread works as well: there is one, however few the system starts
                for started in 1..jobs.min(todo.len()) {
                    if let Err(error) = thread::Builder::new().spawn_scoped(scope, work) {
                        self.progress.note(&format!(
                            "note: {started} of {jobs} cells at a time, as the system starts no more threads: {error}"
                        ));
                        break;
                    }
                }
                work();
            });
        }
        match failure.into_inner().unwrap_or_else(|e| e.into_inner()) {
            Some(error) => Err(error),
            None => Ok(done.into_inner().unwrap_or_else(|e| e.into_inner())),
        }
    }

    /// Where and when a cell runs that begins now; `turns` is the first of the cells that it takes
    /// turns with.
    pub(super) fn origin(&self, cell: &MatrixCell, turns: Option<&str>) -> Origin {
        let parameters = self.matrix.solver(cell).parameters;
        let begun = Origin::begun(&self.args.build, &self.here, self.jobs(), &parameters);
        Origin {
            noise: self.noise,
            head: self.head.clone(),
            interleaved_with: turns.map(str::to_owned),
            ..begun
        }
    }

    /// Runs one cell and keeps its record; `None` if the user stopped it.
    pub(super) fn cell(
        &self,
        index: usize,
        place: &mut Place<'_>,
    ) -> Result<Option<Done>, RunError> {
        let cell = &self.matrix.cells[index];
        let (problem, solver) = self.names(cell);
        self.progress.cell_started(problem, solver);
        let origin = self.origin(cell, None);
        let run = self.outcome(index, place)?;
        self.keep_cell(index, run, origin)
    }

    /// Runs one cell of a group by itself, in a worker that nobody has used.
    #[cfg(unix)]
    pub(super) fn alone(
        &self,
        index: usize,
        bench: &mut WorkerSlot<'_>,
    ) -> Result<Option<Done>, RunError> {
        let origin = self.origin(&self.matrix.cells[index], None);
        let run = self.apart(index, bench)?;
        self.keep_cell(index, run, origin)
    }

    /// Keeps the record of a cell; `None` if the user stopped it.
    pub(super) fn keep_cell(
        &self,
        index: usize,
        run: CellRun,
        origin: Origin,
    ) -> Result<Option<Done>, RunError> {
        let cell = &self.matrix.cells[index];
        let CellRun {
            mut outcome,
            facts,
            replay,
            impulses,
        } = run;
        if outcome.status == Status::Cancelled || self.is_ended_with(&outcome) {
            return Ok(None);
        }
        outcome.cut_texts();
        self.mark()?;
        if let (Payload::Simulate(run), Some(replay)) = (&mut outcome.payload, &replay) {
            run.replay_hash = Some(key::of_bytes(replay));
        }
        let record = CellRecord {
            key: cell.key.clone(),
            problem: self.matrix.experiment.subject(cell).clone(),
            solver: self.matrix.solver(cell),
            facts,
            outcome,
            origin: Some(origin.ended()),
        };
        // a cell that is there has its replay and its impulses
        if let Some(replay) = replay {
            let path = store::replay_path(self.dir, &record.key);
            let written = store::write_durable(&path, &replay);
            written.map_err(|source| RunError::Write { path, source })?;
        }
        if let Some(impulses) = impulses {
            let written = store::write_impulses(self.dir, &record.key, &impulses);
            written.map_err(|source| RunError::Write {
                path: store::impulses_path(self.dir, &record.key),
                source,
            })?;
        }
        let written = store::write_cell(self.dir, &record);
        let sum = written.map_err(|source| RunError::Write {
            path: store::cell_path(self.dir, &record.key),
            source,
        })?;
        self.progress.cell_finished(&record);
        Ok(Some((index, record, sum)))
    }

    /// True if a cell failed while the run is being ended, which may be the reason. A limit that it
    /// met is one in any case.
    fn is_ended_with(&self, outcome: &Outcome) -> bool {
        let until = Instant::now() + NOTICE;
        let doubtful = outcome.status.is_failure() && outcome.limit.is_none();
        while doubtful && !self.cancel.load(Ordering::Relaxed) && Instant::now() < until {
            thread::sleep(NOTICE / 20);
        }
        doubtful && self.cancel.load(Ordering::Relaxed)
    }
}

/// A lock whose holder panicked still holds whole data: every update is one push.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|e| e.into_inner())
}
