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
    pub(crate) previous: PreviousPoints,
    pub(crate) memory: PairCache,
    /// Pose of the second collider in the axes of the first when the manifold was made.
    pub(crate) made: Isometry3<f64>,
}

/// Per point of a manifold: where the same point was among all points found in the frame before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PreviousPoints(ArrayVec<u32, MAX_POINTS>);

/// Stands for a point that is new.
const NEW: u32 = u32::MAX;

impl PreviousPoints {
    /// Points of which each follows the one before it.
    pub(crate) fn following(first: usize, count: usize) -> Self {
        (first..first + count).map(Some).collect()
    }

    /// Where a point was; `None` if it is new.
    pub(crate) fn get(&self, point: usize) -> Option<usize> {
        let place = self.0.get(point).filter(|place| **place != NEW);
        place.map(|place| *place as usize)
    }

    /// Where every point was.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Option<usize>> {
        (0..self.0.len()).map(|point| self.get(point))
    }
}

impl FromIterator<Option<usize>> for PreviousPoints {
    fn from_iter<I: IntoIterator<Item = Option<usize>>>(places: I) -> Self {
        // the memory of no machine holds the points that such a number leaves out
        let number = |place: Option<usize>| place.and_then(|place| u32::try_from(place).ok());
        let places = places.into_iter();
        Self(places.map(|place| number(place).unwrap_or(NEW)).collect())
    }
}
