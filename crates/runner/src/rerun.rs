//! Runs cells again, and compares everything that their records say but times: samples, counts,
//! decisions, messages, hashes. Nothing else shows whether the way to an answer is as recorded.

mod compare;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::Status;

use crate::error::RunError;
use crate::isolate::{Isolation, WorkerEvent, WorkerExit, WorkerSlot, out_of_turn};
use crate::key;
use crate::machine::machine;
use crate::matrix::recorded::cells_of;
use crate::matrix::{CellMatrix, CellRun, MatrixCell, Workbench};
use crate::record::{CellRecord, Payload, ResourceLimit};
use crate::registry::Registry;
use crate::run_metadata;
use crate::store::{self, CELLS, StoredCell};
use crate::verify::Finding;
use compare::Conditions;

/// What came of the cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rerun {
    /// Cells that come to what their records say \[-\].
    pub same: usize,
    /// Cells that come to something else.
    pub findings: Vec<Finding>,
    /// Cells whose difference may be that of this machine, and those of other programs.
    pub unchecked: Vec<Finding>,
    /// Set if the user stopped the check.
    pub cancelled: bool,
}

/// Runs the cells of these keys again, each in a process of its own and within the limit at which
/// its record says that it ended. Without `isolation` they run in this process, in which no cell
/// can end as one whose process ended. Nothing in `dir` changes. `spec` is the spec that the user
/// names in place of the one that the folder does.
///
/// # Errors
/// Not a results folder; a spec that cannot be read; processes that cannot be started.
pub fn rerun(
    dir: &Path,
    spec: Option<&Path>,
    keys: &[String],
    registry: &Registry,
    isolation: Option<&Isolation>,
    cancel: &AtomicBool,
) -> Result<Rerun, RunError> {
    let mut saved = run_metadata::read(dir)?;
    saved.name_spec(spec);
    let mut matrix = run_metadata::matrix_as_run(dir, &saved, registry).map_err(RunError::Spec)?;
    // verify has said which these are
    matrix.take_recorded(dir, &saved.cells);
    let usual = matrix.limits;
    let places = matrix.cells.iter().enumerate();
    let places = places.map(|(index, cell)| (cell.key.clone(), index));
    let places: BTreeMap<String, usize> = places.collect();
    let conditions = Conditions::new(registry, machine());
    let mut rerun = Rerun::default();
    let mut skipped = SkippedCells::default();
    for key in keys {
        let StoredCell::Cell(record) = store::read_cell(dir, key) else {
            continue;
        };
        let Some(index) = places.get(key).copied() else {
            skipped.add(OTHER_PROGRAM, &record);
            continue;
        };
        let cell = &matrix.cells[index];
        let is_absent = cell.skip.is_some() && cell.skip.as_deref() == matrix.absence(cell.method);
        if matrix.is_recorded(cell.method) || is_absent {
            skipped.add(NOT_HERE, &record);
            continue;
        }
        matrix.limits = usual;
        match record.outcome.limit {
            Some(ResourceLimit::Seconds(seconds)) => matrix.limits.seconds = seconds,
            Some(ResourceLimit::CpuSeconds(seconds)) => matrix.limits.cpu_seconds = Some(seconds),
            Some(ResourceLimit::Bytes(bytes)) => matrix.limits.bytes = bytes,
            None => {}
        }
        let ended = match isolation {
            Some(isolation) => apart(&matrix, index, isolation, cancel)?,
            None => here(&matrix, index, &record, registry, cancel),
        };
        match ended {
            Ended::Cancelled => {
                rerun.cancelled = true;
                break;
            }
            Ended::Lost(reason) => rerun.unchecked.push(about(&record, reason)),
            Ended::With(run) => {
                let again = as_recorded(&record, *run);
                rerun.compare(&record, &again, &conditions);
            }
        }
    }
    rerun.unchecked.extend(skipped.findings());
    Ok(rerun)
}

/// What is said of cells that cannot run here.
const OTHER_PROGRAM: &str = "another program has run it, and only that can run it again";
const NOT_HERE: &str = "the program or the device that ran it is not on this machine";

/// Cells that cannot run here: methods and number, by the reason.
#[derive(Default)]
struct SkippedCells(BTreeMap<&'static str, (BTreeSet<String>, usize)>);

impl SkippedCells {
    fn add(&mut self, reason: &'static str, record: &CellRecord) {
        let (methods, number) = self.0.entry(reason).or_default();
        methods.insert(record.method().to_owned());
        *number += 1;
    }

    fn findings(self) -> impl Iterator<Item = Finding> {
        self.0.into_iter().map(|(reason, (methods, number))| {
            let cells = cells_of(number, methods.iter().map(String::as_str));
            Finding {
                file: CELLS.to_owned(),
                cell: None,
                what: format!("{cells}: not run again: {reason}"),
                mend: None,
            }
        })
    }
}

/// What a cell came to that was run again.
enum Ended {
    With(Box<CellRun>),
    /// Its process was ended from outside, as the words say.
    Lost(String),
    Cancelled,
}

/// Runs a cell in a process of its own.
fn apart(
    matrix: &CellMatrix,
    index: usize,
    isolation: &Isolation,
    cancel: &AtomicBool,
) -> Result<Ended, RunError> {
    let cell = &matrix.cells[index];
    if let Some(run) = refused(matrix, cell) {
        return Ok(Ended::With(Box::new(run)));
    }
    let mut bench = WorkerSlot::new(isolation, matrix, matrix.spec.memory(), cancel);
    Ok(match bench.work(index, &|_| {})? {
        _ if cancel.load(Ordering::Relaxed) => Ended::Cancelled,
        WorkerEvent::Done(run) => Ended::With(run),
        WorkerEvent::Ended(fall) => Ended::With(Box::new(fallen(matrix, cell, fall))),
        WorkerEvent::Outside(reason) => Ended::Lost(reason),
        WorkerEvent::Cancelled => Ended::Cancelled,
        WorkerEvent::Begun(_) | WorkerEvent::Passed => return Err(out_of_turn()),
    })
}

fn fallen(matrix: &CellMatrix, cell: &MatrixCell, fall: WorkerExit) -> CellRun {
    let experiment = &matrix.experiment;
    let mut run = experiment.without_run(cell, fall.status, fall.message);
    run.outcome.limit = fall.limit;
    run
}

/// Runs a cell in this process.
fn here(
    matrix: &CellMatrix,
    index: usize,
    record: &CellRecord,
    registry: &Registry,
    cancel: &AtomicBool,
) -> Ended {
    let cell = &matrix.cells[index];
    if let Some(run) = refused(matrix, cell) {
        return Ended::With(Box::new(run));
    }
    if record.outcome.status.is_killed() {
        return Ended::Lost("its process ended, and it is not run again without one".to_owned());
    }
    let workbench = Workbench {
        registry,
        solvers: &matrix.solvers,
        memory: matrix.spec.memory(),
        cancel,
    };
    let run = matrix.experiment.run_guarded(cell, &workbench);
    match cancel.load(Ordering::Relaxed) {
        true => Ended::Cancelled,
        false => Ended::With(Box::new(run)),
    }
}

/// What a cell comes to that the spec refuses.
fn refused(matrix: &CellMatrix, cell: &MatrixCell) -> Option<CellRun> {
    let reason = cell.skip.clone()?;
    let experiment = &matrix.experiment;
    Some(experiment.without_run(cell, Status::Unsupported, reason))
}

/// The record that a run of the cell of `record` leaves.
fn as_recorded(record: &CellRecord, run: CellRun) -> CellRecord {
    let CellRun {
        mut outcome,
        facts,
        replay,
        ..
    } = run;
    outcome.cut_texts();
    if let (Payload::Simulate(run), Some(replay)) = (&mut outcome.payload, &replay) {
        run.replay_hash = Some(key::of_bytes(replay));
    }
    CellRecord {
        outcome,
        facts,
        ..record.clone()
    }
}

impl Rerun {
    fn compare(&mut self, record: &CellRecord, again: &CellRecord, conditions: &Conditions<'_>) {
        let Some(what) = compare::difference(record, again) else {
            self.same += 1;
            return;
        };
        match conditions.may_differ(record, again) {
            true => {
                let what = format!("{what}; that may be a matter of the machine");
                self.unchecked.push(about(record, what));
            }
            false => self.findings.push(about(record, what)),
        }
    }
}

fn about(record: &CellRecord, what: String) -> Finding {
    Finding {
        file: store::cell_name(&record.key),
        cell: Some((record.problem.name.clone(), record.method().to_owned())),
        what,
        mend: None,
    }
}
