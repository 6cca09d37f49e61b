//! Shapes on a half-space: their lowest points, without a library.

use nalgebra::{Isometry3, Vector3};
use parry3d_f64::shape::PolygonalFeature;

use super::{Manifolds, Query, Touch};
use crate::convert::{from_vector, vector};
use crate::geometry::{Geometry, Kind};

/// The points of `shape` near the plane through the origin of the half-space, which is A.
pub(super) fn contacts(
    normal: &Vector3<f64>,
    shape: &Geometry,
    pose: &Isometry3<f64>,
    query: &Query,
    out: &mut Manifolds,
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
    query: &Query,
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
        Kind::Other => match shape.shape.as_convex_polyhedron() {
            Some(hull) => {
                let points = hull.points().iter().map(|point| from_vector(*point));
                (0..).zip(points).for_each(|(k, point)| visit(k, point));
            }
            None => each_lowest(&(pose.rotation.inverse() * -normal), shape, visit),
        },
    }
}

/// The feature of a shape that lies farthest along a direction of its axes.
fn each_lowest(
    direction: &Vector3<f64>,
    shape: &Geometry,
    mut visit: impl FnMut(u64, Vector3<f64>),
) {
    let Some((map, _)) = shape.shape.as_polygonal_feature_map() else {
        return;
    };
    let mut feature = PolygonalFeature::default();
    map.local_support_feature(vector(direction), &mut feature);
    let vertices = feature.vertices.iter().zip(&feature.vids);
    for (vertex, id) in vertices.take(feature.num_vertices) {
        visit(u64::from(id.0), from_vector(*vertex));
    }
}
