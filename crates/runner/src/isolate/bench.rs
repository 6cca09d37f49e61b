//! The side of the run: asks workers, and says what became of cells that took theirs down.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use delassus_core::{MemoryLimit, Status};

use super::protocol::{CellName, CellReply, Reply, Setup, WorkerRequest};
use super::verdict::Verdict;
use super::worker::{Hear, LOOK, Worker, WorkerReply};
use super::{CellLimits, Isolation};
use crate::error::RunError;
use crate::key;
use crate::matrix::{CellMatrix, CellRun};
use crate::record::{CellRecord, ResourceLimit};
use crate::store;

/// What became of a cell, or of a step of it.
pub(crate) enum WorkerEvent {
    /// Its first pass is over, and so many timed ones are to come \[-\].
    Begun(u64),
    /// A timed pass is over.
    Passed,
    /// It has ended by itself.
    Done(Box<CellRun>),
    /// Its process did, or was ended.
    Ended(WorkerExit),
    /// Others have ended its process, which says nothing about the cell; the words say how.
    Outside(String),
    /// The user stopped the run.
    Cancelled,
}

/// How the process of a cell ended.
pub(crate) struct WorkerExit {
    pub(crate) status: Status,
    pub(crate) message: String,
    pub(crate) limit: Option<ResourceLimit>,
    /// Other cells had used the process before: what they left there may be the reason.
    pub(crate) in_company: bool,
}

/// How often a cell is tried whose process others end, and how many such ends in a row make the run
/// try each cell once \[-\].
const TRIES: u32 = 3;
/// How long the run waits after such an end: whoever ends a run ends its workers as well, and these
/// may be the first to go.
const PAUSE: Duration = Duration::from_millis(300);

/// A step of a cell whose timed passes take turns with those of others.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step {
    /// The first pass.
    Begin,
    /// A timed one.
    Pass,
    /// What comes after the last one.
    Finish,
}

/// Wall-clock time that a cell may still take; none for a limit beyond what the clock counts.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLeft(Option<Duration>);

impl TimeLeft {
    pub(crate) fn of(limits: &CellLimits) -> Self {
        Self(Duration::try_from_secs_f64(limits.seconds).ok())
    }

    fn from(self, now: Instant) -> Option<Instant> {
        self.0.and_then(|left| now.checked_add(left))
    }

    fn spend(&mut self, time: Duration) {
        self.0 = self.0.map(|left| left.saturating_sub(time));
    }
}

/// Where the cells of one thread are worked on: a worker that is started when it is needed.
pub(crate) struct WorkerSlot<'b> {
    isolation: &'b Isolation,
    matrix: &'b CellMatrix,
    memory: MemoryLimit,
    cancel: &'b AtomicBool,
    worker: Option<Worker>,
    /// Workers in a row that others have ended \[-\].
    lost: u32,
}

impl<'b> WorkerSlot<'b> {
    pub(crate) fn new(
        isolation: &'b Isolation,
        matrix: &'b CellMatrix,
        memory: MemoryLimit,
        cancel: &'b AtomicBool,
    ) -> Self {
        Self {
            isolation,
            matrix,
            memory,
            cancel,
            worker: None,
            lost: 0,
        }
    }

    /// Works on the cell of this index.
    ///
    /// A cell that takes down a worker which other cells have used before it is tried once more in
    /// a fresh one: what they left there is not its fault. A cell whose worker is ended from
    /// outside is tried again as well, a few times.
    ///
    /// # Errors
    /// [`RunError::Worker`] if no worker comes about, or if it means another cell.
    pub(crate) fn work(&mut self, index: usize, hear: Hear<'_>) -> Result<WorkerEvent, RunError> {
        let ask = WorkerRequest::Work(self.name(index));
        loop {
            let mut left = TimeLeft::of(&self.matrix.limits);
            match self.ask(&ask, &mut left, hear)? {
                WorkerEvent::Ended(fall) if fall.in_company => {}
                WorkerEvent::Outside(reason) => {
                    if let Some(worked) = self.given_up(reason, hear) {
                        return Ok(worked);
                    }
                }
                worked => return Ok(worked),
            }
        }
    }

    /// Waits after a worker was ended from outside; what that comes to if the cell is not tried
    /// again.
    pub(crate) fn given_up(&self, reason: String, hear: Hear<'_>) -> Option<WorkerEvent> {
        let until = Instant::now() + PAUSE;
        while Instant::now() < until {
            if self.cancel.load(Ordering::Relaxed) {
                return Some(WorkerEvent::Cancelled);
            }
            thread::sleep(LOOK);
        }
        if self.lost >= TRIES {
            return Some(WorkerEvent::Outside(reason));
        }
        hear(&format!("a process for cells: {reason}; trying again"));
        None
    }

    /// Makes one step of a cell that takes turns with others of the same worker. When a step takes
    /// the worker down, the others have to begin again.
    ///
    /// # Errors
    /// As [`Self::work`].
    pub(crate) fn step(
        &mut self,
        index: usize,
        step: Step,
        left: &mut TimeLeft,
        hear: Hear<'_>,
    ) -> Result<WorkerEvent, RunError> {
        let ask = match step {
            Step::Begin => WorkerRequest::Begin(self.name(index)),
            Step::Pass => WorkerRequest::Pass(index),
            Step::Finish => WorkerRequest::Finish(index),
        };
        self.ask(&ask, left, hear)
    }

    fn name(&self, index: usize) -> CellName {
        CellName {
            index,
            key: self.matrix.cells[index].key.clone(),
        }
    }

    /// Asks the worker, which is kept if it survives.
    fn ask(
        &mut self,
        ask: &WorkerRequest,
        left: &mut TimeLeft,
        hear: Hear<'_>,
    ) -> Result<WorkerEvent, RunError> {
        if self.cancel.load(Ordering::Relaxed) {
            return Ok(WorkerEvent::Cancelled);
        }
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => match self.start(hear)? {
                Started::Ready(worker) => *worker,
                Started::Not(worked) => return Ok(self.counted(worked)),
            },
        };
        let used = worker.used;
        worker.used = true;
        let begun = Instant::now();
        let (until, limits) = (left.from(begun), &self.matrix.limits);
        let heard = worker.ask(ask, until, limits, self.cancel, hear);
        left.spend(begun.elapsed().saturating_sub(worker.stopped));
        let worked = match heard {
            WorkerReply::Reply(Reply::Done(answer)) => WorkerEvent::Done(read(answer)?),
            WorkerReply::Reply(Reply::Begun(rounds)) => WorkerEvent::Begun(rounds),
            WorkerReply::Reply(Reply::Passed) => WorkerEvent::Passed,
            WorkerReply::Reply(Reply::Refused(reason)) => return Err(RunError::Worker { reason }),
            WorkerReply::Reply(Reply::Short(reason)) => {
                return Ok(self.counted(WorkerEvent::Outside(reason)));
            }
            WorkerReply::Reply(Reply::Ready) => return Err(out_of_turn()),
            WorkerReply::Cancelled => return Ok(WorkerEvent::Cancelled),
            WorkerReply::Outside(reason) => return Ok(self.counted(WorkerEvent::Outside(reason))),
            WorkerReply::Ended(Verdict {
                status,
                message,
                limit,
            }) => {
                // a clock that has run out needs no second trial
                let in_company = used && !matches!(limit, Some(ResourceLimit::Seconds(_)));
                return Ok(WorkerEvent::Ended(WorkerExit {
                    status,
                    message,
                    limit,
                    in_company,
                }));
            }
        };
        self.worker = Some(worker);
        Ok(self.counted(worked))
    }

    /// Counts the workers in a row that others have ended.
    fn counted(&mut self, worked: WorkerEvent) -> WorkerEvent {
        match worked {
            WorkerEvent::Outside(_) => self.lost += 1,
            WorkerEvent::Done(_) => self.lost = 0,
            _ => {}
        }
        worked
    }

    /// A worker that has read the spec.
    fn start(&self, hear: Hear<'_>) -> Result<Started, RunError> {
        let spec = &self.matrix.spec;
        let setup = Setup {
            build: key::build_id().to_owned(),
            file: spec.file.clone(),
            text: spec.text.clone(),
            memory: self.memory.bytes(),
            limits: self.matrix.limits,
        };
        let mut worker = match Worker::start(self.isolation, &setup.limits) {
            Ok(worker) => worker,
            // the system has no process, thread or memory to give now
            Err(error) if is_shortage(&error) => {
                let reason =
                    format!("the system starts no process, or no thread to hear it: {error}");
                return Ok(Started::Not(WorkerEvent::Outside(reason)));
            }
            Err(error) => return Err(failed(error.to_string())),
        };
        match worker.set_up(&setup, self.cancel, hear) {
            WorkerReply::Reply(Reply::Ready) => Ok(Started::Ready(Box::new(worker))),
            WorkerReply::Reply(Reply::Refused(reason)) => Err(failed(reason)),
            WorkerReply::Reply(Reply::Short(reason)) => {
                Ok(Started::Not(WorkerEvent::Outside(reason)))
            }
            WorkerReply::Reply(_) => Err(out_of_turn()),
            WorkerReply::Ended(verdict) => Err(failed(verdict.message)),
            WorkerReply::Outside(reason) => Ok(Started::Not(WorkerEvent::Outside(reason))),
            WorkerReply::Cancelled => Ok(Started::Not(WorkerEvent::Cancelled)),
        }
    }
}

/// A worker, or what kept it from coming about.
enum Started {
    Ready(Box<Worker>),
    Not(WorkerEvent),
}

/// True for what another moment may grant.
fn is_shortage(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, OutOfMemory, WouldBlock};
    matches!(error.kind(), WouldBlock | OutOfMemory | Interrupted)
}

fn failed(reason: String) -> RunError {
    RunError::Worker { reason }
}

/// What another program would do, or another version of this one.
pub(crate) fn out_of_turn() -> RunError {
    failed("it answers out of turn".to_owned())
}

/// What a worker has done, from its answer.
fn read(answer: CellReply) -> Result<Box<CellRun>, RunError> {
    let record: CellRecord = serde_json::from_slice(&answer.record)
        .map_err(|error| failed(format!("its answer is no record: {error}")))?;
    let impulses = match &answer.impulses {
        Some(bytes) => Some(
            store::impulses_of(bytes)
                .ok_or_else(|| failed("its impulses end within a number".to_owned()))?,
        ),
        None => None,
    };
    Ok(Box::new(CellRun {
        outcome: record.outcome,
        facts: record.facts,
        replay: answer.replay,
        impulses,
    }))
}
