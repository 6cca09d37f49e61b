//! Errors of readers, writers and generators: what, where, what to do.

use delassus_core::{ParameterError, ProblemError};
use thiserror::Error;

/// Why a generator made no problem.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum GenerateError {
    /// No generator has that identifier.
    #[error("unknown generator {id:?}; there are {known}")]
    UnknownGenerator {
        /// What was asked for.
        id: String,
        /// Every identifier, separated by commas.
        known: String,
    },
    /// The parameters do not fit the generator: an unknown key, or a value of another type.
    #[error("generator {generator}: {reason}")]
    Parameters {
        /// The generator.
        generator: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// A parameter is out of its range.
    #[error("generator {generator}: {source}")]
    Parameter {
        /// The generator.
        generator: &'static str,
        /// The parameter, its value and its range.
        #[source]
        source: ParameterError,
    },
    /// The parameters are each in range, but together give no valid problem.
    #[error("generator {generator}: {source}")]
    Problem {
        /// The generator.
        generator: &'static str,
        /// What is wrong with the problem.
        #[source]
        source: ProblemError,
    },
}
