//! Shapes on a half-space: their lowest points, without a library.

use nalgebra::{Isometry3, Vector3};
use parry3d_f64::shape::PolygonalFeature;

use super::{Query, Touch, Touching};
use crate::convert::{from_vector, vector};
use crate::geometry::{Geometry, Kind};

/// The points of `shape` near the plane through the origin of the half-space, which is A.
pub(super) fn contacts(
    normal: &Vector3<f64>,
    shape: &Geometry,
    pose: &Isometry3<f64>,
    query: &Query,
    out: &mut Vec<Touching>,
) {
    let radius = shape.rounding();
    let touch = |(feature, local): (u64, Vector3<f64>)| {
        let height = (pose * nalgebra::Point3::from(local)).coords.dot(normal);
        let above = (pose * nalgebra::Point3::from(local)).coords;
        Touch {
            points: [above - height * normal, local],
            radii: [0.0, radius],
            separation: height - radius,
            feature: feature + 1,
        }
    };
    let mut points: Vec<Touch> = corners(normal, shape, pose)
        .into_iter()
        .map(touch)
        .collect();
    points.retain(|point| point.separation <= query.margin);
    if !points.is_empty() {
        out.push(Touching {
            normal: *normal,
            points,
            parts: [0; 2],
        });
    }
}

/// Points of the shape that may be lowest, with numbers of their own, in its axes.
fn corners(
    normal: &Vector3<f64>,
    shape: &Geometry,
    pose: &Isometry3<f64>,
) -> Vec<(u64, Vector3<f64>)> {
    match shape.kind {
        Kind::Sphere(_) => vec![(0, Vector3::zeros())],
        Kind::Capsule { half_length, .. } => {
            let end = Vector3::new(0.0, half_length, 0.0);
            vec![(0, -end), (1, end)]
        }
        Kind::Box(half) => {
            let sign = |k: u64, bit: u32| if k >> bit & 1 == 1 { 1.0 } else { -1.0 };
            let corner = |k| half.component_mul(&Vector3::new(sign(k, 0), sign(k, 1), sign(k, 2)));
            (0..8).map(|k| (k, corner(k))).collect()
        }
        Kind::HalfSpace(_) => Vec::new(),
        Kind::Other => {
            if let Some(hull) = shape.shape.as_convex_polyhedron() {
                let points = hull.points().iter().map(|point| from_vector(*point));
                return (0..).zip(points).collect();
            }
            lowest(&(pose.rotation.inverse() * -normal), shape)
        }
    }
}

/// The feature of a shape that lies farthest along a direction of its axes.
fn lowest(direction: &Vector3<f64>, shape: &Geometry) -> Vec<(u64, Vector3<f64>)> {
    let Some((map, _)) = shape.shape.as_polygonal_feature_map() else {
        return Vec::new();
    };
    let mut feature = PolygonalFeature::default();
    map.local_support_feature(vector(direction), &mut feature);
    let vertices = feature.vertices.iter().zip(&feature.vids);
    let named = vertices.map(|(vertex, id)| (u64::from(id.0), from_vector(*vertex)));
    named.take(feature.num_vertices).collect()
}
