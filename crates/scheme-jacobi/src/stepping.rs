//! Kernels of a frame that stays on the device: forces, bias and softness, poses; the solves are
//! those of the solver.
//!
//! The inputs of the kernels are records of named fields, which have the same names in shaders:
//! [`Settings`] for all of a frame, [`BodyConstants`] and [`BodyMotion`] per body and for the
//! world, [`FollowedContact`] per point, [`FollowedJoint`] per joint, [`Total`] per slot.
//!
//! The records are packed because only so a derive may promise that generic ones have no gaps;
//! there are none anyway.
//!
//! Everything is relative to the start of the frame: bodies by displacement and turn, errors by
//! their change. No difference of large numbers is formed, so that f32 resolves 10⁻⁷ of the motion
//! of a frame and not of the size of the world (K.20).

pub mod frame;
pub mod joints;
pub mod motion;
pub mod next_frame;
pub mod place_joints;
pub mod poses;
pub mod restitution;
pub mod separations;
pub mod settle;
pub mod tally;

use bytemuck::{Pod, Zeroable};
use delassus_solver_jacobi::kernels::vectors::{Triple, add, cross, dot, scale, xyz};
use delassus_solver_jacobi::real::{Quad, Real};

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
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Settings<T> {
    /// Substep \[s\].
    pub h: T,
    /// Its inverse \[1/s\].
    pub inverse_h: T,
    /// Overlap that is left alone \[m\].
    pub slop: T,
    /// Largest speed that pushes an overlap out \[m/s\].
    pub push: T,
    /// 1/ω, the inverse of the relaxation \[-\].
    pub inverse_omega: T,
}

/// What a frame does not change of a body.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct BodyConstants<T> {
    /// By gravity and force \[m/s²\].
    pub acceleration: Triple<T>,
    /// 1/(1 + h c), by the damping c \[-\].
    pub linear_slowing: T,
    /// From outside \[N·m\].
    pub torque: Triple<T>,
    /// As `linear_slowing`, of the turning \[-\].
    pub angular_slowing: T,
    /// (I_z − I_y)/I_x and so on, in turn \[-\].
    pub ratios: Triple<T>,
    /// [`KEEPS`], [`FIXED_INERTIA`], [`TURNS`] or [`GYROSCOPIC`].
    pub mode: u32,
    /// Principal moments \[kg·m²\], 0.
    pub moments: Quad<T>,
    /// Their inverses, 0 where there is none \[1/(kg·m²)\], 0.
    pub inverse_moments: Quad<T>,
    /// Principal axes at the start, a rotation.
    pub axes: Quad<T>,
    /// 1 along axes that the body may move along \[-\], 0.
    pub free_axes: Quad<T>,
    /// 1 about axes that it may turn about \[-\], 0.
    pub free_turns: Quad<T>,
}

/// What a frame changes of a body; the fourth number is 0 except in `turn`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct BodyMotion<T> {
    /// v \[m/s\].
    pub velocity: Quad<T>,
    /// ω \[rad/s\].
    pub spin: Quad<T>,
    /// Since the start of the frame \[m\].
    pub displacement: Quad<T>,
    /// Since the start of the frame, a rotation.
    pub turn: Quad<T>,
    /// Σ (v + v⁺) \[m/s\].
    pub velocities: Quad<T>,
    /// Σ (ω + ω⁺) \[rad/s\].
    pub spins: Quad<T>,
    /// Σ (v_f − v): what forces gave \[m/s\].
    pub gained: Quad<T>,
    /// Σ d × (v_f − v) \[m²/s\].
    pub moment: Quad<T>,
    /// Σ I (ω_f − ω') \[kg·m²/s\].
    pub momentum: Quad<T>,
}

/// A contact point whose bias follows the separation.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct FollowedContact<T> {
    /// Index of body A; the world stands after the last body.
    pub a: u32,
    /// Index of body B.
    pub b: u32,
    /// First quad of its numbers in the rows.
    pub numbers: u32,
    /// Its normal impulse, counted in single numbers.
    pub impulse: u32,
    /// From A to B \[-\].
    pub normal: Triple<T>,
    /// At the start \[m\].
    pub separation: T,
    /// Anchor of B − centre of A, at the start \[m\].
    pub across: Triple<T>,
    /// Bias per overlap \[1/s\].
    pub rate: T,
    /// Of B, at the start \[m\].
    pub anchor: Triple<T>,
    /// Of the closed contact \[1/kg\].
    pub compliance: T,
    /// 1/D of an open contact \[kg\].
    pub open_step: T,
    /// 1/D of a closed one \[kg\].
    pub closed_step: T,
    /// Bias of a bounce: e times the approach velocity at the start, 0 for points that may not
    /// \[m/s\].
    pub rebound: T,
    /// Σ λ_n over the frame \[N·s\].
    pub pushed: T,
}

/// A joint whose rows follow the bodies.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct FollowedJoint<T> {
    /// Index of body A; the world stands after the last body.
    pub a: u32,
    /// Index of body B.
    pub b: u32,
    /// First quad of its numbers in the row blocks.
    pub blocks: u32,
    /// Number of its rows \[-\].
    pub rows: u32,
    /// Its first row in [`Stepping::rows`].
    pub first_row: u32,
    /// Kinds of the rows, four bits each.
    pub kinds: u32,
    /// Compliance of the relaxed pass \[1/kg\].
    pub relaxed_absolute: T,
    /// Of the gap, at the start \[m\].
    pub length: T,
    /// Centre of A to centre of B, at the start \[m\].
    pub centres: Triple<T>,
    /// Bias per error in the biased pass \[1/s\].
    pub rate: T,
    /// Anchor of A, at the start \[m\].
    pub anchor_a: Triple<T>,
    /// Compliance per A_ii in the biased pass \[-\].
    pub relative: T,
    /// Anchor of B, at the start \[m\].
    pub anchor_b: Triple<T>,
    /// Compliance of the biased pass \[1/kg\].
    pub absolute: T,
    /// Of B, at the start \[-\].
    pub axis: Triple<T>,
    /// Bias per error in the relaxed pass \[1/s\].
    pub relaxed_rate: T,
    /// The rotation that is missing at the start.
    pub missing: Quad<T>,
    /// From anchor to anchor, at the start \[m\].
    pub gap: Triple<T>,
    /// Compliance per A_ii in the relaxed pass \[-\].
    pub relaxed_relative: T,
}

/// Sums of the wrench of a slot; the fourth number is 0.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C, packed)]
pub struct Total<T> {
    /// Σ force \[N·s\].
    pub force: Quad<T>,
    /// Σ torque \[N·m·s\].
    pub torque: Quad<T>,
    /// Σ d × force, with the displacement d \[N·m·s\].
    pub moment: Quad<T>,
}

/// What a frame needs besides the packed rows.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Stepping<T: Copy> {
    /// Lengths and bounds.
    pub settings: Settings<T>,
    /// One per body, in their order, and one for the world.
    pub inertia: Vec<BodyConstants<T>>,
    /// The same, at the start of the frame.
    pub motion: Vec<BodyMotion<T>>,
    /// Points of packed manifolds, in their order.
    pub contacts: Vec<FollowedContact<T>>,
    /// Points that are packed as row blocks.
    pub row_contacts: Vec<FollowedContact<T>>,
    /// Joints that the frame follows, in the order of their blocks.
    pub joints: Vec<FollowedJoint<T>>,
    /// Direction and error of the rows of the joints, at the start.
    pub rows: Vec<Quad<T>>,
}

/// The pass that a bias is for: which of two copies of the rows it is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum BiasPass {
    /// The solve with stabilisation.
    Biased,
    /// The solve without it.
    Relaxed,
}

impl BiasPass {
    /// In the order of the copies.
    pub const BOTH: [Self; 2] = [Self::Biased, Self::Relaxed];
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

/// The rotation back.
#[inline(always)]
pub fn inverse<T: Real>(q: Quad<T>) -> Quad<T> {
    [-q[0], -q[1], -q[2], q[3]]
}

/// The rotation `second`, then `first`.
#[inline(always)]
pub fn product<T: Real>(first: Quad<T>, second: Quad<T>) -> Quad<T> {
    let (a, b) = (xyz(first), xyz(second));
    let v = add(add(scale(first[3], b), scale(second[3], a)), cross(a, b));
    [v[0], v[1], v[2], first[3] * second[3] - dot(a, b)]
}
