//! Closed forms of what solvers do on the structured problems: rates of sweeps, results of impacts.
//!
//! Derivations and sources: `docs/theory/05-problems.md`.

pub mod face;
pub mod falling_box;
pub mod painleve;
mod rates;

pub use rates::Rates;
