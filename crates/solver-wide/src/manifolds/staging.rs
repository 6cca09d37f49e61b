//! A staging buffer between the order of the problem and the order of the bundles.

use super::layout::{Head, MAX_POINTS, ManifoldPoint};
use crate::bundle::Interleaved;

/// Manifolds that are staged together \[-\].
pub(super) const WIDTH: usize = 8;

/// Manifolds that are staged together.
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
    /// The manifolds of the lanes.
    fn lane_request(&self) -> LaneRequest<'_>;

    /// Copies a staged manifold into lane `at`.
    fn take(&mut self, at: usize, staged_lane: &StagedLane<'_>);
}

/// The manifolds of one batch.
#[derive(Debug)]
pub(crate) struct LaneRequest<'a> {
    pub(super) points: usize,
    pub(super) boxed: bool,
    /// First block of every lane; `EMPTY` for none.
    pub(super) blocks: &'a [u32],
}

/// One staged manifold.
pub(crate) struct StagedLane<'a> {
    pub(super) staged: &'a Staged,
    pub(super) lane: usize,
    pub(super) row: u32,
}
