//! Triangles that lie in one plane next to each other: one surface, whose inner edges nothing can
//! touch.

use nalgebra::Vector3;
use parry3d_f64::bounding_volume::Aabb;
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{HeightField, SharedShape, TriMesh};

use crate::convert::{from_vector, vector};

/// 1 − cos of the angle between triangles of one plane \[-\].
const SAME_PLANE: f64 = 1e-10;

/// The planes of a surface of triangles.
#[derive(Debug)]
pub(crate) struct Patches {
    triangles: Vec<Triangle>,
}

/// Vertices of a triangle, and where they are.
type Given = ([u32; 3], [Vector3<f64>; 3]);

/// A triangle of a surface.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Triangle {
    /// The first triangle of its plane.
    pub(crate) plane: u32,
    /// Its unit normal.
    pub(crate) normal: Vector3<f64>,
    /// Its vertices.
    pub(crate) vertices: [u32; 3],
    /// Where they are \[m\].
    pub(crate) corners: [Vector3<f64>; 3],
    /// Per edge: true if the surface goes on flat behind it. Edge k goes from vertex k to the next.
    pub(crate) inner_edges: [bool; 3],
}

impl Patches {
    pub(crate) fn of_mesh(mesh: &TriMesh) -> Self {
        let points = mesh.vertices();
        let of = |triangle: &[u32; 3]| {
            let corners = triangle.map(|vertex| from_vector(points[vertex as usize]));
            Some((*triangle, corners))
        };
        Self::new(mesh.indices().iter().map(of).collect())
    }

    pub(crate) fn of_heights(field: &HeightField) -> Self {
        let (rows, columns) = field.num_cells_ij();
        let count = u32::try_from(2 * rows * columns).unwrap_or(u32::MAX);
        let of = |id: u32| {
            let triangle = field.triangle_at_id(id)?;
            let corners = [triangle.a, triangle.b, triangle.c].map(from_vector);
            Some((field.triangle_vids_at_id(id)?, corners))
        };
        Self::new((0..count).map(of).collect())
    }

    fn new(list: Vec<Option<Given>>) -> Self {
        let mut triangles: Vec<Triangle> = (0_u32..)
            .zip(&list)
            .map(|(index, found)| {
                let (vertices, corners) = found.unwrap_or_default();
                let [a, b, c] = corners;
                let across: Vector3<f64> = (b - a).cross(&(c - a));
                Triangle {
                    plane: index,
                    normal: across.try_normalize(0.0).unwrap_or_else(Vector3::y),
                    vertices,
                    corners,
                    inner_edges: [false; 3],
                }
            })
            .collect();
        let edges = edges(&triangles, |index| list[index].is_some());
        let flat = flat_edges(&mut triangles, &edges);
        for [(_, first, k), (_, second, l)] in flat {
            triangles[first].inner_edges[k] = true;
            triangles[second].inner_edges[l] = true;
        }
        Self { triangles }
    }

    pub(crate) fn triangle(&self, index: u32) -> Option<&Triangle> {
        self.triangles.get(index as usize)
    }

    /// How far triangles at a point reach beyond it along a direction \[m\]; `None` if there are
    /// none. At a point are triangles closer to it than the first length of `near` \[m\], and those
    /// that it is behind, by no more than the second.
    pub(crate) fn reach_beyond(
        &self,
        shape: &SharedShape,
        point: &Vector3<f64>,
        direction: &Vector3<f64>,
        [near, behind]: [f64; 2],
    ) -> Option<f64> {
        let around = Aabb::from_half_extents(vector(point), Vector::splat(near.max(behind)));
        let mut found = Vec::new();
        if let Some(mesh) = shape.as_trimesh() {
            found.extend(mesh.bvh().intersect_aabb(&around));
        } else if let Some(field) = shape.as_heightfield() {
            field.map_elements_in_local_aabb(&around, &mut |index, _| found.push(index));
        }
        let reach = |index: u32| {
            let triangle = self.triangle(index)?;
            let depth = (triangle.corners[0] - point).dot(&triangle.normal);
            let into = depth.clamp(0.0, behind) * triangle.normal;
            let near_it = triangle.distance(&(point + into)) <= near;
            let heights = triangle
                .corners
                .map(|corner| (corner - point).dot(direction));
            near_it.then(|| heights.into_iter().fold(f64::NEG_INFINITY, f64::max))
        };
        found.into_iter().filter_map(reach).reduce(f64::max)
    }

    /// The number of triangles.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.triangles.len()).unwrap_or(u32::MAX)
    }
}

impl Triangle {
    /// Distance of a point \[m\].
    fn distance(&self, point: &Vector3<f64>) -> f64 {
        let [a, b, c] = self.corners.map(|corner| vector(&corner));
        let triangle = parry3d_f64::shape::Triangle::new(a, b, c);
        triangle.distance_to_local_point(vector(point), true)
    }

    /// True if a point is closer than `near` \[m\] to an edge at which the surface does not go on
    /// flat.
    pub(crate) fn is_at_rim(&self, point: &Vector3<f64>, near: f64) -> bool {
        (0..3).filter(|k| !self.inner_edges[*k]).any(|k| {
            let [from, to] = [k, (k + 1) % 3].map(|corner| self.corners[corner]);
            let along = to - from;
            let share = (point - from).dot(&along) / along.norm_squared();
            let nearest = from + share.clamp(0.0, 1.0) * along;
            (point - nearest).norm() <= near
        })
    }
}

/// The two vertices of an edge, the triangle and which of its edges it is.
type Edge = ([u32; 2], usize, usize);

/// Edges of all triangles that exist, sorted by vertices.
fn edges(triangles: &[Triangle], exists: impl Fn(usize) -> bool) -> Vec<Edge> {
    let mut edges = Vec::with_capacity(3 * triangles.len());
    for (index, triangle) in triangles.iter().enumerate().filter(|(i, _)| exists(*i)) {
        for k in 0..3 {
            let [a, b] = [k, (k + 1) % 3].map(|corner| triangle.vertices[corner]);
            edges.push(([a.min(b), a.max(b)], index, k));
        }
    }
    edges.sort_unstable();
    edges
}

/// Edges that exactly two triangles of one plane share; numbers the planes.
fn flat_edges(triangles: &mut [Triangle], edges: &[Edge]) -> Vec<[Edge; 2]> {
    let mut flat = Vec::new();
    let mut first: Vec<usize> = (0..triangles.len()).collect();
    for shared in edges.chunk_by(|a, b| a.0 == b.0) {
        let [a, b] = shared else { continue };
        let cosine = triangles[a.1].normal.dot(&triangles[b.1].normal);
        if cosine >= 1.0 - SAME_PLANE {
            let roots = [root(&mut first, a.1), root(&mut first, b.1)];
            first[roots[0].max(roots[1])] = roots[0].min(roots[1]);
            flat.push([*a, *b]);
        }
    }
    for index in 0..triangles.len() {
        triangles[index].plane = triangles[root(&mut first, index)].plane;
    }
    flat
}

/// The first member of a set, with shorter ways to it for the next time.
fn root(first: &mut [usize], mut index: usize) -> usize {
    while first[index] != index {
        first[index] = first[first[index]];
        index = first[index];
    }
    index
}
