//! Sequential impulses in lanes of f32 and on several threads: [`WidePgs`].
//!
//! [`wide_pgs`] has the solver and says how it works. The other modules are its parts. `plan` sorts
//! the blocks of a problem into colours, threads and kinds. Each kind has a module, which
//! recognises its blocks, holds them in bundles, packs and refreshes the bundles, and visits them
//! in `lanes`: `manifolds`, `normals`, `joints` and `rows`. The module `fallback` takes the blocks
//! that no bundle holds, and applies the rule of `pgs` to them. `kinds` lists the kinds, `batch`
//! says what each has to do, and `bundle` is what they share. All of them read and write
//! `velocities`. `engine` and its `workers` run the sweeps, `exchange` hands bodies from one thread
//! to another, and `frame` integrates the substeps of a frame. Theory:
//! `docs/theory/14-wide.md`.

mod batch;
mod bundle;
mod engine;
mod exchange;
mod fallback;
mod frame;
mod gyroscope;
mod joints;
mod kinds;
mod lanes;
mod level;
mod manifolds;
mod normals;
mod plan;
mod prefetch;
mod quaternion;
mod rows;
mod vector;
mod velocities;
pub mod wide_pgs;
mod workers;

use delassus_core::SolverVisitor;

pub use kinds::BlockPath;
pub use level::{VARIABLE, VectorLevel};
pub use wide_pgs::WidePgs;

/// Shows every solver of this crate to `visitor`.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<WidePgs>();
}
