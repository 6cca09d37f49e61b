//! The kernels: one function per thread of the shader with the same name, with the same operations
//! in the same order.
//!
//! An [`iteration`] is [`manifolds::run`] and [`rows::run`] (pieces, any order), then
//! [`bodies::run`] (any order). A piece reads velocities and its own impulses, and writes its new
//! impulses and its wrenches; a body reads wrenches and writes its velocities. Dot products are
//! written out, nothing is summed by iterators: the order of additions is the specification.

pub mod bodies;
pub mod coloured;
pub mod control;
pub mod fused;
pub mod iteration;
pub mod laws;
pub mod manifolds;
pub mod residual;
pub mod rows;
pub mod steps;
pub mod sums;
pub mod vectors;

use crate::real::Real;

/// Sweeps of a piece over its own rows \[-\]: forwards, then backwards, so that the step is
/// symmetric (J.6).
pub const PASSES: u32 = 2;

/// The numbers that change from one iteration to the next.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct IterationStep<T> {
    /// Momentum β \[-\]: the step is taken from y = λ_k + β (λ_k − λ_{k−1}) (J.12).
    pub beta: T,
    /// Chebyshev weight ω_{k+1} \[-\]; one leaves the step as it is (J.11).
    pub weight: T,
    /// Rows of a piece see what the rows before them did.
    pub sequential: bool,
    /// Sweeps of such a piece \[-\]: [`PASSES`] in Jacobi's iteration, one in Gauss–Seidel's.
    pub passes: u32,
}

impl<T: Real> IterationStep<T> {
    /// The step without momentum and weight.
    pub fn plain(sequential: bool) -> Self {
        Self {
            beta: T::ZERO,
            weight: T::ONE,
            sequential,
            passes: PASSES,
        }
    }
}
