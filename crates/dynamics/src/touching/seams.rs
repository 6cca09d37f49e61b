//! Seams between colliders of one body: a contact at an edge or a face that a neighbouring collider
//! covers is none.
//!
//! A shape that rests on one of two colliders with a common plane meets the side or the edge of the
//! other one, too, and would be stopped by it. Such a contact is left out (N.13): its normal is
//! none of the two colliders together.

use delassus_collide::{CollisionManifold, Geometry, PairCache, PairManifolds, Touch, contacts};
use nalgebra::{Isometry3, Point3, Vector3};

use crate::colliders::Colliders;
use crate::neighbours::{CLOSE, FLUSH};

/// A collider seen from another one of its body.
struct Neighbour<'a> {
    geometry: &'a Geometry,
    /// Pose of the other one in its axes.
    other: Isometry3<f64>,
    /// Gaps up to here are none \[m\].
    close: f64,
    /// Behind a surface of triangles, its inside is as thick as this \[m\].
    thick: f64,
    /// Steps up to here are none \[m\].
    flush: f64,
}

impl Colliders {
    /// Leaves out contacts of a pair at seams; `relative` is the pose of the second in the axes of
    /// the first.
    pub(crate) fn leave_out_seams(
        &self,
        pair: [usize; 2],
        relative: &Isometry3<f64>,
        found: &mut PairManifolds,
    ) {
        if pair.iter().all(|index| self.neighbours[*index].is_empty()) {
            return;
        }
        found
            .retain(|touching| (0..2).all(|side| !self.is_covered(pair, side, relative, touching)));
    }

    /// True if every point of a contact lies on neighbours of one of its colliders that reach
    /// beyond its plane, and the other one rests on a neighbour along a plane that this collider
    /// does not reach beyond.
    fn is_covered(
        &self,
        pair: [usize; 2],
        side: usize,
        relative: &Isometry3<f64>,
        touching: &CollisionManifold,
    ) -> bool {
        let (own, other) = (pair[side], pair[1 - side]);
        if self.neighbours[own].is_empty() {
            return false;
        }
        let (outward, other_pose) = if side == 0 {
            (touching.normal, *relative)
        } else {
            let inverse = relative.inverse();
            (-(inverse.rotation * touching.normal), inverse)
        };
        let place = |point: &Touch| point.points[side] + point.radii[side] * outward;
        // a face that is tilted a little has a normal of its own
        let back = -(other_pose.rotation.inverse() * outward);
        let plane = match self.geometries[other].has_face_along(&back) {
            true => self.geometries[own].face_along(&outward),
            false => outward,
        };
        let covers = |index: &u32, point: &Vector3<f64>| {
            let neighbour = self.neighbour(own, *index as usize, other);
            neighbour.blocks(point, &plane)
                && self.rests(&neighbour, [own, *index as usize, other], &other_pose)
        };
        let mut points = touching.points.iter().map(place);
        points.all(|point| {
            self.neighbours[own]
                .iter()
                .any(|index| covers(index, &point))
        })
    }

    fn neighbour(&self, own: usize, index: usize, other: usize) -> Neighbour<'_> {
        let extents = [own, index, other].map(|index| self.extents[index]);
        let smallest = extents.into_iter().fold(f64::MAX, f64::min);
        Neighbour {
            geometry: &self.geometries[index],
            other: self.placements[index].inverse() * self.placements[own],
            close: CLOSE * smallest,
            thick: smallest,
            flush: FLUSH * smallest,
        }
    }

    /// True if a shape touches a neighbour along a plane that the collider `own` does not reach
    /// beyond; `pose` is that of the shape in the axes of `own`.
    fn rests(
        &self,
        neighbour: &Neighbour<'_>,
        [own, index, shape]: [usize; 3],
        pose: &Isometry3<f64>,
    ) -> bool {
        let mut found = PairManifolds::default();
        let geometries = [neighbour.geometry, &self.geometries[shape]];
        let pose = neighbour.other * pose;
        contacts(
            geometries,
            &pose,
            &self.query([index, shape]),
            &mut PairCache::default(),
            &[],
            &mut found,
        );
        let from_own = neighbour.other.inverse();
        let below = |touching: &CollisionManifold| {
            let up = from_own.rotation * neighbour.geometry.face_along(&touching.normal);
            touching.points.iter().any(|touch| {
                let point = touch.points[0] + touch.radii[0] * touching.normal;
                let point = (from_own * Point3::from(point)).coords;
                let beyond = self.geometries[own].reach_beyond(&point, &up, f64::INFINITY, 0.0);
                beyond.is_some_and(|beyond| beyond <= neighbour.flush)
            })
        };
        found.iter().any(below)
    }
}

impl Neighbour<'_> {
    /// True if the neighbour is at a point of the other one and reaches beyond the plane there.
    fn blocks(&self, point: &Vector3<f64>, outward: &Vector3<f64>) -> bool {
        let point = (self.other * Point3::from(*point)).coords;
        let outward = self.other.rotation * outward;
        let beyond = self
            .geometry
            .reach_beyond(&point, &outward, self.close, self.thick);
        beyond.is_some_and(|beyond| beyond > self.flush)
    }
}
