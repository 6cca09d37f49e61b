//! What a cell cost until it reached a goal.

use delassus_core::Status;

use super::sides::Goal;
use crate::analysis::{count, spent, work_to};
use crate::record::{CellRecord, Outcome};
use crate::view::{Kind, Work};

/// The cost of a cell \[-\] or \[s\]: of a solve to the tolerance, of a timed sweep, of a run over
/// time or, in seconds, of its frame. `None` where the goal was not reached.
pub(super) fn cost(record: &CellRecord, kind: Kind, goal: &Goal) -> Option<f64> {
    let outcome = &record.outcome;
    let ended = outcome.status == Status::Solved;
    match (kind, goal.cost) {
        (Kind::Solves, work) => work_to(outcome, &goal.metric, goal.tolerance, work),
        (Kind::Timings, _) => outcome.median_sweep_seconds().filter(|_| ended),
        (Kind::Trajectories, Work::Seconds) => outcome.step_seconds().filter(|_| ended),
        (Kind::Trajectories, work) => spent(record, work).filter(|_| ended),
    }
}

/// The row updates of a cell until it reached the goal \[-\]; `None` of timed sweeps.
pub(super) fn updates(record: &CellRecord, kind: Kind, goal: &Goal) -> Option<f64> {
    let goal = Goal {
        cost: Work::RowUpdates,
        ..goal.clone()
    };
    (kind != Kind::Timings)
        .then(|| cost(record, kind, &goal))
        .flatten()
}

/// The seconds of every timed pass up to the goal \[s\]; `None` where passes are no samples of it.
pub(super) fn samples(record: &CellRecord, kind: Kind, goal: &Goal) -> Option<Vec<f64>> {
    let outcome = &record.outcome;
    match kind {
        Kind::Solves => {
            let share = share(outcome, goal)?;
            let passes = outcome.prepare_seconds.iter().zip(&outcome.iterate_seconds);
            Some(
                passes
                    .map(|(prepare, iterate)| prepare + share * iterate)
                    .collect(),
            )
        }
        Kind::Timings => {
            let samples = outcome.sweep_samples();
            (samples.len() == outcome.iterate_seconds.len()).then_some(samples)
        }
        // a scene is timed by itself: nothing pairs its passes with another one's
        Kind::Trajectories => None,
    }
}

/// The part of the iterations up to the first sample within the tolerance.
fn share(outcome: &Outcome, goal: &Goal) -> Option<f64> {
    let part = |work| work_to(outcome, &goal.metric, goal.tolerance, work);
    let (done, all) = match outcome.row_updates {
        0 => (part(Work::Sweeps)?, outcome.sweeps),
        all => (part(Work::RowUpdates)?, all),
    };
    Some(if all == 0 { 0.0 } else { done / count(all) })
}
