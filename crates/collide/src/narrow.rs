//! Where two colliders touch.

mod boxes;
mod clip;
mod convex;
mod library;
mod manifolds;
mod plane;
mod polyhedra;
mod preference;
mod reduce;
mod round;
mod search;
mod solid;
mod surface;

use delassus_core::Choice;
use nalgebra::{Isometry3, Vector3};

use crate::geometry::{Geometry, Kind};
use solid::ShapeGeometry;

pub use manifolds::PairManifolds;

/// How boxes and hulls find where they touch each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum PolyhedronMethod {
    /// Separating axes and clipping, with the axis of the frame before in favour \[Catto2006,
    /// Gregorius2013\]. Hulls of many edges are asked face by face.
    #[default]
    Clipping,
    /// The library's manifolds.
    Library,
}

/// What a query asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactQuery {
    /// Points farther apart than this are left out \[m\].
    pub margin: f64,
    /// How boxes and hulls find where they touch each other.
    pub polyhedra: PolyhedronMethod,
    /// By how much the features of the frame before are preferred, as a share of the size of the
    /// smaller collider \[-\]; zero lets features flip between equal choices.
    pub persistence: f64,
}

impl Default for ContactQuery {
    fn default() -> Self {
        Self {
            margin: 0.02,
            polyhedra: PolyhedronMethod::default(),
            persistence: 0.01,
        }
    }
}

/// What a pair of colliders remembers from one frame to the next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PairCache {
    /// The separating axis of two boxes or hulls, from 1; zero for none yet.
    pub axis: u32,
}

/// One point of a manifold: where the two surfaces face each other.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Per collider: the point in its axes \[m\], `radii` inside its surface.
    pub points: [Vector3<f64>; 2],
    /// Per collider: how far the surface is from the point along the normal \[m\]; zero but for
    /// round shapes.
    pub radii: [f64; 2],
    /// Distance of the surfaces along the normal \[m\]; negative where they overlap.
    pub separation: f64,
    /// The features that touch; the same number while the same ones do. Zero where they are not
    /// known.
    pub feature: u64,
}

/// A manifold: points with one normal.
#[derive(Debug, Clone, PartialEq)]
pub struct Touching {
    /// Unit normal from A to B, in the axes of A \[-\].
    pub normal: Vector3<f64>,
    /// One to four points.
    pub points: Vec<Touch>,
    /// Parts of the colliders that touch: triangles of a mesh, or zero.
    pub parts: [u32; 2],
}

/// The most points of a manifold: more add nothing to the force and torque that they can give.
pub const MAX_POINTS: usize = 4;

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

impl Touching {
    /// Seen from the other collider: A and B change places; `b_in_a` is the pose of the new B in
    /// the axes of the new A.
    fn swap(&mut self, b_in_a: &Isometry3<f64>) {
        self.normal = -(b_in_a.rotation * self.normal);
        self.parts.swap(0, 1);
        for point in &mut self.points {
            point.points.swap(0, 1);
            point.radii.swap(0, 1);
        }
    }

    /// Where a shape has no extent the library has no normal: such a touch is none.
    fn is_finite(&self) -> bool {
        let unit = (self.normal.norm_squared() - 1.0).abs() < 1e-6;
        let finite = |touch: &Touch| {
            let numbers = touch.points.iter().flat_map(|point| point.iter());
            touch.separation.is_finite() && numbers.copied().all(f64::is_finite)
        };
        unit && self.points.iter().all(finite)
    }
}
