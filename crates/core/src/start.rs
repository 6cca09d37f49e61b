//! What a solve starts from.

use crate::error::SolveError;
use crate::finite::first_not_finite;

/// Impulses that a solve starts from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Start<'a> {
    /// λ = 0.
    Cold,
    /// One impulse per row \[N·s\], taken as they are: the caller scales and clamps.
    Warm(&'a [f64]),
}

impl Start<'_> {
    /// Writes the starting impulses \[N·s\].
    ///
    /// # Errors
    /// A warm start of the wrong length or with a non-finite impulse.
    pub fn write(&self, out: &mut [f64]) -> Result<(), SolveError> {
        match self {
            Self::Cold => out.fill(0.0),
            Self::Warm(impulses) => {
                SolveError::check_length("warm start", impulses.len(), out.len())?;
                if let Some(row) = first_not_finite(impulses) {
                    return Err(SolveError::WarmStart { row });
                }
                out.copy_from_slice(impulses);
            }
        }
        Ok(())
    }
}
