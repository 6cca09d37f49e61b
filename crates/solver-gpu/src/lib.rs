//! Order-free and coloured solvers as compute shaders.
//!
//! Kernels are WGSL, one file each in `src/shaders`, with a twin of the same name in `delassus-solver-jacobi` that
//! makes the same operations in the same order in f32 on the processor. Theory: docs/theory/16-gpu.md.

use delassus_core::SolverVisitor;

pub mod adapters;
pub mod buffers;
pub mod commands;
pub mod device;
pub mod pipelines;
#[cfg(test)]
mod testing;

pub use adapters::{AdapterKind, AdapterReport, adapters};
pub use device::Device;

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(_visitor: &mut V) {}
