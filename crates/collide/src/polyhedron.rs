//! Convex polyhedra with what separating axes and clipping need: plane faces, edges, and which
//! faces meet in an edge.

use nalgebra::Vector3;

/// Corners of a face up to which a polyhedron is kept \[-\].
pub(crate) const MAX_CORNERS: usize = 32;

/// Edges up to which a polyhedron is kept \[-\]: with more of them it is as good as round, and the
/// library is faster.
const MAX_EDGES: usize = 128;

/// 1 − cos of the angle between triangles of one plane \[-\].
const SAME_PLANE: f64 = 1e-10;

/// A convex polyhedron, in its own axes.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Polyhedron {
    /// Its vertices \[m\].
    pub(crate) vertices: Vec<Vector3<f64>>,
    /// Its faces; triangles of one plane are one face.
    pub(crate) faces: Vec<Face>,
    /// Its edges.
    pub(crate) edges: Vec<Edge>,
    /// The mean of its vertices, a point inside \[m\].
    pub(crate) centre: Vector3<f64>,
    /// Half of its least width across a face \[m\]: of a box the smallest half edge.
    pub(crate) half_width: f64,
}

/// A face.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Face {
    /// Unit normal, outward.
    pub(crate) normal: Vector3<f64>,
    /// How far the polyhedron reaches along it \[m\].
    pub(crate) offset: f64,
    /// Counter-clockwise seen from outside: a vertex, and the edge to the next one.
    pub(crate) corners: Vec<[usize; 2]>,
}

/// An edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Edge {
    /// Its ends, as the first face goes around.
    pub(crate) vertices: [usize; 2],
    /// The faces that meet in it.
    pub(crate) faces: [usize; 2],
}

impl Polyhedron {
    /// A box; bit k of the number of a vertex is set where it lies on the positive side of axis k.
    pub(crate) fn of_box(half: &Vector3<f64>) -> Option<Self> {
        let vertices = (0..8_usize).map(|vertex| {
            let side = |k: usize| if vertex >> k & 1 == 1 { 1.0 } else { -1.0 };
            Vector3::from_fn(|k, _| side(k) * half[k])
        });
        let face = |axis: usize, outward: bool| {
            let (first, second) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
            let base = usize::from(outward) << axis;
            let mut around = vec![base, base | first, base | first | second, base | second];
            if !outward {
                around.reverse();
            }
            around
        };
        let faces = (0..3).flat_map(|axis| [face(axis, false), face(axis, true)]);
        Self::new(vertices.collect(), faces.collect())
    }

    /// The polyhedron with these corners \[m\] and triangles between them; `None` if its faces do
    /// not close, or if there are too many.
    pub(crate) fn of_triangles(corners: Vec<Vector3<f64>>, triangles: &[[u32; 3]]) -> Option<Self> {
        // a vertex has three edges or more
        if 3 * corners.len() > 2 * MAX_EDGES {
            return None;
        }
        let around = planes(&corners, triangles)?;
        Self::new(corners, around)
    }

    /// The polyhedron of these faces, each a list of vertices around it; `None` if they do not
    /// close, or if there are too many of anything.
    fn new(vertices: Vec<Vector3<f64>>, around: Vec<Vec<usize>>) -> Option<Self> {
        let (edges, sides) = edges(&around)?;
        let corners = around.iter().map(Vec::len).max()?;
        // Euler's formula, for those vertices that a face has
        let mut used: Vec<usize> = around.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        let closed = around.len() > 3 && used.len() + around.len() == edges.len() + 2;
        if !closed || corners > MAX_CORNERS || edges.len() > MAX_EDGES {
            return None;
        }
        let faces = around.iter().zip(&sides).map(|(around, sides)| {
            let normal = normal(&vertices, around)?;
            let heights = used.iter().map(|vertex| normal.dot(&vertices[*vertex]));
            let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
            let corners = around.iter().zip(sides).map(|(v, e)| [*v, *e]).collect();
            let face = Face {
                normal,
                offset: high,
                corners,
            };
            Some((face, 0.5 * (high - low)))
        });
        let (faces, widths): (Vec<Face>, Vec<f64>) =
            faces.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        let sum: Vector3<f64> = used.iter().map(|vertex| vertices[*vertex]).sum();
        Some(Self {
            centre: sum / used.len() as f64,
            half_width: widths.into_iter().fold(f64::INFINITY, f64::min),
            vertices,
            faces,
            edges,
        })
    }
}

/// The faces of a surface of triangles, each a list of vertices around it: triangles of one plane
/// are one face. `None` if a triangle has no area, or a face no simple border.
fn planes(corners: &[Vector3<f64>], triangles: &[[u32; 3]]) -> Option<Vec<Vec<usize>>> {
    let triangles: Vec<Vec<usize>> = triangles
        .iter()
        .map(|triangle| triangle.iter().map(|vertex| *vertex as usize).collect())
        .collect();
    let normals = triangles.iter().map(|triangle| normal(corners, triangle));
    let normals: Vec<Vector3<f64>> = normals.collect::<Option<_>>()?;
    let (edges, _) = edges(&triangles)?;
    // the first triangle of the face of each
    let mut first: Vec<usize> = (0..triangles.len()).collect();
    loop {
        let mut changed = false;
        for [a, b] in edges.iter().map(|edge| edge.faces) {
            let low = first[a].min(first[b]);
            if first[a] != first[b] && normals[a].dot(&normals[b]) >= 1.0 - SAME_PLANE {
                (first[a], first[b], changed) = (low, low, true);
            }
        }
        if !changed {
            break;
        }
    }
    let faces = (0..triangles.len()).filter(|index| first[*index] == *index);
    let border = |face: usize| {
        let of_face = edges.iter().filter_map(|edge| {
            let [a, b] = edge.faces.map(|triangle| first[triangle] == face);
            let [from, to] = edge.vertices;
            // the first triangle of an edge goes along it, the second against it
            match (a, b) {
                (true, false) => Some([from, to]),
                (false, true) => Some([to, from]),
                _ => None,
            }
        });
        ring(of_face.collect())
    };
    faces.map(border).collect()
}

/// The vertices of directed edges that make one ring.
fn ring(edges: Vec<[usize; 2]>) -> Option<Vec<usize>> {
    let [start, _] = *edges.first()?;
    let mut around = Vec::with_capacity(edges.len());
    let mut at = start;
    loop {
        let mut out = edges.iter().filter(|[from, _]| *from == at);
        let ([_, to], None) = (out.next()?, out.next()) else {
            return None;
        };
        around.push(at);
        at = *to;
        if at == start || around.len() > edges.len() {
            break;
        }
    }
    (around.len() == edges.len()).then_some(around)
}

/// The edges, and per face those along its sides; `None` if one does not belong to two faces that
/// go along it in opposite directions.
fn edges(around: &[Vec<usize>]) -> Option<(Vec<Edge>, Vec<Vec<usize>>)> {
    let mut sides = Vec::new();
    for (face, around) in around.iter().enumerate() {
        for (at, from) in around.iter().enumerate() {
            let to = around[(at + 1) % around.len()];
            sides.push(([*from.min(&to), *from.max(&to)], *from > to, face, at));
        }
    }
    sides.sort_unstable();
    let mut edges = Vec::with_capacity(sides.len() / 2);
    let mut of_faces: Vec<Vec<usize>> = around.iter().map(|around| vec![0; around.len()]).collect();
    for shared in sides.chunk_by(|a, b| a.0 == b.0) {
        let [(vertices, false, first, at), (_, true, second, there)] = shared else {
            return None;
        };
        of_faces[*first][*at] = edges.len();
        of_faces[*second][*there] = edges.len();
        edges.push(Edge {
            vertices: *vertices,
            faces: [*first, *second],
        });
    }
    Some((edges, of_faces))
}

/// The unit normal of a plane polygon, by the areas of its projections; `None` of nothing.
fn normal(vertices: &[Vector3<f64>], around: &[usize]) -> Option<Vector3<f64>> {
    let first = vertices[*around.first()?];
    let pairs = around[1..].windows(2);
    let sum: Vector3<f64> = pairs
        .map(|pair| (vertices[pair[0]] - first).cross(&(vertices[pair[1]] - first)))
        .sum();
    sum.try_normalize(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Hull;

    fn of_points(points: Vec<Vector3<f64>>) -> Polyhedron {
        let (corners, triangles) = Hull::new(points).triangles().unwrap();
        Polyhedron::of_triangles(corners, &triangles).unwrap()
    }

    #[test]
    fn a_box_and_the_hull_of_its_corners_have_the_same_faces() {
        let half = Vector3::new(0.2, 0.5, 1.0);
        let own = Polyhedron::of_box(&half).unwrap();
        let hull = of_points(own.vertices.clone());
        for solid in [&own, &hull] {
            let counts = (solid.vertices.len(), solid.edges.len(), solid.faces.len());
            assert_eq!(counts, (8, 12, 6));
            assert!((solid.half_width - 0.2).abs() < 1e-15 && solid.centre.norm() < 1e-15);
            for face in &solid.faces {
                let axis = face.normal.iamax();
                assert!((face.normal.abs() - Vector3::ith(axis, 1.0)).norm() < 1e-14);
                assert!((face.offset - half[axis]).abs() < 1e-14);
            }
        }
        // faces are numbered along the axes, outward ones behind
        assert!((own.faces[3].normal - Vector3::y()).norm() < 1e-15);
    }

    #[test]
    fn what_is_nearly_round_is_left_to_the_library() {
        let count = 200;
        let spiral = (0..count).map(|k| {
            let height = 1.0 - 2.0 * (f64::from(k) + 0.5) / f64::from(count);
            let (sine, cosine) = libm::sincos(2.4 * f64::from(k));
            let radius = (1.0 - height * height).sqrt();
            Vector3::new(radius * cosine, height, radius * sine)
        });
        let (corners, triangles) = Hull::new(spiral.collect()).triangles().unwrap();
        assert_eq!(Polyhedron::of_triangles(corners, &triangles), None);
    }

    #[test]
    fn what_does_not_close_is_no_polyhedron() {
        let corners = vec![Vector3::zeros(), Vector3::x(), Vector3::y(), Vector3::z()];
        let whole = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
        let solid = Polyhedron::of_triangles(corners.clone(), &whole).unwrap();
        assert_eq!((solid.faces.len(), solid.edges.len()), (4, 6));
        assert_eq!(Polyhedron::of_triangles(corners.clone(), &whole[1..]), None);
        let twisted = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 3, 2]];
        assert_eq!(Polyhedron::of_triangles(corners.clone(), &twisted), None);
        // both sides of one triangle
        let flat = [[0, 1, 2], [0, 2, 1]];
        assert_eq!(Polyhedron::of_triangles(corners, &flat), None);
    }
}
