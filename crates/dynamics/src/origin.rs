//! Where manifolds that a world found come from.

use arrayvec::ArrayVec;
use delassus_collide::{MAX_POINTS, PairCache};
use nalgebra::Isometry3;

/// Where a manifold that a world found comes from.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Origin {
    /// Colliders A and B, in ascending order.
    pub(crate) colliders: [u32; 2],
    /// Their parts that touch.
    pub(crate) parts: [u32; 2],
    /// Feature of every point; zero where it is not known.
    pub(crate) features: ArrayVec<u64, MAX_POINTS>,
    /// Per point: where the same point was among all points found in the frame before.
    pub(crate) previous: ArrayVec<Option<usize>, MAX_POINTS>,
    pub(crate) memory: PairCache,
    /// Pose of the second collider in the axes of the first when the manifold was made.
    pub(crate) made: Isometry3<f64>,
}
