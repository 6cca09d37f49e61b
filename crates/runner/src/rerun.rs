//! Runs cells again whose ending nothing in their records shows, and compares how they end.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{Determinism, Status};

use crate::error::RunError;
use crate::isolate::{Bench, Isolation, Worked, out_of_turn};
use crate::matrix::CellMatrix;
use crate::record::{CellRecord, ResourceLimit};
use crate::registry::Registry;
use crate::saved;
use crate::store::{self, StoredCell};
use crate::verify::Finding;

/// What came of the cells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rerun {
    /// Cells that end as their records say \[-\].
    pub same: usize,
    /// Cells that end otherwise.
    pub findings: Vec<Finding>,
    /// Cells whose other ending may be that of this machine, and those of other programs.
    pub unchecked: Vec<Finding>,
    /// Set if the user stopped the check.
    pub cancelled: bool,
}

/// Runs the cells of these keys again, each in a process of its own and within the limit at which
/// its record says that it ended. Nothing in `dir` changes. `spec` is the spec that the user names
/// in place of the one that the folder does.
///
/// # Errors
/// Not a results folder; a spec that cannot be read; processes that cannot be started.
pub fn rerun(
    (dir, spec): (&Path, Option<&Path>),
    keys: &[String],
    registry: &Registry,
    isolation: &Isolation,
    cancel: &AtomicBool,
) -> Result<Rerun, RunError> {
    let mut saved = saved::read(dir)?;
    saved.name_spec(spec);
    let mut matrix = saved::matrix_as_run(dir, &saved, registry).map_err(RunError::Spec)?;
    // verify has said which these are
    matrix.take_recorded(dir, &saved.cells);
    let usual = matrix.limits;
    let mut rerun = Rerun::default();
    for key in keys {
        let StoredCell::Cell(record) = store::read_cell(dir, key) else {
            continue;
        };
        let Some(index) = matrix.cells.iter().position(|cell| cell.key == *key) else {
            let what = "another program has run it, and only that can run it again".to_owned();
            rerun.unchecked.push(about(&record, what));
            continue;
        };
        if matrix.is_recorded(matrix.cells[index].method) {
            let what = "the program or the device that ran it is not on this machine".to_owned();
            rerun.unchecked.push(about(&record, what));
            continue;
        }
        matrix.limits = usual;
        match record.outcome.limit {
            Some(ResourceLimit::Seconds(seconds)) => matrix.limits.seconds = seconds,
            Some(ResourceLimit::CpuSeconds(seconds)) => matrix.limits.cpu_seconds = Some(seconds),
            Some(ResourceLimit::Bytes(bytes)) => matrix.limits.bytes = bytes,
            None => {}
        }
        match ended(&matrix, index, isolation, cancel)? {
            Ended::Cancelled => {
                rerun.cancelled = true;
                break;
            }
            Ended::Lost(reason) => rerun.unchecked.push(about(&record, reason)),
            Ended::With(status) => rerun.compare(&record, status, registry),
        }
    }
    Ok(rerun)
}

/// How a cell ended that was run again.
enum Ended {
    With(Status),
    /// Its process was ended from outside, as the words say.
    Lost(String),
    Cancelled,
}

fn ended(
    matrix: &CellMatrix,
    index: usize,
    isolation: &Isolation,
    cancel: &AtomicBool,
) -> Result<Ended, RunError> {
    let mut bench = Bench::new(isolation, matrix, matrix.spec.memory(), cancel);
    Ok(match bench.work(index, &|_| {})? {
        _ if cancel.load(Ordering::Relaxed) => Ended::Cancelled,
        Worked::Done(run) => Ended::With(run.outcome.status),
        Worked::Ended(fall) => Ended::With(fall.status),
        Worked::Outside(reason) => Ended::Lost(reason),
        Worked::Cancelled => Ended::Cancelled,
        Worked::Begun(_) | Worked::Passed => return Err(out_of_turn()),
    })
}

impl Rerun {
    fn compare(&mut self, record: &CellRecord, again: Status, registry: &Registry) {
        let said = record.outcome.status;
        if said == again {
            self.same += 1;
            return;
        }
        let what = format!("it says {said}, and run again it ends with {again}");
        match belongs_to_machine(record, registry) {
            true => {
                let what = format!("{what}; that may be a matter of the machine");
                self.unchecked.push(about(record, what));
            }
            false => self.findings.push(about(record, what)),
        }
    }
}

/// True for a cell that may end otherwise on another machine, or another day.
fn belongs_to_machine(record: &CellRecord, registry: &Registry) -> bool {
    let outcome = &record.outcome;
    let solver = registry.find(&record.solver.id);
    let varies = solver.is_ok_and(|entry| entry.descriptor.determinism != Determinism::Bitwise);
    let scheme = record.scheme().and_then(|scheme| scheme.device.as_ref());
    let has_device = record.solver.device.as_ref().or(scheme).is_some();
    let is_limited = outcome.limit.is_some() || outcome.status == Status::MaxTime;
    let calibration = outcome.calibration();
    let is_timed = calibration.is_some_and(|own| own.budget.is_time());
    varies || has_device || is_limited || is_timed || outcome.status == Status::DeviceLost
}

fn about(record: &CellRecord, what: String) -> Finding {
    Finding {
        file: store::cell_name(&record.key),
        cell: Some((record.problem.name.clone(), record.method().to_owned())),
        what,
    }
}
