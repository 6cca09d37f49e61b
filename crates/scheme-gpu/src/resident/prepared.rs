//! A frame between the search for contacts and the run.

use delassus_collide_gpu::Searched;
use delassus_scheme_jacobi::SoftStepParameters;

use super::surfaces::Surfaces;
use crate::collision::Places;

/// A frame before it is run.
pub(super) struct Prepared<'a> {
    pub(super) parameters: &'a SoftStepParameters,
    pub(super) h: f64,
    /// The substep that the impulses of the frame before belong to \[s\]; zero where there are
    /// none.
    pub(super) impulse_step: f64,
    pub(super) surfaces: &'a Surfaces,
    pub(super) places: &'a Places,
    pub(super) searched: &'a Searched,
    /// Bodies with the world \[-\].
    pub(super) bodies: usize,
    pub(super) law: u32,
}
