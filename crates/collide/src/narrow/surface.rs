//! Manifolds on the triangles of one plane become one.

use nalgebra::{Isometry3, Vector3};
use parry3d_f64::shape::PackedFeatureId;

use super::patches::{Patches, Triangle};
use super::{Touch, Touching};

/// 1 − cos of the angle between normals that count as one \[-\]: one degree.
const SAME_NORMAL: f64 = 1.5e-4;

/// Distance of points that count as one, as a share of the size of the manifold \[-\].
const SAME_PLACE: f64 = 1e-6;

/// Merges manifolds whose normal is that of a plane of the surface (N.6); `side` says which collider is the surface. Their
/// part is the first triangle of the plane, that of contacts at an edge of it the number of triangles and that of their own.
pub(super) fn merge(
    manifolds: &mut Vec<Touching>,
    patches: &Patches,
    side: usize,
    b_in_a: &Isometry3<f64>,
    margin: f64,
) {
    let mut planes: Vec<Plane> = Vec::new();
    let mut edges: Vec<Touching> = Vec::new();
    for mut touching in manifolds.drain(..) {
        let Some(triangle) = patches.triangle(touching.parts[side]) else {
            continue;
        };
        let normal = outward(triangle, side, b_in_a);
        if normal.dot(&touching.normal) < 1.0 - SAME_NORMAL {
            let own = touching.parts[side];
            touching.parts[side] = patches.count().saturating_add(own);
            name(&mut touching, triangle, side, own);
            edges.push(touching);
            continue;
        }
        let known = planes.iter().position(|p| p.number == triangle.plane);
        let at = known.unwrap_or_else(|| {
            planes.push(Plane::new(triangle.plane, normal));
            planes.len() - 1
        });
        planes[at].add(&touching, triangle, side, b_in_a);
    }
    manifolds.extend(planes.into_iter().map(|plane| plane.manifold(side, margin)));
    for edge in edges {
        add_new(manifolds, edge);
    }
    manifolds.retain(|touching| !touching.points.is_empty());
    manifolds.sort_by_key(|touching| touching.parts);
}

/// The normal of a triangle from A to B, in the axes of A.
fn outward(triangle: &Triangle, side: usize, b_in_a: &Isometry3<f64>) -> Vector3<f64> {
    if side == 0 {
        triangle.normal
    } else {
        -(b_in_a.rotation * triangle.normal)
    }
}

/// A contact at an edge, without the points that a manifold of nearly the same normal has: neighbours share the edge.
fn add_new(manifolds: &mut Vec<Touching>, mut edge: Touching) {
    for earlier in &*manifolds {
        if earlier.normal.dot(&edge.normal) >= 1.0 - SAME_NORMAL {
            let near = size(&earlier.points).max(size(&edge.points)) * SAME_PLACE;
            let known = |point: &Touch| earlier.points.iter().any(|other| same(other, point, near));
            edge.points.retain(|point| !known(point));
        }
    }
    manifolds.push(edge);
}

fn same(a: &Touch, b: &Touch, near: f64) -> bool {
    [0, 1]
        .iter()
        .any(|side| (a.points[*side] - b.points[*side]).norm() <= near)
}

/// Largest coordinate of the points, with radii, on the collider where that is smaller \[m\]: a surface may be as wide as
/// it likes.
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

/// What touches one plane.
struct Plane {
    number: u32,
    normal: Vector3<f64>,
    /// Corners of what touches, each once.
    outer: Vec<Touch>,
    /// Points on edges between triangles, which exist for the triangles alone.
    inner: Vec<Touch>,
}

impl Plane {
    fn new(number: u32, normal: Vector3<f64>) -> Self {
        Self {
            number,
            normal,
            outer: Vec::new(),
            inner: Vec::new(),
        }
    }

    fn add(
        &mut self,
        touching: &Touching,
        triangle: &Triangle,
        side: usize,
        b_in_a: &Isometry3<f64>,
    ) {
        for point in &touching.points {
            let mut point = *point;
            point.measure(&self.normal, b_in_a);
            let inner = rename(&mut point, triangle, side, touching.parts[side]);
            if inner {
                self.inner.push(point);
            } else if point.feature == 0 || !self.has(point.feature) {
                self.outer.push(point);
            }
        }
    }

    fn has(&self, feature: u64) -> bool {
        self.outer.iter().any(|point| point.feature == feature)
    }

    /// All corners, and of the inner points those outside of the corners: a corner above an edge may, by rounding, be
    /// above neither of its triangles.
    fn manifold(mut self, side: usize, margin: f64) -> Touching {
        let near = size(&self.outer).max(size(&self.inner)) * SAME_PLACE;
        for point in std::mem::take(&mut self.inner) {
            if !self.has(point.feature) && is_outside(&point, &self.outer, &self.normal, near) {
                self.outer.push(point);
            }
        }
        let mut parts = [0; 2];
        parts[side] = self.number;
        self.outer.retain(|point| point.separation <= margin);
        Touching {
            normal: self.normal,
            points: self.outer,
            parts,
        }
    }
}

/// True if a line through two points, or through one, has all of them on one side and `point` on the other.
fn is_outside(point: &Touch, others: &[Touch], normal: &Vector3<f64>, near: f64) -> bool {
    let place = |touch: &Touch| touch.points[0] - touch.points[0].dot(normal) * normal;
    let at = place(point);
    if others
        .iter()
        .any(|other| (place(other) - at).norm() <= near)
    {
        return false;
    }
    if others.len() < 3 {
        return !between(&at, &others.iter().map(place).collect::<Vec<_>>(), near);
    }
    let separates = |from: &Touch, to: &Touch| {
        let along = place(to) - place(from);
        let length = along.norm();
        let left = |x: Vector3<f64>| along.cross(&(x - place(from))).dot(normal);
        length > near
            && left(at) < -near * length
            && others.iter().all(|x| left(place(x)) >= -near * length)
    };
    let pairs = || {
        others
            .iter()
            .flat_map(|from| others.iter().map(move |to| (from, to)))
    };
    pairs().any(|(from, to)| separates(from, to))
}

/// True if a place lies on the segment between two others.
fn between(at: &Vector3<f64>, ends: &[Vector3<f64>], near: f64) -> bool {
    let [from, to] = ends else { return false };
    let whole = (to - from).norm();
    (at - from).norm() + (to - at).norm() <= whole + near
}

/// Gives the points of a manifold names that are unique in the surface.
fn name(touching: &mut Touching, triangle: &Triangle, side: usize, own: u32) {
    for point in &mut touching.points {
        rename(point, triangle, side, own);
    }
}

/// Gives a point a name that is unique in the surface, not only in its triangle; true if it lies on an edge or a vertex
/// inside of the plane, which counts as the plane itself.
fn rename(point: &mut Touch, triangle: &Triangle, side: usize, own: u32) -> bool {
    if point.feature == 0 {
        return false;
    }
    let shift = if side == 0 { 32 } else { 0 };
    let of_triangle = PackedFeatureId((point.feature >> shift & 0xffff_ffff) as u32);
    let code = (of_triangle.0 & CODE) as usize % 3;
    let plane = PackedFeatureId::face(0);
    let (name, inner) = if of_triangle.is_edge() {
        let number = own.wrapping_mul(3).wrapping_add(code as u32) & CODE;
        match triangle.inner_edges[code] {
            true => (plane, true),
            false => (PackedFeatureId::edge(number), false),
        }
    } else if of_triangle.is_vertex() {
        match triangle.inner_vertices[code] {
            true => (plane, true),
            false => (
                PackedFeatureId::vertex(triangle.vertices[code] & CODE),
                false,
            ),
        }
    } else {
        (plane, false)
    };
    point.feature &= !(0xffff_ffff << shift);
    point.feature |= u64::from(name.0) << shift;
    inner
}

/// The bits of a packed name that number a feature among those of its kind.
const CODE: u32 = 0x3fff_ffff;
