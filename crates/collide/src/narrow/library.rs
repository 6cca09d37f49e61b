//! Manifolds of the library, for all pairs that have no query of their own.

use nalgebra::{Isometry3, Vector3};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};

use super::{Query, Touch, Touching};
use crate::geometry::{Geometry, from_vector, parry};

/// The library's manifolds, made anew: with those of the frame before it would keep points that it does not look at
/// again, and the answer would depend on the past.
pub(super) fn contacts(
    [a, b]: [&Geometry; 2],
    b_in_a: &Isometry3<f64>,
    query: &Query,
    out: &mut Vec<Touching>,
) {
    let mut manifolds: Vec<ContactManifold<(), ()>> = Vec::new();
    let (pose, margin) = (parry(b_in_a), query.margin);
    let asked = DefaultQueryDispatcher.contact_manifolds(
        &pose,
        &*a.shape.0,
        &*b.shape.0,
        margin,
        &mut manifolds,
        &mut None,
    );
    // surfaces that cannot move against each other: no such pair is asked for
    if asked.is_err() {
        return;
    }
    let radii = [a.rounding(), b.rounding()];
    for manifold in &manifolds {
        let normal = from_vector(manifold.local_n1);
        let inward = b_in_a.rotation.inverse() * -normal;
        let points = manifold.points.iter().map(|point| {
            let [p, q] = [point.local_p1, point.local_p2].map(from_vector);
            Touch {
                // the library gives points of the surface, also of the round ones
                points: [p - radii[0] * normal, q - radii[1] * inward],
                radii,
                separation: point.dist,
                feature: u64::from(point.fid1.0) << 32 | u64::from(point.fid2.0),
            }
        });
        let touching = Touching {
            normal,
            points: points.filter(|point| point.separation <= margin).collect(),
            parts: [manifold.subshape1, manifold.subshape2],
        };
        if !touching.points.is_empty() {
            out.push(touching);
        }
    }
    out.sort_by_key(|touching| touching.parts);
    merge(out);
}

/// Triangles that share a plane give the same points again: points of later parts with the normal and place of an
/// earlier one are left out.
fn merge(manifolds: &mut Vec<Touching>) {
    for later in 1..manifolds.len() {
        let (first, rest) = manifolds.split_at_mut(later);
        let current = &mut rest[0];
        for earlier in first.iter() {
            if earlier.normal.dot(&current.normal) < 1.0 - SAME_NORMAL {
                continue;
            }
            let known = |point: &Vector3<f64>| {
                let close = |other: &Touch| (other.points[1] - point).norm() < SAME_PLACE;
                earlier.points.iter().any(close)
            };
            current.points.retain(|point| !known(&point.points[1]));
        }
    }
    manifolds.retain(|touching| !touching.points.is_empty());
}

/// 1 − cos of the angle between normals that count as one \[-\]: a third of a degree.
const SAME_NORMAL: f64 = 2e-5;

/// Distance of points that count as one \[m\].
const SAME_PLACE: f64 = 1e-6;
