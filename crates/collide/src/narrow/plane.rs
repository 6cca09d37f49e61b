//! Shapes on a half-space: their lowest points, without a library.

use super::solid::ShapeGeometry;
use super::{ContactQuery, PairManifolds, Touch};
use crate::convert::from_vector;
use crate::geometry::{Geometry, Kind};
use nalgebra::{Isometry3, Vector3};

/// The points of `shape` near the plane through the origin of the half-space, which is A.
pub(super) fn contacts(
    normal: &Vector3<f64>,
    shape: &Geometry,
    pose: &Isometry3<f64>,
    query: &ContactQuery,
    out: &mut PairManifolds,
) {
    out.add(*normal, [0; 2], |points| {
        append(normal, shape, pose, query, points);
    });
}

/// As [`contacts`], to a list of points.
pub(super) fn append(
    normal: &Vector3<f64>,
    shape: &Geometry,
    pose: &Isometry3<f64>,
    query: &ContactQuery,
    points: &mut Vec<Touch>,
) {
    let radius = shape.rounding();
    each_corner(normal, shape, pose, |feature, local| {
        let height = (pose * nalgebra::Point3::from(local)).coords.dot(normal);
        let above = (pose * nalgebra::Point3::from(local)).coords;
        let touch = Touch {
            points: [above - height * normal, local],
            radii: [0.0, radius],
            separation: height - radius,
            feature: feature + 1,
        };
        if touch.separation <= query.margin {
            points.push(touch);
        }
    });
}

/// Points of the shape that may be lowest, with numbers of their own, in its axes.
fn each_corner(
    normal: &Vector3<f64>,
    shape: &Geometry,
    pose: &Isometry3<f64>,
    mut visit: impl FnMut(u64, Vector3<f64>),
) {
    match shape.kind {
        Kind::Sphere(_) => visit(0, Vector3::zeros()),
        Kind::Capsule { half_length, .. } => {
            let end = Vector3::new(0.0, half_length, 0.0);
            visit(0, -end);
            visit(1, end);
        }
        Kind::Box(half) => {
            let sign = |k: u64, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = |k| half.component_mul(&Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
            (0..8).for_each(|k| visit(k, corner(k)));
        }
        Kind::HalfSpace(_) => {}
        Kind::Cylinder { .. } => {
            let down = pose.rotation.inverse() * -normal;
            let lowest = ShapeGeometry::of(shape).map(|solid| solid.facing(&down).1);
            let corners = lowest.into_iter().flat_map(|outline| outline.corners);
            corners.for_each(|(place, [name, _])| visit(name, place));
        }
        Kind::Other => {
            let hull = shape.shape.as_convex_polyhedron();
            let points = hull.into_iter().flat_map(|hull| hull.points());
            (0..)
                .zip(points)
                .for_each(|(k, point)| visit(k, from_vector(*point)));
        }
    }
}
