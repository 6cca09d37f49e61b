//! A frame between the search for contacts and the run.

use delassus_collide_gpu::SearchCounts;
use delassus_scheme_jacobi::SoftStepParameters;
use delassus_solver_jacobi::pack::law;

use super::joints::Joints;
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
    pub(super) joints: &'a Joints,
    pub(super) places: &'a Places,
    pub(super) searched: &'a SearchCounts,
    /// Bodies with the world \[-\].
    pub(super) bodies: usize,
    pub(super) law: u32,
    /// True if the device has the impulses of the frame before.
    pub(super) goes_on: bool,
}

impl Prepared<'_> {
    /// Manifolds, and units of joints \[-\].
    pub(super) fn pieces(&self) -> usize {
        self.searched.manifolds + self.joints.room.units
    }

    /// Rows, and those that are solved for in the biased and in the relaxed pass, if contacts are
    /// near at so many points \[-\].
    pub(super) fn rows(&self, points: usize) -> (usize, [usize; 2]) {
        let dim = if self.law == law::FRICTIONLESS { 1 } else { 3 };
        let joints = self.joints.room.rows;
        let all = dim * points + joints;
        (all, [points + joints, all])
    }
}
