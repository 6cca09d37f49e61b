//! Turns in a worker: the run asks it for one step of one cell at a time, so that it knows whose
//! step took the worker down.

use std::sync::atomic::Ordering;

use crate::isolate::{Step, TimeLeft, WorkerEvent, WorkerExit, WorkerSlot, out_of_turn};
use crate::matrix::CellRun;
use crate::origin::Origin;

use super::super::RunError;
use super::super::work::{Done, Run};
use super::interleaved;

/// A cell of a group whose worker knows how far it is.
struct Seat {
    index: usize,
    origin: Origin,
    left: TimeLeft,
}

/// What became of a group.
enum Turned {
    /// Every cell has ended.
    Done(Vec<(Seat, CellRun)>),
    /// The cell at this place in the group took the worker down.
    Fell(usize, Box<Origin>, WorkerExit),
    /// Others have ended the worker.
    Outside(String),
    /// The user stopped the run.
    Cancelled,
}

/// What a step that is not as it should be makes of the group.
enum Broken {
    Fell(usize, WorkerExit),
    Outside(String),
    Cancelled,
    Failed(RunError),
}

impl Run<'_> {
    /// Runs the cells of a group in a worker of their own and keeps their records; fewer than there
    /// are if the user stopped them, or others ended their workers.
    ///
    /// A cell that takes the worker down leaves the group, is tried alone in a fresh worker where
    /// others were there, and the others begin again without it. A group whose worker is ended from
    /// outside begins again, a few times.
    pub(super) fn group_apart(
        &self,
        group: &[usize],
        bench: &mut Box<WorkerSlot<'_>>,
    ) -> Result<Vec<Done>, RunError> {
        for index in group {
            let (problem, solver) = self.names(&self.matrix.cells[*index]);
            self.progress.cell_started(problem, solver);
        }
        let hear = |line: &str| self.progress.note(line);
        let mut group = group.to_vec();
        let mut records = Vec::with_capacity(group.len());
        loop {
            match self.turned(&group, bench)? {
                Turned::Cancelled => return Ok(records),
                // they begin again
                Turned::Outside(reason) => match bench.given_up(reason, &hear) {
                    None => {}
                    Some(WorkerEvent::Outside(reason)) => {
                        group.iter().for_each(|index| self.lose(*index, &reason));
                        return Ok(records);
                    }
                    Some(_) => return Ok(records),
                },
                Turned::Done(ended) => {
                    for (seat, run) in ended {
                        records.extend(self.keep_cell(seat.index, run, seat.origin)?);
                    }
                    return Ok(records);
                }
                Turned::Fell(at, origin, fall) => {
                    let index = group.remove(at);
                    let kept = match fall.in_company {
                        true => self.alone(index, bench)?,
                        false => {
                            let run = self.fallen(&self.matrix.cells[index], fall);
                            self.keep_cell(index, run, *origin)?
                        }
                    };
                    records.extend(kept);
                    if self.cancel.load(Ordering::Relaxed) {
                        return Ok(records);
                    }
                }
            }
        }
    }

    /// The passes of a group in turns, from the first ones on.
    fn turned(&self, group: &[usize], bench: &mut WorkerSlot<'_>) -> Result<Turned, RunError> {
        let hear = |line: &str| self.progress.note(line);
        let mut seats: Vec<Seat> = Vec::with_capacity(group.len());
        let mut rounds = Vec::with_capacity(group.len());
        for index in group {
            let origin = self.joins(&self.matrix.cells[*index], group);
            let mut left = TimeLeft::of(&self.matrix.limits);
            let begun = bench.step(*index, Step::Begin, &mut left, &hear)?;
            seats.push(Seat {
                index: *index,
                origin,
                left,
            });
            match begun {
                WorkerEvent::Begun(number) => rounds.push(number),
                other => return broken(seats.len() - 1, other).of(seats),
            }
        }
        let passed = interleaved(&rounds, |at| {
            let Seat { index, left, .. } = &mut seats[at];
            match bench.step(*index, Step::Pass, left, &hear) {
                Ok(WorkerEvent::Passed) => None,
                Ok(other) => Some(broken(at, other)),
                Err(error) => Some(Broken::Failed(error)),
            }
        });
        if let Some(end) = passed {
            return end.of(seats);
        }
        let mut runs = Vec::with_capacity(seats.len());
        for at in 0..seats.len() {
            let Seat { index, left, .. } = &mut seats[at];
            match bench.step(*index, Step::Finish, left, &hear)? {
                WorkerEvent::Done(run) => runs.push(*run),
                other => return broken(at, other).of(seats),
            }
        }
        Ok(Turned::Done(seats.into_iter().zip(runs).collect()))
    }
}

/// What a step came to that does not go on.
fn broken(at: usize, worked: WorkerEvent) -> Broken {
    match worked {
        WorkerEvent::Ended(fall) => Broken::Fell(at, fall),
        WorkerEvent::Outside(reason) => Broken::Outside(reason),
        WorkerEvent::Cancelled => Broken::Cancelled,
        WorkerEvent::Begun(_) | WorkerEvent::Passed | WorkerEvent::Done(_) => {
            Broken::Failed(out_of_turn())
        }
    }
}

impl Broken {
    fn of(self, mut seats: Vec<Seat>) -> Result<Turned, RunError> {
        match self {
            Self::Fell(at, fall) => Ok(Turned::Fell(
                at,
                Box::new(seats.swap_remove(at).origin),
                fall,
            )),
            Self::Outside(reason) => Ok(Turned::Outside(reason)),
            Self::Cancelled => Ok(Turned::Cancelled),
            Self::Failed(error) => Err(error),
        }
    }
}
