//! The oracles of motion (docs/theory/13-oracles-of-motion.md) for every scheme and solver that
//! they apply to.
//!
//! Recurrences hold for velocity-level schemes to rounding, with every solver that is given enough
//! sweeps. Schemes that work on positions have recurrences of their own, tested beside them; the
//! continuous laws of rigid bodies hold for all.

mod chains;
mod pendulum;
mod rigid;
mod rows;
mod swept;
mod taut;
