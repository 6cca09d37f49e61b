//! Why impulses cannot be judged.

use thiserror::Error;

/// Why a metric has no value. A metric that merely does not apply to a problem is `None`, not an
/// error.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MetricError {
    /// A slice does not fit the problem.
    #[error("{what} has {found} entries, the problem {expected}")]
    Length {
        /// Which slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The expected length.
        expected: usize,
    },
    /// An input is NaN or infinite: the iterate is not a solution, whatever a ratio of norms would
    /// say.
    #[error("{what}: entry {index} is not finite")]
    NonFinite {
        /// Which slice.
        what: &'static str,
        /// Index of the first such entry.
        index: usize,
    },
    /// The inputs are finite, but so large that squares overflow: the iterate has diverged.
    #[error("{what} is beyond the range that residuals are computed in; the iterate has diverged")]
    Overflow {
        /// Which quantity.
        what: &'static str,
    },
    /// The data of the problem are so large that squares overflow.
    #[error(
        "velocities or masses of the problem are beyond the range that residuals are computed in \
         (1e150); choose larger units"
    )]
    EnergyScale,
    /// Body velocities were given for a problem without bodies.
    #[error("the problem is given by its matrix and has no bodies")]
    NoBodies,
}

/// Largest magnitude that residuals are computed from; its square is still finite \[SI\].
const LARGEST: f64 = 1e150;

/// Checks length and finiteness of an input.
pub(crate) fn check_input(
    what: &'static str,
    values: &[f64],
    expected: usize,
) -> Result<(), MetricError> {
    if values.len() != expected {
        return Err(MetricError::Length {
            what,
            found: values.len(),
            expected,
        });
    }
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => Err(MetricError::NonFinite { what, index }),
        None => Ok(()),
    }
}

/// Checks that squares of the values stay finite; NaN fails.
pub(crate) fn check_range(what: &'static str, values: &[f64]) -> Result<(), MetricError> {
    if values.iter().all(|v| v.abs() <= LARGEST) {
        return Ok(());
    }
    Err(MetricError::Overflow { what })
}

/// Checks that a result is a number.
pub(crate) fn finite(what: &'static str, value: f64) -> Result<f64, MetricError> {
    if value.is_finite() {
        return Ok(value);
    }
    Err(MetricError::Overflow { what })
}

/// The larger of two numbers, NaN if one of them is: `f64::max` would lose it.
pub(crate) fn larger(a: f64, b: f64) -> f64 {
    if b > a || b.is_nan() { b } else { a }
}

/// Raises a maximum that starts as "does not apply".
pub(crate) fn raise(maximum: &mut Option<f64>, value: f64) {
    *maximum = Some(maximum.map_or(value, |m| larger(m, value)));
}
