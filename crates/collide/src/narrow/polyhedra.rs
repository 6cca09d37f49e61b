//! Two convex polyhedra by separating axes and clipping \[Gregorius2013\].

mod axes;

use nalgebra::{Isometry3, Point3, Vector3};

use super::clip::{Corner, Feature, HalfEdge, Line, Polygon, SLACK, closest};
use super::preference::{Axis, EdgeSearch};
use super::{ContactQuery, PairCache, PairManifolds, Touch};
use crate::polyhedron::{MAX_CORNERS, Polyhedron};
use axes::{Kind, Pair};

/// Pairs of edges up to which the query is worth its while \[-\]: beyond, the library's takes less
/// time.
const MAX_PAIRS: usize = 400;

/// True if the two are simple enough for this query.
pub(super) fn are_simple([a, b]: [&Polyhedron; 2]) -> bool {
    a.edges.len() * b.edges.len() <= MAX_PAIRS
}

/// The manifold of two polyhedra: the axis of the largest separation (N.2, N.10), then the incident
/// face clipped by the reference face (N.4), or the one point of two edges (N.5). False if they
/// overlap and the faces of no axis face each other, as may be where one is deep in the other.
pub(super) fn contacts(
    solids: [&Polyhedron; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    out: &mut PairManifolds,
) -> bool {
    by_searches(solids, b_in_a, query, memory, out, &EdgeSearch::IN_TURN)
}

/// As [`contacts`], with searches in turn until one has points, or none can.
pub(super) fn by_searches(
    solids: [&Polyhedron; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    out: &mut PairManifolds,
    searches: &[EdgeSearch],
) -> bool {
    let pair = Pair::new(solids, b_in_a);
    // a preferred axis that is not the best may belong to faces that do not face each other: then a
    // better one, after a look at all edges
    for edges in searches.iter().copied() {
        let axes = pair.search(query, memory.axis, edges);
        out.count(pair.take_tests());
        let axes = match axes {
            Ok(axes) => axes,
            Err(separating) => {
                memory.axis = separating;
                return true;
            }
        };
        let mut least = f64::NEG_INFINITY;
        for axis in axes.iter().flatten() {
            if axis.separation < least {
                return false;
            }
            least = axis.separation;
            let find = |points: &mut Vec<Touch>| touch(&pair, axis, b_in_a, query.margin, points);
            if out.add(axis.normal, [0; 2], find) {
                memory.axis = axis.index;
                return true;
            }
            if axis.separation >= 0.0 {
                return true;
            }
        }
    }
    false
}

/// True if two polyhedra are farther apart than the margin along the axis of this number.
pub(super) fn are_separated(
    solids: [&Polyhedron; 2],
    b_in_a: &Isometry3<f64>,
    margin: f64,
    axis: u32,
) -> bool {
    Pair::new(solids, b_in_a).is_separated(axis, margin)
}

/// Appends the points of one axis that are within the margin.
fn touch(
    pair: &Pair<'_>,
    axis: &Axis,
    b_in_a: &Isometry3<f64>,
    margin: f64,
    points: &mut Vec<Touch>,
) {
    let [a, b] = pair.solids;
    match pair.kind(axis.index) {
        Some(Kind::Edges(edges)) => {
            let point = edge_point(pair, axis, edges, b_in_a);
            points.extend((point.separation <= margin).then_some(point));
        }
        Some(Kind::Face { of: 0, face }) => {
            clipped([a, b], face, 0, b_in_a, margin, points);
        }
        Some(Kind::Face { face, .. }) => {
            clipped([b, a], face, 1, &b_in_a.inverse(), margin, points);
            points.iter_mut().for_each(|point| point.points.swap(0, 1));
        }
        None => {}
    }
}

/// Appends points of the second polyhedron at most `margin` above a face of the first, with the
/// points of that face below them (N.4); `pose` is that of the second in the axes of the first,
/// which is collider `of`.
fn clipped(
    [reference, other]: [&Polyhedron; 2],
    face: usize,
    of: u64,
    pose: &Isometry3<f64>,
    margin: f64,
    points: &mut Vec<Touch>,
) {
    let number = face as u64;
    let face = &reference.faces[face];
    let (mut polygon, incident) = incident(other, pose, &face.normal);
    let slack = SLACK * reference.half_width.min(other.half_width);
    let count = face.corners.len() as u64;
    let next = face.corners.iter().cycle().skip(1);
    for (side, ([from, _], [to, _])) in (0..).zip(face.corners.iter().zip(next)) {
        let from = reference.vertices[*from];
        let outward = (reference.vertices[*to] - from).cross(&face.normal);
        let outward = outward.normalize();
        let limit = outward.dot(&from) + slack;
        let height = |point: &Vector3<f64>| outward.dot(point) - limit;
        // where a side meets the next one is the corner between them
        let meet = |other: u64| {
            let corner = if (side + 1) % count == other {
                other
            } else {
                side
            };
            Feature::Corner(incident, corner)
        };
        if let Some(kept) = polygon.cut(side, height, meet) {
            polygon = kept;
        }
    }
    let context = 128 * of + number;
    points.extend(polygon.corners().iter().filter_map(|corner| {
        let separation = face.normal.dot(&corner.point) - face.offset;
        let below = corner.point - separation * face.normal;
        let above = pose.inverse_transform_point(&corner.point.into()).coords;
        (separation <= margin).then(|| Touch {
            points: [below, above],
            radii: [0.0; 2],
            separation,
            feature: corner.feature.number(context),
        })
    }));
}

/// A face with up to [`MAX_CORNERS`] corners, cut by as many sides.
type Clipped = Polygon<{ 2 * MAX_CORNERS }>;

/// The face of a polyhedron that looks most against a direction, and its number.
fn incident(solid: &Polyhedron, pose: &Isometry3<f64>, normal: &Vector3<f64>) -> (Clipped, u64) {
    let against = pose.rotation.inverse() * normal;
    let heights = solid.faces.iter().map(|face| face.normal.dot(&against));
    let best = heights
        .enumerate()
        .fold((0, f64::INFINITY), |best, (index, height)| {
            if height < best.1 {
                (index, height)
            } else {
                best
            }
        });
    let mut polygon = Polygon::empty();
    for [vertex, edge] in &solid.faces[best.0].corners {
        polygon.push(Corner {
            point: (pose * Point3::from(solid.vertices[*vertex])).coords,
            feature: Feature::Vertex(*vertex as u64),
            line: Line::Edge(*edge as u64),
        });
    }
    (polygon, best.0 as u64)
}

/// The closest points of two edges (N.5).
fn edge_point(pair: &Pair<'_>, axis: &Axis, edges: [usize; 2], b_in_a: &Isometry3<f64>) -> Touch {
    let ends = [0, 1].map(|side| {
        let edge = pair.solids[side].edges[edges[side]];
        edge.vertices.map(|vertex| pair.vertex(side, vertex))
    });
    let halves = ends.map(HalfEdge::of);
    let along = closest(&halves[0], &halves[1]);
    let [on_a, on_b] = [0, 1].map(|side| halves[side].at(along[side]));
    Touch {
        points: [on_a, b_in_a.inverse_transform_point(&on_b.into()).coords],
        radii: [0.0; 2],
        separation: (on_b - on_a).dot(&axis.normal),
        feature: Feature::Edges(edges[0] as u64, edges[1] as u64).number(0),
    }
}
