//! Sparse Newton methods in the velocities of the bodies.
//!
//! A sweep is one linear system with six rows per moving body, however many constraint rows there
//! are and however many of them are redundant. [`Sap`] minimizes the convex function of problems
//! with compliance on every row, [`ProxNewton`] solves all others by the proximal-point method. The
//! matrix is factorized in blocks of 6 × 6, whose places are found once per problem.
//!
//! Theory: `docs/theory/27-primal-newton.md` (Z.1)–(Z.20). Everything runs on one thread, and no
//! sweep allocates.

mod cones;
mod limit;
mod linear;
mod memory;
mod natural;
mod phase;
mod primal;
pub mod prox_newton;
mod proximal;
mod rows;
pub mod sap;
mod saxce;
mod search;
mod sets;
mod transitions;
mod uneven;

use delassus_core::SolverVisitor;

pub use linear::krylov::{Linear, Preconditioner, Smoother};
pub use prox_newton::ProxNewton;
pub use sap::Sap;

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Sap>();
    visitor.visit::<ProxNewton>();
}
