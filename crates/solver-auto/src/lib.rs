//! One default: the methods of the other crates, chosen and combined by what a problem looks like.
//!
//! - [`Auto`]: sweeps, pivots and Newton steps in the order that suits a problem, the best iterate
//!   kept (U.40).
//!
//! Theory: `docs/theory/28-auto.md`.

pub mod auto;
mod combination;
mod costs;
mod facts;
mod judge;
mod limit;
mod lines;
mod method_sequence;
mod second_thread;
mod stage;
mod turns;
mod verdict;
mod watch;
mod work;

use delassus_core::SolverVisitor;

pub use auto::Auto;

/// Optimisation level that this crate was compiled with: 0 to 3, "s" or "z". The profiles of the
/// workspace give every solver crate of a release build the same level, which a test checks.
pub const OPT_LEVEL: &str = env!("DELASSUS_OPT_LEVEL");

/// Shows the solver of this crate to `visitor`.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Auto>();
}
