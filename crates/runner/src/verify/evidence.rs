//! What a record has beside its status, as this version of the program always leaves it: passes,
//! samples, impulses, limits. A status without them was put there by somebody else.

use delassus_core::Status;

use super::recorded::RecordedCell;
use crate::driver::{Options, is_answer};
use crate::matrix::cell::MatrixCell;
use crate::matrix::{CellMatrix, Experiment};
use crate::record::{CellRecord, Outcome, Payload, ResourceLimit};

/// Sweeps up to which a solve is judged after every one \[-\]: a sample that meets the criteria
/// ends it.
const JUDGED: u64 = 2048;

/// Everything that the status of a record does not go with.
pub(super) fn differences(of: RecordedCell<'_>) -> Vec<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let outcome = &record.outcome;
    let status = outcome.status;
    let mut found = Vec::new();
    if outcome.prepare_seconds.len() != outcome.iterate_seconds.len() {
        found.push(
            "the times of preparing and of iterating are of different numbers of passes".to_owned(),
        );
    }
    if !has_limit_of(outcome) {
        found.push(format!(
            "its status is {status}, which contradicts its limit"
        ));
    }
    if has_more(outcome) && !is_search(matrix, cell) {
        found.push(format!(
            "its status is {status}, but it has more than such a cell leaves"
        ));
    }
    if is_sampled(status) && outcome.samples.is_empty() {
        found.push(format!("its status is {status}, but it has no samples"));
    }
    let without = match &matrix.experiment {
        Experiment::Solve(solves) => {
            let problem = &solves.problems[cell.subject];
            of_solve(record, &problem.options, &problem.criteria)
        }
        Experiment::Time(timings) => {
            let pairs = outcome.iterate_seconds.len() as u64;
            let is_whole = pairs == timings.rounds(&record.facts);
            ((status == Status::Solved) != is_whole).then_some("pairs of passes")
        }
        Experiment::Simulate(over) => {
            let frames = over.frames(cell);
            of_motion(outcome, frames)
        }
    };
    if let Some(what) = without {
        found.push(format!(
            "its status is {status}, which contradicts its {what}"
        ));
    }
    found
}

/// True where the record has more than the word of its run for how it ended: impulses, which are
/// judged again, or a refusal that follows from the spec.
pub(super) fn is_shown(cell: &MatrixCell, record: &CellRecord) -> bool {
    let outcome = &record.outcome;
    let has_impulses = outcome.solve().is_some() && !outcome.impulse_hash.is_empty();
    match outcome.status {
        Status::Solved => true,
        Status::Unsupported => cell.skip.is_some(),
        status => is_answer(status) && has_impulses,
    }
}

/// True if a limit at which the process ended is there where the status tells of one, and of its
/// kind.
fn has_limit_of(outcome: &Outcome) -> bool {
    match outcome.status {
        Status::Timeout => matches!(
            outcome.limit,
            Some(ResourceLimit::Seconds(_) | ResourceLimit::CpuSeconds(_))
        ),
        Status::OutOfMemory => matches!(outcome.limit, Some(ResourceLimit::Bytes(_))),
        _ => outcome.limit.is_none(),
    }
}

/// True where a cell whose process ended has more than that, or one that ended before its first
/// sample counts work.
fn has_more(outcome: &Outcome) -> bool {
    let counts = outcome.sweeps > 0 || outcome.row_updates > 0;
    let factorized = outcome.factorizations.is_some();
    let hashed = !outcome.impulse_hash.is_empty() || outcome.replay_hash().is_some();
    let timed = !outcome.iterate_seconds.is_empty();
    match outcome.samples.is_empty() {
        true if outcome.status.is_killed() => counts || hashed || timed || factorized,
        true => counts,
        false => outcome.status.is_killed(),
    }
}

/// True for a status of a cell that has been judged, or sampled, at least at its start.
fn is_sampled(status: Status) -> bool {
    let sampled = [Status::Solved, Status::MaxSweeps, Status::MaxTime];
    sampled.contains(&status) || matches!(status, Status::Cycling(_))
}

/// True for a cell that looks for a threshold, in several runs.
fn is_search(matrix: &CellMatrix, cell: &MatrixCell) -> bool {
    match &matrix.experiment {
        Experiment::Simulate(over) => over.frames(cell).is_none(),
        Experiment::Solve(_) | Experiment::Time(_) => false,
    }
}

/// What the status of a solve does not go with.
fn of_solve(record: &CellRecord, options: &Options, criteria: &[String]) -> Option<&'static str> {
    let outcome = &record.outcome;
    let passes = outcome.iterate_seconds.len();
    let whole = passes == options.repetitions as usize;
    // a limit of time may leave room for one pass alone
    let enough = whole || (passes == 1 && options.stop.max_seconds.is_some());
    let has_impulses = !outcome.impulse_hash.is_empty();
    match outcome.status {
        // what others may be is told by a message
        Status::Solved | Status::MaxSweeps | Status::MaxTime | Status::Cycling(_) => {
            (!enough).then_some("timed passes")
        }
        _ if has_impulses => None,
        // its passes end with different ones
        Status::Broken => Some("impulses, of which it has none"),
        _ if passes > 0 => Some("timed passes, as it has no impulses"),
        _ if is_met(record, options, criteria) => Some("last sample, which meets every criterion"),
        _ => None,
    }
}

/// True if the last sample of a solve would have ended it as solved.
fn is_met(record: &CellRecord, options: &Options, criteria: &[String]) -> bool {
    let outcome = &record.outcome;
    let Some(last) = outcome.samples.last() else {
        return false;
    };
    let tolerance = options.stop.tolerance;
    let met = |name: &String| {
        // with friction another form of these decides
        let decides = !name.starts_with("natural_map") || record.facts.contacts == 0;
        decides && outcome.last(name).is_some_and(|value| value <= tolerance)
    };
    // a start that is a solution may not be the only one
    let judged = (1..=JUDGED).contains(&last.sweeps);
    judged && !criteria.is_empty() && criteria.iter().all(met)
}

/// What the status of a run over time does not go with; `frames` are all of it, where it is one.
fn of_motion(outcome: &Outcome, frames: Option<u64>) -> Option<&'static str> {
    let has_state = !outcome.impulse_hash.is_empty();
    let covers_all = frames.is_some_and(|frames| frames > 0 && outcome.frames() == frames);
    let timed = !outcome.iterate_seconds.is_empty();
    match (outcome.status, &outcome.payload) {
        (Status::Solved, Payload::Simulate(_)) if frames.is_some() && !has_state => {
            Some("final state, of which it has no hash")
        }
        _ if has_state => None,
        _ if timed => Some("timed passes, as it has no final state"),
        _ if covers_all => Some("frames, which are all that there are"),
        _ => None,
    }
}
