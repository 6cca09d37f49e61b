//! Words that figures and tables share: cells and parameters that they choose, work, costs, what is taken of a run.

mod choice;
mod cost;
mod list;

use serde::{Deserialize, Serialize};

pub use choice::{DT, Knob, Over, Part, Selection, named};
pub use cost::Cost;
pub(crate) use list::one_or_more;

/// What an experiment does with its cells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Solves frozen problems.
    Solves,
    /// Times sweeps over frozen problems.
    Timings,
    /// Steps scenes.
    Trajectories,
}

/// A measure of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Passes over all rows.
    Sweeps,
    /// Scalar row updates.
    RowUpdates,
    /// Seconds of prepare and iterate, without any metric.
    Seconds,
}

impl Work {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Sweeps, Self::RowUpdates, Self::Seconds];

    /// The identifier used in specs.
    pub fn id(self) -> &'static str {
        match self {
            Self::Sweeps => "sweeps",
            Self::RowUpdates => "row_updates",
            Self::Seconds => "seconds",
        }
    }
}

/// Metric of views that name none.
pub(crate) fn headline() -> String {
    "natural_map".to_owned()
}
