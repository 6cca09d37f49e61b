//! Worlds of one structure: packed once, with numbers of their own.
//!
//! A sweep over parameters solves the same blocks between the same bodies many times: only
//! friction, masses, free velocities or bias differ. The structure is packed once. A
//! [`WorldTemplate`] says which numbers of the pack are a world's own, and
//! [`WorldTemplate::values`] computes those of all worlds, on all threads. A device copies the
//! numbers of the structure for every world and writes the values over them. What a world gets has
//! the bits of a pack of its own problem, because its values are read from such a pack, unless the
//! device computes the steps from the masses ([`WorldSteps`]).
//! [`WorldParameters::of_problems`] takes the numbers from problems that are there already, and
//! says in what their structures differ.
//!
//! Theory: `docs/theory/16-gpu.md` (K.49).

mod difference;
mod parameters;
mod problems;
mod steps;
mod template;

use std::fmt;

use delassus_core::{ProblemError, SolveError};

pub use difference::StructureDifference;
pub use parameters::WorldParameters;
pub use steps::WorldSteps;
pub use template::{COMPUTED, SHARED, WorldTemplate};

/// Why worlds of one structure cannot be packed or solved together.
#[derive(Debug, Clone, PartialEq)]
pub enum WorldError {
    /// A list of parameters has the wrong length.
    Length {
        /// Which list.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length that follows from the structure and the number of worlds.
        expected: usize,
    },
    /// The parameters of a world make no valid problem.
    Problem {
        /// The world.
        world: usize,
        /// What is wrong.
        error: ProblemError,
    },
    /// The parameters of a world ask for another structure.
    Structure {
        /// The world.
        world: usize,
        /// What differs, and what to do.
        reason: &'static str,
    },
    /// The problem of a world has another structure than that of world 0.
    Differs {
        /// The world.
        world: usize,
        /// In what.
        difference: StructureDifference,
    },
    /// A world is refused, or its solve failed.
    Solve {
        /// The world.
        world: usize,
        /// What happened.
        error: SolveError,
    },
}

impl WorldError {
    /// An error of a world.
    pub fn of(world: usize, error: impl Into<SolveError>) -> Self {
        Self::Solve {
            world,
            error: error.into(),
        }
    }
}

impl fmt::Display for WorldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length {
                what,
                found,
                expected,
            } => write!(
                f,
                "{what} of all worlds has {found} entries, expected {expected}"
            ),
            Self::Problem { world, error } => write!(f, "world {world}: {error}"),
            Self::Structure { world, reason } => write!(f, "world {world}: {reason}"),
            Self::Differs { world, difference } => write!(f, "world {world}: {difference}"),
            Self::Solve { world, error } => write!(f, "world {world}: {error}"),
        }
    }
}

impl std::error::Error for WorldError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Problem { error, .. } => Some(error),
            Self::Solve { error, .. } => Some(error),
            Self::Length { .. } | Self::Structure { .. } | Self::Differs { .. } => None,
        }
    }
}
