//! Global reference solvers on the dense Delassus matrix, through faer.
//!
//! [`DenseDirect`] solves equality rows, [`Dantzig`] rows with fixed bounds, [`Enumeration`] finds every solution
//! of small problems, [`DensePgs`] iterates on every law. Where several accept a problem they agree in velocity to
//! 1e-10 of its energy scale, which makes them the oracle of the matrix-free solvers. [`assembly`] forms the matrix
//! and counts redundant rows.
//!
//! Theory: `docs/theory/04-dense.md` (D.1–D.19). Everything runs on one thread.

pub mod assembly;
mod bounds;
mod cholesky;
mod elimination;
mod linear;
mod modes;
mod pivoting;
mod spectral;
mod state;

delassus_core::solvers! {
    dense_direct::DenseDirect,
    dantzig::Dantzig,
    enumeration::Enumeration,
    dense_pgs::DensePgs,
}
