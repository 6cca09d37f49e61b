//! Planes on which bodies of several colliders rest on each other: colliders that lie on either
//! side of such a plane meet along it, or not at all.
//!
//! A plate of several colliders slides over posts whose tops are one plane. At the border of a
//! collider the top edge of a post is as near as its face, and a contact across the plane would
//! stop the plate. What rests on a plane cannot come through it, so that such a contact is left out
//! (N.16).

use delassus_collide::PairManifolds;
use nalgebra::{Isometry3, Point3, Vector3};

use crate::body::Body;
use crate::colliders::Colliders;
use crate::contact::Manifold;
use crate::neighbours::{CLOSE, FLUSH};

/// Cosine of the angle up to which the faces of two bodies lie in one plane \[-\]: 0.02 rad.
const ONE_PLANE: f64 = 0.9998;

/// Cosine of the angle up to which a contact is along a plane's normal \[-\]: ten degrees.
const ALONG: f64 = 0.985;

/// Where two bodies rested on each other at the last look.
#[derive(Debug, Clone, Copy)]
pub(super) struct RestingPlane {
    /// In ascending order.
    bodies: [usize; 2],
    /// Outward unit normal of the face of each, in its axes \[-\].
    normals: [Vector3<f64>; 2],
    /// A point of the face of each, in its axes \[m\].
    points: [Vector3<f64>; 2],
}

impl Colliders {
    /// The planes of manifolds between bodies of which one has several colliders, where the
    /// surfaces are closed at the present poses; sorted by bodies.
    pub(super) fn resting_planes(
        &self,
        manifolds: &[Manifold],
        bodies: &[Body],
    ) -> Vec<RestingPlane> {
        if !self.compound.contains(&true) {
            return Vec::new();
        }
        let plane = |manifold: &Manifold| self.resting_plane(manifold, bodies);
        let mut planes: Vec<RestingPlane> = manifolds.iter().filter_map(plane).collect();
        planes.sort_by_key(|plane| plane.bodies);
        planes
    }

    fn resting_plane(&self, manifold: &Manifold, bodies: &[Body]) -> Option<RestingPlane> {
        let colliders = manifold.colliders()?.map(|index| index as usize);
        if !colliders.iter().any(|index| self.compound[*index]) {
            return None;
        }
        let poses = manifold.bodies.map(|body| bodies[body].pose());
        let orientations = poses.map(|pose| pose.orientation);
        let b_in_a = orientations[0].inverse() * orientations[1];
        let outward = [manifold.normal, -(b_in_a.inverse() * manifold.normal)];
        let normals = [0, 1].map(|side| {
            let turn = self.placements[colliders[side]].rotation;
            let face =
                self.geometries[colliders[side]].face_along(&(turn.inverse() * outward[side]));
            turn * face
        });
        if normals[0].dot(&(b_in_a * normals[1])) > -ONE_PLANE {
            return None;
        }
        let close = CLOSE * self.smallest(colliders);
        let apart = orientations[0].inverse() * (poses[1].position - poses[0].position);
        let surfaces = manifold.points.iter().map(|point| {
            [0, 1].map(|side| point.anchors[side] + point.radii[side] * outward[side])
        });
        let gap = |[a, b]: &[Vector3<f64>; 2]| (apart + b_in_a * b - a).dot(&manifold.normal);
        let points = surfaces.min_by(|a, b| gap(a).total_cmp(&gap(b)))?;
        if gap(&points) > close {
            return None;
        }
        let mut plane = RestingPlane {
            bodies: manifold.bodies,
            normals,
            points,
        };
        if plane.bodies[0] > plane.bodies[1] {
            plane.bodies.swap(0, 1);
            plane.normals.swap(0, 1);
            plane.points.swap(0, 1);
        }
        Some(plane)
    }

    /// Smallest extent of two colliders \[m\].
    fn smallest(&self, colliders: [usize; 2]) -> f64 {
        let extents = colliders.map(|index| self.extents[index]);
        extents[0].min(extents[1])
    }

    /// Leaves out contacts of a pair across a plane that separates the two colliders.
    pub(super) fn leave_out_crossing(
        &self,
        pair: [usize; 2],
        planes: &[RestingPlane],
        found: &mut PairManifolds,
    ) {
        if found.is_empty() || planes.is_empty() {
            return;
        }
        let own = pair.map(|index| self.list[index].body);
        let bodies = [own[0].min(own[1]), own[0].max(own[1])];
        let first = planes.partition_point(|plane| plane.bodies < bodies);
        let same = planes[first..]
            .iter()
            .take_while(|plane| plane.bodies == bodies);
        for plane in same {
            // of the first collider's body, and of the second's
            let sides = if own[0] == bodies[0] { [0, 1] } else { [1, 0] };
            let turn = self.placements[pair[0]].rotation;
            let along = turn.inverse() * plane.normals[sides[0]];
            let crosses = |normal: &Vector3<f64>| normal.dot(&along) < ALONG;
            if found.iter().any(|touching| crosses(&touching.normal))
                && [0, 1]
                    .into_iter()
                    .all(|k| self.lies_behind(pair, k, plane, sides[k]))
            {
                found.retain(|touching| !crosses(&touching.normal));
            }
        }
    }

    /// True if a collider of a pair does not reach beyond the face of its body in a plane.
    fn lies_behind(&self, pair: [usize; 2], k: usize, plane: &RestingPlane, side: usize) -> bool {
        let placement: Isometry3<f64> = self.placements[pair[k]].inverse();
        let point = placement * Point3::from(plane.points[side]);
        let normal = placement.rotation * plane.normals[side];
        let reach =
            self.geometries[pair[k]].reach_beyond(&point.coords, &normal, f64::INFINITY, 0.0);
        reach.is_some_and(|reach| reach <= FLUSH * self.smallest(pair))
    }
}
