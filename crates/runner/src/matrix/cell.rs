//! One cell of a matrix, and what running it takes.

use std::sync::atomic::AtomicBool;

use delassus_core::{EntryError, ImpulseSolver, MemoryLimit};
use delassus_replay::Limits;
use serde_json::json;

use crate::key;
use crate::record::{Outcome, ProblemFacts, SolverLabel};
use crate::registry::Registry;

/// One cell of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatrixCell {
    /// Index of the problem or scene.
    pub subject: usize,
    /// Index of what treats it: a solver, or a scheme with its solver.
    pub method: usize,
    /// Hash of everything that determines the record.
    pub key: String,
    /// Why the cell cannot run, if it cannot.
    pub skip: Option<String>,
    /// How much of its motion is recorded, if any is.
    pub replay: Option<Limits>,
}

/// The key of a cell that is skipped because it would take more memory than there may be: such a
/// refusal is not kept for a machine or a limit with more memory.
pub(crate) fn refused_key(key: String, too_large: Option<&str>) -> String {
    match too_large {
        Some(reason) => key::of_json(&json!([key, reason])),
        None => key,
    }
}

/// What running a cell needs in addition to the cell.
#[derive(Clone, Copy)]
pub(crate) struct Workbench<'w> {
    pub(crate) registry: &'w Registry,
    /// The configured solvers of the experiment.
    pub(crate) solvers: &'w [SolverLabel],
    /// What a problem may take with its solver.
    pub(crate) memory: MemoryLimit,
    /// Set when the user stops the run.
    pub(crate) cancel: &'w AtomicBool,
}

impl Workbench<'_> {
    /// Builds the solver of this index.
    pub(crate) fn solver(&self, index: usize) -> Result<Box<dyn ImpulseSolver>, EntryError> {
        build(&self.solvers[index], self.registry)
    }
}

/// A cell whose first pass is over, and whose timed passes can take turns with those of other
/// cells.
pub(crate) trait Turns {
    /// One timed pass, or one pair of a short and a long one. Whatever goes wrong is in the
    /// outcome, and later passes do nothing.
    fn pass(&mut self);

    /// What comes after the last pass, and what the cell came to.
    fn finish(self: Box<Self>) -> Finish;
}

/// What a cell came to after its last pass.
pub(crate) struct Finish {
    pub(crate) outcome: Outcome,
    /// The final impulses of a solve \[N·s\].
    pub(crate) impulses: Option<Vec<f64>>,
}

impl Finish {
    /// The same of a problem with these facts.
    pub(crate) fn with(self, facts: ProblemFacts) -> CellRun {
        CellRun {
            impulses: self.impulses,
            ..CellRun::of(self.outcome, facts)
        }
    }
}

/// What running a cell leaves.
#[derive(Debug)]
pub(crate) struct CellRun {
    pub(crate) outcome: Outcome,
    /// Those of its problem or scene.
    pub(crate) facts: ProblemFacts,
    /// The file of its replay, if its motion was recorded.
    pub(crate) replay: Option<Vec<u8>>,
    /// The final impulses of a solve \[N·s\].
    pub(crate) impulses: Option<Vec<f64>>,
}

impl CellRun {
    /// A run that leaves nothing but its record.
    pub(crate) fn of(outcome: Outcome, facts: ProblemFacts) -> Self {
        Self {
            outcome,
            facts,
            replay: None,
            impulses: None,
        }
    }
}

/// Builds a configured solver.
pub(crate) fn build(
    label: &SolverLabel,
    registry: &Registry,
) -> Result<Box<dyn ImpulseSolver>, EntryError> {
    registry.find(&label.id)?.build(&label.parameters)
}
