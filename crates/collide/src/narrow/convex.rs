//! Convex shapes with edges, among them cylinders and the lines of capsules: the direction of the
//! largest separation, then clipping.

use nalgebra::{Isometry3, Point3, Vector3};

use super::clip::{Corner, Feature, HalfEdge, Line, Polygon, SLACK, closest};
use super::preference::{Axis, Group};
use super::rims::{Border, Rim};
use super::search::Pair;
use super::solid::{MAX_CORNERS, Outline, ShapeGeometry};
use super::{ContactQuery, PairManifolds, Touch};

/// Sine of the angle below which edges share a stretch, and touch at both of its ends \[-\].
const PARALLEL: f64 = 0.05;

/// An edge stands across a direction if the cosine of their angle is below this \[-\].
const ACROSS: f64 = 1e-4;

/// An end of a capsule is next to a face if what is above the face is higher by this share of the
/// smaller half width \[-\].
const BESIDE: f64 = 1e-3;

/// Of equal supports those are taken that lie farthest along a direction turned by this angle
/// \[rad\].
const ASIDE: f64 = 1e-7;

/// A face with up to [`MAX_CORNERS`] corners and one more, cut by as many sides.
type Clipped = Polygon<{ 2 * MAX_CORNERS + 2 }>;

/// The manifold of two shapes: the direction of the largest separation (N.2), (N.14), then the face
/// or edge of one clipped by the face of the other (N.4), or the one point of two edges (N.5).
pub(super) fn contacts(
    solids: [ShapeGeometry<'_>; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    out: &mut PairManifolds,
) {
    let pair = Pair {
        solids,
        pose: b_in_a,
        width: solids[0].half_width.min(solids[1].half_width),
        rounding: solids[0].rounding + solids[1].rounding,
        margin: query.margin,
    };
    let Some(best) = pair.search() else {
        return;
    };
    let axes = best.choose(None, query.persistence, pair.width);
    for axis in axes.iter().flatten() {
        if out.add(axis.normal, [0; 2], |points| {
            pair.touch(axis, points);
            pair.round(points);
            if pair.misses_end(axis, points) {
                points.clear();
            }
        }) {
            return;
        }
    }
    // the faces of no direction are above each other: then the points that lie farthest along the
    // first one
    let Some(first) = axes[0] else { return };
    let axis = pair.polished(first);
    out.add(axis.normal, [0; 2], |points| {
        pair.edges(&axis, &pair.nearest_supports(&axis.normal), points);
        pair.round(points);
    });
}

impl Pair<'_> {
    /// Takes the rounding of both into account: the points stay, the surfaces are nearer.
    fn round(&self, points: &mut [Touch]) {
        let radii = self.solids.each_ref().map(|solid| solid.rounding);
        for point in points {
            point.radii = radii;
            point.separation -= self.rounding;
        }
    }

    /// True if the end of a capsule that lies deepest along a direction is next to the face there:
    /// then it meets the border of the face, and in another direction.
    fn misses_end(&self, axis: &Axis, points: &[Touch]) -> bool {
        let depths = points.iter().map(|point| point.separation);
        let deepest = depths.fold(f64::INFINITY, f64::min);
        self.rounding > 0.0 && deepest > axis.separation + BESIDE * self.width
    }

    /// Appends the points of one direction that are within the margin.
    fn touch(&self, axis: &Axis, points: &mut Vec<Touch>) {
        let face = axis.index as usize;
        match axis.group {
            Group::FaceOfA => self.clip(0, face, self.pose, points),
            Group::FaceOfB => {
                self.clip(1, face, &self.pose.inverse(), points);
                points.iter_mut().for_each(|point| point.points.swap(0, 1));
            }
            Group::Edges => self.edges(axis, &self.supports(&axis.normal), points),
        }
    }

    /// Appends points of one solid above a face of the other, which is collider `of` (N.4); `pose`
    /// is that of the first in the axes of the second.
    fn clip(&self, of: usize, face: usize, pose: &Isometry3<f64>, points: &mut Vec<Touch>) {
        let (reference, other) = (&self.solids[of], &self.solids[1 - of]);
        let normal = reference.normal(face);
        let top = reference.support(&normal).dot(&normal);
        let (incident, outline) = other.facing(&-(pose.rotation.inverse() * normal));
        let [border, outline] = crossed([reference, other], [reference.face(face), outline], pose);
        let polygon = cut(
            polygon(&outline, pose),
            &border,
            &normal,
            incident as u64,
            SLACK * self.width,
        );
        let context = (of as u64) << 16 | face as u64;
        let whole = corners(&outline, pose);
        let within = whole.filter(|corner| reference.is_within_rim(&corner.point));
        for corner in polygon.corners().iter().copied().chain(within) {
            let separation = normal.dot(&corner.point) - top;
            let feature = corner.feature.wide_number(context);
            let known = points.iter().any(|point| point.feature == feature);
            if separation - self.rounding <= self.margin && !known {
                let above = pose.inverse_transform_point(&corner.point.into()).coords;
                points.push(Touch {
                    points: [corner.point - separation * normal, above],
                    radii: [0.0; 2],
                    separation,
                    feature,
                });
            }
        }
    }

    /// The supports along a direction, and of equal ones those nearest to the other solid: a cap
    /// that faces the direction has its whole disc for a support.
    fn nearest_supports(&self, normal: &Vector3<f64>) -> [Vector3<f64>; 2] {
        let centres = self.centres();
        let way = centres[1] - centres[0];
        let across = way - way.dot(normal) * normal;
        let Some(across) = across.try_normalize(0.0) else {
            return self.supports(normal);
        };
        self.supports(&(normal + ASIDE * across).normalize())
    }

    /// Appends the closest points of what lies farthest along a direction: both ends of what
    /// parallel edges share, or one point. `supports` lie farthest along it.
    fn edges(&self, axis: &Axis, supports: &[Vector3<f64>; 2], points: &mut Vec<Touch>) {
        let normal = &axis.normal;
        let [on_a, on_b] = *supports;
        let way = (on_b - on_a).dot(normal) * normal;
        let edges = [0, 1].map(|side| self.edge(side, normal, ACROSS));
        let pairs = match edges {
            [Some(first), Some(second)] => shared(first, second, self.width),
            // the end of one above the edge of the other, or two points above each other
            [Some(_), None] => [Some([on_b - way, on_b]), None],
            _ => [Some([on_a, on_a + way]), None],
        };
        for (pair, feature) in pairs.into_iter().zip(1..) {
            let Some([on_a, on_b]) = pair else { continue };
            let on_b = self.pose.inverse_transform_point(&on_b.into()).coords;
            let mut touch = Touch {
                points: [on_a, on_b],
                radii: [0.0; 2],
                separation: 0.0,
                feature,
            };
            touch.measure(normal, self.pose);
            points.extend((touch.separation - self.rounding <= self.margin).then_some(touch));
        }
    }
}

/// A face of one solid, and what another one has opposite to it, with the corners that rims get
/// where they cross the border of the other one; `pose` is that of the second in the axes of the
/// first.
fn crossed(
    solids: [&ShapeGeometry<'_>; 2],
    [face, outline]: [Outline; 2],
    pose: &Isometry3<f64>,
) -> [Outline; 2] {
    let rim = |side: usize, outline: &Outline| {
        let [height, radius] = solids[side].rim(outline)?;
        Some(Rim { height, radius })
    };
    let rims = [rim(0, &face), rim(1, &outline)];
    if rims.iter().all(Option::is_none) {
        return [face, outline];
    }
    let border = |outline: &Outline, rim: Option<Rim>, pose: &Isometry3<f64>| match rim {
        Some(rim) => {
            let middle = pose * Point3::new(0.0, rim.height, 0.0);
            Border::Rim(middle.coords.xz(), rim.radius)
        }
        None => Border::of(corners(outline, pose).map(|corner| corner.point)),
    };
    let borders = [
        border(&outline, rims[1], pose),
        border(&face, rims[0], &pose.inverse()),
    ];
    let added = |outline: Outline, side: usize| match rims[side] {
        Some(rim) => rim.crossed(outline, &borders[side]),
        None => outline,
    };
    [added(face, 0), added(outline, 1)]
}

/// The corners of a face or an edge after a move.
fn corners(outline: &Outline, pose: &Isometry3<f64>) -> impl Iterator<Item = Corner> {
    let places = outline.corners.iter();
    places.map(move |(place, [name, edge])| Corner {
        point: (pose * Point3::from(*place)).coords,
        feature: Feature::Vertex(*name),
        line: Line::Edge(*edge),
    })
}

fn polygon(outline: &Outline, pose: &Isometry3<f64>) -> Clipped {
    let mut polygon = Polygon::empty();
    corners(outline, pose).for_each(|corner| polygon.push(corner));
    polygon
}

/// What of a polygon lies above a face; `incident` is the number of the face that the polygon is.
fn cut(
    mut polygon: Clipped,
    face: &Outline,
    normal: &Vector3<f64>,
    incident: u64,
    slack: f64,
) -> Clipped {
    let corners = &face.corners;
    let count = corners.len() as u64;
    let next = corners.iter().cycle().skip(1);
    for (side, ((from, _), (to, _))) in (0..).zip(corners.iter().zip(next)) {
        let outward = (to - from).cross(normal).normalize();
        let limit = outward.dot(from) + slack;
        let height = |point: &Vector3<f64>| outward.dot(point) - limit;
        // where a side meets the next one is the corner between them
        let meet = |other: u64| {
            let next = (side + 1) % count == other;
            Feature::Corner(incident, if next { other } else { side })
        };
        if let Some(kept) = polygon.cut(side, height, meet) {
            polygon = kept;
        }
    }
    polygon
}

/// Points of two edges above each other: both ends of what parallel ones share, or where they are
/// closest (N.5).
fn shared(
    first: [Vector3<f64>; 2],
    second: [Vector3<f64>; 2],
    width: f64,
) -> [Option<[Vector3<f64>; 2]>; 2] {
    let [first, second] = [first, second].map(HalfEdge::of);
    let (u, half) = (first.direction, first.half);
    if u.cross(&second.direction).norm() > PARALLEL {
        let [along_u, along_v] = closest(&first, &second);
        return [Some([first.at(along_u), second.at(along_v)]), None];
    }
    let middle = (second.middle - first.middle).dot(&u);
    let cosine = second.direction.dot(&u);
    let reach = second.half * cosine.abs();
    let (low, high) = ((-half).max(middle - reach), half.min(middle + reach));
    let at = |along: f64| Some([first.at(along), second.at((along - middle) / cosine)]);
    if high - low > PARALLEL * width {
        [at(low), at(high)]
    } else {
        [at((0.5 * (low + high)).clamp(-half, half)), None]
    }
}
