//! Facts that a solver reports about its work: counts, decisions, solutions, its device.

use std::ops::Add;

use serde::{Deserialize, Serialize};

use crate::error::DeviceError;
use crate::peer::PeerFacts;

/// What a solver reports about its work ([`crate::ImpulseSolver::facts`]). The default reports
/// nothing. A wrapper copies the facts of the inner solver and replaces those that differ.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SolverFacts {
    /// The bytes that one work unit of the prepared problem moves between memory and processor,
    /// counted from the data layout; `None` if they are not counted. Body velocities count each
    /// time that they are read. Roofline plots use this number.
    pub traffic: Option<Traffic>,
    /// Number of GPU dispatches per work unit \[-\]: zero if one dispatch performs many units,
    /// `None` if the solver runs on the processor. Every dispatch takes a few microseconds, even if
    /// it computes little, so the number of dispatches determines the time of small problems.
    pub dispatches: Option<u64>,
    /// Number of factorizations since the solver was built, in `prepare`, `update` and `iterate`
    /// together \[-\]; `None` if they are not counted.
    ///
    /// A factorization counts if it costs more than one pass over the rows: a complete or
    /// incomplete factorization of a matrix over all rows, all bodies or a set of rows, or an
    /// eigenvalue or singular value decomposition. Factorizations of single blocks or bodies, and
    /// one-row updates of a factor, count as row updates.
    pub factorizations: Option<u64>,
    /// The decisions since `prepare`, one line each, if the method chooses between other methods.
    /// Equal inputs give equal lines, unless a line ends with [`DEPENDS_ON_TIME`].
    pub decisions: Vec<String>,
    /// The solutions found so far if the method searches for all of them, else `None`.
    pub solutions: Option<Solutions>,
    /// Name and driver of the device that computes; the bits of the result depend on them. `None`
    /// for solvers that run on the processor.
    pub device: Option<Result<String, DeviceError>>,
    /// What a solver in a separate process reports about itself and its last answer; `None` for
    /// solvers of this program.
    pub peer: Option<PeerFacts>,
}

/// Creates facts that contain only the traffic.
impl From<Traffic> for SolverFacts {
    fn from(traffic: Traffic) -> Self {
        Self {
            traffic: Some(traffic),
            ..Self::default()
        }
    }
}

/// Text at the end of each decision that depended on a time limit.
pub const DEPENDS_ON_TIME: &str = "(this depends on the time)";

/// Returns true if a decision depended on a time limit. Another run may then end with other
/// impulses.
pub fn depends_on_time(decisions: &[String]) -> bool {
    decisions.iter().any(|line| line.ends_with(DEPENDS_ON_TIME))
}

/// Adds two counts of factorizations. A count of `None` adds nothing; the sum is `None` if both
/// are.
pub fn counted(one: Option<u64>, other: Option<u64>) -> Option<u64> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.saturating_add(other)),
        (one, other) => one.or(other),
    }
}

/// The solutions found by a method that searches for all solutions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Solutions {
    /// The solutions; [`crate::ImpulseSolver::read_impulses`] returns the first.
    pub list: Vec<Solution>,
    /// True if the list has all solutions, because the search has ended and has dropped none. If
    /// the solutions form a continuous family, the list has only some of its members.
    pub complete: bool,
}

/// One of several solutions of a problem.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Solution {
    /// λ, one per row \[N·s\].
    pub impulses: Vec<f64>,
    /// True if it is proven that a neighbourhood of this solution contains no other solution.
    pub isolated: bool,
}

/// Bytes that one work unit moves, as counted from the data layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Traffic {
    /// Read in order \[B\].
    pub read: u64,
    /// Written in order \[B\].
    pub written: u64,
    /// Read and written through indices: body velocities and masses \[B\].
    pub gathered: u64,
}

impl Traffic {
    /// All bytes \[B\].
    pub fn total(&self) -> u64 {
        self.read + self.written + self.gathered
    }
}

impl Add for Traffic {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            read: self.read + other.read,
            written: self.written + other.written,
            gathered: self.gathered + other.gathered,
        }
    }
}
