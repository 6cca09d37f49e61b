//! Shapes on surfaces of triangles: what touches the triangles of one plane is one manifold.
//!
//! The library looks at one triangle at a time. Its verdict by which direction the shape leaves a
//! triangle is taken; the points on a plane are found anew, as those on a half-space cut by the rim
//! of the plane.

use nalgebra::{Isometry3, Point3, Translation3, Vector3};
use parry3d_f64::shape::{PackedFeatureId, PolygonalFeature};

use super::{CollisionManifold, ContactQuery, Touch, plane};
use crate::convert::{from_vector, vector};
use crate::geometry::{Geometry, Kind};
use crate::patches::{Patches, Triangle};

/// 1 − cos of the angle between normals that count as one \[-\]: one degree.
const SAME_NORMAL: f64 = 1.5e-4;

/// Distance of points that count as one, as a share of the size of the smaller collider \[-\].
const SAME_PLACE: f64 = 1e-6;

/// Merges manifolds whose normal is that of a plane of the surface (N.6); `side` says which
/// collider is the surface, and `shape` is the other. Their part is the first triangle of the
/// plane; that of contacts at a rim of it is the number of all triangles and that of their own.
/// Manifolds without points are triangles that are near.
pub(super) fn merge(
    manifolds: &mut Vec<CollisionManifold>,
    patches: &Patches,
    shape: &Geometry,
    side: usize,
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
) {
    let pose = if side == 0 { *b_in_a } else { b_in_a.inverse() };
    let mut planes: Vec<Plane> = Vec::new();
    let mut rims: Vec<CollisionManifold> = Vec::new();
    for mut touching in manifolds.drain(..) {
        let number = touching.parts[side];
        let Some(triangle) = patches.triangle(number) else {
            continue;
        };
        let known = planes.iter().position(|p| p.number == triangle.plane);
        let at = known.unwrap_or_else(|| {
            planes.push(Plane::new(triangle, matches!(shape.kind, Kind::Sphere(_))));
            planes.len() - 1
        });
        planes[at].near.push((number, *triangle));
        let outward = if side == 0 {
            triangle.normal
        } else {
            -(b_in_a.rotation * triangle.normal)
        };
        let along_plane = outward.dot(&touching.normal) >= 1.0 - SAME_NORMAL;
        if along_plane || planes[at].is_nearer(shape, &pose, &touching.points) {
            planes[at].touched = true;
        } else if planes[at].is_flat_around(
            triangle,
            shape,
            &pose,
            touching.points.as_slice(),
            side,
        ) {
            // no way out: an overlap is one with the plane, and a gap that with a neighbour
            planes[at].touched |= touching.points.iter().any(|point| point.separation < 0.0);
        } else if !touching.points.is_empty() {
            touching.parts[side] = patches.count().saturating_add(number);
            for point in &mut touching.points {
                rename(point, triangle, side, number);
            }
            rims.push(touching);
        }
    }
    for plane in planes.iter().filter(|plane| plane.touched) {
        let mut touching = plane.manifold(shape, &pose, query);
        if side == 1 {
            touching.swap(b_in_a);
        }
        manifolds.push(touching);
    }
    for rim in rims {
        add_new(manifolds, rim);
    }
    manifolds.sort_by_key(|touching| touching.parts);
}

/// Points closer to a rim than this share of the size of the triangle or the shape are at it \[-\].
const AT_RIM: f64 = 1e-3;

/// A contact at a rim, without the points that a manifold of nearly the same normal has: neighbours
/// share the edge.
fn add_new(manifolds: &mut Vec<CollisionManifold>, mut rim: CollisionManifold) {
    for earlier in &*manifolds {
        if earlier.normal.dot(&rim.normal) >= 1.0 - SAME_NORMAL {
            let near = SAME_PLACE * size(&rim.points);
            let same = |a: &Touch, b: &Touch| {
                let apart = [0, 1].map(|side| (a.points[side] - b.points[side]).norm());
                apart[0].min(apart[1]) <= near
            };
            let known = |point: &Touch| earlier.points.iter().any(|other| same(other, point));
            rim.points.retain(|point| !known(point));
        }
    }
    manifolds.push(rim);
}

/// Largest coordinate of the points, with radii, on the collider where that is smaller \[m\]: a
/// surface may be as wide as it likes.
fn size(points: &[Touch]) -> f64 {
    let on = |side: usize| {
        let each = points.iter().map(|point| point.points[side].amax());
        each.fold(0.0, f64::max)
    };
    let rounding = points
        .iter()
        .map(|point| point.radii[0].max(point.radii[1]));
    on(0).min(on(1)) + rounding.fold(0.0, f64::max)
}

/// Gives a point at a rim a name that is unique in the surface, not only in its triangle.
fn rename(point: &mut Touch, triangle: &Triangle, side: usize, number: u32) {
    if point.feature == 0 {
        return;
    }
    let shift = if side == 0 { 32 } else { 0 };
    let own = PackedFeatureId((point.feature >> shift & 0xffff_ffff) as u32);
    let code = (own.0 & CODE) % 3;
    let name = if own.is_edge() {
        PackedFeatureId::edge(number.wrapping_mul(3).wrapping_add(code) & CODE)
    } else if own.is_vertex() {
        PackedFeatureId::vertex(triangle.vertices[code as usize] & CODE)
    } else {
        own
    };
    point.feature &= !(0xffff_ffff << shift);
    point.feature |= u64::from(name.0) << shift;
}

/// The bits of a packed name that number a feature among those of its kind.
const CODE: u32 = 0x3fff_ffff;

/// Names of crossings of the rim with edges of the shape, and of corners of the rim; those of
/// vertices of the shape are smaller.
const CROSSING: u64 = 1 << 62;
const RIM: u64 = 1 << 63;

/// The triangles of one plane that are near a shape, in the axes of the surface.
struct Plane {
    number: u32,
    normal: Vector3<f64>,
    /// A point of the plane.
    origin: Vector3<f64>,
    near: Vec<(u32, Triangle)>,
    /// True if the shape leaves some triangle along the normal.
    touched: bool,
}

impl Plane {
    fn new(triangle: &Triangle, touched: bool) -> Self {
        Self {
            number: triangle.plane,
            normal: triangle.normal,
            origin: triangle.corners[0],
            near: Vec::new(),
            touched,
        }
    }

    fn height(&self, place: &Vector3<f64>) -> f64 {
        (place - self.origin).dot(&self.normal)
    }

    /// True if a shape overlaps the plane by no more than these points say: then its normal is a
    /// better way out than theirs.
    fn is_nearer(&self, shape: &Geometry, pose: &Isometry3<f64>, points: &[Touch]) -> bool {
        let depths = points.iter().map(|point| point.separation);
        let deepest = depths.fold(f64::INFINITY, f64::min);
        let Some(map) = shape.shape.as_support_map().filter(|_| deepest < 0.0) else {
            return false;
        };
        let down = pose.rotation.inverse() * -self.normal;
        let lowest = from_vector(map.local_support_point(vector(&down)));
        self.height(&(pose * Point3::from(lowest)).coords) >= deepest
    }

    /// True if the plane goes on flat at all points where a shape above it touches a triangle.
    fn is_flat_around(
        &self,
        triangle: &Triangle,
        shape: &Geometry,
        pose: &Isometry3<f64>,
        points: &[Touch],
        side: usize,
    ) -> bool {
        let edges = (0..3).map(|k| (triangle.corners[(k + 1) % 3] - triangle.corners[k]).norm());
        let inside = triangle.inner_edges == [true; 3] || {
            let near = AT_RIM * edges.fold(shape.extent(), f64::min);
            let mut places = points.iter().map(|point| &point.points[side]);
            places.all(|place| !triangle.is_at_rim(place, near))
        };
        let middle = || (pose * Point3::from(shape.middle())).coords;
        inside && self.height(&middle()) >= 0.0
    }

    /// The points of a shape that lie above the triangles (N.6), and those of the rim below the
    /// shape.
    fn manifold(
        &self,
        shape: &Geometry,
        pose: &Isometry3<f64>,
        query: &ContactQuery,
    ) -> CollisionManifold {
        let offset = self.origin.dot(&self.normal) * self.normal;
        let mut points = Vec::new();
        let above = Translation3::from(-offset) * pose;
        plane::append(&self.normal, shape, &above, query, &mut points);
        for point in &mut points {
            point.points[0] += offset;
        }
        let near = SAME_PLACE * size(&points);
        points.retain(|point| self.covers(&point.points[0], near));
        // a ball whose centre is behind a plane is not on it
        if let Kind::Sphere(radius) = shape.kind {
            points.retain(|point| point.separation >= -radius);
        }
        self.add_rim(shape, pose, query.margin, &mut points);
        CollisionManifold {
            normal: self.normal,
            points,
            parts: [self.number, 0],
        }
    }

    /// True if a place of the plane is within a triangle, or closer to it than `near`.
    fn covers(&self, place: &Vector3<f64>, near: f64) -> bool {
        self.near.iter().any(|(_, triangle)| {
            let corners = &triangle.corners;
            (0..3).all(|k| {
                let along = corners[(k + 1) % 3] - corners[k];
                let inside = along.cross(&(place - corners[k])).dot(&self.normal);
                inside >= -near * along.norm()
            })
        })
    }

    /// Adds where edges of the shape cross the rim, and corners of the rim under the face of the
    /// shape.
    fn add_rim(
        &self,
        shape: &Geometry,
        pose: &Isometry3<f64>,
        margin: f64,
        points: &mut Vec<Touch>,
    ) {
        let face = Face::of(shape, pose, &self.normal);
        let radius = shape.rounding();
        let mut add = |feature: u64, on_plane: Vector3<f64>, on_shape: Vector3<f64>| {
            let separation = self.height(&on_shape) - radius;
            let known = points.iter().any(|point| point.feature == feature);
            if separation <= margin && !known {
                let local = pose.inverse_transform_point(&Point3::from(on_shape));
                points.push(Touch {
                    points: [on_plane, local.coords],
                    radii: [0.0, radius],
                    separation,
                    feature,
                });
            }
        };
        for (number, triangle) in &self.near {
            for k in (0..3).filter(|k| !triangle.inner_edges[*k]) {
                let ends = [k, (k + 1) % 3].map(|corner| triangle.corners[corner]);
                let edge = u64::from(*number) * 3 + k as u64;
                for (name, place) in face.crossings(ends, &self.normal) {
                    let below = place - self.height(&place) * self.normal;
                    add(CROSSING | edge << 30 | u64::from(name & CODE), below, place);
                }
                if let Some(place) = face.above(&ends[0], &self.normal) {
                    add(RIM | u64::from(triangle.vertices[k]), ends[0], place);
                }
            }
        }
    }
}

/// The face of a shape that looks most against a plane, or its edge; in the axes of the surface.
struct Face {
    /// In turn.
    corners: Vec<Vector3<f64>>,
    /// Names of the edges from each corner to the next.
    edges: Vec<u32>,
}

impl Face {
    fn of(shape: &Geometry, pose: &Isometry3<f64>, normal: &Vector3<f64>) -> Self {
        let mut feature = PolygonalFeature::default();
        if let Some((map, _)) = shape.shape.as_polygonal_feature_map() {
            let down = pose.rotation.inverse() * -normal;
            map.local_support_feature(vector(&down), &mut feature);
        }
        let count = feature.num_vertices;
        let place = |v: &_| (pose * Point3::from(from_vector(*v))).coords;
        Self {
            corners: feature.vertices[..count].iter().map(place).collect(),
            edges: feature.eids[..count].iter().map(|id| id.0).collect(),
        }
    }

    /// Where edges of the face cross a segment, seen along the normal; with the names of the edges.
    fn crossings(
        &self,
        [from, to]: [Vector3<f64>; 2],
        normal: &Vector3<f64>,
    ) -> Vec<(u32, Vector3<f64>)> {
        let count = self.corners.len();
        let edges = if count == 2 { 1 } else { count };
        let crossing = |k: usize| {
            let [a, b] = [k, (k + 1) % count].map(|corner| self.corners[corner]);
            let turn = |u: &Vector3<f64>, v: &Vector3<f64>| u.cross(v).dot(normal);
            let (along, edge) = (to - from, b - a);
            let sine = turn(&edge, &along);
            let share = turn(&(from - a), &along) / sine;
            let on_rim = turn(&(from - a), &edge) / sine;
            let within = |x: f64| x > 0.0 && x < 1.0;
            (within(share) && within(on_rim)).then(|| (self.edges[k], a + share * edge))
        };
        (0..edges).filter_map(crossing).collect()
    }

    /// The place of the face above a point of the plane.
    fn above(&self, place: &Vector3<f64>, normal: &Vector3<f64>) -> Option<Vector3<f64>> {
        let count = self.corners.len();
        if count < 3 {
            return None;
        }
        let side = |k: usize| {
            let along = self.corners[(k + 1) % count] - self.corners[k];
            along.cross(&(place - self.corners[k])).dot(normal)
        };
        let within = (0..count).all(|k| side(k) > 0.0) || (0..count).all(|k| side(k) < 0.0);
        let [first, second] = [1, 2].map(|k| self.corners[k] - self.corners[0]);
        let across = first.cross(&second);
        let slope = across.dot(normal);
        let up = (self.corners[0] - place).dot(&across) / slope;
        (within && slope != 0.0).then(|| place + up * normal)
    }
}
