//! The axes that can separate two convex polyhedra: their faces, and pairs of edges whose arcs on
//! the Gauss map cross.

use std::cell::Cell;

use nalgebra::{Isometry3, Point3, Vector3};

use super::super::ContactQuery;
use super::super::preference::{Axis, Best, EdgeSearch, Group};
use crate::polyhedron::{Edge, Polyhedron};

/// Sine of the angle below which edges count as parallel \[-\]: their cross product says nothing
/// that a face does not.
const PARALLEL: f64 = 1e-4;

/// How far rounding may move a separation, as a share of the lengths that it is made of \[-\]: some
/// thousand times what it does.
const ROUNDING: f64 = 1e-12;

/// The arc of an edge on the Gauss map: the normals of its faces, and the normal of the great
/// circle that it lies on, along n₂ × n₁.
#[derive(Debug, Clone, Copy)]
struct Arc {
    ends: [Vector3<f64>; 2],
    pole: Vector3<f64>,
}

impl Arc {
    fn new(ends: [Vector3<f64>; 2]) -> Self {
        Self {
            ends,
            pole: ends[1].cross(&ends[0]),
        }
    }

    /// True if two arcs cross on the unit sphere.
    fn crosses(&self, other: &Self) -> bool {
        let [p, q] = &self.ends;
        let [r, s] = &other.ends;
        let (above, below) = (r.dot(&self.pole), s.dot(&self.pole));
        if above * below >= 0.0 {
            return false;
        }
        let (left, right) = (p.dot(&other.pole), q.dot(&other.pole));
        left * right < 0.0 && above * right > 0.0
    }
}

/// Two polyhedra, in the axes of A.
#[derive(Debug)]
pub(super) struct Pair<'p> {
    pub(super) solids: [&'p Polyhedron; 2],
    /// Vertices of B \[m\].
    vertices: Vec<Vector3<f64>>,
    /// Normals of the faces of B.
    normals: Vec<Vector3<f64>>,
    /// Where the origin of B is \[m\].
    shift: Vector3<f64>,
    /// Separations that were computed.
    tests: Cell<u32>,
}

/// What an axis is the normal of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A face of polyhedron `of` (0 is A).
    Face { of: usize, face: usize },
    /// An edge of either.
    Edges([usize; 2]),
}

impl<'p> Pair<'p> {
    pub(super) fn new(solids: [&'p Polyhedron; 2], b_in_a: &Isometry3<f64>) -> Self {
        let other = solids[1];
        let vertices = other.vertices.iter();
        Self {
            solids,
            vertices: vertices
                .map(|vertex| (b_in_a * Point3::from(*vertex)).coords)
                .collect(),
            normals: other
                .faces
                .iter()
                .map(|face| b_in_a.rotation * face.normal)
                .collect(),
            shift: b_in_a.translation.vector,
            tests: Cell::new(0),
        }
    }

    /// A vertex of either polyhedron \[m\].
    pub(super) fn vertex(&self, side: usize, index: usize) -> Vector3<f64> {
        if side == 0 {
            self.solids[0].vertices[index]
        } else {
            self.vertices[index]
        }
    }

    /// What the axis of this number is the normal of: from 1 the faces of A, those of B, the pairs
    /// of edges.
    pub(super) fn kind(&self, index: u32) -> Option<Kind> {
        let [a, b] = self.solids;
        let at = (index as usize).checked_sub(1)?;
        let (of_a, faces) = (a.faces.len(), a.faces.len() + b.faces.len());
        if at < of_a {
            return Some(Kind::Face { of: 0, face: at });
        }
        if at < faces {
            let face = at - of_a;
            return Some(Kind::Face { of: 1, face });
        }
        let pair = at - faces;
        let edges = [pair / b.edges.len(), pair % b.edges.len()];
        (edges[0] < a.edges.len()).then_some(Kind::Edges(edges))
    }

    fn number(&self, kind: Kind) -> u32 {
        let [a, b] = self.solids;
        let at = match kind {
            Kind::Face { of: 0, face } => face,
            Kind::Face { face, .. } => a.faces.len() + face,
            Kind::Edges([first, second]) => {
                a.faces.len() + b.faces.len() + first * b.edges.len() + second
            }
        };
        u32::try_from(at + 1).unwrap_or(0)
    }

    /// Separation along one axis (N.10); `None` for edges that are nearly parallel.
    fn along(&self, kind: Kind) -> Option<Axis> {
        self.tests.set(self.tests.get() + 1);
        let [a, b] = self.solids;
        let (group, normal, separation) = match kind {
            Kind::Face { of: 0, face } => {
                let face = &a.faces[face];
                let reach = lowest(&self.vertices, &face.normal);
                (Group::FaceOfA, face.normal, reach - face.offset)
            }
            Kind::Face { face, .. } => {
                let normal = self.normals[face];
                let offset = b.faces[face].offset + normal.dot(&self.shift);
                (
                    Group::FaceOfB,
                    -normal,
                    lowest(&a.vertices, &normal) - offset,
                )
            }
            Kind::Edges(edges) => {
                let (normal, _) = self.across(edges)?;
                (Group::Edges, normal, self.apart(&normal))
            }
        };
        Some(Axis {
            index: self.number(kind),
            group,
            normal,
            separation,
        })
    }

    /// How far the vertices are apart along a direction (N.10) \[m\].
    fn apart(&self, normal: &Vector3<f64>) -> f64 {
        lowest(&self.vertices, normal) + lowest(&self.solids[0].vertices, &-normal)
    }

    /// The unit vector across two edges, out of A, and how far the edges are apart along it \[m\].
    fn across(&self, [first, second]: [usize; 2]) -> Option<(Vector3<f64>, f64)> {
        let [a, b] = self.solids;
        let (first, second) = (a.edges[first], b.edges[second]);
        let [p, q] = [
            a.vertices[first.vertices[0]],
            self.vertices[second.vertices[0]],
        ];
        let u = a.vertices[first.vertices[1]] - p;
        let v = self.vertices[second.vertices[1]] - q;
        let across = u.cross(&v);
        let area = across.norm();
        if area.is_nan() || area <= PARALLEL * u.norm() * v.norm() {
            return None;
        }
        let out = if across.dot(&(p - a.centre)) < 0.0 {
            -1.0
        } else {
            1.0
        };
        let normal = out / area * across;
        Some((normal, normal.dot(&(q - p))))
    }

    /// The arc of an edge of A. Two edges make a face of the Minkowski difference where the arc of
    /// one and the negative arc of the other cross (N.11).
    fn arc_of_a(&self, edge: &Edge) -> Arc {
        Arc::new(edge.faces.map(|face| self.solids[0].faces[face].normal))
    }

    /// The negative arc of an edge of B.
    fn arc_of_b(&self, edge: &Edge) -> Arc {
        Arc::new(edge.faces.map(|face| -self.normals[face]))
    }

    /// More than rounding does to a separation \[m\].
    fn slack(&self) -> f64 {
        let largest = |points: &[Vector3<f64>]| {
            let sizes = points.iter().map(|point| point.abs().sum());
            sizes.fold(0.0, f64::max)
        };
        let size = largest(&self.solids[0].vertices) + largest(&self.vertices);
        ROUNDING * (size + self.shift.abs().sum())
    }

    /// How many separations were computed since this was asked.
    pub(super) fn take_tests(&self) -> u32 {
        self.tests.take()
    }

    /// True if the axis of this number is one that [`Self::search`] looks at, and separates the
    /// polyhedra by more than the margin \[m\].
    pub(super) fn is_separated(&self, index: u32, margin: f64) -> bool {
        let Some(kind) = self.kind(index) else {
            return false;
        };
        if let Kind::Edges(edges) = kind {
            let [first, second] = [0, 1].map(|side| &self.solids[side].edges[edges[side]]);
            let is_apart = |(_, apart): (_, f64)| apart > margin;
            if !self.arc_of_a(first).crosses(&self.arc_of_b(second))
                || !self.across(edges).is_some_and(is_apart)
            {
                return false;
            }
        }
        self.along(kind)
            .is_some_and(|axis| axis.separation > margin)
    }

    /// The axis to take and those to fall back on (N.2, N.3), in the order of preference; the
    /// number of an axis that separates the polyhedra by more than the margin, if there is one.
    /// What is taken does not depend on `edges`, only what there is to fall back on.
    pub(super) fn search(
        &self,
        query: &ContactQuery,
        cached: u32,
        edges: EdgeSearch,
    ) -> Result<[Option<Axis>; 3], u32> {
        let [a, b] = self.solids;
        let before = self.kind(cached).and_then(|kind| self.along(kind));
        if let Some(axis) = before.filter(|axis| axis.separation > query.margin) {
            return Err(axis.index);
        }
        let known = |kind| before.filter(|axis| axis.index == self.number(kind));
        let mut best = Best::default();
        let of_a = (0..a.faces.len()).map(|face| Kind::Face { of: 0, face });
        let of_b = (0..b.faces.len()).map(|face| Kind::Face { of: 1, face });
        let faces = of_a.chain(of_b);
        for axis in faces.filter_map(|kind| known(kind).or_else(|| self.along(kind))) {
            if axis.separation > query.margin {
                return Err(axis.index);
            }
            best.see(axis);
        }
        let width = a.half_width.min(b.half_width);
        let limit = edges.limit(&best, before, query.persistence, width);
        match self.search_edges(&mut best, query.margin, limit) {
            EdgesFound::Best => Ok(best.choose(before, query.persistence, width)),
            EdgesFound::Separating(index) => Err(index),
            // one more time at most: without a limit nothing is too close to it
            EdgesFound::Unsure => self.search(query, cached, EdgeSearch::All),
        }
    }

    /// Adds the best pair of edges whose separation exceeds `limit` \[m\].
    fn search_edges(&self, best: &mut Best, margin: f64, limit: f64) -> EdgesFound {
        let [a, b] = self.solids;
        let slack = self.slack();
        let others: Vec<Arc> = b.edges.iter().map(|edge| self.arc_of_b(edge)).collect();
        for (i, first) in a.edges.iter().enumerate() {
            let arc = self.arc_of_a(first);
            for (j, _) in others.iter().enumerate().filter(|(_, b)| arc.crosses(b)) {
                // no projection exceeds the distance of the edges
                let worth = |(_, apart): &(_, f64)| *apart > best.separation(Group::Edges);
                let Some((_, apart)) = self.across([i, j]).filter(worth) else {
                    continue;
                };
                if apart + slack < limit.min(margin) {
                    continue;
                }
                if limit.is_finite() && [limit, margin].iter().any(|x| (apart - x).abs() <= slack) {
                    return EdgesFound::Unsure;
                }
                let Some(axis) = self.along(Kind::Edges([i, j])) else {
                    continue;
                };
                if axis.separation > margin {
                    return EdgesFound::Separating(axis.index);
                }
                let is_behind = axis.separation <= limit;
                if !is_behind {
                    best.see(axis);
                }
            }
        }
        EdgesFound::Best
    }
}

/// What a search over edges ended with.
enum EdgesFound {
    /// The best ones, if there are any.
    Best,
    /// Those of this number separate the polyhedra.
    Separating(u32),
    /// A pair of edges is as far apart as the limit, up to rounding.
    Unsure,
}

/// The smallest height of points along a direction \[m\].
fn lowest(points: &[Vector3<f64>], direction: &Vector3<f64>) -> f64 {
    let heights = points.iter().map(|point| point.dot(direction));
    heights.fold(f64::INFINITY, f64::min)
}
