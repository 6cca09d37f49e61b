//! Errors: what is wrong, where, what to do.

use delassus_core::{EntryError, ParameterError, ProblemError, SolveError, Unsupported};
use nalgebra::Vector3;
use thiserror::Error;

/// A field that makes no sense, with its path and value.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{path} = {value}: {expected}")]
pub struct FieldError {
    /// Path of the field, as `bodies[3].inertia.mass`.
    pub path: String,
    /// The value found.
    pub value: String,
    /// What is allowed, and what to do.
    pub expected: String,
}

impl FieldError {
    /// A field with a value that is not allowed.
    pub fn new(path: impl Into<String>, value: impl ToString, expected: &str) -> Self {
        Self {
            path: path.into(),
            value: value.to_string(),
            expected: expected.to_owned(),
        }
    }

    /// The same error, seen from the structure that holds the field.
    #[must_use]
    pub fn within(mut self, parent: &str) -> Self {
        self.path = format!("{parent}.{}", self.path);
        self
    }

    /// Refuses NaN and infinity.
    ///
    /// # Errors
    /// The value, if it is not finite.
    pub fn finite(path: impl Into<String>, value: f64) -> Result<(), Self> {
        if value.is_finite() {
            Ok(())
        } else {
            Err(Self::new(path, value, "must be a finite number"))
        }
    }

    /// Refuses NaN, infinity and negative values.
    ///
    /// # Errors
    /// The value, if it is not finite or is negative.
    pub fn non_negative(path: impl Into<String>, value: f64) -> Result<(), Self> {
        if value.is_finite() && value >= 0.0 {
            Ok(())
        } else {
            Err(Self::new(path, value, "must be finite and ≥ 0"))
        }
    }

    /// Refuses everything but finite values above zero.
    ///
    /// # Errors
    /// The value, if it is not finite or not above zero.
    pub fn positive(path: impl Into<String>, value: f64) -> Result<(), Self> {
        if value.is_finite() && value > 0.0 {
            Ok(())
        } else {
            Err(Self::new(path, value, "must be finite and > 0"))
        }
    }

    /// Refuses a vector with NaN or infinity.
    ///
    /// # Errors
    /// The first coordinate that is not finite.
    pub fn finite_vector(path: &str, vector: &Vector3<f64>) -> Result<(), Self> {
        // worlds have millions of vectors: only a wrong one needs its path
        match vector.iter().position(|value| !value.is_finite()) {
            Some(axis) => Self::finite(format!("{path}[{axis}]"), vector[axis]),
            None => Ok(()),
        }
    }

    /// Refuses a vector that is not of unit length.
    ///
    /// # Errors
    /// The length, if it is not 1 within 1e-6.
    pub fn unit_vector(path: &str, vector: &Vector3<f64>) -> Result<(), Self> {
        Self::finite_vector(path, vector)?;
        let length = vector.norm();
        if (length - 1.0).abs() <= 1e-6 {
            Ok(())
        } else {
            Err(Self::new(path, length, "the length of an axis must be 1"))
        }
    }
}

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
}

/// Why a step failed. The world is then as it was before the step.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum StepError {
    /// The time step is not a finite number above zero.
    #[error("dt = {dt}: a time step must be finite and > 0 [s]")]
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
