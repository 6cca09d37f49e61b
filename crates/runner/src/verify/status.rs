//! Whether the status of a record follows from what it has: impulses, criteria, counts and passes.

use delassus_core::Status;

use super::recorded::RecordedCell;
use crate::driver::{Options, StopRule, is_answer};
use crate::matrix::Experiment;
use crate::matrix::cell::MatrixCell;
use crate::record::{Outcome, Payload, SimulationRecord};
use crate::simulate::Simulations;

/// Everything in which the status contradicts the record; `worst` is the largest criterion of its
/// impulses, where that is known.
pub(super) fn differences(of: RecordedCell<'_>, worst: Option<f64>) -> Vec<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let outcome = &record.outcome;
    let mut found = Vec::new();
    match (&matrix.experiment, &outcome.payload) {
        (Experiment::Solve(solves), Payload::Solve(_)) => {
            let problem = &solves.problems[cell.subject];
            found.extend(of_solve(outcome, &problem.options, worst));
        }
        (Experiment::Simulate(over), Payload::Simulate(run)) => {
            found.extend(of_motion(outcome, run, over, cell));
        }
        // a cell whose sweeps could not be timed has nothing of its own
        (Experiment::Time(_), Payload::Time(_) | Payload::Solve(_)) => {
            found.extend(of_sweeps(outcome));
        }
        _ => found.push("is a cell of another kind than the spec asks for".to_owned()),
    }
    if outcome.status == Status::Cancelled {
        found.push("its status is cancelled, but no run keeps such a cell".to_owned());
    }
    if !matches!(matrix.experiment, Experiment::Solve(_)) && is_of_solves(outcome) {
        found.push(format!(
            "its status is {}, which only a solve can have",
            outcome.status
        ));
    }
    if !says_why(outcome) {
        found.push(format!(
            "its status is {}, but no message says why",
            outcome.status
        ));
    }
    found
}

/// True where only a solve to a tolerance ends so: what is timed or stepped diverges with a
/// message, has no limit of time, and one of sweeps only where a scheme refuses an unfinished
/// solve, with a message.
fn is_of_solves(outcome: &Outcome) -> bool {
    match outcome.status {
        Status::MaxTime | Status::Cycling(_) => true,
        Status::MaxSweeps | Status::Diverged => outcome.message.is_none(),
        _ => false,
    }
}

/// True where a status that nothing else explains comes with a message.
fn says_why(outcome: &Outcome) -> bool {
    let plain = [
        Status::Solved,
        Status::MaxSweeps,
        Status::MaxTime,
        Status::Diverged,
    ];
    plain.contains(&outcome.status) || outcome.message.as_ref().is_some_and(|m| !m.is_empty())
}

fn of_solve(outcome: &Outcome, options: &Options, worst: Option<f64>) -> Option<String> {
    let status = outcome.status;
    let has_impulses = !outcome.impulse_hash.is_empty();
    let passes = outcome.iterate_seconds.len();
    let StopRule {
        tolerance,
        max_sweeps,
        max_seconds,
        divergence,
        ..
    } = options.stop;
    match (is_answer(status), has_impulses) {
        (true, false) => return Some(format!("its status is {status}, but it has no impulses")),
        // a repeated pass may have gone wrong, and then it is not counted
        (false, true) if passes >= options.repetitions as usize => {
            return Some(format!(
                "its status is {status}, but every pass came to its end"
            ));
        }
        (false, _) => return None,
        (true, true) => {}
    }
    let sweeps = outcome.sweeps;
    // a search for all solutions goes on from a start that is one
    let met = worst.filter(|worst| *worst <= tolerance && sweeps > 0);
    match status {
        Status::Solved => None,
        _ if met.is_some() => Some(format!(
            "its status is {status}, but its impulses are within the tolerance: the largest criterion is {:e}",
            met.unwrap_or_default()
        )),
        Status::MaxSweeps if sweeps < max_sweeps => Some(format!(
            "its status is {status} after {sweeps} sweeps, but the limit is {max_sweeps}"
        )),
        Status::MaxTime if max_seconds.is_none() => Some(format!(
            "its status is {status}, but the spec has no limit of time"
        )),
        Status::Diverged if outcome.message.is_none() && worst.is_some_and(|w| w <= divergence) => {
            Some(format!(
                "its status is {status}, but the largest criterion is {:e}",
                worst.unwrap_or_default()
            ))
        }
        _ => None,
    }
}

fn of_motion(
    outcome: &Outcome,
    run: &SimulationRecord,
    over: &Simulations,
    cell: &MatrixCell,
) -> Option<String> {
    let status = outcome.status;
    // a search for a threshold makes several runs
    let frames = over.frames(cell)?;
    let covered = run.moments.last().map_or(0, |moment| moment.frame);
    let passes = outcome.iterate_seconds.len() as u64;
    // a repeated pass may have gone wrong, and then it is not counted
    let ended = covered == frames && passes >= u64::from(over.repetitions());
    match status {
        Status::Solved if !ended => Some(format!(
            "its status is that of a whole run, but it has {covered} of {frames} frames and {passes} timed passes"
        )),
        Status::Solved | Status::Diverged => None,
        status if ended && !outcome.impulse_hash.is_empty() => Some(format!(
            "its status is {status}, but every pass came to its end"
        )),
        _ => None,
    }
}

fn of_sweeps(outcome: &Outcome) -> Option<String> {
    let timing = outcome.timing();
    let pairs = timing.map_or(0, |timing| timing.short_seconds.len());
    match outcome.status {
        Status::Solved if pairs == 0 || pairs != outcome.iterate_seconds.len() => {
            Some("its status is that of timed sweeps, but it has no pairs of times".to_owned())
        }
        _ => None,
    }
}
