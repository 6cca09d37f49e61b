//! Why an entry could not be measured.

use delassus_core::{ParameterError, ProblemError, SolveError};
use delassus_dynamics::{SchemeError, StepError};
use delassus_metrics::MetricError;
use delassus_problems::GenerateError;
use delassus_scenes::SceneError;
use thiserror::Error;

/// Why an entry could not be measured.
#[derive(Debug, Error)]
pub enum BenchError {
    /// The problem could not be made.
    #[error(transparent)]
    Generate(#[from] GenerateError),
    /// The scene could not be made.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// The scheme could not be made.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// A registry has no such item.
    #[error("no {0}")]
    Unknown(&'static str),
    /// A level that this processor does not have.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The solver failed.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A step failed.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The problem refused new numbers.
    #[error(transparent)]
    Problem(#[from] ProblemError),
    /// No residual.
    #[error(transparent)]
    Metric(#[from] MetricError),
    /// A scene of another size than its entry says.
    #[error("{found} contact points or joints instead of {expected}")]
    Elements {
        /// Those of the scene.
        found: usize,
        /// Those of the entry.
        expected: usize,
    },
    /// A line of a peer that is not in the agreed form.
    #[error("line {line:?} of a peer: {reason}")]
    Peer {
        /// The line.
        line: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}
