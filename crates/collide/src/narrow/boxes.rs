//! Two boxes by separating axes and clipping \[Catto2006\].

mod axes;
mod clip;

use nalgebra::{Isometry3, Point3, Vector3};

use super::clip::{Feature, HalfEdge, closest};
use super::preference::{Axis, EdgeSearch};
use super::{ContactQuery, PairCache, PairManifolds, Touch};
use axes::{Kind, Pair, kind};
use clip::Face;

/// The manifold of two boxes with these halves of their edges: the axis of the largest separation
/// (N.2), then the incident face clipped by the reference face (N.4), or the one point of two edges
/// (N.5).
pub(super) fn contacts(
    halves: [Vector3<f64>; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    out: &mut PairManifolds,
) {
    by_searches(halves, b_in_a, query, memory, out, &EdgeSearch::IN_TURN);
}

/// As [`contacts`], with searches in turn until one has points, or none can.
pub(super) fn by_searches(
    halves: [Vector3<f64>; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    out: &mut PairManifolds,
    searches: &[EdgeSearch],
) {
    let pair = Pair::new(halves, b_in_a);
    // a preferred axis that is not the best may belong to faces that do not face each other: then
    // the next one, after a look at all edges
    for edges in searches.iter().copied() {
        let axes = pair.search(query, memory.axis, edges);
        out.count(pair.take_tests());
        let axes = match axes {
            Ok(axes) => axes,
            Err(separating) => {
                memory.axis = separating;
                return;
            }
        };
        for axis in axes.iter().flatten() {
            let find = |points: &mut Vec<Touch>| touch(&pair, axis, b_in_a, query.margin, points);
            if out.add(axis.normal, [0; 2], find) {
                memory.axis = axis.index;
                return;
            }
            if axis.separation >= 0.0 {
                return;
            }
        }
    }
}

/// True if two boxes are farther apart than the margin along the axis of this number.
pub(super) fn are_separated(
    halves: [Vector3<f64>; 2],
    b_in_a: &Isometry3<f64>,
    margin: f64,
    axis: u32,
) -> bool {
    Pair::new(halves, b_in_a).is_separated(axis, margin)
}

/// Appends the points of one axis that are within the margin.
fn touch(pair: &Pair, axis: &Axis, b_in_a: &Isometry3<f64>, margin: f64, points: &mut Vec<Touch>) {
    let [a, b] = pair.halves;
    match kind(axis.index) {
        Kind::Edges(edges) => {
            let point = edge_point(pair, axis, edges, b_in_a);
            points.extend((point.separation <= margin).then_some(point));
        }
        Kind::Face { of: 0, axis: k } => {
            let face = Face::new(0, k, axis.normal[k] > 0.0);
            clip::points(&face, [a, b], b_in_a, margin, points);
        }
        Kind::Face { axis: k, .. } => {
            let outward = axis.normal.dot(&pair.rotation.column(k)) < 0.0;
            let face = Face::new(1, k, outward);
            clip::points(&face, [b, a], &b_in_a.inverse(), margin, points);
            points.iter_mut().for_each(|point| point.points.swap(0, 1));
        }
    }
}

/// The closest points of the two edges that lie farthest along the axis (N.5).
fn edge_point(pair: &Pair, axis: &Axis, [i, j]: [usize; 2], b_in_a: &Isometry3<f64>) -> Touch {
    let towards = [
        axis.normal,
        -pair.rotation.transpose() * axis.normal, // seen from B
    ];
    let corner = |side: usize, along: usize| {
        let mut number = 0;
        let mut middle = Vector3::zeros();
        for k in (0..3).filter(|k| *k != along) {
            let positive = towards[side][k] > 0.0;
            number |= u64::from(positive) << k;
            let half = pair.halves[side][k];
            middle[k] = if positive { half } else { -half };
        }
        (clip::edge(along, number), middle)
    };
    let ((first, p), (second, q)) = (corner(0, i), corner(1, j));
    let (u, v) = (Vector3::ith(i, 1.0), pair.rotation.column(j).into_owned());
    let middle = pair.rotation * q + pair.shift;
    let of_a = HalfEdge {
        middle: p,
        direction: u,
        half: pair.halves[0][i],
    };
    let of_b = HalfEdge {
        middle,
        direction: v,
        half: pair.halves[1][j],
    };
    let [along_u, along_v] = closest(&of_a, &of_b);
    let on_a = of_a.at(along_u);
    let mut on_b = q;
    on_b[j] += along_v;
    let separation = ((b_in_a * Point3::from(on_b)).coords - on_a).dot(&axis.normal);
    Touch {
        points: [on_a, on_b],
        radii: [0.0; 2],
        separation,
        feature: Feature::Edges(first, second).number(0),
    }
}
