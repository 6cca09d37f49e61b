//! What a run leaves behind: one record per cell of the experiment matrix.
//!
//! A cell is one problem with one configured solver. Records hold names and numbers only; figures, tables and
//! reports are made from records alone.

use delassus_core::Status;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellRecord {
    /// Hash of everything that determines the cell.
    pub key: String,
    /// The problem.
    pub problem: ProblemLabel,
    /// The configured solver.
    pub solver: SolverLabel,
    /// Facts about the problem.
    pub facts: ProblemFacts,
    /// How the solve went.
    pub outcome: Outcome,
}

/// Which problem a cell solves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemLabel {
    /// Name, unique in the experiment.
    pub name: String,
    /// Generator identifier, or "file".
    pub source: String,
    /// Complete generator parameters; the file's name for a file.
    pub parameters: Map<String, Value>,
}

/// Which solver a cell runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SolverLabel {
    /// Name in legends and tables, unique in the experiment: the id, with the parameters that the spec sets.
    pub label: String,
    /// Registry identifier.
    pub id: String,
    /// Complete parameters.
    pub parameters: Map<String, Value>,
}

/// Facts about a problem that tables print beside the results.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ProblemFacts {
    /// Number of rows \[-\].
    pub rows: usize,
    /// Number of blocks \[-\].
    pub blocks: usize,
    /// Number of contact points \[-\].
    pub contacts: usize,
    /// Number of bodies; `None` for a matrix problem.
    pub bodies: Option<usize>,
    /// ‖A − Aᵀ‖_F / ‖A‖_F \[-\] of a matrix problem.
    pub asymmetry: Option<f64>,
    /// Energy scale E_s of the headline residual \[J\] (M.3).
    pub energy_scale: f64,
}

/// How one solve went.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// How it ended; `Solved` only where the independent residual is within tolerance.
    pub status: Status,
    /// Why, where the status does not say it all.
    pub message: Option<String>,
    /// What the solver solves instead of the problem; empty if it is exact.
    pub approximations: Vec<String>,
    /// Identifiers of the metrics in [`Sample::values`].
    pub metrics: Vec<String>,
    /// Samples of the traced pass, in order; the first is the start.
    pub samples: Vec<Sample>,
    /// Sweeps of the solve \[-\].
    pub sweeps: u64,
    /// Row updates of the solve \[-\].
    pub row_updates: u64,
    /// Seconds of `prepare` in each untraced pass \[s\].
    pub prepare_seconds: Vec<f64>,
    /// Seconds of `iterate` in each untraced pass \[s\].
    pub iterate_seconds: Vec<f64>,
    /// SHA-256 of the final impulses' bytes (little-endian f64), hexadecimal; empty if there are none.
    pub impulse_hash: String,
    /// Where the reference of the velocity error came from, if there is one.
    pub reference: Option<String>,
}

/// One sample of the traced pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Sweeps so far \[-\].
    pub sweeps: u64,
    /// Row updates so far \[-\].
    pub row_updates: u64,
    /// One value per metric of the outcome; `None` where a metric does not apply.
    pub values: Vec<Option<f64>>,
}

impl Outcome {
    /// An outcome without samples: the cell could not run.
    pub fn without_samples(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: Some(message.into()),
            approximations: Vec::new(),
            metrics: Vec::new(),
            samples: Vec::new(),
            sweeps: 0,
            row_updates: 0,
            prepare_seconds: Vec::new(),
            iterate_seconds: Vec::new(),
            impulse_hash: String::new(),
            reference: None,
        }
    }

    /// Position of a metric in the samples.
    pub fn column(&self, metric: &str) -> Option<usize> {
        self.metrics.iter().position(|m| m == metric)
    }

    /// The last value of a metric.
    pub fn last(&self, metric: &str) -> Option<f64> {
        let column = self.column(metric)?;
        self.samples.last()?.values.get(column).copied().flatten()
    }

    /// The smallest value of a metric over the samples.
    pub fn best(&self, metric: &str) -> Option<f64> {
        let column = self.column(metric)?;
        let samples = self.samples.iter();
        let values = samples.filter_map(|s| s.values.get(column).copied().flatten());
        values.min_by(f64::total_cmp)
    }

    /// Median seconds of prepare and iterate together, from the untraced passes \[s\].
    pub fn seconds(&self) -> Option<f64> {
        let passes = self.prepare_seconds.iter().zip(&self.iterate_seconds);
        median(passes.map(|(prepare, iterate)| prepare + iterate).collect())
    }

    /// Time of a sample \[s\]: the median untraced prepare, and its share of the median untraced iterate.
    pub fn seconds_at(&self, sample: &Sample) -> Option<f64> {
        let prepare = median(self.prepare_seconds.clone())?;
        let iterate = median(self.iterate_seconds.clone())?;
        if self.sweeps == 0 {
            return Some(prepare);
        }
        // sweep counts are far below 2^53
        #[expect(
            clippy::cast_precision_loss,
            reason = "sweep counts are far below 2^53"
        )]
        let share = sample.sweeps as f64 / self.sweeps as f64;
        Some(prepare + share * iterate)
    }
}

/// The median; `None` of nothing.
pub fn median(mut values: Vec<f64>) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => None,
        n if n % 2 == 1 => Some(values[middle]),
        _ => Some(0.5 * (values[middle - 1] + values[middle])),
    }
}
