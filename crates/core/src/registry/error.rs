//! Why a name and parameters do not build anything.

use thiserror::Error;

use crate::suggest::Hint;

/// Why a name and parameters do not build anything.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EntryError {
    /// There is no entry with this identifier or alias.
    #[error("unknown {kind} {id:?}{hint}")]
    UnknownId {
        /// Kind of entry.
        kind: &'static str,
        /// The name given.
        id: String,
        /// The closest name, or all valid names.
        hint: Hint,
    },
    /// The entry exists, but this program was built without it.
    #[error("{kind} {id} is not in this build; build with `--features {feature}`")]
    NotBuilt {
        /// Kind of entry.
        kind: &'static str,
        /// The name given.
        id: String,
        /// The cargo feature that adds the entry.
        feature: &'static str,
    },
    /// A name with parentheses, or the name of a wrapper, that is not a valid solver.
    #[error("solver {id:?}: {fault}")]
    Composition {
        /// The name given.
        id: String,
        /// What is wrong with it.
        fault: CompositionFault,
    },
    /// A solver or an engine in a separate process cannot be started.
    #[error("{kind} {id:?}: {fault}")]
    Process {
        /// Kind of entry.
        kind: &'static str,
        /// The name given.
        id: String,
        /// Why not.
        fault: ProcessFault,
    },
    /// The entry has no such parameter.
    #[error("{kind} {id} has no parameter {parameter:?}{hint}")]
    UnknownParameter {
        /// Kind of entry.
        kind: &'static str,
        /// Identifier of the entry.
        id: &'static str,
        /// The name given.
        parameter: String,
        /// The closest name, or all valid names.
        hint: Hint,
    },
    /// A parameter has the wrong type or an invalid value.
    #[error("{kind} {id}: {reason}")]
    Parameter {
        /// Kind of entry.
        kind: &'static str,
        /// Identifier of the entry.
        id: &'static str,
        /// The parameter.
        parameter: String,
        /// What is wrong with the value, including the name of the parameter.
        reason: String,
    },
    /// An environment variable that replaces a parameter has an invalid value.
    #[error("the environment variable {variable} is {value:?}; {kind} {id} needs {expected}")]
    Environment {
        /// Kind of entry.
        kind: &'static str,
        /// Identifier of the entry.
        id: &'static str,
        /// The variable.
        variable: &'static str,
        /// Value of the variable.
        value: String,
        /// Values that are allowed.
        expected: &'static str,
    },
}

/// What is wrong with the name of a solver that wraps solvers: `WRAPPER(SOLVER)`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CompositionFault {
    /// Parentheses that do not match.
    #[error("its parentheses do not match; write WRAPPER(SOLVER), as best-so-far(pgs)")]
    Parentheses,
    /// Text after the last parenthesis.
    #[error("{0:?} follows the last parenthesis; leave it out")]
    Rest(String),
    /// Too many nested wrappers.
    #[error("more than {limit} nested names")]
    Deep {
        /// Largest number of nested names.
        limit: usize,
    },
    /// A name is missing between two parentheses, or before a parenthesis.
    #[error("a name is missing; write WRAPPER(SOLVER), as best-so-far(pgs)")]
    Empty,
    /// A wrapper without a solver.
    #[error("{wrapper} wraps a solver; write {wrapper}(SOLVER), as {wrapper}(pgs)")]
    NoInner {
        /// The wrapper.
        wrapper: &'static str,
    },
    /// A solver that is not a wrapper, but contains another solver.
    #[error("{solver} is not a wrapper and contains no other solver; wrappers are {wrappers}")]
    NoWrapper {
        /// The solver.
        solver: &'static str,
        /// All wrappers.
        wrappers: String,
    },
    /// There is no wrapper with this name.
    #[error("unknown wrapper {name:?}{hint}")]
    UnknownWrapper {
        /// The name given.
        name: String,
        /// The closest name, or all valid names.
        hint: Hint,
    },
    /// The same wrapper occurs twice, so that the names of its parameters would clash.
    #[error("{wrapper} occurs twice; name it once")]
    Twice {
        /// The wrapper.
        wrapper: &'static str,
    },
}

/// Why a solver or an engine in a separate process cannot be started.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProcessFault {
    /// The name is not that of a program.
    #[error("{0}")]
    Name(String),
    /// This command of `delassus` does not start programs that are named in a spec or in a results
    /// folder.
    #[error("this command starts no program that a spec or a folder names; `run` and `solve` do")]
    Held,
    /// The program is not on this machine, or does not answer.
    #[error("{0}")]
    Absent(String),
    /// The command that the user gave does not start, or ends before its first message is valid.
    #[error("{0}; run the command in a shell, in this folder, to see what is wrong with it")]
    Broken(String),
}

impl EntryError {
    /// Returns the parameter that caused the error, if any.
    pub fn parameter(&self) -> Option<&str> {
        match self {
            Self::UnknownParameter { parameter, .. } | Self::Parameter { parameter, .. } => {
                Some(parameter)
            }
            Self::UnknownId { .. }
            | Self::NotBuilt { .. }
            | Self::Process { .. }
            | Self::Composition { .. }
            | Self::Environment { .. } => None,
        }
    }
}
