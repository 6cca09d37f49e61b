//! Closed forms of what solvers do on the structured problems: rates of sweeps, results of impacts.
//!
//! Derivations and sources: `docs/theory/05-problems.md`.

pub mod falling_box;
mod rates;

pub use rates::Rates;
