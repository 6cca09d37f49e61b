//! Sequential impulses: scalar and block projected Gauss–Seidel in f64.
//!
//! All solvers of this crate visit the blocks of a problem one after the other, read the shifted
//! velocity w of a block (P.2) and choose its new impulse. They differ in that choice only:
//!
//! - [`Pgs`]: row by row, the accumulated impulse projected onto its set (G.1–G.5);
//! - [`Psor`]: the same step times ω (G.6);
//! - [`BlockGs`]: one contact or joint at a time, solved exactly (G.7–G.15);
//! - [`ManifoldGs`]: friction row by row, the normals of a manifold together (G.27);
//! - [`NaiveImpulses`]: increments clamped instead of totals (G.16), the negative control;
//! - [`ColouredPgs`]: the steps of `pgs` in the order of a colouring (W.1). The crate `solver-wide`
//!   takes this order in lanes of f32 and on threads.
//!
//! Others take the sweep of `pgs` as it is and change what is around it:
//!
//! - [`SymmetricPgs`], [`RandomPgs`], [`GreedyPgs`]: other orders of visits (G.28, G.32, G.33);
//! - [`Nncg`], [`ChebyshevPgs`]: extrapolation from sweep to sweep (G.29–G.31);
//! - [`Staggered`]: normals and friction in turn (G.36);
//! - [`Hybrid`]: joints by factors, the others swept (G.38);
//! - [`ShockPropagation`]: passes from the ground up that hold what lies below (G.37), which is
//!   another problem;
//! - [`Raisim`]: `block-gs` with contacts found by bisection (G.34), which is another law of
//!   sliding.
//!
//! What they share is private: the packed rows (`bodies`, `body_views`, `matrix`, `coupling`), the
//! sweep (`sweep`) and its method (`sweep_method`); [`Order`] is the order of the blocks.
//! [`kernel`] is for other crates.
//! Theory: `docs/theory/03-gauss-seidel.md`, `docs/theory/25-sweeps.md`.

pub mod block_gs;
mod bodies;
mod body_views;
pub mod chebyshev_pgs;
pub mod coloured_pgs;
mod coupling;
pub mod greedy_pgs;
pub mod hybrid;
mod laws;
mod local;
pub mod manifold_gs;
mod matrix;
pub mod naive_impulses;
pub mod nncg;
mod order;
mod packed;
mod parameters;
pub mod pgs;
pub mod psor;
pub mod raisim;
mod random;
pub mod random_pgs;
pub mod shock_propagation;
mod small;
pub mod staggered;
mod sweep;
mod sweep_method;
pub mod symmetric_pgs;
mod view;

use delassus_core::SolverVisitor;

/// What solvers in other crates share with those of this crate: the rule of `pgs` for one block,
/// and the algebra of small blocks.
pub mod kernel {
    pub use crate::laws::{RowRule, largest_of, own_block};
    pub use crate::small::{invert, invert_definite, largest_eigenvalue_2};
    pub use crate::sweep::Rule;
    pub use crate::view::BlockView;
}

pub use block_gs::BlockGs;
pub use chebyshev_pgs::ChebyshevPgs;
pub use coloured_pgs::ColouredPgs;
pub use greedy_pgs::GreedyPgs;
pub use hybrid::Hybrid;
pub use manifold_gs::ManifoldGs;
pub use naive_impulses::NaiveImpulses;
pub use nncg::Nncg;
pub use order::{Order, RowOrder};
pub use parameters::SweepOrder;
pub use pgs::Pgs;
pub use psor::Psor;
pub use raisim::Raisim;
pub use random_pgs::RandomPgs;
pub use shock_propagation::ShockPropagation;
pub use staggered::Staggered;
pub use symmetric_pgs::SymmetricPgs;

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<Pgs>();
    visitor.visit::<Psor>();
    visitor.visit::<BlockGs>();
    visitor.visit::<ManifoldGs>();
    visitor.visit::<NaiveImpulses>();
    visitor.visit::<ColouredPgs>();
    visitor.visit::<SymmetricPgs>();
    visitor.visit::<Nncg>();
    visitor.visit::<ChebyshevPgs>();
    visitor.visit::<RandomPgs>();
    visitor.visit::<GreedyPgs>();
    visitor.visit::<Staggered>();
    visitor.visit::<Raisim>();
    visitor.visit::<ShockPropagation>();
    visitor.visit::<Hybrid>();
}
