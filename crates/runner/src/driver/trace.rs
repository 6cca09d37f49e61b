//! The traced pass: iterates, judges, records samples, and decides when the solve ends.
//!
//! What is judged depends on the number of sweeps alone ([`next_judged`]); samples are taken in
//! addition, when the schedule wants them. So the same solve ends with the same status at the same
//! sweep, however it is sampled.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use delassus_core::{ImpulseSolver, Problem, SolveError, Start, Status};

use super::repeat::{Repeat, Watch, next_judged};
use super::{End, Limits, Options, StopRule, WorkDone, iterate, limited};
use crate::judge::{Judge, JudgeError};
use crate::record::Sample;

/// What the traced pass leaves behind, however it ended.
pub(super) struct Trace {
    pub(super) samples: Vec<Sample>,
    pub(super) impulses: Vec<f64>,
    pub(super) sweeps: u64,
    pub(super) row_updates: u64,
    /// Seconds in `prepare` and in both `prepare` and `iterate` \[s\].
    pub(super) prepare_seconds: f64,
    pub(super) seconds: f64,
    /// When the pass began.
    clock: Instant,
    /// The worst criterion at the start of the solve.
    initial: f64,
    /// Sweeps and row updates when the solve was last judged.
    judged: [u64; 2],
    watch: Watch,
}

impl Trace {
    pub(super) fn new(rows: usize) -> Self {
        Self {
            samples: Vec::new(),
            impulses: vec![0.0; rows],
            sweeps: 0,
            row_updates: 0,
            prepare_seconds: 0.0,
            seconds: 0.0,
            clock: Instant::now(),
            initial: 0.0,
            judged: [0; 2],
            watch: Watch::default(),
        }
    }

    /// Reads the impulses.
    fn read(&mut self, solver: &mut dyn ImpulseSolver) -> Result<(), SolveError> {
        solver.read_impulses(&mut self.impulses)?;
        match self.impulses.iter().position(|x| !x.is_finite()) {
            Some(row) => Err(SolveError::NonFinite { row }),
            None => Ok(()),
        }
    }

    /// Evaluates every column and keeps them; the worst criterion.
    fn record(
        &mut self,
        solver: &mut dyn ImpulseSolver,
        judge: &mut Judge<'_>,
    ) -> Result<f64, JudgeError> {
        let verdict = judge.evaluate(&self.impulses, solver)?;
        self.samples.push(Sample {
            sweeps: self.sweeps,
            row_updates: self.row_updates,
            values: verdict.values,
        });
        Ok(verdict.worst)
    }

    /// Prepares the solver; false if the time is up before that has ended.
    fn prepare(
        &mut self,
        solver: &mut dyn ImpulseSolver,
        problem: &Problem,
        start: Start<'_>,
        limit: Option<f64>,
    ) -> Result<bool, SolveError> {
        let clock = Instant::now();
        let outcome = limited(limit, || solver.prepare(problem, start));
        self.prepare_seconds = clock.elapsed().as_secs_f64();
        self.seconds = self.prepare_seconds;
        let late = limit.is_some_and(|limit| self.seconds >= limit);
        match outcome {
            Ok(()) => Ok(true),
            Err(error) if late || error == SolveError::Interrupted => {
                if let Start::Warm(impulses) = start {
                    self.impulses.copy_from_slice(impulses);
                }
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }

    /// Time since the pass began \[s\].
    pub(super) fn elapsed(&self) -> f64 {
        self.clock.elapsed().as_secs_f64()
    }

    /// Says so where most of the limit has gone to residuals.
    fn short_of_time(&self, stop: &StopRule) -> Option<String> {
        let limit = stop.max_wall.filter(|limit| self.seconds < 0.5 * limit)?;
        Some(format!(
            "of the limit of {limit} s the solver had {:.2e} s, residuals the rest",
            self.seconds
        ))
    }

    /// Time that is left to the solver \[s\], if there is a limit.
    fn left(&self, stop: &StopRule) -> Option<f64> {
        let solver = stop.max_seconds.map(|limit| limit - self.seconds);
        let wall = stop.max_wall;
        let wall = wall.map(|limit| limit - self.elapsed());
        solver.into_iter().chain(wall).reduce(f64::min)
    }

    fn add(&mut self, work: &WorkDone) {
        self.sweeps += work.sweeps;
        self.row_updates += work.row_updates;
        self.seconds += work.seconds;
    }

    /// Whether the solve ends here, and how; `worst` is the largest criterion.
    fn verdict(
        &mut self,
        (solver, problem): (&mut dyn ImpulseSolver, &Problem),
        (stop, cancel): (&StopRule, &AtomicBool),
        work: &WorkDone,
        worst: f64,
    ) -> Result<Option<End>, SolveError> {
        // a criterion that is NaN is not within any tolerance
        if worst <= stop.tolerance {
            return Ok(Some((Status::Solved, None)));
        }
        if work.finished {
            let message = "the method has given its answer, which misses the tolerance";
            return Ok(Some((Status::Stagnated, Some(message.to_owned()))));
        }
        let late = self.left(stop).is_some_and(|left| left <= 0.0);
        if work.sweeps == 0 && !late && !work.interrupted {
            let message = "the solver made no sweep and does not say that it has finished";
            return Ok(Some((Status::Failed, Some(message.to_owned()))));
        }
        if worst > stop.divergence * self.initial.max(1.0) {
            return Ok(Some((Status::Diverged, None)));
        }
        if work.interrupted {
            // a solver that was cut short has no state that says anything
            return Ok(Some((Status::MaxTime, self.short_of_time(stop))));
        }
        match self.watch.look(solver, problem, self.sweeps)? {
            Some(Repeat::FixedPoint) => {
                let message =
                    "no further sweep changes the impulses: the state of the solver repeats itself";
                return Ok(Some((Status::Stagnated, Some(message.to_owned()))));
            }
            Some(Repeat::Cycle(period)) => {
                let message = format!(
                    "the state of the solver repeats itself and its impulses change with a period of {period} sweeps: no further sweep solves this"
                );
                return Ok(Some((Status::Cycling(period), Some(message))));
            }
            None => {}
        }
        if late {
            return Ok(Some((Status::MaxTime, self.short_of_time(stop))));
        }
        if self.sweeps >= stop.max_sweeps {
            return Ok(Some((Status::MaxSweeps, None)));
        }
        let cancelled = cancel.load(Ordering::Relaxed);
        Ok(cancelled.then_some((Status::Cancelled, None)))
    }
}

/// Solves, judging on the way. A solve whose solver fails is reported as it was when it was last
/// judged: where in between its numbers broke, depends on who looked.
pub(super) fn traced(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    judge: &mut Judge<'_>,
    options: &Options,
    cancel: &AtomicBool,
    trace: &mut Trace,
) -> Result<End, JudgeError> {
    let end = solve(solver, problem, start, judge, options, cancel, trace);
    if matches!(end, Err(JudgeError::Solve(_))) {
        [trace.sweeps, trace.row_updates] = trace.judged;
        let last = trace.sweeps;
        trace.samples.retain(|sample| sample.sweeps <= last);
    }
    end
}

fn solve(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    judge: &mut Judge<'_>,
    options: &Options,
    cancel: &AtomicBool,
    trace: &mut Trace,
) -> Result<End, JudgeError> {
    let stop = &options.stop;
    if !trace.prepare(solver, problem, start, trace.left(stop))? {
        // nothing was done: the start is all that there is
        judge.note_states(&trace.impulses)?;
        trace.record(solver, judge)?;
        return Ok((Status::MaxTime, None));
    }
    trace.read(solver)?;
    judge.note_states(&trace.impulses)?;
    trace.initial = trace.record(solver, judge)?;
    // a start that is a solution may not be the only one
    let searches = stop.max_sweeps > 0 && solver.facts().solutions.is_some();
    if trace.initial <= stop.tolerance && !searches {
        return Ok((Status::Solved, None));
    }
    trace.watch.look(solver, problem, 0)?;
    let mut judged = next_judged(0).min(stop.max_sweeps);
    let mut sampled = options.schedule.next(0);
    if stop.max_sweeps == 0 {
        return Ok((Status::MaxSweeps, None));
    }
    loop {
        let sweeps = judged.min(sampled) - trace.sweeps;
        let limits = Limits {
            cancel,
            seconds: trace.left(stop),
        };
        let work = iterate(solver, problem, sweeps, &limits)?;
        trace.add(&work);
        trace.read(solver)?;
        let is_sample = trace.sweeps >= sampled;
        let decides = trace.sweeps >= judged || work.finished || work.sweeps < sweeps;
        if is_sample {
            sampled = options.schedule.next(trace.sweeps);
        }
        if !decides {
            // what is beyond the range of residuals here is so where it is judged, or has come back
            match trace.record(solver, judge) {
                Ok(_) | Err(JudgeError::Metric(_)) => continue,
                Err(error) => return Err(error),
            }
        }
        judge.note_states(&trace.impulses)?;
        let worst = if is_sample {
            trace.record(solver, judge)?
        } else {
            judge.worst(&trace.impulses, solver)?
        };
        if let Some(end) = trace.verdict((solver, problem), (stop, cancel), &work, worst)? {
            if !is_sample {
                trace.record(solver, judge)?;
            }
            return Ok(end);
        }
        trace.judged = [trace.sweeps, trace.row_updates];
        judged = next_judged(trace.sweeps).min(stop.max_sweeps);
    }
}
