//! What the kernels that pack rows read and write; shaders use the same names.

use bytemuck::{Pod, Zeroable};

/// Numbers that all threads read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct RowSettings {
    pub(crate) manifolds: u32,
    pub(crate) bodies: u32,
    pub(crate) kinds: u32,
    pub(crate) law: u32,
    pub(crate) rule: u32,
    pub(crate) splitting: u32,
    pub(crate) sequential: u32,
    pub(crate) factor: f32,
    pub(crate) margin: f32,
    pub(crate) inverse_omega: f32,
    pub(crate) rate: f32,
    pub(crate) soft: f32,
    pub(crate) fixed_rate: f32,
    pub(crate) fixed_soft: f32,
    pub(crate) threshold: f32,
    pub(crate) units: u32,
    pub(crate) joints: u32,
}

/// A manifold in world axes, at the start of the frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Placed {
    pub(crate) a: u32,
    pub(crate) b: u32,
    pub(crate) first: u32,
    pub(crate) count: u32,
    pub(crate) normal: [f32; 3],
    pub(crate) near: u32,
    pub(crate) tangent: [f32; 3],
    pub(crate) fixed: u32,
    pub(crate) between: [f32; 3],
    pub(crate) surfaces: u32,
    pub(crate) arms: [[f32; 4]; 4],
    pub(crate) anchors: [[f32; 4]; 4],
}

/// What a manifold keeps for the next frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Kept {
    pub(crate) tangent: [f32; 4],
    pub(crate) first: [f32; 4],
    pub(crate) second: [f32; 4],
    pub(crate) impulses: [[f32; 4]; 4],
}
