//! What a solve starts from.

use crate::error::SolveError;
use crate::finite::first_not_finite;

/// Impulses that a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start<'a> {
    /// λ = 0.
    Cold,
    /// One impulse per row \[N·s\]. The solver uses these impulses unchanged; the caller scales or
    /// clamps them if necessary.
    Warm(&'a [f64]),
}

impl Start<'_> {
    /// Checks the start for a problem with this number of rows.
    ///
    /// # Errors
    /// A warm start of the wrong length or with a non-finite impulse.
    pub fn check(&self, rows: usize) -> Result<(), SolveError> {
        let Self::Warm(impulses) = self else {
            return Ok(());
        };
        SolveError::check_length("warm start", impulses.len(), rows)?;
        match first_not_finite(impulses) {
            Some(row) => Err(SolveError::WarmStart { row }),
            None => Ok(()),
        }
    }

    /// Writes the starting impulses \[N·s\].
    ///
    /// # Errors
    /// Those of [`Self::check`].
    pub fn write(&self, out: &mut [f64]) -> Result<(), SolveError> {
        self.check(out.len())?;
        match self {
            Self::Cold => out.fill(0.0),
            Self::Warm(impulses) => out.copy_from_slice(impulses),
        }
        Ok(())
    }
}
