//! Closed forms, as figures and tables ask for them.
//!
//! This crate has no problems and no scenes: the maker of a [`Bundle`](crate::bundle::Bundle)
//! provides the closed forms.

use std::fmt::Debug;

use delassus_metrics::ClosedForm;

use crate::record::{CellRecord, ProblemLabel, SolverLabel};

/// Looks up closed forms of what records hold.
pub trait ClosedFormLookup: Debug + Sync {
    /// The value of a quantity of a solve: a metric's identifier, a body velocity such as
    /// "v\[1\].y", or "rate", the asymptotic factor per sweep. `None` where it is not known.
    ///
    /// The problem may have other parameters than any record: figures draw lines between cells.
    fn of_quantity(
        &self,
        problem: &ProblemLabel,
        solver: &SolverLabel,
        quantity: &str,
    ) -> Option<f64>;

    /// What an observable of a trajectory must be over time: the motion that schemes approximate,
    /// and what the scheme of the cell must give. Empty where nothing is known.
    fn over_time(&self, record: &CellRecord, observable: &str) -> Vec<ClosedForm>;
}

/// Nothing is known.
impl ClosedFormLookup for () {
    fn of_quantity(&self, _: &ProblemLabel, _: &SolverLabel, _: &str) -> Option<f64> {
        None
    }

    fn over_time(&self, _: &CellRecord, _: &str) -> Vec<ClosedForm> {
        Vec::new()
    }
}
