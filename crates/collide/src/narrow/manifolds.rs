//! The manifolds of a pair, in reused memory.

use std::ops::Deref;

use nalgebra::Vector3;

use super::{CollisionManifold, ContactQuery, MAX_POINTS, Touch, reduce};

/// The manifolds of a pair of colliders, in a fixed order. Those of the next pair take over their
/// memory.
#[derive(Debug, Clone, Default)]
pub struct PairManifolds {
    list: Vec<CollisionManifold>,
    /// Memory of points that are gone.
    spare: Vec<Vec<Touch>>,
    /// Memory for a reduction.
    places: Vec<Vector3<f64>>,
    axis_tests: u64,
}

impl Deref for PairManifolds {
    type Target = [CollisionManifold];

    fn deref(&self) -> &[CollisionManifold] {
        &self.list
    }
}

impl PairManifolds {
    /// How many separations along axes of boxes and hulls were computed since this was made.
    pub fn axis_tests(&self) -> u64 {
        self.axis_tests
    }

    pub(super) fn count(&mut self, axis_tests: u32) {
        self.axis_tests += u64::from(axis_tests);
    }

    /// Takes all out.
    pub(super) fn clear(&mut self) {
        let gone = self.list.drain(..);
        self.spare.extend(gone.map(|touching| touching.points));
    }

    /// Adds a manifold of the points that `find` appends; false if there are none.
    pub(super) fn add(
        &mut self,
        normal: Vector3<f64>,
        parts: [u32; 2],
        find: impl FnOnce(&mut Vec<Touch>),
    ) -> bool {
        let mut points = self.spare.pop().unwrap_or_default();
        points.clear();
        find(&mut points);
        if points.is_empty() {
            self.spare.push(points);
            return false;
        }
        self.list.push(CollisionManifold {
            normal,
            points,
            parts,
        });
        true
    }

    /// Leaves out manifolds that are not to be kept.
    pub fn retain(&mut self, keep: impl Fn(&CollisionManifold) -> bool) {
        let spare = &mut self.spare;
        self.list.retain_mut(|touching| {
            let kept = keep(touching);
            if !kept {
                spare.push(std::mem::take(&mut touching.points));
            }
            kept
        });
    }

    /// Those so far, to be changed.
    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut CollisionManifold> {
        self.list.iter_mut()
    }

    /// Leaves out what is farther than the margin, what is too much and what is not finite.
    pub(super) fn settle(&mut self, before: &[u64], query: &ContactQuery) {
        let Self {
            list,
            spare,
            places,
            ..
        } = self;
        list.retain_mut(|touching| {
            let points = &mut touching.points;
            points.retain(|point| point.separation <= query.margin);
            reduce::keep(MAX_POINTS, touching, before, query, places);
            let kept = !touching.points.is_empty() && touching.is_finite();
            if !kept {
                spare.push(std::mem::take(&mut touching.points));
            }
            kept
        });
    }
}
