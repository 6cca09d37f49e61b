//! Shapes of bodies, which of them are near each other, and where they touch.
//!
//! A [`Collider`] is a [`Shape`] with a [`Material`] on a body. A [`BroadPhase`] finds the pairs of
//! colliders whose boxes overlap; [`contacts`] gives the manifolds of one pair: a normal and up to
//! four points with positions, separation and a feature id that stays while the same features
//! touch.
//!
//! Geometry is that of a library (parry, in f64) behind an adapter of our own; boxes and hulls meet
//! by separating axes and clipping as the literature describes it, or by the library's manifolds.
//! Results depend on the two poses and the stated memory of a pair, never on the history of a run.
//!
//! Theory: `docs/theory/17-contacts.md`.

mod bounds;
mod broad;
mod collider;
mod convert;
mod geometry;
mod inertia;
mod material;
mod narrow;
mod patches;
mod polyhedron;
mod principal;
mod shape;

pub use bounds::Bounds;
pub use broad::BroadPhase;
pub use collider::{Collider, Filter};
pub use geometry::Geometry;
pub use inertia::Inertia;
pub use material::{CombineRule, Combined, Combining, Material, check_softness};
pub use narrow::{
    CollisionManifold, ContactQuery, MAX_POINTS, PairCache, PairManifolds, PolyhedronMethod, Touch,
    are_separated, contacts,
};
pub use shape::{
    Capsule, Cuboid, Cylinder, HalfSpace, HeightField, Hull, Mesh, Shape, ShapeGeometry, Sphere,
};
