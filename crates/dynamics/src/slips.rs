//! How far contact points have slipped since they began to stick: what a position-level scheme
//! keeps from step to step.

use nalgebra::Vector3;

use crate::world::World;

/// Per contact point: its slip since it began to stick, in the axes of its first body \[m\].
#[derive(Debug, Default)]
pub(crate) struct Slips {
    list: Vec<Vector3<f64>>,
    /// Memory: those of before. It is no part of the state.
    earlier: Vec<Vector3<f64>>,
}

impl Clone for Slips {
    fn clone(&self) -> Self {
        let mut clone = Self::default();
        clone.clone_from(self);
        clone
    }

    /// In its own memory.
    fn clone_from(&mut self, other: &Self) {
        self.list.clone_from(&other.list);
    }
}

impl Slips {
    /// Brings the slips into the order of the contacts that a world has just found; new points
    /// have none.
    pub(crate) fn follow(&mut self, world: &World) {
        let given = world.manifolds[..world.colliders.given].iter();
        let given = given.map(|manifold| manifold.points.len()).sum::<usize>();
        if self.list.len() < given {
            return;
        }
        self.earlier.clear();
        self.earlier.extend(self.list.drain(given..));
        let found = world.manifolds[world.colliders.given..].iter();
        let origins = found.filter_map(|manifold| manifold.origin.as_ref());
        for point in origins.flat_map(|origin| origin.previous.iter()) {
            let slip = point.and_then(|point| self.earlier.get(point));
            self.list.push(slip.copied().unwrap_or_default());
        }
    }

    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.list.clear();
    }

    /// Adds the slip of the next point.
    pub(crate) fn push(&mut self, slip: Vector3<f64>) {
        self.list.push(slip);
    }

    /// The slips, point by point; those that are missing are zero.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Vector3<f64>> {
        let none = std::iter::repeat(Vector3::zeros());
        self.list.iter().copied().chain(none)
    }
}
