//! Manifolds on their way from the order of the problem into bundles.

use super::{Head, MAX_POINTS, ManifoldPoint};
use crate::bundle::Interleaved;

/// Manifolds that are staged together \[-\].
pub(super) const WIDTH: usize = 8;

/// Manifolds on their way into bundles.
pub(super) struct Staged {
    pub(super) head: Head<WIDTH>,
    pub(super) points: [ManifoldPoint<WIDTH>; MAX_POINTS],
    /// A_st of every point \[1/kg\].
    pub(super) tangents: [[f32; WIDTH]; MAX_POINTS],
    /// A_nn of every point \[1/kg\].
    pub(super) normals: [[f32; WIDTH]; MAX_POINTS],
}

impl Staged {
    pub(super) const EMPTY: Self = Self {
        head: Head::ZERO,
        points: [ManifoldPoint::ZERO; MAX_POINTS],
        tangents: [[0.0; WIDTH]; MAX_POINTS],
        normals: [[1.0; WIDTH]; MAX_POINTS],
    };
}

/// Bundles that manifolds are delivered to.
pub(crate) trait Delivery {
    /// What the lanes are for.
    fn wanted(&self) -> Wanted<'_>;

    /// Takes a lane of what is staged, with the first row of its manifold.
    fn take(&mut self, at: usize, parcel: &StagedLane<'_>);
}

/// The manifolds of one batch.
#[derive(Debug)]
pub(crate) struct Wanted<'a> {
    pub(super) points: usize,
    pub(super) boxed: bool,
    /// First block of every lane; `EMPTY` for none.
    pub(super) blocks: &'a [u32],
}

/// One manifold on its way.
pub(crate) struct StagedLane<'a> {
    pub(super) staged: &'a Staged,
    pub(super) lane: usize,
    pub(super) row: u32,
}
