//! Sequential impulses: scalar and block projected Gauss–Seidel in f64, and in wide lanes of f32 on several threads.
//!
//! All solvers of this crate visit the blocks of a problem one after the other, read the shifted velocity w of a
//! block (P.2) and choose its new impulse. They differ in that choice only:
//!
//! - [`Pgs`]: row by row, the accumulated impulse projected onto its set (G.1–G.5);
//! - [`Psor`]: the same step times ω (G.6);
//! - [`BlockGs`]: one contact or joint at a time, solved exactly (G.7–G.15);
//! - [`NaiveImpulses`]: increments clamped instead of totals (G.16), the negative control;
//! - [`ColouredPgs`]: the steps of `pgs` in the order of a colouring (W.1);
//! - [`WidePgs`]: the same order in lanes of f32 and on threads (W.2–W.8).
//!
//! What they share is private: the packed rows (`bodies`, `body_views`, `matrix`) and the sweep (`sweep`); [`Order`] is
//! the order of the blocks. Theory: `docs/theory/03-gauss-seidel.md`.

mod bodies;
mod body_views;
mod laws;
mod local;
mod matrix;
mod order;
mod parameters;
mod small;
mod sweep;
mod view;
mod wide;

pub use order::Order;
pub use wide::level::{VARIABLE, VectorLevel};

delassus_core::solvers! {
    pgs::Pgs,
    psor::Psor,
    block_gs::BlockGs,
    naive_impulses::NaiveImpulses,
    coloured_pgs::ColouredPgs,
    wide_pgs::WidePgs,
}
