//! Order-free solvers: projected Jacobi with the step rules, the splitting and the acceleration
//! that make it converge, in f64 and f32.
//!
//! - [`pack`]: the data layout, which a GPU takes over unchanged;
//! - [`rule`]: step rules, from the plain diagonal to mass splitting;
//! - [`compiled`]: packing and iterating for callers in other crates;
//! - [`worlds`]: many worlds of one structure, which is packed once;
//! - [`kernels`]: one function per thread of the shader with the same name.
//!
//! Theory: `docs/theory/15-jacobi.md` (J.1–J.20).

pub mod async_jacobi;
pub mod compiled;
pub mod jacobi;
pub mod jacobi_f32;
pub mod kernels;
pub mod pack;
pub mod parameters;
mod power;
pub mod real;
pub mod rule;
pub mod running;
pub mod seed;
mod simultaneous;
pub mod spectrum;
pub mod worlds;

use delassus_core::SolverVisitor;

pub use async_jacobi::AsyncJacobi;
pub use jacobi::Jacobi;
pub use jacobi_f32::JacobiF32;
pub use kernels::control::Acceleration;
pub use parameters::{JacobiParameters, Omega};
pub use worlds::{WorldError, WorldParameters, WorldTemplate};

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Jacobi>();
    visitor.visit::<JacobiF32>();
    visitor.visit::<AsyncJacobi>();
}
