//! How a solve ended.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a solve ended. `Solved` is written by a driver that evaluated the residual itself, never by a solver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// The independently evaluated residual is within tolerance.
    Solved,
    /// The sweep limit was reached first.
    MaxSweeps,
    /// The time limit was reached first.
    MaxTime,
    /// A method that has given its final answer, or an iterate that no longer changes, misses the tolerance.
    Stagnated,
    /// The residual or the iterate grew beyond the divergence limit.
    Diverged,
    /// The iterate became NaN or infinite.
    NonFinite,
    /// A direct method found that there is no solution, or that it cannot reach one.
    Infeasible,
    /// The solver refused the problem.
    Unsupported,
    /// The solver failed for another reason, which the record carries.
    Failed,
    /// The timed and the traced pass ended with different impulses: the solver is not reproducible.
    Broken,
    /// The user stopped the run before this cell had finished.
    Cancelled,
}

impl Status {
    /// The identifier used in records.
    pub fn id(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::MaxSweeps => "max_sweeps",
            Self::MaxTime => "max_time",
            Self::Stagnated => "stagnated",
            Self::Diverged => "diverged",
            Self::NonFinite => "non_finite",
            Self::Infeasible => "infeasible",
            Self::Unsupported => "unsupported",
            Self::Failed => "failed",
            Self::Broken => "broken",
            Self::Cancelled => "cancelled",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}
