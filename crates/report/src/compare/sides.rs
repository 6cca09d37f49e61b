//! What is compared, and why it cannot be.

use delassus_core::suggest::{did_you_mean, nearest};
use thiserror::Error;

use crate::bundle::Bundle;
use crate::view::Work;

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// The cost.
    pub cost: Work,
    /// Metric that must fall to the tolerance; of solves alone.
    pub metric: String,
    /// The tolerance \[-\].
    pub tolerance: f64,
}

/// A method of a run, as one side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'b> {
    /// The run.
    pub bundle: &'b Bundle,
    /// Label of the solver, or of scheme and solver.
    pub method: &'b str,
    /// What it is called in words.
    pub name: &'b str,
}

/// Why two methods cannot be compared.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CompareError {
    /// The runs do different things.
    #[error("cannot compare runs of different kinds (solving, timing, stepping scenes)")]
    Kinds,
    /// The cost has no meaning there.
    #[error("sweeps that are timed all cost the same row updates; compare --cost seconds")]
    OnlySeconds,
    /// The metric is not there.
    #[error(
        "no cell of {name} measured {metric}{}; add it to metrics in [measure], or name another one with --metric: {}",
        did_you_mean(nearest(metric, known.iter().map(String::as_str)).as_deref()),
        known.join(", ")
    )]
    Metric {
        /// The side.
        name: String,
        /// The metric.
        metric: String,
        /// What was measured.
        known: Vec<String>,
    },
    /// The metric is a cost.
    #[error("{0} is a cost, not a metric; compare --cost {0}")]
    CostAsMetric(String),
    /// No problem has cells of both.
    #[error("{a} and {b} have no problem in common")]
    NothingShared {
        /// One side.
        a: String,
        /// The other.
        b: String,
    },
    /// Times that do not compare.
    #[error(
        "times of {a} and {b} were taken {how} and do not compare; compare counts: --cost row_updates"
    )]
    Times {
        /// One side.
        a: String,
        /// The other.
        b: String,
        /// What is different.
        how: String,
    },
}
