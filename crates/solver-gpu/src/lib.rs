//! Order-free and coloured solvers as compute shaders.
//!
//! Kernels are WGSL, one file each in `src/shaders`, with a twin of the same name in
//! `delassus-solver-jacobi` that makes the same operations in the same order in f32 on the
//! processor. Theory: docs/theory/16-gpu.md.
//!
//! - [`mod@adapters`], [`device`]: which device a solver gets, and its failures as errors;
//! - [`buffers`], [`pipelines`], [`commands`]: memory, kernels, submissions;
//! - [`staging`]: transfers in both directions, through reused buffers;
//! - [`shaders`], [`prelude`]: the kernels' texts, and the constants before them;
//! - [`tiles`]: manifolds side by side, the other layout of an iteration;
//! - [`iteration`]: the kernels of one iteration, for the solver and for frames of time steps;
//! - `fused`: an iteration in one dispatch;
//! - [`variant`], [`batch`]: one workgroup for a small problem, and one each for many of them;
//! - [`world_results`]: how each of many worlds ended.

pub mod adapters;
mod asynchronous;
pub mod batch;
pub mod buffers;
mod coloured;
pub mod commands;
pub mod control;
pub mod device;
mod dispatches;
mod fused;
pub mod gpu_async_jacobi;
pub mod gpu_coloured_pgs;
pub mod gpu_jacobi;
pub mod gpu_worlds;
pub mod history;
pub mod hubs;
pub mod iteration;
mod joined;
pub mod loops;
mod natural;
pub mod pipelines;
pub mod prelude;
mod prepared;
mod renew;
mod resident;
pub mod shaders;
pub mod staging;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod tiles;
pub mod variant;
mod world_numbers;
pub mod world_results;

use delassus_core::SolverVisitor;

pub use adapters::{AdapterKind, AdapterReport, adapters};
pub use batch::{BatchError, GpuBatch};
pub use delassus_solver_jacobi::worlds::{WorldError, WorldParameters, WorldSteps};
pub use device::Device;
pub use gpu_async_jacobi::GpuAsyncJacobi;
pub use gpu_coloured_pgs::GpuColouredPgs;
pub use gpu_jacobi::GpuJacobi;
pub use gpu_worlds::GpuWorlds;
pub use history::HistoryEntry;
pub use prepared::{DeviceParameters, check_workgroup, threads_per_workgroup};
pub use tiles::ManifoldLayout;
pub use variant::Variant;
pub use world_results::{WorldResult, WorldStatus};

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<GpuJacobi>();
    visitor.visit::<GpuWorlds>();
    visitor.visit::<GpuColouredPgs>();
    visitor.visit::<GpuAsyncJacobi>();
}
