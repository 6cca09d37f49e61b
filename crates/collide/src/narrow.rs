//! Where two colliders touch.

mod boxes;
mod clip;
#[cfg(test)]
mod coherence;
mod convex;
mod library;
mod manifolds;
mod plane;
mod polyhedra;
mod preference;
mod query;
mod reduce;
mod rims;
mod round;
mod search;
mod solid;
mod surface;

use nalgebra::Isometry3;

use crate::geometry::{Geometry, Kind};
use solid::ShapeGeometry;

pub use manifolds::PairManifolds;
pub use query::{CollisionManifold, ContactQuery, MAX_POINTS, PairCache, PolyhedronMethod, Touch};

/// The manifolds of two colliders, in a fixed order; `b_in_a` is the pose of B in the axes of A.
/// `before` are the features of the points that the pair had in the frame before, which are kept
/// where it has a choice.
pub fn contacts(
    [a, b]: [&Geometry; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    before: &[u64],
    out: &mut PairManifolds,
) {
    out.clear();
    match (a.kind, b.kind) {
        (Kind::HalfSpace(_), Kind::HalfSpace(_)) => {}
        (Kind::HalfSpace(normal), _) => plane::contacts(&normal, b, b_in_a, query, out),
        (_, Kind::HalfSpace(normal)) => {
            plane::contacts(&normal, a, &b_in_a.inverse(), query, out);
            out.iter_mut().for_each(|touching| touching.swap(b_in_a));
        }
        _ if query.polyhedra == PolyhedronMethod::Clipping
            && clipped([a, b], b_in_a, query, memory, out) => {}
        _ => match (
            [a, b].map(|geometry| round::segment(geometry.kind)),
            solids([a, b], query),
        ) {
            ([Some(first), Some(second)], _) => round::contacts([first, second], b_in_a, out),
            (_, [Some(first), Some(second)]) => {
                convex::contacts([first, second], b_in_a, query, out);
            }
            _ => library::contacts([a, b], b_in_a, query, out),
        },
    }
    out.settle(before, query);
}

/// True if the axis of this number, one of [`PairCache`], separates two boxes or hulls so far that
/// [`contacts`] finds no manifold, whatever the cache and the features of before are; zero stands
/// for no axis.
pub fn are_separated(
    [a, b]: [&Geometry; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    axis: u32,
) -> bool {
    if axis == 0 || query.polyhedra != PolyhedronMethod::Clipping {
        return false;
    }
    if let (Kind::Box(first), Kind::Box(second)) = (a.kind, b.kind) {
        return boxes::are_separated([first, second], b_in_a, query.margin, axis);
    }
    match [a, b].map(Geometry::polyhedron) {
        [Some(first), Some(second)] if polyhedra::are_simple([first, second]) => {
            polyhedra::are_separated([first, second], b_in_a, query.margin, axis)
        }
        _ => false,
    }
}

/// What the query of [`convex`] is asked about: all pairs of boxes, hulls, cylinders and capsules
/// that come to it, unless boxes and hulls shall use the library.
fn solids<'a>(pair: [&'a Geometry; 2], query: &ContactQuery) -> [Option<ShapeGeometry<'a>>; 2] {
    let is_cylinder = |geometry: &Geometry| matches!(geometry.kind, Kind::Cylinder { .. });
    if query.polyhedra == PolyhedronMethod::Library && !pair.into_iter().any(is_cylinder) {
        return [None; 2];
    }
    pair.map(ShapeGeometry::of)
}

/// Finds the manifold of two boxes or hulls by clipping; false if they are something else, have too
/// many edges, or are too deep in each other.
fn clipped(
    [a, b]: [&Geometry; 2],
    b_in_a: &Isometry3<f64>,
    query: &ContactQuery,
    memory: &mut PairCache,
    out: &mut PairManifolds,
) -> bool {
    if let (Kind::Box(first), Kind::Box(second)) = (a.kind, b.kind) {
        boxes::contacts([first, second], b_in_a, query, memory, out);
        return true;
    }
    let (Some(first), Some(second)) = (a.polyhedron(), b.polyhedron()) else {
        return false;
    };
    polyhedra::are_simple([first, second])
        && polyhedra::contacts([first, second], b_in_a, query, memory, out)
}
