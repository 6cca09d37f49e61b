//! What a bundle of manifolds holds.
//!
//! Layout of a bundle of `N` lanes, arrays of `N` numbers in this order:
//!
//! ```text
//! ManifoldBundle<N, P>: Head<N>, then               ManifoldPoint<N>, P times
//! ┌──────────────────────────────┐                  ┌───────────────────────────────┐
//! │ bodies[2]   index A, index B │                  │ arm[3]      r_B, local axes   │
//! │ normal[3]   world axes       │                  │ impulse[3]  λ_n, λ_t, λ_s     │
//! │ tangent[3]  world axes       │                  │ bias        normal row        │
//! │ between[3]  c_B − c_A, local │                  │ softness    R of the normal   │
//! │ inertia[2][6]  local, 1/kg m²│                  │ mass[2]     normal, tangents  │
//! │ mass[2]     1/kg             │                  │ coupling[2] A_tn, A_sn        │
//! │ friction    μ                │                  └───────────────────────────────┘
//! └──────────────────────────────┘
//! ```
//!
//! A manifold of four points takes 296 bytes per lane, 74 per point. What only some scenes need
//! (bias, softness and inactive rows of tangents, boxes of friction) sits in [`Extra`], which the
//! fast kernel does not read.

use crate::bundle::{LaneBodies, interleaved};

/// Points of one manifold at most \[-\].
pub(super) const MAX_POINTS: usize = 4;

/// One point of `N` manifolds, in the axes of its manifold.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct ManifoldPoint<const N: usize> {
    pub(super) arm: [[f32; N]; 3],
    pub(super) impulse: [[f32; N]; 3],
    pub(super) bias: [f32; N],
    pub(super) softness: [f32; N],
    /// Effective mass of the normal, step of the tangents \[kg\].
    pub(super) mass: [[f32; N]; 2],
    /// Velocity of both tangents per normal impulse \[1/kg\].
    pub(super) coupling: [[f32; N]; 2],
}
interleaved!(ManifoldPoint<> { arm, impulse, bias, softness, mass, coupling });

/// What the points of `N` manifolds have in common.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Head<const N: usize> {
    pub(super) bodies: LaneBodies<N>,
    pub(super) normal: [[f32; N]; 3],
    pub(super) tangent: [[f32; N]; 3],
    pub(super) between: [[f32; N]; 3],
    pub(super) inertia: [[[f32; N]; 6]; 2],
    pub(super) mass: [[f32; N]; 2],
    pub(super) friction: [f32; N],
}
interleaved!(Head<> { bodies, normal, tangent, between, inertia, mass, friction });

/// `N` manifolds of `P` points.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct ManifoldBundle<const N: usize, const P: usize> {
    pub(super) head: Head<N>,
    pub(super) points: [ManifoldPoint<N>; P],
}
interleaved!(ManifoldBundle<P> { head, points });

/// What the fast kernel leaves out.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Extra<const N: usize> {
    pub(super) bias: [[f32; N]; 2],
    pub(super) softness: [[f32; N]; 2],
    /// Effective mass of the second tangent, where each has its own \[kg\].
    pub(super) mass: [f32; N],
    /// Velocity of the second tangent per impulse of the first \[1/kg\].
    pub(super) coupling: [f32; N],
    /// Bound of each tangent that does not depend on the normal impulse \[N·s\].
    pub(super) limit: [f32; N],
    /// Leading rows that are solved for.
    pub(super) active: [f32; N],
}
interleaved!(Extra<> { bias, softness, mass, coupling, limit, active });

/// What a point of `N` manifolds has in addition while the solver integrates a frame.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct FramePoint<const N: usize> {
    /// The separation at the start of the frame \[m\].
    pub(super) start: [f32; N],
    /// Sum of the impulses at the ends of the substeps \[N·s\].
    pub(super) sum: [[f32; N]; 3],
}
interleaved!(FramePoint<> { start, sum });
