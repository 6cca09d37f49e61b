//! Errors: what is wrong, where, what to do.

pub use delassus_core::FieldError;
use delassus_core::numbers::shown;
use delassus_core::{EntryError, ParameterError, ProblemError, SolveError, Unsupported};
use delassus_metrics::MetricError;
use thiserror::Error;

use crate::stopped_by::StoppedBy;

/// Why a scheme does not step a world.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SchemeError {
    /// A parameter of the scheme is out of its range.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// No scheme of that name, an unknown parameter, a value of another type or out of range.
    #[error(transparent)]
    Entry(#[from] EntryError),
    /// A solver is missing, or given to a scheme that has no use for one.
    #[error("scheme {scheme} {expected}")]
    SolverChoice {
        /// The scheme's identifier.
        scheme: &'static str,
        /// What to do.
        expected: &'static str,
    },
    /// The scheme has no meaning for something in the world.
    #[error("{scheme} cannot step this world: {what} {reason}")]
    Unsupported {
        /// The scheme's identifier.
        scheme: &'static str,
        /// What it cannot treat: `joints[4] (angular-motor)`.
        what: String,
        /// Why, and what to do.
        reason: &'static str,
    },
    /// The rows of the world make no valid problem.
    #[error("the rows of this world make no valid problem: {0}")]
    Problem(#[from] ProblemError),
    /// The solver refuses the problems of this world.
    #[error("{0}")]
    Solver(#[from] Unsupported),
    /// A field of the world does not fit the scheme or the step.
    #[error(transparent)]
    Field(#[from] FieldError),
    /// An engine in a separate process does not represent something in the world.
    #[error("{engine} cannot step this world: {fault}")]
    Engine {
        /// The name of the engine.
        engine: &'static str,
        /// What it does not represent, in its words.
        fault: String,
    },
}

/// Why a world refuses an edit. The world is then as it was before.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum EditError {
    /// What the handle names was removed.
    #[error(
        "the {what} of this handle was removed from the world; use the handle of one that is there"
    )]
    Removed {
        /// What the handle names, in a word.
        what: &'static str,
    },
    /// The handle is of another world.
    #[error("the handle names a {what} of another world; use one that this world gave")]
    OtherWorld {
        /// What the handle names, in a word.
        what: &'static str,
    },
    /// A field has a value that is not allowed.
    #[error(transparent)]
    Field(#[from] FieldError),
}

/// Why a step failed. The world is then as it was before the step.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is not a finite number above zero.
    #[error("dt = {}: a time step must be finite and > 0 [s]", shown(*.dt))]
    TimeStep {
        /// The step \[s\].
        dt: f64,
    },
    /// The scheme does not step this world.
    #[error(transparent)]
    Scheme(#[from] SchemeError),
    /// The rows make no valid problem.
    #[error("the problem of this step cannot be built: {0}")]
    Problem(#[from] ProblemError),
    /// The solver failed.
    #[error("the solver failed: {0}")]
    Solve(#[from] SolveError),
    /// A solve to a tolerance cannot be judged.
    #[error("the residual of a solve cannot be evaluated: {0}")]
    Residual(#[from] MetricError),
    /// A solve ended above its tolerance, and the scheme takes no such impulses.
    #[error(
        "a solve of substep {substep} ended with the residual {residual:.1e} after {sweeps} sweeps, above its tolerance {tolerance:.1e}; raise max_sweeps or tolerance, or change on_unsolved"
    )]
    Unsolved {
        /// The substep, from 0.
        substep: u32,
        /// Its work units \[-\].
        sweeps: u32,
        /// The natural map that it ended with \[-\].
        residual: f64,
        /// What it had to meet \[-\].
        tolerance: f64,
        /// What ended it.
        by: StoppedBy,
    },
    /// An engine in a separate process failed.
    #[error("{engine} failed: {fault}")]
    Engine {
        /// The name of the engine.
        engine: &'static str,
        /// What went wrong.
        fault: String,
    },
    /// A body's state became NaN or infinite.
    #[error("the state of bodies[{body}] ({name}) became non-finite")]
    NonFinite {
        /// The body.
        body: usize,
        /// Its name.
        name: String,
    },
}

impl StepError {
    /// Refuses a time step that is not a finite number above zero.
    ///
    /// # Errors
    /// [`Self::TimeStep`].
    pub fn check_time_step(dt: f64) -> Result<(), Self> {
        if dt.is_finite() && dt > 0.0 {
            Ok(())
        } else {
            Err(Self::TimeStep { dt })
        }
    }
}
