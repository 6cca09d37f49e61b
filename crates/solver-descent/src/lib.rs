//! First-order descent on the dual problem: minimize f(λ) = ½ λᵀ(A + R)λ + bᵀλ over the admissible
//! impulses.
//!
//! Every solver here works with products of A and a vector, matrix-free on bodies and block-sparse
//! on matrix problems, in impulses scaled by the diagonal D of A + R. What they share:
//!
//! - [`space`]: the metric D, steps that end in the sets of the laws, the residual;
//! - [`sets`]: the projection of one block;
//! - [`running`]: the outer shape of an iteration.
//!
//! Theory: `docs/theory/24-first-order.md` (I.1–I.28).

pub mod admm;
pub mod apgd;
mod best_iterate;
mod face;
mod inner;
pub mod mprgp;
pub mod preconditioner;
pub mod projected_cg;
pub mod projected_gradient;
pub mod running;
pub mod sets;
pub mod space;
mod sparse;
mod spectrum;
pub mod spg;
mod whitened;

use delassus_core::SolverVisitor;

pub use admm::Admm;
pub use apgd::Apgd;
pub use mprgp::Mprgp;
pub use preconditioner::PreconditionerKind;
pub use projected_cg::ProjectedCg;
pub use projected_gradient::ProjectedGradient;
pub use spg::Spg;

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<ProjectedGradient>();
    visitor.visit::<Spg>();
    visitor.visit::<Apgd>();
    visitor.visit::<Mprgp>();
    visitor.visit::<ProjectedCg>();
    visitor.visit::<Admm>();
}
