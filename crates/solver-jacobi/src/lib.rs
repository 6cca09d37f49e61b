//! Order-free solvers: projected Jacobi with the step rules, the splitting and the acceleration that make it converge,
//! in f64 and f32.
//!
//! - [`pack`]: the data layout, which a GPU takes over unchanged;
//! - [`rule`]: step rules, from the plain diagonal to mass splitting;
//! - [`kernels`]: one function per thread of the shader with the same name.
//!
//! Theory: `docs/theory/15-jacobi.md` (J.1–J.20).

mod engine;
pub mod kernels;
pub mod pack;
pub mod parameters;
pub mod real;
pub mod rule;
pub mod running;
pub mod seed;
pub mod spectrum;

delassus_core::solvers! {
    jacobi::Jacobi,
    jacobi_f32::JacobiF32,
    async_jacobi::AsyncJacobi,
}

pub use kernels::control::Acceleration;
pub use parameters::{JacobiParameters, Omega};
