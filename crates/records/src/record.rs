//! What a run leaves behind: one record per cell of the experiment matrix.
//!
//! A cell is one problem with one configured solver, or one scene with one configured scheme and solver. Records hold
//! names and numbers only; figures, tables and reports are made from records alone.

use delassus_core::{Solutions, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::origin::Origin;

/// One finished cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CellRecord {
    /// Hash of everything that determines the cell.
    pub key: String,
    /// The problem, or the scene.
    pub problem: ProblemLabel,
    /// The configured scheme of a trajectory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<SchemeLabel>,
    /// The configured solver; without names for a scheme that solves by itself.
    pub solver: SolverLabel,
    /// Facts about the problem, or the scene.
    pub facts: ProblemFacts,
    /// How the solve, or the trajectory, went.
    pub outcome: Outcome,
    /// What its times depend on beside the key; `None` in records of programs that did not keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Origin>,
}

impl CellRecord {
    /// True if the cell was skipped because this machine has no adapter for it.
    pub fn lacks_device(&self) -> bool {
        let of_scheme = self.scheme.as_ref().and_then(|s| s.device.as_deref());
        let devices = [self.solver.device.as_deref(), of_scheme];
        self.outcome.status == Status::Unsupported && devices.contains(&Some(NO_DEVICE))
    }

    /// How the cell ended, in the word for what it did: a run over time that came to its end has `ended`, sweeps that were
    /// timed are `timed`, and only what was judged by a residual is `solved`.
    /// A cycle has its period with it.
    pub fn ending(&self) -> String {
        match self.outcome.status {
            cycle @ Status::Cycling(_) => cycle.to_string(),
            _ => self.ending_id().to_owned(),
        }
    }

    /// The same without the period of a cycle: an entry of `docs/statuses.md`.
    pub fn ending_id(&self) -> &'static str {
        match self.outcome.status {
            Status::Solved if self.scheme.is_some() => ENDED,
            Status::Solved if self.outcome.timing.is_some() => TIMED,
            other => other.id(),
        }
    }

    /// What treats the problem: the name of the cell's series in figures and of its column in tables.
    pub fn method(&self) -> &str {
        match &self.scheme {
            Some(scheme) => &scheme.method,
            None => &self.solver.label,
        }
    }
}

/// Which problem a cell solves, or which scene it steps.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProblemLabel {
    /// Name, unique in the experiment.
    pub name: String,
    /// Identifier of the generator or the scene, or "file".
    pub source: String,
    /// Complete parameters; the file's name for a file.
    pub parameters: Map<String, Value>,
}

/// Which scheme steps a scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SchemeLabel {
    /// Name of the scheme, unique in the experiment: the id, with the parameters that the spec sets.
    pub label: String,
    /// Name of scheme and solver together, unique in the experiment.
    pub method: String,
    /// Identifier of the preset or scheme.
    pub id: String,
    /// Complete parameters.
    pub parameters: Map<String, Value>,
    /// Length of a frame at the start \[s\].
    pub dt: f64,
    /// The device that the scheme itself computes on, as for a solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// Which solver a cell runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverLabel {
    /// Name in legends and tables, unique in the experiment: the id, with the parameters that the spec sets.
    pub label: String,
    /// Registry identifier.
    pub id: String,
    /// Complete parameters.
    pub parameters: Map<String, Value>,
    /// The device it computes on, [`NO_DEVICE`] if that is missing; `None` for the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

/// How a run over time ends that came to its end with finite states.
pub const ENDED: &str = "ended";
/// How a cell ends whose sweeps were timed, with the same bits in every pass.
pub const TIMED: &str = "timed";

/// Stands for a device that this machine does not have: its cells run again where there is one.
pub const NO_DEVICE: &str = "none";

/// How such cells end, in tables and on the terminal.
pub const SKIPPED: &str = "skipped: no adapter";

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

/// How one solve, or one trajectory, went.
///
/// On a trajectory the metrics are observables, `Solved` means that it came to its end, and a pass is a whole run.
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
    /// Sweeps of the solve, or of all solves of the trajectory \[-\].
    pub sweeps: u64,
    /// Row updates of the solve, or of all solves of the trajectory \[-\].
    pub row_updates: u64,
    /// Seconds of `prepare` in each untraced pass \[s\]; zero on a trajectory.
    pub prepare_seconds: Vec<f64>,
    /// Seconds of `iterate`, or of all steps, in each untraced pass \[s\].
    pub iterate_seconds: Vec<f64>,
    /// SHA-256 of the final impulses' bytes (little-endian f64), hexadecimal; empty if there are none. The hash of the
    /// final state of a trajectory.
    pub impulse_hash: String,
    /// The block that is farthest from its own solution at the end of a solve of a problem.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub worst_block: Option<WorstBlock>,
    /// Where the reference of the velocity error came from, if there is one.
    pub reference: Option<String>,
    /// All solutions, where the method looked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub solutions: Option<Solutions>,
    /// What is known of the sweeps of a timed cell beside their number and the seconds of its long passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timing: Option<Timing>,
}

/// A block of a problem and how far it is from its own solution (M.25).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorstBlock {
    /// Its index in the problem.
    pub block: usize,
    /// Its natural map relative to its own velocities \[-\]: the metric `natural_map_block`.
    pub residual: f64,
    /// True if the solve is solved as a whole, and this block misses the tolerance more than [`HIDDEN`] times.
    #[serde(default)]
    pub hidden: bool,
}

/// A block may miss the tolerance of a whole problem by this factor \[-\]: what one of ten thousand equal blocks can.
pub const HIDDEN: f64 = 100.0;

/// What a timed cell adds to an outcome: its short passes, and the memory that a sweep moves.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// Sweeps of a short pass \[-\]; a long one has those of the outcome.
    pub short_sweeps: u64,
    /// Seconds of `iterate` in each short pass \[s\].
    pub short_seconds: Vec<f64>,
    /// Read in order by a sweep, counted from the layout \[B\]; `None` if nobody counted.
    pub read_bytes: Option<u64>,
    /// Written in order \[B\].
    pub written_bytes: Option<u64>,
    /// Read and written through indices \[B\].
    pub gathered_bytes: Option<u64>,
    /// What a sweep touches \[B\].
    pub working_set: Option<u64>,
}

impl Timing {
    /// All bytes that a sweep moves \[B\].
    pub fn bytes(&self) -> Option<u64> {
        Some(self.read_bytes? + self.written_bytes? + self.gathered_bytes?)
    }
}

/// One sample of the traced pass.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Sweeps so far \[-\].
    pub sweeps: u64,
    /// Row updates so far \[-\].
    pub row_updates: u64,
    /// When, on a trajectory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moment: Option<Moment>,
    /// One value per metric of the outcome; `None` where a metric does not apply.
    pub values: Vec<Option<f64>>,
}

/// A moment of a trajectory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Frames so far \[-\].
    pub frame: u64,
    /// Time since the start \[s\].
    pub time: f64,
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
            worst_block: None,
            reference: None,
            solutions: None,
            timing: None,
        }
    }

    /// True if the solve is solved as a whole while one of its blocks is not.
    pub fn hides_a_block(&self) -> bool {
        self.worst_block.is_some_and(|worst| worst.hidden)
    }

    /// Position of a metric in the samples.
    pub fn column(&self, metric: &str) -> Option<usize> {
        self.metrics.iter().position(|m| m == metric)
    }

    /// The value of a metric before the first sweep.
    pub fn first(&self, metric: &str) -> Option<f64> {
        let column = self.column(metric)?;
        *self.samples.first()?.values.get(column)?
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
        let (done, all) = match sample.moment {
            Some(moment) => (moment.frame, self.frames()),
            None => (sample.sweeps, self.sweeps),
        };
        if all == 0 {
            return Some(prepare);
        }
        #[expect(
            clippy::cast_precision_loss,
            reason = "sweep and frame counts are far below 2^53"
        )]
        let share = done as f64 / all as f64;
        Some(prepare + share * iterate)
    }

    /// Seconds of one sweep of a timed cell: the difference of the shortest long and the shortest short pass over that of
    /// their sweeps \[s\]. A disturbance of the machine only adds time.
    pub fn sweep_seconds(&self) -> Option<f64> {
        let shortest = |passes: &[f64]| passes.iter().copied().min_by(f64::total_cmp);
        let timing = self.timing.as_ref()?;
        self.slope(shortest(&self.iterate_seconds)? - shortest(&timing.short_seconds)?)
    }

    /// The same of the median of the differences of one long and one short pass each \[s\].
    pub fn median_sweep_seconds(&self) -> Option<f64> {
        let short = &self.timing.as_ref()?.short_seconds;
        let pairs = self.iterate_seconds.iter().zip(short);
        self.slope(median(pairs.map(|(long, short)| long - short).collect())?)
    }

    /// The same of each pair by itself; a pair that a disturbance has turned round has none \[s\].
    pub fn sweep_samples(&self) -> Vec<f64> {
        let short = self.timing.iter().flat_map(|timing| &timing.short_seconds);
        let pairs = self.iterate_seconds.iter().zip(short);
        pairs
            .filter_map(|(long, short)| self.slope(long - short))
            .collect()
    }

    /// A difference of seconds over that of the sweeps of a long and a short pass.
    fn slope(&self, seconds: f64) -> Option<f64> {
        let sweeps = self
            .sweeps
            .checked_sub(self.timing.as_ref()?.short_sweeps)?;
        #[expect(clippy::cast_precision_loss, reason = "sweeps are far below 2^53")]
        let slope = seconds / sweeps as f64;
        // a machine that is disturbed throughout can make the longer pass the shorter one: that is no time
        (slope > 0.0 && slope.is_finite()).then_some(slope)
    }

    /// Frames of a trajectory \[-\].
    pub fn frames(&self) -> u64 {
        let last = self.samples.last().and_then(|sample| sample.moment);
        last.map_or(0, |moment| moment.frame)
    }

    /// Time that a trajectory covers \[s\].
    pub fn covered(&self) -> Option<f64> {
        Some(self.samples.last()?.moment?.time)
    }

    /// Median seconds per frame of a trajectory, from the untraced passes \[s\].
    pub fn step_seconds(&self) -> Option<f64> {
        self.per_frame(self.seconds()?)
    }

    /// Seconds per frame of the shortest untraced pass of a trajectory \[s\].
    pub fn shortest_step_seconds(&self) -> Option<f64> {
        let passes = self.iterate_seconds.iter().copied();
        self.per_frame(passes.min_by(f64::total_cmp)?)
    }

    fn per_frame(&self, seconds: f64) -> Option<f64> {
        let frames = self.frames();
        #[expect(
            clippy::cast_precision_loss,
            reason = "frame counts are far below 2^53"
        )]
        let per_frame = seconds / frames as f64;
        (frames > 0).then_some(per_frame)
    }

    /// Times \[s\] and values of a metric over a trajectory, where it has one.
    pub fn series(&self, metric: &str) -> (Vec<f64>, Vec<f64>) {
        let Some(column) = self.column(metric) else {
            return (Vec::new(), Vec::new());
        };
        let at = |sample: &Sample| {
            let value = sample.values.get(column).copied().flatten()?;
            Some((sample.moment?.time, value))
        };
        self.samples.iter().filter_map(at).unzip()
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
