//! The verb that compares: `compare`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::folder;
use crate::view::Work;

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  delassus compare results/demo --solvers pgs nncg # two solvers of one run
  delassus compare results/demo                    # every solver with every other one
  delassus compare results/before results/after --tolerance 1e-6
  delassus compare results/18-scaling --cost seconds --out comparison

Counts can be compared between any two runs, times only between runs on the same kind of machine.
--out writes comparison.csv, comparison.svg and, for a single pair, problems.csv.
Exit code 0 whatever the difference, 2 if the request is not valid.")]
pub(crate) struct CompareVerb {
    /// Results folder of `delassus run`, or two folders: each solver of the first is compared with
    /// itself in the second
    #[arg(value_name = "DIR", required = true, num_args = 1..=2)]
    pub(crate) folders: Vec<PathBuf>,
    /// Two solvers (over time, schemes with solvers) by their labels; one from each of two folders
    #[arg(long, value_names = ["A", "B"], num_args = 2)]
    pub(crate) solvers: Option<Vec<String>>,
    /// Cost to compare [default: row_updates; seconds for timed sweeps]
    #[arg(long, value_name = "COST")]
    pub(crate) cost: Option<CostChoice>,
    /// Metric that must reach the tolerance; for solves [default: natural_map]
    #[arg(long, value_name = "M")]
    pub(crate) metric: Option<String>,
    /// Tolerance; for solves [default: that of the run]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    pub(crate) tolerance: Option<f64>,
    /// Folder for the tables and the figure
    #[arg(long, value_name = "DIR", value_parser = folder())]
    pub(crate) out: Option<PathBuf>,
    /// One JSON object per pair of solvers on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `compare` compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CostChoice {
    // passes over all rows
    Sweeps,
    // scalar row updates
    #[value(name = "row_updates")]
    RowUpdates,
    // of prepare and iterate; of a timed sweep; of a frame
    Seconds,
}

impl CostChoice {
    /// The measure of work.
    pub(crate) fn work(self) -> Work {
        match self {
            Self::Sweeps => Work::Sweeps,
            Self::RowUpdates => Work::RowUpdates,
            Self::Seconds => Work::Seconds,
        }
    }
}
