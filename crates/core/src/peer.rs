//! What a solver of another program (a peer) reports about itself and its answers. These reports do
//! not determine the [`crate::Status`]: the program evaluates the residual of the impulses, as for
//! every solver.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::Choice;

/// Prefix of the name of a scheme that is a physics engine in a separate process, described by a
/// file.
pub const ENGINE: &str = "engine:";
/// Prefix of the name of a scheme that is a physics engine in a separate process, started by a
/// command.
pub const ENGINE_COMMAND: &str = "engine-cmd:";

/// True if the scheme `name` is a physics engine in a separate process. Such a scheme reports the
/// motion of the bodies, but no impulses and no sweeps.
pub fn is_engine(name: &str) -> bool {
    let name = name.trim_start();
    name.starts_with(ENGINE) || name.starts_with(ENGINE_COMMAND)
}

/// The program of a solver that runs in a separate process.
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

/// How a solve ended, according to the peer.
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
    /// Because it does not support the problem.
    Unsupported,
}

/// The clock that measured the time of a peer's solve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum PeerClock {
    /// A clock inside the library.
    Own,
    /// A clock around the call of the library.
    Wall,
}

/// What a peer reports about one solve.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PeerAnswer {
    /// How the solve ended, as reported by the peer.
    pub claimed: Claim,
    /// Iterations, as the peer counts them \[-\].
    pub iterations: u64,
    /// Residuals of the peer by name, in its units; `None` for a number that is not finite.
    pub residuals: BTreeMap<String, Option<f64>>,
    /// Time of the solve alone, by the clock of the peer \[s\].
    pub seconds: f64,
    /// The clock that measured `seconds`.
    pub clock: PeerClock,
    /// Message of the peer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// What is known about a solver in a separate process.
#[derive(Debug, Clone, PartialEq)]
pub struct PeerFacts {
    /// The program.
    pub identity: PeerIdentity,
    /// True if each point of its convergence curve is a new solve from the start.
    pub restarts: bool,
    /// Its last answer since `prepare`.
    pub answer: Option<PeerAnswer>,
}

impl PeerFacts {
    /// Returns these facts without the answer. A wrapper uses them, because its impulses are not
    /// those of the peer.
    #[must_use]
    pub fn without_answer(self) -> Self {
        Self {
            answer: None,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engines_are_told_by_their_names() {
        assert!(is_engine("engine:x") && is_engine(" engine-cmd:x") && !is_engine("xpbd"));
    }
}
