//! What a solver of another program says about itself and its answers. Nothing of it is judged
//! here: the driver evaluates the impulses as it does for every solver.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Choice;

/// Which program a solver in a process of its own is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeerIdentity {
    /// Name of the program.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// Hash of its files, if it declares one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<String>,
}

/// How a peer says that its solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Choice)]
pub enum Claim {
    /// Within its tolerance.
    Converged,
    /// At its limit of iterations.
    Limit,
    /// At its limit of time.
    Time,
    /// Without a usable answer.
    Failed,
    /// Because it does not treat the problem.
    Unsupported,
}

/// Which clock a peer reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum PeerClock {
    /// One inside the library.
    Own,
    /// One around the call of the library.
    Wall,
}

/// What a peer says about one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeerAnswer {
    /// How the solve ended, as the peer says.
    pub claimed: Claim,
    /// Iterations, as the peer counts them \[-\].
    pub iterations: u64,
    /// Residuals of the peer by name, in its units; `None` for a number that is not finite.
    pub residuals: BTreeMap<String, Option<f64>>,
    /// Time of the solve alone, by the clock of the peer \[s\].
    pub seconds: f64,
    /// That clock.
    pub clock: PeerClock,
    /// Words of the peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What is known about a solver in a process of its own.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerFacts {
    /// The program.
    pub identity: PeerIdentity,
    /// True if a curve of its convergence is made of solves that begin again.
    pub restarts: bool,
    /// Its last answer since `prepare`.
    pub answer: Option<PeerAnswer>,
}

impl PeerFacts {
    /// The same of a solver around it, whose impulses are others.
    #[must_use]
    pub fn without_answer(self) -> Self {
        Self {
            answer: None,
            ..self
        }
    }
}
