//! A solver, its problem and a start; sweeps in pieces that a limit or a user can end.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use delassus_core::{ImpulseSolver, Problem, SolveError, Start, interrupt};

use crate::registry::process;

/// Rows between two looks at the flag that cancels \[-\]: a quarter of a second at 15 ns each.
const ROWS_PER_LOOK: u64 = 1 << 24;

/// What several calls of `iterate` did together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct WorkDone {
    pub(crate) sweeps: u64,
    pub(crate) row_updates: u64,
    pub(super) seconds: f64,
    pub(crate) finished: bool,
    /// True if the limit ended a part, or left no room for the next one.
    pub(super) interrupted: bool,
    /// True if there were fewer sweeps than were asked for.
    pub(super) is_short: bool,
}

/// A clock of solving alone: it leaves out what belongs to no solve, such as starting a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct SolveClock {
    began: Instant,
    left_out: f64,
}

impl SolveClock {
    pub(super) fn start() -> Self {
        Self {
            began: Instant::now(),
            left_out: process::left_out(),
        }
    }

    /// Time of solving since the start \[s\].
    pub(super) fn seconds(&self) -> f64 {
        // another thread, which looks at the limit, has left out nothing of its own
        let left_out = (process::left_out() - self.left_out).max(0.0);
        (self.began.elapsed().as_secs_f64() - left_out).max(0.0)
    }
}

/// Runs `work` so that a solver ends when so many seconds are over, where there is such a limit.
pub(super) fn limited<R>(seconds: Option<f64>, work: impl FnOnce() -> R) -> R {
    let Some(seconds) = seconds else {
        return work();
    };
    let clock = SolveClock::start();
    let left = move || seconds - clock.seconds();
    interrupt::within(Arc::new(left), work)
}

/// What ends a long call before its last sweep.
pub(crate) struct Limits<'a> {
    pub(crate) cancel: &'a AtomicBool,
    /// Time that is left \[s\].
    pub(crate) seconds: Option<f64>,
}

/// Times of an untraced pass \[s\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct PassTimes {
    pub(crate) prepare: f64,
    pub(crate) iterate: f64,
}

/// What a pass solves: a problem, by a solver, from a start.
pub(crate) struct SolveTask<'a> {
    pub(crate) solver: &'a mut dyn ImpulseSolver,
    pub(crate) problem: &'a Problem,
    pub(crate) start: Start<'a>,
}

impl SolveTask<'_> {
    /// The same task for a function that keeps it.
    pub(crate) fn reborrow(&mut self) -> SolveTask<'_> {
        SolveTask {
            solver: &mut *self.solver,
            problem: self.problem,
            start: self.start,
        }
    }

    /// Prepares the solver and sweeps, with nothing but the clock around; the impulses at the end
    /// \[N·s\].
    pub(crate) fn pass(
        &mut self,
        sweeps: u64,
        cancel: &AtomicBool,
        impulses: &mut [f64],
    ) -> Result<PassTimes, SolveError> {
        let clock = SolveClock::start();
        self.solver.prepare(self.problem, self.start)?;
        let prepare = clock.seconds();
        let clock = SolveClock::start();
        let limits = Limits {
            cancel,
            seconds: None,
        };
        self.iterate(sweeps, &limits)?;
        let iterate = clock.seconds();
        // another program has a clock of its own, without pipes around it
        let peer = self.solver.facts().peer.and_then(|peer| peer.answer);
        let iterate = peer.map_or(iterate, |answer| answer.seconds);
        self.solver.read_impulses(impulses)?;
        Ok(PassTimes { prepare, iterate })
    }

    /// Iterates `sweeps` times in long pieces; fewer if the method finishes, time is up or the user
    /// cancels.
    pub(crate) fn iterate(
        &mut self,
        sweeps: u64,
        limits: &Limits<'_>,
    ) -> Result<WorkDone, SolveError> {
        let rows = self.problem.rows().max(1) as u64;
        let piece = (ROWS_PER_LOOK / rows).max(1);
        let mut work = WorkDone::default();
        let clock = SolveClock::start();
        let mut left = sweeps;
        while left > 0 && !work.finished {
            let chunk = u32::try_from(piece.min(left)).unwrap_or(u32::MAX);
            let remaining = limits.seconds.map(|limit| limit - work.seconds);
            let outcome = limited(remaining, || self.solver.iterate(self.problem, chunk));
            work.seconds = clock.seconds();
            let late = limits.seconds.is_some_and(|limit| work.seconds >= limit);
            let progress = match outcome {
                Ok(progress) => progress,
                Err(error) if is_cut_short(&error, late) => {
                    work.interrupted = true;
                    break;
                }
                Err(error) => return Err(error),
            };
            work.sweeps += u64::from(progress.sweeps);
            work.row_updates += progress.row_updates;
            work.finished = progress.finished;
            left -= u64::from(progress.sweeps.min(chunk));
            if progress.sweeps == 0 || late || limits.cancel.load(Ordering::Relaxed) {
                break;
            }
        }
        work.is_short = work.sweeps < sweeps;
        Ok(work)
    }
}

/// True for the error of a solver whose time is up, which says nothing about the problem. A program
/// that died or broke the protocol has failed at any time.
pub(super) fn is_cut_short(error: &SolveError, late: bool) -> bool {
    match error {
        SolveError::Interrupted => true,
        SolveError::Process { .. } => false,
        _ => late,
    }
}
