//! Errors about invalid fields of input data.

use nalgebra::Vector3;
use thiserror::Error;

use crate::Law;
use crate::numbers::shortened;

/// A field with an invalid value, and its path.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{path} = {}: {expected}", shortened(.value))]
pub struct FieldError {
    /// Path of the field, as `bodies[3].inertia.mass`.
    pub path: String,
    /// The value found.
    pub value: String,
    /// What is allowed, and what to do.
    pub expected: String,
}

impl FieldError {
    /// Creates the error for a field with a value that is not allowed.
    pub fn new(path: impl Into<String>, value: impl ToString, expected: &str) -> Self {
        Self {
            path: path.into(),
            value: value.to_string(),
            expected: expected.to_owned(),
        }
    }

    /// Prepends the path of the structure that contains the field.
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

    /// Refuses a coefficient of friction that is not allowed.
    ///
    /// # Errors
    /// The value, if it is not finite, is negative, or is neither 0 nor in [`Law::COEFFICIENTS`].
    pub fn coefficient(path: impl Into<String>, value: f64) -> Result<(), Self> {
        let path = path.into();
        if value > 0.0 && value.is_finite() && !Law::COEFFICIENTS.contains(&value) {
            return Err(Self::new(path, value, "must be 0, or from 1e-70 to 1e70"));
        }
        Self::non_negative(path, value)
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
