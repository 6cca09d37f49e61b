//! What only cells of one kind of experiment have, and what a cell's process may take.

use std::collections::BTreeMap;

use delassus_core::{PeerAnswer, Solutions, Status};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{Calibration, SchemeLabel};

/// What a cell's process may take at most.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResourceLimit {
    /// Wall-clock time \[s\].
    Seconds(f64),
    /// Processor time over all threads \[s\].
    CpuSeconds(f64),
    /// Memory \[B\].
    Bytes(u64),
}

/// What only cells of one kind of experiment have.
#[derive(Debug, Clone, PartialEq)]
pub enum Payload {
    /// Of a frozen problem that was solved. A cell whose sweeps could not be timed has nothing of
    /// its own, and reads as this with nothing in it.
    Solve(Solve),
    /// Of sweeps that were timed.
    Time(Timing),
    /// Of a scene that was stepped.
    Simulate(SimulationRecord),
}

impl Default for Payload {
    fn default() -> Self {
        Self::Solve(Solve::default())
    }
}

/// What the solve of a problem adds to an outcome.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Solve {
    /// The block that is farthest from its own solution at the end.
    pub worst_block: Option<WorstBlock>,
    /// Where the reference of the velocity error came from, if there is one.
    pub reference: Option<String>,
    /// All solutions, where the method looked for them.
    pub solutions: Option<Solutions>,
    /// What a method that chooses between others decided, a line each.
    pub decisions: Vec<String>,
    /// What a solver in a process of its own says about its answer.
    pub peer: Option<PeerReport>,
    /// How each world ended, where the problem is worlds of one structure; empty for all others.
    pub worlds: Vec<WorldEnd>,
}

/// How one of many worlds of a solve ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WorldEnd {
    /// The parameters in which it differs from the other worlds.
    pub parameters: Map<String, Value>,
    /// `Solved` if its own natural map is within the tolerance, in the form that decides (M.39);
    /// otherwise how the solve ended.
    pub status: Status,
    /// Natural map of the world as a problem of its own \[-\] (M.38); `None` beyond the range of
    /// residuals.
    pub residual: Option<f64>,
    /// The first sweep of those that were judged since which the world stayed within the tolerance
    /// \[-\]; `None` if it is not at the end.
    pub sweeps: Option<u64>,
}

/// What a solver in a process of its own says about the answer of a solve, unjudged.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeerReport {
    /// True if the samples are solves that began again, each with a higher limit of iterations.
    pub restarted: bool,
    /// What it says.
    #[serde(flatten)]
    pub answer: PeerAnswer,
}

/// What a run of a scene adds to an outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct SimulationRecord {
    /// The configured scheme.
    pub scheme: SchemeLabel,
    /// When the samples were taken, one each.
    pub moments: Vec<Moment>,
    /// Overlaps of all contact points of all samples, where an observable of them was measured.
    pub depths: Option<Depths>,
    /// SHA-256 of the file of the recorded motion, hexadecimal; `None` where none was kept, and in
    /// older records.
    pub replay_hash: Option<String>,
    /// How the substeps were chosen, where a budget chooses them.
    pub calibration: Option<Calibration>,
}

/// How many contact points overlapped by how much (R.48).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Depths {
    /// Points that did not overlap.
    pub none: u64,
    /// Bins in order, with the points in each: from 10^(n/50) to 10^((n+1)/50) m.
    pub bins: BTreeMap<i32, u64>,
}

/// Bins per factor of ten \[-\].
const PER_DECADE: f64 = 50.0;

impl Depths {
    /// Takes a point in; an overlap \[m\] that is NaN does not count.
    pub fn add(&mut self, depth: f64) {
        if !(depth.is_finite() && depth > 0.0) {
            self.none += 1;
            return;
        }
        // a positive number has a logarithm between −324 and 309
        #[expect(clippy::cast_possible_truncation, reason = "at most some thousands")]
        let bin = (PER_DECADE * libm::log10(depth)).floor() as i32;
        *self.bins.entry(bin).or_default() += 1;
    }

    /// Number of points.
    pub fn points(&self) -> u64 {
        self.bins
            .values()
            .fold(self.none, |sum, n| sum.saturating_add(*n))
    }

    /// Upper ends of the bins \[m\], with the points in each; without those that do not overlap.
    pub fn ends(&self) -> impl Iterator<Item = (f64, u64)> + '_ {
        let end = |bin: &i32| libm::pow(10.0, (f64::from(*bin) + 1.0) / PER_DECADE);
        self.bins.iter().map(move |(bin, n)| (end(bin), *n))
    }
}

/// A block of a problem and how far it is from its own solution (M.25).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct WorstBlock {
    /// Its index in the problem.
    pub block: usize,
    /// Its natural map relative to its own velocities \[-\]: the metric `natural_map_block`.
    pub residual: f64,
    /// True if the solve is solved as a whole, and this block misses the tolerance more than
    /// [`HIDDEN`] times.
    #[serde(default)]
    pub hidden: bool,
}

/// A block may miss the tolerance of a whole problem by this factor \[-\]: what one of ten thousand
/// equal blocks can.
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
        let sum = self.read_bytes?.saturating_add(self.written_bytes?);
        Some(sum.saturating_add(self.gathered_bytes?))
    }
}

/// A moment of a trajectory.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Moment {
    /// Frames so far \[-\].
    pub frame: u64,
    /// Time since the start \[s\].
    pub time: f64,
}
