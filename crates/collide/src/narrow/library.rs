//! Manifolds of the library, for all pairs that have no query of their own.

use nalgebra::{Isometry3, Point3};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};

use super::{CollisionManifold, ContactQuery, PairManifolds, Touch, surface};
use crate::convert::{from_vector, parry};
use crate::geometry::Geometry;

/// The library's manifolds, made anew: with those of the frame before it would keep points that it
/// does not look at again, and the answer would depend on the past.
pub(super) fn contacts(
    [a, b]: [&Geometry; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    out: &mut PairManifolds,
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
    let mut found = Vec::with_capacity(manifolds.len());
    for manifold in &manifolds {
        let normal = from_vector(manifold.local_n1);
        let inward = b_in_a.rotation.inverse() * -normal;
        let points = manifold.points.iter().map(|point| {
            let [p, q] = [point.local_p1, point.local_p2].map(from_vector);
            // the library gives points of the surface, also of the round ones
            let points = [p - radii[0] * normal, q - radii[1] * inward];
            let mut touch = Touch {
                points,
                radii,
                separation: 0.0,
                feature: u64::from(point.fid1.0) << 32 | u64::from(point.fid2.0),
            };
            touch.measure(&normal, b_in_a);
            touch
        });
        let touching = CollisionManifold {
            normal,
            points: points.filter(|point| point.separation <= margin).collect(),
            parts: [manifold.subshape1, manifold.subshape2],
        };
        found.push(touching);
    }
    found.sort_by_key(|touching| touching.parts);
    match (&a.patches, &b.patches) {
        (Some(patches), None) => surface::merge(&mut found, patches, b, 0, b_in_a, query),
        (None, Some(patches)) => surface::merge(&mut found, patches, a, 1, b_in_a, query),
        _ => {}
    }
    for mut touching in found {
        settle_unknown(&mut touching.points);
        out.add(touching.normal, touching.parts, |points| {
            points.append(&mut touching.points);
        });
    }
}

impl Touch {
    /// Measures the separation along a normal in the axes of A.
    pub(super) fn measure(&mut self, normal: &nalgebra::Vector3<f64>, b_in_a: &Isometry3<f64>) {
        let apart = (b_in_a * Point3::from(self.points[1])).coords - self.points[0];
        self.separation = apart.dot(normal) - self.radii[0] - self.radii[1];
    }
}

/// In addition to the corners of the common face the library gives the closest points, whose
/// features it does not know and which wander. They are left out where a corner is as deep; of
/// several the deepest stays.
fn settle_unknown(points: &mut Vec<Touch>) {
    let lowest = |known: bool| {
        let of = points
            .iter()
            .filter(move |point| (point.feature != 0) == known);
        of.map(|point| point.separation)
            .fold(f64::INFINITY, f64::min)
    };
    let (known, unknown) = (lowest(true), lowest(false));
    let mut wanted = unknown < known - AS_DEEP;
    points.retain(|point| {
        let keep = point.feature != 0 || (wanted && point.separation <= unknown);
        wanted &= !(point.feature == 0 && keep);
        keep
    });
}

/// Depths closer than this count as one \[m\].
const AS_DEEP: f64 = 1e-6;
