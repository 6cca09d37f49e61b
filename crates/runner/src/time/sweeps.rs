//! Times sweeps: the slope between two numbers of sweeps, on passes that are prepared in the same
//! way.
//!
//! A pass of few sweeps and one of many differ in nothing but the sweeps between: what a call
//! costs, threads that wake up and the first touch of the data cancel. Both are repeated, and the
//! disturbances of a machine only ever add time, so the difference of the two minima is the time of
//! the sweeps, and the median of the differences says how much it was disturbed:
//!
//! ```text
//! seconds per sweep = (min long − min short) / (long sweeps − short sweeps)
//! ```
//!
//! Numbers of sweeps follow from the rows alone, never from the clock, so that everything but the
//! times is repeatable.

use std::sync::atomic::{AtomicBool, Ordering};

use delassus_core::{Determinism, ImpulseSolver, Precision, Problem, Start, Status, Traffic};

use super::Passes;
use crate::driver::{Limits, PassEnd, SolveTask, accept, facts, guarded, hash, since};
use crate::judge::{Judge, JudgeError};
use crate::record::{Outcome, Payload, Sample, Timing};

/// Sweeps of a long pass at least \[-\]: a slope needs two numbers of sweeps, and the first sweep
/// is not typical.
const LEAST_SWEEPS: u64 = 4;
/// And at most \[-\]: nobody makes thousands, and sweeps of what has long converged are not typical
/// either.
const MOST_SWEEPS: u64 = 64;
/// Pairs of passes of a small problem at most, as a multiple of those that were asked for \[-\].
const MOST_PASSES: u64 = 32;

impl Passes {
    /// Sweeps of a short and of a long pass over a problem of `rows` rows.
    pub fn sweeps(&self, rows: usize) -> [u64; 2] {
        let long = self.row_updates / (rows.max(1) as u64);
        let long = long.clamp(LEAST_SWEEPS, MOST_SWEEPS);
        [long.div_ceil(LEAST_SWEEPS), long]
    }

    /// Pairs of passes: where the sweeps are bounded, as many as make the same row updates.
    pub fn pairs(&self, rows: usize) -> u64 {
        let per_pass = (rows.max(1) as u64).saturating_mul(MOST_SWEEPS);
        u64::from(self.repetitions) * (self.row_updates / per_pass).clamp(1, MOST_PASSES)
    }
}

/// Times the sweeps of `solver` on `problem`.
///
/// An untimed long pass comes first; all later ones must end with its impulses, bit for bit. The
/// outcome is `Solved` if they do. No failure of the solver escapes: every one is a status.
pub fn time_sweeps(
    solver: &mut dyn ImpulseSolver,
    problem: &Problem,
    start: Start<'_>,
    judge: &mut Judge<'_>,
    passes: &Passes,
    cancel: &AtomicBool,
) -> Outcome {
    let mut task = SolveTask {
        solver,
        problem,
        start,
    };
    let (mut outcome, expected) = first_sweeps(&mut task, judge, passes, cancel);
    for _ in 0..passes.pairs(problem.rows()) {
        timed_pair(&mut task, passes, cancel, &expected, &mut outcome);
    }
    outcome
}

/// The untimed pass alone: the outcome without times, and the impulses that every timed pass must
/// end with \[N·s\].
pub(super) fn first_sweeps(
    task: &mut SolveTask<'_>,
    judge: &mut Judge<'_>,
    passes: &Passes,
    cancel: &AtomicBool,
) -> (Outcome, Vec<f64>) {
    let approximations = match accept(task.solver, task.problem) {
        Ok(approximations) => approximations,
        Err(refused) => return (*refused, Vec::new()),
    };
    let mut outcome = Outcome::without_samples(Status::Failed, "");
    outcome.metrics = judge.names().to_vec();
    outcome.approximations = approximations;
    match guarded(|| first_pass(task, judge, passes, cancel, &mut outcome)) {
        Ok(expected) => {
            outcome.status = Status::Solved;
            outcome.message = None;
            (outcome, expected)
        }
        Err(end) => {
            outcome.status = end.status;
            outcome.message = end.reason;
            (outcome, Vec::new())
        }
    }
}

/// A pair of a short and a long pass with nothing but the clock. Nothing happens where the passes
/// before did not end well.
pub(super) fn timed_pair(
    task: &mut SolveTask<'_>,
    passes: &Passes,
    cancel: &AtomicBool,
    expected: &[f64],
    outcome: &mut Outcome,
) {
    if outcome.status != Status::Solved {
        return;
    }
    if let Err(end) = guarded(|| pair(task, passes, cancel, expected, outcome)) {
        outcome.status = end.status;
        outcome.message = end.reason;
    }
}

/// The untimed pass: the impulses at its end, with the residual before and after in the outcome; or
/// why there is nothing to time.
fn first_pass(
    task: &mut SolveTask<'_>,
    judge: &mut Judge<'_>,
    passes: &Passes,
    cancel: &AtomicBool,
    outcome: &mut Outcome,
) -> Result<Vec<f64>, PassEnd> {
    let problem = task.problem;
    let [short_sweeps, long_sweeps] = passes.sweeps(problem.rows());
    let mut impulses = vec![0.0; problem.rows()];
    let factored = facts(task.solver).factorizations;
    task.solver.prepare(problem, task.start)?;
    task.solver.read_impulses(&mut impulses)?;
    let mut sample = |impulses: &[f64], sweeps, row_updates, solver: &mut dyn ImpulseSolver| {
        let values = judge.evaluate(impulses, solver)?.values;
        Ok::<Sample, JudgeError>(Sample {
            sweeps,
            row_updates,
            values,
        })
    };
    let before = sample(&impulses, 0, 0, task.solver)?;
    let limits = Limits {
        cancel,
        seconds: None,
    };
    let work = task.iterate(long_sweeps, &limits)?;
    if cancel.load(Ordering::Relaxed) {
        return Err(PassEnd::plain(Status::Cancelled));
    }
    if work.finished || work.sweeps != long_sweeps {
        let reason = format!("the method ended after {} sweeps: no slope", work.sweeps);
        return Err(PassEnd::because(Status::Unsupported, reason));
    }
    task.solver.read_impulses(&mut impulses)?;
    let after = sample(&impulses, work.sweeps, work.row_updates, task.solver)?;
    outcome.samples = vec![before, after].into();
    outcome.sweeps = work.sweeps;
    outcome.row_updates = work.row_updates;
    let facts = facts(task.solver);
    outcome.factorizations = since(factored, facts.factorizations);
    outcome.impulse_hash = hash(&impulses);
    outcome.payload = Payload::Time(Timing {
        short_sweeps,
        short_seconds: Vec::new(),
        read_bytes: facts.traffic.map(|t| t.read),
        written_bytes: facts.traffic.map(|t| t.written),
        gathered_bytes: facts.traffic.map(|t| t.gathered),
        working_set: facts.traffic.map(|t| working_set(t, task.solver, problem)),
    });
    Ok(impulses)
}

/// What a sweep touches \[B\]: everything that is streamed, once, and six numbers of velocity per
/// body.
fn working_set(traffic: Traffic, solver: &dyn ImpulseSolver, problem: &Problem) -> u64 {
    let number = match solver.descriptor().precision {
        Precision::F32 => 4,
        _ => 8,
    };
    let bodies = problem.bodies().map_or(0, |bodies| bodies.len()) as u64;
    // what is written in place was read before
    traffic.read.max(traffic.written) + 6 * number * bodies
}

/// Adds the times of two passes, the longer of which ends with the expected impulses.
fn pair(
    task: &mut SolveTask<'_>,
    passes: &Passes,
    cancel: &AtomicBool,
    expected: &[f64],
    outcome: &mut Outcome,
) -> Result<(), PassEnd> {
    let [short_sweeps, long_sweeps] = passes.sweeps(task.problem.rows());
    let mut impulses = vec![0.0; task.problem.rows()];
    let short = task.pass(short_sweeps, cancel, &mut impulses)?;
    let long = task.pass(long_sweeps, cancel, &mut impulses)?;
    if cancel.load(Ordering::Relaxed) {
        return Err(PassEnd::plain(Status::Cancelled));
    }
    let varies = task.solver.descriptor().determinism == Determinism::None;
    let mut pairs = impulses.iter().zip(expected);
    if !varies && !pairs.all(|(a, b)| a.to_bits() == b.to_bits()) {
        let reason = "a repeated pass ended with other impulses";
        return Err(PassEnd::because(Status::Broken, reason));
    }
    outcome.prepare_seconds.push(long.prepare);
    outcome.iterate_seconds.push(long.iterate);
    if let Payload::Time(timing) = &mut outcome.payload {
        timing.short_seconds.push(short.iterate);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sweeps_follow_from_the_rows() {
        let plan = Passes {
            row_updates: 1_000_000,
            repetitions: 3,
        };
        let of = |rows| (plan.sweeps(rows), plan.pairs(rows));
        // 1 000 000 / 50 000 = 20 sweeps, once
        assert_eq!(of(50_000), ([5, 20], 3));
        assert_eq!(of(2_000_000), ([1, 4], 3));
        // 1 000 000 / 4 000 = 250 sweeps are 3 passes of 64, and some
        assert_eq!(of(4_000), ([16, 64], 9));
        assert_eq!(of(1), ([16, 64], 96));
        assert_eq!(of(0), ([16, 64], 96));
    }
}
