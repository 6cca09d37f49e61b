//! How each of many worlds ended.

use crate::control::State;

/// How the iterations of a world ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorldStatus {
    /// The residual of the last iteration is within the tolerance.
    Converged,
    /// All iterations were made, and the residual is above the tolerance.
    MaxSweeps,
    /// The iterate became NaN or infinite. The other worlds are not affected.
    NonFinite,
}

/// The end of the iterations of a world, as the device measured it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WorldResult {
    /// How the iterations ended.
    pub status: WorldStatus,
    /// Iterations since `prepare_worlds` or `update_worlds` \[-\].
    pub iterations: u32,
    /// Natural residual of the point that the last iteration stepped from, in the norm of D \[√J\]
    /// (J.14); zero before the first. It is the solver's own: residuals to publish are computed in
    /// f64 from the impulses.
    pub residual: f64,
}

impl WorldResult {
    pub(crate) fn of(state: &State, tolerance: f64) -> Self {
        let residual = f64::from(state.last).sqrt();
        let status = if !residual.is_finite() {
            WorldStatus::NonFinite
        } else if state.iteration > 0 && residual <= tolerance {
            WorldStatus::Converged
        } else {
            WorldStatus::MaxSweeps
        };
        Self {
            status,
            iterations: state.iteration,
            residual,
        }
    }
}
