//! Sparse Newton methods in the velocities of the bodies.

mod linear;
mod memory;
mod natural;
mod primal;
pub mod prox_newton;
mod proximal;
mod rows;
pub mod sap;
mod search;
mod sets;

use delassus_core::SolverVisitor;

pub use prox_newton::ProxNewton;
pub use sap::Sap;

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Sap>();
    visitor.visit::<ProxNewton>();
}
