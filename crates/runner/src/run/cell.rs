//! One cell of a run: in this process, or in one of its own.

use std::sync::atomic::Ordering;

use delassus_core::Status;

use super::RunError;
use super::work::{Place, Run};
use crate::isolate::Isolation;
#[cfg(unix)]
use crate::isolate::{WorkerEvent, WorkerExit, WorkerSlot, out_of_turn};
use crate::matrix::{CellRun, MatrixCell, Workbench};

impl<'r> Run<'r> {
    /// Where the cells of one thread run.
    #[cfg(unix)]
    pub(super) fn place<'p>(&'p self, isolation: Option<&'p Isolation>) -> Place<'p> {
        let isolation = isolation?;
        let bench = WorkerSlot::new(isolation, self.matrix, self.memory, self.cancel);
        Some(Box::new(bench))
    }

    #[cfg(not(unix))]
    pub(super) fn place<'p>(&'p self, _: Option<&'p Isolation>) -> Place<'p> {
        None
    }

    /// What the cell comes to, with the facts of its problem or scene.
    pub(super) fn outcome(&self, index: usize, place: &mut Place<'_>) -> Result<CellRun, RunError> {
        let cell = &self.matrix.cells[index];
        match place {
            Some(place) if cell.skip.is_none() => self.apart(index, place),
            _ => Ok(match &cell.skip {
                Some(reason) => {
                    let experiment = &self.matrix.experiment;
                    experiment.without_run(cell, Status::Unsupported, reason.clone())
                }
                None => {
                    let workbench = self.workbench();
                    self.matrix.experiment.run_guarded(cell, &workbench)
                }
            }),
        }
    }

    /// What cells of this process run with.
    pub(super) fn workbench(&self) -> Workbench<'r> {
        Workbench {
            registry: self.registry,
            solvers: &self.matrix.solvers,
            memory: self.memory,
            cancel: self.cancel,
        }
    }

    /// What the cell comes to in a process of its own.
    #[cfg(unix)]
    pub(super) fn apart(
        &self,
        index: usize,
        bench: &mut WorkerSlot<'_>,
    ) -> Result<CellRun, RunError> {
        let hear = |line: &str| self.progress.note(line);
        let cell = &self.matrix.cells[index];
        let cancelled = || {
            let experiment = &self.matrix.experiment;
            experiment.without_run(cell, Status::Cancelled, String::new())
        };
        match bench.work(index, &hear)? {
            WorkerEvent::Done(run) => Ok(*run),
            WorkerEvent::Cancelled => Ok(cancelled()),
            WorkerEvent::Ended(fall) => Ok(self.fallen(cell, fall)),
            WorkerEvent::Outside(reason) => {
                self.lose(index, &reason);
                Ok(cancelled())
            }
            WorkerEvent::Begun(_) | WorkerEvent::Passed => Err(out_of_turn()),
        }
    }

    /// Leaves a cell without a record, as others have ended its process each time.
    #[cfg(unix)]
    pub(super) fn lose(&self, index: usize, reason: &str) {
        self.lost.fetch_add(1, Ordering::Relaxed);
        let (problem, solver) = self.names(&self.matrix.cells[index]);
        let note = format!("{problem} with {solver}: {reason}; left for the next run");
        self.progress.note(&note);
    }

    /// What there is of a cell that took its process down.
    #[cfg(unix)]
    pub(super) fn fallen(&self, cell: &MatrixCell, fall: WorkerExit) -> CellRun {
        let experiment = &self.matrix.experiment;
        let mut run = experiment.without_run(cell, fall.status, fall.message);
        run.outcome.limit = fall.limit;
        run
    }

    #[cfg(not(unix))]
    pub(super) fn apart(
        &self,
        _: usize,
        never: &mut &std::convert::Infallible,
    ) -> Result<CellRun, RunError> {
        match **never {}
    }

    pub(super) fn names(&self, cell: &MatrixCell) -> (&'r str, &'r str) {
        let label = self.matrix.experiment.subject(cell);
        (&label.name, self.matrix.method(cell))
    }
}
