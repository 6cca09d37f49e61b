//! Contacts of spheres, boxes and half-spaces, found on a device: which colliders are near each
//! other, and where they touch.
//!
//! A [`Finder`] does what `BroadPhase` and `contacts` of `delassus-collide` do on the processor,
//! with the same conventions (N.1–N.9: normal from A to B, margin, anchors, names of features), in
//! f32. Colliders lie in the cells of grids of several sizes, one per power of two that they need
//! (K.41); a pair is found by the smaller of the two, or by the first of two of a size, so that who
//! finds it never changes. Counting sorts and prefix sums of whole numbers put cells, pairs and
//! manifolds in order: the bits do not depend on the run or on the size of workgroups. Manifolds
//! stay on the device as the memory of the next frame: axis, names of points, and which point goes
//! on from which.
//!
//! Limitations: spheres, boxes and half-spaces only; a collider of another shape is an error, as
//! are sizes outside [`SIZES`]. Relative poses are rounded to f32, 10⁻⁷ of the size of a pair,
//! wherever in the world it lies. Between edges at a small angle θ a direction is known to 10⁻⁷/θ:
//! the separation of two boxes that touch with such edges may be off by 5·10⁻⁴ of their size at
//! worst (K.42). All colliders of one cell and its neighbours are compared: thousands of them in
//! one place are slow, and on software Vulkan an error. No real card has run these kernels yet.
//! [`Finder::find`] downloads the manifolds; [`Finder::search`] leaves them on the device for
//! kernels that pack rows of them.
//!
//! Theory: docs/theory/16-gpu.md (K.40–K.43), docs/theory/17-contacts.md. Source: \[Catto2006\].

mod error;
mod finder;
mod kernels;
mod memory;
mod records;
mod scan;
mod scene;
mod shaders;

pub use error::CollisionError;
pub use finder::{
    DevicePose, Finder, GpuManifold, OnDevice, PairState, PairStates, Room, SearchCounts,
};
pub use records::{NONE, PLANE, SPHERE};
pub use scan::Scan;
pub use scene::ColliderScene;
pub use shaders::RECORDS;

/// Half edges and radii that a collider may have on the device \[m\]: squares of areas are numbers
/// of f32.
pub const SIZES: [f64; 2] = [1e-9, 1e9];
