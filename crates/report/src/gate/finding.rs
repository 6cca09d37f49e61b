//! What one cell says about a gate.

use delassus_core::{Choice, Status};
use delassus_statistics::Interval;

use crate::record::CellRecord;

/// What is known about an assertion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Choice)]
pub enum GateVerdict {
    /// It holds.
    Pass,
    /// The run does not say: cells are missing, or times are too uncertain.
    Undecided,
    /// It does not hold.
    Fail,
}

/// What one cell says.
#[derive(Debug, Clone, PartialEq)]
pub struct CellFinding {
    /// Name of the problem or scene.
    pub problem: String,
    /// Label of the solver, or of scheme and solver.
    pub method: String,
    /// Whether it keeps the assertion.
    pub verdict: GateVerdict,
    /// What was found, or why nothing was, for people.
    pub found: String,
    /// The number that was found, if there is one.
    pub value: Option<f64>,
    /// Where a ratio of times lies.
    pub interval: Option<Interval>,
}

impl CellFinding {
    pub(super) fn of(record: &CellRecord, verdict: GateVerdict, found: impl Into<String>) -> Self {
        Self {
            problem: record.problem.name.clone(),
            method: record.method().to_owned(),
            verdict,
            found: found.into(),
            value: None,
            interval: None,
        }
    }
}

/// How a cell ended, and why where that is known.
pub(super) fn because(record: &CellRecord) -> String {
    match &record.outcome.message {
        Some(message) => format!("{} ({message})", record.ending()),
        None => record.ending(),
    }
}

/// What is said of a solve that cannot be compared with another one: a gate asks what it costs to
/// come to the end.
pub(super) fn alone(record: &CellRecord, other: &CellRecord) -> Option<CellFinding> {
    let ended = |r: &CellRecord| r.outcome.status == Status::Solved;
    if record.lacks_device() || other.lacks_device() {
        let text = "unsupported: no adapter";
        return Some(CellFinding::of(record, GateVerdict::Undecided, text));
    }
    if !ended(record) {
        return Some(CellFinding::of(record, GateVerdict::Fail, because(record)));
    }
    (!ended(other)).then(|| {
        let text = format!(
            "nothing to compare with: {} {}",
            other.method(),
            because(other)
        );
        CellFinding::of(record, GateVerdict::Undecided, text)
    })
}
