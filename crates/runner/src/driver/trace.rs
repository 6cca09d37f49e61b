//! The traced pass: prepares, sweeps, judges, records, and decides when the solve stops.
//!
//! What is judged depends on the number of sweeps alone ([`next_judged`]); samples are taken in
//! addition, when the schedule wants them. So the same solve ends with the same status at the same
//! sweep, however it is sampled.

use std::num::NonZeroU32;
use std::sync::atomic::Ordering;

use delassus_core::{SolveError, Start, Status};

use super::options::{SolveControl, StopRule};
use super::pass_end::{PassEnd, guarded};
use super::repeat::{Repeat, Watch, next_judged, next_rung};
use super::task::{Limits, SolveClock, SolveTask, WorkDone, is_cut_short, limited};
use crate::judge::{Judge, JudgeError};
use crate::record::Sample;

/// What the traced pass leaves behind, however it ended.
pub(super) struct Trace {
    pub(super) samples: Vec<Sample>,
    pub(super) impulses: Vec<f64>,
    pub(super) sweeps: u64,
    pub(super) row_updates: u64,
    /// Seconds in `prepare` \[s\].
    pub(super) prepare_seconds: f64,
    /// Seconds in `iterate` that led to the impulses \[s\].
    pub(super) iterate_seconds: f64,
    /// Seconds of the limit that are used \[s\].
    used: f64,
}

impl Trace {
    fn new(rows: usize) -> Self {
        Self {
            samples: Vec::new(),
            impulses: vec![0.0; rows],
            sweeps: 0,
            row_updates: 0,
            prepare_seconds: 0.0,
            iterate_seconds: 0.0,
            used: 0.0,
        }
    }

    /// Time that is left to the solver \[s\], if there is a limit.
    fn left(&self, stop: &StopRule) -> Option<f64> {
        stop.max_seconds.map(|limit| limit - self.used)
    }

    /// True if another pass of the solver, as long as this one, does not fit into a limit.
    pub(super) fn leaves_no_room(&self, status: Status, stop: &StopRule) -> bool {
        let left = self.left(stop);
        status == Status::MaxTime || left.is_some_and(|left| self.used > left)
    }

    /// Adds the time of a call of `iterate`. With `restarts` it was a solve from the start, whose
    /// impulses are kept unless it was interrupted.
    fn count(&mut self, work: &WorkDone, restarts: bool) {
        self.used += work.seconds;
        let is_kept = !work.interrupted || self.sweeps == 0;
        match restarts {
            true if is_kept => self.iterate_seconds = work.seconds,
            true => {}
            false => self.iterate_seconds += work.seconds,
        }
    }
}

/// A solve that is judged on the way.
pub(super) struct TracedPass<'a, 'p> {
    task: SolveTask<'a>,
    judge: &'a mut Judge<'p>,
    control: SolveControl<'a>,
    trace: Trace,
    watch: Watch,
    /// The worst criterion at the start of the solve.
    initial: f64,
    /// Sweeps and row updates when the solve was last judged.
    judged: [u64; 2],
    /// Sweeps at which the solve is judged next, and at which a sample is taken next.
    next_judged: u64,
    next_sample: u64,
    /// True if the solver begins again whenever it is looked at: it is looked at where it is
    /// judged.
    restarts: bool,
}

impl<'a, 'p> TracedPass<'a, 'p> {
    pub(super) fn new(
        task: SolveTask<'a>,
        judge: &'a mut Judge<'p>,
        control: SolveControl<'a>,
    ) -> Self {
        let options = control.options;
        let restarts = task.solver.descriptor().restarts;
        Self {
            trace: Trace::new(task.problem.rows()),
            task,
            judge,
            control,
            watch: Watch::default(),
            initial: 0.0,
            judged: [0; 2],
            next_judged: next_judged(0).min(options.stop.max_sweeps),
            next_sample: options.schedule.next(0),
            restarts,
        }
    }

    /// Solves. A solve whose solver fails is reported as it was when it was last judged: where in
    /// between its numbers broke, depends on who looked.
    pub(super) fn run(mut self) -> (PassEnd, Trace) {
        let end = guarded(|| {
            let end = self.solve();
            if matches!(end, Err(JudgeError::Solve(_))) {
                let [sweeps, row_updates] = self.judged;
                self.trace.sweeps = sweeps;
                self.trace.row_updates = row_updates;
                self.trace.samples.retain(|sample| sample.sweeps <= sweeps);
            }
            end
        });
        (end.unwrap_or_else(|failure| failure), self.trace)
    }

    /// Prepares the solver, then sweeps, judges and records until the solve stops.
    fn solve(&mut self) -> Result<PassEnd, JudgeError> {
        let mut end = self.prepare()?;
        loop {
            if let Some(end) = end {
                return Ok(end);
            }
            let work = self.sweep()?;
            let is_sample = self.restarts || self.trace.sweeps >= self.next_sample;
            if is_sample {
                self.next_sample = self.control.options.schedule.next(self.trace.sweeps);
            }
            let is_judged = work.finished || work.is_short || self.trace.sweeps >= self.next_judged;
            if !is_judged {
                self.record_unjudged()?;
                continue;
            }
            self.note()?;
            let worst = if is_sample {
                self.record()?
            } else {
                self.judge.worst(&self.trace.impulses, self.task.solver)?
            };
            end = self.stop(&work, worst)?;
            if end.is_none() {
                self.judged = [self.trace.sweeps, self.trace.row_updates];
                let next = match self.restarts {
                    true => next_rung(self.trace.sweeps),
                    false => next_judged(self.trace.sweeps),
                };
                self.next_judged = next.min(self.control.options.stop.max_sweeps);
            } else if !is_sample {
                self.record()?;
            }
        }
    }

    /// Prepares the solver and judges the start; how the solve ended if it ends there.
    fn prepare(&mut self) -> Result<Option<PassEnd>, JudgeError> {
        let stop = &self.control.options.stop;
        let in_time = self.prepare_solver()?;
        if in_time {
            self.read()?;
        }
        self.note()?;
        self.initial = self.record()?;
        if !in_time {
            // nothing was done: the start is all that there is
            return Ok(Some(PassEnd::plain(Status::MaxTime)));
        }
        // a start that is a solution may not be the only one
        let searches = stop.max_sweeps > 0 && self.task.solver.facts().solutions.is_some();
        if self.initial <= stop.tolerance && !searches {
            return Ok(Some(PassEnd::plain(Status::Solved)));
        }
        self.watch.look(self.task.solver, self.task.problem, 0)?;
        Ok((stop.max_sweeps == 0).then(|| PassEnd::plain(Status::MaxSweeps)))
    }

    /// False if the time is up before the solver is prepared.
    fn prepare_solver(&mut self) -> Result<bool, SolveError> {
        let task = &mut self.task;
        let limit = self.trace.left(&self.control.options.stop);
        let clock = SolveClock::start();
        let outcome = limited(limit, || task.solver.prepare(task.problem, task.start));
        self.trace.prepare_seconds = clock.seconds();
        self.trace.used = self.trace.prepare_seconds;
        let late = limit.is_some_and(|limit| self.trace.used >= limit);
        match outcome {
            Ok(()) => Ok(true),
            Err(error) if is_cut_short(&error, late) => {
                if let Start::Warm(impulses) = task.start {
                    self.trace.impulses.copy_from_slice(impulses);
                }
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Sweeps until the solve is judged or sampled next.
    fn sweep(&mut self) -> Result<WorkDone, SolveError> {
        let target = match self.restarts {
            true => self.next_judged,
            false => self.next_judged.min(self.next_sample),
        };
        if self.restarts {
            // the solves before are no part of this one
            self.trace.used = self.trace.prepare_seconds;
        }
        let limits = Limits {
            cancel: self.control.cancel,
            seconds: self.trace.left(&self.control.options.stop),
        };
        let work = self.task.iterate(target - self.trace.sweeps, &limits)?;
        self.trace.sweeps += work.sweeps;
        self.trace.row_updates += work.row_updates;
        self.trace.count(&work, self.restarts);
        self.read()?;
        Ok(work)
    }

    /// Reads the impulses.
    fn read(&mut self) -> Result<(), SolveError> {
        let impulses = &mut self.trace.impulses;
        self.task.solver.read_impulses(impulses)?;
        match impulses.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(SolveError::NonFinite { row }),
            None => Ok(()),
        }
    }

    /// Notes what is followed over all sweeps that are judged.
    fn note(&mut self) -> Result<(), JudgeError> {
        let Trace {
            sweeps, impulses, ..
        } = &self.trace;
        if let Some(worlds) = self.judge.worlds() {
            worlds.look(*sweeps, impulses);
        }
        self.judge.note_states(impulses)
    }

    /// Evaluates every column and keeps them; the worst criterion.
    fn record(&mut self) -> Result<f64, JudgeError> {
        let trace = &mut self.trace;
        let evaluation = self.judge.evaluate(&trace.impulses, self.task.solver)?;
        trace.samples.push(Sample {
            sweeps: trace.sweeps,
            row_updates: trace.row_updates,
            values: evaluation.values,
        });
        Ok(evaluation.worst)
    }

    /// Takes a sample that decides nothing. What is beyond the range of residuals here is so where
    /// it is judged, or has come back.
    fn record_unjudged(&mut self) -> Result<(), JudgeError> {
        match self.record() {
            Ok(_) | Err(JudgeError::Metric(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether the solve ends here, and how; `worst` is the largest criterion.
    fn stop(&mut self, work: &WorkDone, worst: f64) -> Result<Option<PassEnd>, SolveError> {
        let SolveControl { options, cancel } = self.control;
        let stop = &options.stop;
        let task = &mut self.task;
        let sweeps = self.trace.sweeps;
        let late = self.trace.left(stop).is_some_and(|left| left <= 0.0);
        // a criterion that is NaN is not within any tolerance
        let end = if worst <= stop.tolerance {
            PassEnd::plain(Status::Solved)
        } else if work.finished {
            let reason = "the method has given its answer, which misses the tolerance";
            PassEnd::because(Status::Stagnated, reason)
        } else if work.sweeps == 0 && !late && !work.interrupted {
            let reason = "the solver made no sweep and does not say that it has finished";
            PassEnd::because(Status::Failed, reason)
        } else if worst > stop.divergence * self.initial.max(1.0) {
            PassEnd::plain(Status::Diverged)
        } else if work.interrupted {
            // a solver that was cut short has no state that says anything
            PassEnd::plain(Status::MaxTime)
        } else if let Some(repeat) = self.watch.look(task.solver, task.problem, sweeps)? {
            repeated(repeat)
        } else if late {
            PassEnd::plain(Status::MaxTime)
        } else if sweeps >= stop.max_sweeps {
            PassEnd::plain(Status::MaxSweeps)
        } else if cancel.load(Ordering::Relaxed) {
            PassEnd::plain(Status::Cancelled)
        } else {
            return Ok(None);
        };
        Ok(Some(end))
    }
}

/// The end of a solve whose solver came back to a state.
fn repeated(repeat: Repeat) -> PassEnd {
    match repeat {
        Repeat::FixedPoint => {
            let reason =
                "no further sweep changes the impulses: the state of the solver repeats itself";
            PassEnd::because(Status::Stagnated, reason)
        }
        Repeat::Cycle(period) => PassEnd::because(Status::Cycling(period), cycle(period)),
    }
}

/// What is said of a solver whose impulses come back after so many sweeps.
pub(crate) fn cycle(period: NonZeroU32) -> String {
    format!(
        "the state of the solver repeats itself and its impulses change with a period of {period} sweeps: no further sweep solves this"
    )
}
