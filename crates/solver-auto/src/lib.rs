//! One default: the methods of the other crates, chosen and combined by what a problem looks like.
//!
//! - [`Auto`]: sweeps, pivots and Newton steps in the order that suits a problem, the best iterate kept (U.40).
//! - [`WideNewton`]: f32 sweeps until the active set is quiet, then sparse Newton steps in f64 (Z.20).
//!
//! Theory: `docs/theory/28-auto.md`, `docs/theory/27-primal-newton.md`.

pub mod auto;
mod faces;
mod facts;
mod judge;
mod stage;
mod watch;
pub mod wide_newton;

use delassus_core::SolverVisitor;

pub use auto::Auto;
pub use wide_newton::WideNewton;

/// Shows every solver of this crate to `visitor`.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Auto>();
    visitor.visit::<WideNewton>();
}
