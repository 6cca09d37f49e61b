//! The incident face of one box, cut by the sides of the reference face of the other (Sutherland and Hodgman).

use nalgebra::{Isometry3, Point3, Vector3};

use super::super::Touch;

/// A side plane cuts only what lies outside by more than this share of the smallest half edge \[-\], so that corners of
/// boxes that are aligned do not come and go with rounding.
const SLACK: f64 = 1e-4;

/// A quadrilateral cut by four planes has at most eight corners.
const MAX_CORNERS: usize = 8;

/// A label of an edge of the polygon from here on is a side plane, below it an edge of the incident box.
const SIDES: u64 = 12;

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

/// What a point is made of.
#[derive(Debug, Clone, Copy)]
pub(super) enum Feature {
    /// A vertex of the incident box.
    Vertex(u64),
    /// An edge of the incident box and a side of the reference face.
    Crossing(u64, u64),
    /// The incident face and a vertex of the reference box.
    Corner(u64, u64),
    /// An edge of either box.
    Edges(u64, u64),
}

impl Feature {
    /// The feature as one number above zero; `context` is the reference face.
    pub(super) fn number(self, context: u64) -> u64 {
        let (kind, first, second) = match self {
            Self::Vertex(vertex) => (1, vertex, 0),
            Self::Crossing(edge, side) => (2, edge, side),
            Self::Corner(face, vertex) => (3, face, vertex),
            Self::Edges(of_a, of_b) => (4, of_a, of_b),
        };
        kind << 24 | context << 16 | first << 8 | second
    }
}

/// Number of an edge of a box, from 0 to 11: its axis, and on which sides it lies along the other two. `vertex` is one
/// of its ends: bit k is set where it lies on the positive side of axis k.
pub(super) fn edge(axis: usize, vertex: u64) -> u64 {
    let bit = |k: usize| vertex >> (k % 3) & 1;
    4 * axis as u64 + 2 * bit(axis + 2) + bit(axis + 1)
}

#[derive(Debug, Clone, Copy)]
struct Corner {
    /// In the axes of the reference box.
    point: Vector3<f64>,
    feature: Feature,
    /// Label of the edge to the next corner.
    edge: u64,
}

/// Corners in order; those from `count` on mean nothing.
struct Polygon {
    corners: [Corner; MAX_CORNERS],
    count: usize,
}

impl Polygon {
    fn empty() -> Self {
        let corner = Corner {
            point: Vector3::zeros(),
            feature: Feature::Vertex(0),
            edge: 0,
        };
        Self {
            corners: [corner; MAX_CORNERS],
            count: 0,
        }
    }

    fn push(&mut self, corner: Corner) {
        // rounding could cut nearly straight lines more often
        if self.count < MAX_CORNERS {
            self.corners[self.count] = corner;
            self.count += 1;
        }
    }

    /// The face of a box that looks most against a direction of its axes.
    fn incident(half: &Vector3<f64>, pose: &Isometry3<f64>, against: &Vector3<f64>) -> (Self, u64) {
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
        let mut polygon = Self::empty();
        for (at, bits) in around.into_iter().enumerate() {
            let vertex = base | bits;
            let sign = Vector3::from_fn(|k, _| if vertex >> k & 1 == 1 { 1.0 } else { -1.0 });
            let along = if at % 2 == 0 { first } else { second };
            polygon.push(Corner {
                point: (pose * Point3::from(half.component_mul(&sign))).coords,
                feature: Feature::Vertex(vertex),
                edge: edge(along, vertex),
            });
        }
        (polygon, face.number())
    }

    /// What lies within `limit` along one side of the reference face; `None` if that is all of it.
    fn cut(&self, side: Face, limit: f64, reference: &Face, incident: u64) -> Option<Self> {
        let height = |corner: &Corner| {
            let along = corner.point[side.axis];
            (if side.outward { along } else { -along }) - limit
        };
        let corners = &self.corners[..self.count];
        if corners.iter().all(|corner| height(corner) <= 0.0) {
            return None;
        }
        let mut kept = Self::empty();
        for at in 0..self.count {
            let [from, to] = [at, (at + 1) % self.count].map(|index| self.corners[index]);
            let (here, there) = (height(&from), height(&to));
            if here <= 0.0 {
                kept.push(from);
            }
            if (here <= 0.0) != (there <= 0.0) {
                let feature = if from.edge < SIDES {
                    Feature::Crossing(from.edge, side.number())
                } else {
                    let other = from.edge - SIDES;
                    Feature::Corner(incident, corner([reference.number(), side.number(), other]))
                };
                let share = here / (here - there);
                kept.push(Corner {
                    point: from.point + share * (to.point - from.point),
                    feature,
                    edge: if here <= 0.0 {
                        SIDES + side.number()
                    } else {
                        from.edge
                    },
                });
            }
        }
        Some(kept)
    }
}

/// The vertex of a box where three faces meet.
fn corner(faces: [u64; 3]) -> u64 {
    let bits = faces.map(|face| (face & 1) << (face >> 1));
    bits[0] | bits[1] | bits[2]
}

/// Points of the incident box (the second) at most `margin` above the reference face of the first, with the points of
/// that face below them (N.4); `pose` is that of the incident box in the axes of the other.
pub(super) fn points(
    reference: &Face,
    halves: [Vector3<f64>; 2],
    pose: &Isometry3<f64>,
    margin: f64,
) -> Vec<Touch> {
    let [half, other] = halves;
    let sign = if reference.outward { 1.0 } else { -1.0 };
    let normal = Vector3::ith(reference.axis, sign);
    let against = pose.rotation.inverse() * normal;
    let (mut polygon, incident) = Polygon::incident(&other, pose, &against);
    let slack = SLACK * half.min().min(other.min());
    for axis in [(reference.axis + 1) % 3, (reference.axis + 2) % 3] {
        for outward in [false, true] {
            let side = Face::new(reference.of, axis, outward);
            if let Some(kept) = polygon.cut(side, half[axis] + slack, reference, incident) {
                polygon = kept;
            }
        }
    }
    let context = 8 * reference.of + reference.number();
    let mut points = Vec::with_capacity(polygon.count);
    for corner in &polygon.corners[..polygon.count] {
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
    points
}
