//! The incident face of one box, cut by the sides of the reference face of the other.

use nalgebra::{Isometry3, Point3, Vector3};

use super::super::Touch;
use super::super::clip::{Corner, Feature, Line, Polygon, SLACK};

/// A quadrilateral cut by four planes has at most eight corners.
const MAX_CORNERS: usize = 8;

/// A face of a box.
#[derive(Debug, Clone, Copy)]
pub(super) struct Face {
    /// Of which box: 0 is A.
    of: u64,
    axis: usize,
    outward: bool,
}

impl Face {
    pub(super) fn new(of: u64, axis: usize, outward: bool) -> Self {
        Self { of, axis, outward }
    }

    /// Number of a face, from 0 to 5.
    fn number(&self) -> u64 {
        2 * self.axis as u64 + u64::from(self.outward)
    }
}

/// Number of an edge of a box, from 0 to 11: its axis, and on which sides it lies along the other
/// two. `vertex` is one of its ends: bit k is set where it lies on the positive side of axis k.
pub(super) fn edge(axis: usize, vertex: u64) -> u64 {
    let bit = |k: usize| vertex >> (k % 3) & 1;
    4 * axis as u64 + 2 * bit(axis + 2) + bit(axis + 1)
}

/// The face of a box that looks most against a direction of its axes, and its number.
fn incident(
    half: &Vector3<f64>,
    pose: &Isometry3<f64>,
    against: &Vector3<f64>,
) -> (Polygon<MAX_CORNERS>, u64) {
    let axis = against.iamax();
    let face = Face::new(0, axis, against[axis] < 0.0);
    let (first, second) = ((axis + 1) % 3, (axis + 2) % 3);
    let base = u64::from(face.outward) << axis;
    let around = [
        0,
        1 << first,
        1 << first | 1 << second,
        1 << second, // back to the first along `second`
    ];
    let mut polygon = Polygon::empty();
    for (at, bits) in around.into_iter().enumerate() {
        let vertex = base | bits;
        let sign = Vector3::from_fn(|k, _| if vertex >> k & 1 == 1 { 1.0 } else { -1.0 });
        let along = if at % 2 == 0 { first } else { second };
        polygon.push(Corner {
            point: (pose * Point3::from(half.component_mul(&sign))).coords,
            feature: Feature::Vertex(vertex),
            line: Line::Edge(edge(along, vertex)),
        });
    }
    (polygon, face.number())
}

/// The vertex of a box where three faces meet.
fn corner(faces: [u64; 3]) -> u64 {
    let bits = faces.map(|face| (face & 1) << (face >> 1));
    bits[0] | bits[1] | bits[2]
}

/// Appends points of the incident box (the second) at most `margin` above the reference face of the
/// first, with the points of that face below them (N.4); `pose` is that of the incident box in the
/// axes of the other.
pub(super) fn points(
    reference: &Face,
    halves: [Vector3<f64>; 2],
    pose: &Isometry3<f64>,
    margin: f64,
    points: &mut Vec<Touch>,
) {
    let [half, other] = halves;
    let sign = if reference.outward { 1.0 } else { -1.0 };
    let normal = Vector3::ith(reference.axis, sign);
    let against = pose.rotation.inverse() * normal;
    let (polygon, incident) = incident(&other, pose, &against);
    // each cut goes from one of them into the other
    let mut polygons = [polygon, Polygon::empty()];
    let mut last = 0;
    let slack = SLACK * half.min().min(other.min());
    for axis in [(reference.axis + 1) % 3, (reference.axis + 2) % 3] {
        for outward in [false, true] {
            let side = Face::new(reference.of, axis, outward).number();
            let limit = half[axis] + slack;
            let height =
                |point: &Vector3<f64>| (if outward { point[axis] } else { -point[axis] }) - limit;
            let meet = |other| Feature::Corner(incident, corner([reference.number(), side, other]));
            let [first, second] = &mut polygons;
            let (from, to) = if last == 0 {
                (first, second)
            } else {
                (second, first)
            };
            if from.cut_into(side, height, meet, to) {
                last = 1 - last;
            }
        }
    }
    let context = 8 * reference.of + reference.number();
    for corner in polygons[last].corners() {
        let separation = sign * corner.point[reference.axis] - half[reference.axis];
        if separation <= margin {
            let mut below = corner.point;
            below[reference.axis] = sign * half[reference.axis];
            points.push(Touch {
                points: [
                    below,
                    pose.inverse_transform_point(&corner.point.into()).coords,
                ],
                radii: [0.0; 2],
                separation,
                feature: corner.feature.number(context),
            });
        }
    }
}
