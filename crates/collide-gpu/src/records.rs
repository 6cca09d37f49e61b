//! What the kernels read and write; shaders use the same names.

use bytemuck::{Pod, Zeroable};

/// No index.
pub const NONE: u32 = u32::MAX;

/// Kind of a collider: a ball.
pub const SPHERE: u32 = 0;
/// Kind of a collider: a box.
pub(crate) const BOX: u32 = 1;

/// Kind of a collider: a half-space.
pub const PLANE: u32 = 2;

/// Numbers that all threads read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Header {
    pub(crate) colliders: u32,
    pub(crate) buckets: u32,
    pub(crate) levels: u32,
    pub(crate) apart: u32,
    pub(crate) planes: u32,
    pub(crate) pairs: u32,
    pub(crate) manifolds: u32,
    pub(crate) margin: f32,
    pub(crate) persistence: f32,
}

/// Pose of a body; the position is the sum of two vectors \[m\].
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BodyPose {
    pub(crate) high: [f32; 4],
    pub(crate) low: [f32; 4],
    pub(crate) orientation: [f32; 4],
}

/// A collider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Solid {
    pub(crate) half: [f32; 3],
    pub(crate) kind: u32,
    pub(crate) place: [f32; 3],
    pub(crate) body: u32,
    pub(crate) turn: [f32; 4],
    pub(crate) level: u32,
    pub(crate) moves: u32,
    pub(crate) group: u32,
    pub(crate) category: u32,
    pub(crate) mask: u32,
    pub(crate) grown: f32,
    /// The caller's.
    pub(crate) mark: u32,
    pub(crate) spare: u32,
}

/// Bytes of `Bound` of the shaders \[B\].
pub(crate) const BOUND_BYTES: u64 = 80;

/// A point of a manifold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Point {
    pub(crate) on_a: [f32; 3],
    pub(crate) separation: f32,
    pub(crate) on_b: [f32; 3],
    pub(crate) feature: u32,
}

/// A manifold.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Manifold {
    pub(crate) owner: u32,
    pub(crate) partner: u32,
    pub(crate) count: u32,
    pub(crate) axis: u32,
    pub(crate) normal: [f32; 3],
    /// The manifold of the pair in the frame before, or [`NONE`].
    pub(crate) earlier: u32,
    pub(crate) points: [Point; 4],
    pub(crate) previous: [u32; 4],
}
