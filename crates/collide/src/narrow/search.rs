//! The direction along which two convex shapes are farthest apart.
//!
//! Every direction is judged by the supports of both shapes (N.10), never by what a search claims.
//! Faces are asked one by one, so that shapes lying flat have the normal of their face. The closest
//! points of two shapes that are moved apart give the others.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use parry3d_f64::query::ClosestPoints;
use parry3d_f64::query::details::closest_points_support_map_support_map;

use super::preference::{Axis, Best, Group};
use super::solid::ShapeGeometry;
use crate::convert::{from_vector, parry};

/// Gap to which shapes are moved apart before their closest points are asked for, as a share of the
/// smaller half width \[-\].
const CLEAR: f64 = 0.01;

/// A direction replaces another one if it is better by this share of the smaller half width \[-\].
const BETTER: f64 = 1e-13;

/// Rounds of moving apart.
const ROUNDS: usize = 8;

/// An edge may stand across a direction near one if the cosine of their angle is below this \[-\].
const NEARLY: f64 = 0.1;

/// First and last step of the search on the sphere of directions \[-\].
const STEPS: [f64; 2] = [1e-3, 1e-10];

/// Steps of the search at most: one that creeps along a ridge ends where it is \[-\].
const CLIMBS: usize = 400;

/// Two shapes; the second in the axes of the first.
pub(super) struct Pair<'a> {
    pub(super) solids: [ShapeGeometry<'a>; 2],
    pub(super) pose: &'a Isometry3<f64>,
    pub(super) width: f64,
    /// How far the surfaces are from the solids, both together \[m\].
    pub(super) rounding: f64,
    pub(super) margin: f64,
}

impl Pair<'_> {
    /// The points of both that lie farthest towards the other one, along a direction.
    pub(super) fn supports(&self, normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
        let [a, b] = &self.solids;
        let back = -(self.pose.rotation.inverse() * normal);
        let on_b = self.pose * Point3::from(b.support(&back));
        [a.support(normal), on_b.coords]
    }

    /// A point inside each, in the axes of the first.
    pub(super) fn centres(&self) -> [Vector3<f64>; 2] {
        let [a, b] = &self.solids;
        [a.middle, (self.pose * Point3::from(b.middle)).coords]
    }

    /// Separation of the surfaces along a direction (N.10).
    fn separation(&self, normal: &Vector3<f64>) -> f64 {
        let [on_a, on_b] = self.supports(normal);
        (on_b - on_a).dot(normal) - self.rounding
    }

    fn axis(&self, group: Group, index: usize, normal: Vector3<f64>) -> Axis {
        Axis {
            index: u32::try_from(index).unwrap_or(u32::MAX),
            group,
            separation: self.separation(&normal),
            normal,
        }
    }

    /// The best direction of each group; `None` if the shapes are farther apart than the margin.
    pub(super) fn search(&self) -> Option<Best> {
        let mut best = Best::default();
        let [a, b] = &self.solids;
        let of_a = (0..a.faces()).map(|face| self.axis(Group::FaceOfA, face, a.normal(face)));
        let inward = |face: usize| -(self.pose.rotation * b.normal(face));
        let of_b = (0..b.faces()).map(|face| self.axis(Group::FaceOfB, face, inward(face)));
        for axis in of_a.chain(of_b) {
            if axis.separation > self.margin {
                return None;
            }
            best.see(axis);
        }
        let Some(axis) = self.apart(&best) else {
            return Some(best);
        };
        best.see(self.polished(axis));
        (best.separation(Group::Edges) <= self.margin).then_some(best)
    }

    /// The direction between the closest points after the shapes were moved apart along the best
    /// one, until it stays (N.14); `None` if that is the normal of a face.
    fn apart(&self, best: &Best) -> Option<Axis> {
        let centres = self.centres();
        let between = centres[1] - centres[0];
        let middle = between.try_normalize(0.0).unwrap_or_else(Vector3::y);
        let mut found = self.axis(Group::Edges, 0, middle);
        let mut is_face = false;
        let faces = [Group::FaceOfA, Group::FaceOfB].map(|group| best.axis(group));
        for axis in faces.into_iter().flatten() {
            if axis.separation >= found.separation {
                (found, is_face) = (axis, true);
            }
        }
        for _ in 0..ROUNDS {
            let Some(normal) = self.closest(&found) else {
                break;
            };
            let axis = self.axis(Group::Edges, 0, normal);
            if axis.separation <= found.separation + BETTER * self.width {
                break;
            }
            (found, is_face) = (axis, false);
        }
        (!is_face).then_some(found)
    }

    /// The direction between the closest points, after a move along an axis that leaves a gap.
    fn closest(&self, axis: &Axis) -> Option<Vector3<f64>> {
        let way = (CLEAR * self.width - axis.separation).max(0.0);
        let pose = Translation3::from(way * axis.normal) * self.pose;
        let [a, b] = self.solids.each_ref().map(ShapeGeometry::map);
        let reach = axis.separation.abs() + way + (pose.translation.vector).norm();
        match closest_points_support_map_support_map(&parry(&pose), a, b, 2.0 * reach) {
            ClosestPoints::WithinMargin(p, q) => {
                let q = (pose * Point3::from(from_vector(q))).coords;
                (q - from_vector(p)).try_normalize(0.0)
            }
            _ => None,
        }
    }

    /// A direction that is not that of a face, brought to its maximum: first across the edges that
    /// touch, then by a search.
    pub(super) fn polished(&self, axis: Axis) -> Axis {
        let mut best = axis;
        let mut see = |normal: Option<Vector3<f64>>| {
            if let Some(normal) = normal {
                let towards = normal * normal.dot(&axis.normal).signum();
                let other = self.axis(Group::Edges, 0, towards);
                if other.separation > best.separation {
                    best = other;
                }
            }
        };
        self.across(&axis).into_iter().for_each(&mut see);
        let mut step = STEPS[0];
        for _ in 0..CLIMBS {
            if step <= STEPS[1] {
                break;
            }
            let normal = best.normal;
            let first = normal.cross(&Vector3::ith(normal.iamin(), 1.0)).normalize();
            let second = normal.cross(&first);
            let around = [
                first,
                second,
                -first,
                -second,
                first + second,
                second - first,
            ];
            let around = around.into_iter().chain([-first - second, first - second]);
            let tried = around.map(|way| {
                let normal = (normal + step * way).normalize();
                self.axis(Group::Edges, 0, normal)
            });
            let found = tried.fold(best, |best, other| {
                if other.separation > best.separation {
                    other
                } else {
                    best
                }
            });
            if found.separation > best.separation {
                best = found;
                step = (2.0 * step).min(STEPS[0]);
            } else {
                step *= 0.5;
            }
        }
        best
    }

    /// Directions that edges and sides near an axis may have: across two of them, and from the line
    /// of a cylinder or a capsule to a point.
    fn across(&self, axis: &Axis) -> [Option<Vector3<f64>>; 3] {
        let unit = |v: Vector3<f64>| v.try_normalize(1e-9);
        let along = [0, 1].map(|side| {
            let [from, to] = self.edge(side, &axis.normal, NEARLY)?;
            Some(to - from)
        });
        let supports = self.supports(&axis.normal);
        let centres = [Vector3::zeros(), self.pose.translation.vector];
        let from_line = |side: usize| {
            let line = self.solids[side].is_round().then_some(along[side]?)?;
            let to = if along[1 - side].is_some() && self.solids[1 - side].is_round() {
                centres[1 - side]
            } else {
                supports[1 - side]
            };
            let arm = to - centres[side];
            unit(arm - arm.dot(&line) / line.norm_squared() * line)
        };
        let cross = match along {
            [Some(u), Some(v)] => unit(u.normalize().cross(&v.normalize())),
            _ => None,
        };
        [cross, from_line(0), from_line(1)]
    }

    /// The edge of a solid that lies farthest towards the other one along a direction, if it stands
    /// across it.
    pub(super) fn edge(
        &self,
        side: usize,
        normal: &Vector3<f64>,
        across: f64,
    ) -> Option<[Vector3<f64>; 2]> {
        if side == 0 {
            return self.solids[0].edge(normal, across);
        }
        let back = -(self.pose.rotation.inverse() * normal);
        let ends = self.solids[1].edge(&back, across)?;
        Some(ends.map(|end| (self.pose * Point3::from(end)).coords))
    }
}
