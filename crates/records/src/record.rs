//! What a run leaves behind: one record per cell of the experiment matrix.
//!
//! A cell is one problem with one configured solver, or one scene with one configured scheme and
//! solver. Records hold names and numbers only; figures, tables and reports are made from records
//! alone.

mod calibration;
mod file;
mod outcome;
mod payload;
mod samples;

use delassus_core::{OTHER_SCENE, PeerIdentity, Status, is_engine};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::origin::Origin;
pub use calibration::{Calibration, FrameBudget, Trial};
pub use outcome::{Outcome, SampleClock};
pub use payload::{
    Depths, HIDDEN, Moment, Payload, PeerReport, ResourceLimit, SimulationRecord, Solve, Timing,
    WorldEnd, WorstBlock,
};
pub use samples::{Sample, SampleRow, SampleTable};

/// One finished cell.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "file::Record<'static>")]
pub struct CellRecord {
    /// Hash of everything that determines the cell.
    pub key: String,
    /// The problem, or the scene.
    pub problem: ProblemLabel,
    /// The configured solver; without names for a scheme that solves by itself.
    pub solver: SolverLabel,
    /// Facts about the problem, or the scene.
    pub facts: ProblemFacts,
    /// How the solve, or the trajectory, went.
    pub outcome: Outcome,
    /// What its times depend on in addition to the key; `None` in records of programs that did not
    /// store it.
    pub origin: Option<Origin>,
}

impl CellRecord {
    /// The configured scheme of a trajectory.
    pub fn scheme(&self) -> Option<&SchemeLabel> {
        self.outcome.simulated().map(|run| &run.scheme)
    }

    /// True if the solver worked on the problem, whatever came of it.
    pub fn was_attempted(&self) -> bool {
        let status = self.outcome.status;
        !matches!(status, Status::Unsupported | Status::Cancelled)
    }

    /// False of an engine, which reports neither sweeps nor row updates: its counts are zero and
    /// say nothing.
    pub fn counts_work(&self) -> bool {
        !self.scheme().is_some_and(SchemeLabel::is_engine)
    }

    /// In what the scene that was stepped differs from the one that the cell is of; empty for runs
    /// of the scene itself.
    pub fn other_scene(&self) -> impl Iterator<Item = &str> {
        let all = self.outcome.approximations.iter();
        all.filter_map(|text| text.strip_prefix(OTHER_SCENE))
    }

    /// True if the run stepped another scene: it is not ranked among runs of the scene itself.
    pub fn steps_other_scene(&self) -> bool {
        self.other_scene().next().is_some()
    }

    /// True if the cell was skipped because this machine has no adapter for it.
    pub fn lacks_device(&self) -> bool {
        let of_scheme = self.scheme().and_then(|s| s.device.as_deref());
        let devices = [self.solver.device.as_deref(), of_scheme];
        self.outcome.status == Status::Unsupported && devices.contains(&Some(NO_DEVICE))
    }

    /// How the cell ended, in the word for what it did: a run over time that came to its end has
    /// `ended`, sweeps that were timed are `timed`, and only what was judged by a residual is
    /// `solved`. A cycle has its period with it.
    pub fn ending(&self) -> String {
        match self.outcome.status {
            cycle @ Status::Cycling(_) => cycle.to_string(),
            _ => self.ending_id().to_owned(),
        }
    }

    /// The same without the period of a cycle: an entry of `docs/statuses.md`.
    pub fn ending_id(&self) -> &'static str {
        match self.outcome.status {
            Status::Solved => match self.outcome.payload {
                Payload::Solve(_) => Status::Solved.id(),
                Payload::Time(_) => TIMED,
                Payload::Simulate(_) => ENDED,
            },
            other => other.id(),
        }
    }

    /// What treats the problem: the name of the cell's series in figures and of its column in
    /// tables.
    pub fn method(&self) -> &str {
        match self.scheme() {
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
    /// Name of the scheme, unique in the experiment: the id, with the parameters that the spec
    /// sets.
    pub label: String,
    /// Name of scheme and solver together, unique in the experiment.
    pub method: String,
    /// Identifier of the preset or scheme.
    pub id: String,
    /// Every parameter with its value, defaults included.
    pub parameters: Map<String, Value>,
    /// Length of a frame at the start \[s\].
    pub dt: f64,
    /// The device that the scheme itself computes on, as for a solver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
}

impl SchemeLabel {
    /// True for an engine of another program, which counts no sweeps and no row updates.
    pub fn is_engine(&self) -> bool {
        is_engine(&self.id)
    }
}

/// Which solver a cell runs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SolverLabel {
    /// Name in legends and tables, unique in the experiment: the id, with the parameters that the
    /// spec sets.
    pub label: String,
    /// Registry identifier.
    pub id: String,
    /// Every parameter with its value, defaults included.
    pub parameters: Map<String, Value>,
    /// The device it computes on, [`NO_DEVICE`] if that is missing; `None` for the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The program that it is, where it has a process of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<PeerIdentity>,
}

/// What a search for a threshold samples in front of what decides, once per run: values of the
/// parameter with which the scene stands and falls, the closest so far, and the value tried.
pub const THRESHOLD: [&str; 3] = ["stands_at", "falls_at", "tried"];
/// And what decides.
pub const OBSERVED: &str = "observed";

/// What stands for the overlaps of all contact points of a run, where one of their observables is
/// measured.
pub const OVERLAPS: &str = "penetration";

/// How a run over time ends that came to its end with finite states.
pub const ENDED: &str = "ended";
/// How a cell ends whose sweeps were timed, with the same bits in every pass.
pub const TIMED: &str = "timed";

/// Stands for a device that this machine does not have: its cells run again where there is one.
pub const NO_DEVICE: &str = "none";

/// How such cells end, in tables and on the terminal.
pub const NO_ADAPTER: &str = "unsupported: no adapter";

/// Facts about a problem that tables print with the results.
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

/// Times \[s\] and values of one column of samples taken over time, without those that have no
/// value.
pub fn series(
    values: impl Iterator<Item = Option<f64>>,
    moments: &[Moment],
) -> (Vec<f64>, Vec<f64>) {
    let timed = values.zip(moments);
    let known = timed.filter_map(|(value, moment)| Some((moment.time, value?)));
    known.unzip()
}
