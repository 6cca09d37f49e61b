//! Kernels of a frame that stays on the device: forces, bias and softness, poses; the solves are those of the solver.
//!
//! ```text
//! settings             h, 1/h, slop, largest speed of a push
//! inertia    8 quads   | acceleration, 1/(1 + h c) | torque, 1/(1 + h c_ω) | gyroscopic ratios, mode |
//!                      | moments, 0 | 1/moments, 0 | principal axes at the start | free axes, 0 | free turns, 0 |
//! motion     9 quads   | v | ω | displacement | turn | Σ (v + v⁺) | Σ (ω + ω⁺) | Σ (v_f − v) | Σ d × (v_f − v) |
//!                      | Σ I (ω_f − ω') |
//! contacts   4 words   | body a | body b | where the numbers lie | where the impulse lies |
//!            4 quads   | normal, separation | anchor of b − centre of a, rate | anchor of b, R |
//!                      | 1/D open, closed, bias of a bounce, Σ λ_n |
//! joints     8 words   | body a | body b | first quad of the rows | rows | first number | kinds | 0 | 0 |
//!            7 quads   | centre b − centre a, rate | anchor a, R/A_ii | anchor b, R | axis b, relaxed rate |
//!                      | rotation that is missing | gap, relaxed R/A_ii | relaxed R, 1/ω, length, 0 |
//!          + 1 quad    | direction, error |                                                                  per row
//! totals     3 quads   | Σ force | Σ torque | Σ d × force |                                                 per slot
//! ```
//!
//! Everything is told from the start of the frame: bodies by displacement and turn, errors by their change. No
//! difference of large numbers is formed, so that f32 resolves 10⁻⁷ of the motion of a frame and not of the size of the
//! world (K.20).

pub mod bounce;
pub mod frame;
pub mod joints;
pub mod motion;
pub mod poses;
pub mod separations;
pub mod settle;
pub mod tally;

use delassus_solver_jacobi::kernels::vectors::{Triple, add, cross, dot, scale, xyz};
use delassus_solver_jacobi::real::{Quad, Real};

/// Quads of a body that a frame does not change.
pub const INERTIA_QUADS: usize = 8;
/// Quads of a body that it changes.
pub const MOTION_QUADS: usize = 9;
/// Quads of a contact point.
pub const CONTACT_QUADS: usize = 4;
/// Quads of a joint before its rows.
pub const JOINT_QUADS: usize = 7;
/// Quads of the sums of a slot.
pub const TOTAL_QUADS: usize = 3;

/// Mode of a body: it keeps its velocity.
pub const KEEPS: u32 = 0;
/// Mode of a body: its inverse inertia in world axes stays that of the start.
pub const FIXED_INERTIA: u32 = 1;
/// Mode of a body: its inertia turns with it.
pub const TURNS: u32 = 2;
/// Mode of a body: it also feels a gyroscopic torque.
pub const GYROSCOPIC: u32 = 3;

/// Kind of a joint's row: a direction that turns with A, the gap along it.
pub const LINE: u32 = 0;
/// Kind of a joint's row: a direction of A and an axis of B are perpendicular.
pub const PERPENDICULAR: u32 = 1;
/// Kind of a joint's row: one coordinate of the orientation.
pub const ORIENTATION: u32 = 2;
/// Kind of a joint's row: the distance of the anchors.
pub const ROD: u32 = 3;

/// Lengths and bounds of all rows.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Settings<T> {
    /// Substep \[s\].
    pub h: T,
    /// Its inverse \[1/s\].
    pub inverse_h: T,
    /// Overlap that is left alone \[m\].
    pub slop: T,
    /// Largest speed that pushes an overlap out \[m/s\].
    pub push: T,
}

/// Contact points whose bias follows the separation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contacts<T> {
    /// One per point.
    pub heads: Vec<[u32; 4]>,
    /// [`CONTACT_QUADS`] per point.
    pub numbers: Vec<Quad<T>>,
}

/// Joints whose rows follow the bodies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Joints<T> {
    /// Two per joint.
    pub heads: Vec<[u32; 4]>,
    /// [`JOINT_QUADS`] per joint and one per row.
    pub numbers: Vec<Quad<T>>,
}

/// What a frame needs besides the packed rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stepping<T> {
    /// Lengths and bounds.
    pub settings: Settings<T>,
    /// [`INERTIA_QUADS`] per body and for the world.
    pub inertia: Vec<Quad<T>>,
    /// [`MOTION_QUADS`] per body and for the world, at the start.
    pub motion: Vec<Quad<T>>,
    /// Points of packed manifolds.
    pub contacts: Contacts<T>,
    /// Points that are packed as row blocks.
    pub loose: Contacts<T>,
    /// Joints.
    pub joints: Joints<T>,
}

/// The pass that a bias is for: which of two copies of the rows it is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pass {
    /// The solve with stabilisation.
    Biased,
    /// The solve without it.
    Relaxed,
}

/// What a rotation changes of a vector: R x − x, small where the rotation is.
#[inline(always)]
pub fn turned<T: Real>(q: Quad<T>, x: Triple<T>) -> Triple<T> {
    let u = xyz(q);
    let c = cross(u, x);
    let two = T::ONE + T::ONE;
    add(scale(two * q[3], c), scale(two, cross(u, c)))
}

/// R x.
#[inline(always)]
pub fn rotated<T: Real>(q: Quad<T>, x: Triple<T>) -> Triple<T> {
    add(x, turned(q, x))
}

/// The rotation `second`, then `first`.
#[inline(always)]
pub fn product<T: Real>(first: Quad<T>, second: Quad<T>) -> Quad<T> {
    let (a, b) = (xyz(first), xyz(second));
    let v = add(add(scale(first[3], b), scale(second[3], a)), cross(a, b));
    [v[0], v[1], v[2], first[3] * second[3] - dot(a, b)]
}
