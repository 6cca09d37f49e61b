//! Global reference solvers on the dense Delassus matrix, through faer.
//!
//! [`DenseDirect`] solves equality rows, [`Dantzig`] and [`Bpp`] rows with fixed bounds, [`Lemke`]
//! friction of finitely many directions on any matrix, [`Enumeration`] finds every solution of
//! small problems, [`DensePgs`] iterates on every law. Where several accept a problem they agree in
//! velocity to 1e-10 of its energy scale, which makes them the oracle of the matrix-free solvers.
//! [`assembly`] forms the matrix and counts redundant rows. [`Pdas`], [`FischerNewton`],
//! [`AlartCurnier`] and [`JeanMoreau`] are nonsmooth Newton methods on one engine, [`newton`];
//! [`Ipm`] is an interior point.
//!
//! Theory: `docs/theory/04-dense.md` (D.1–D.19), `docs/theory/21-pivoting.md` (B.1–B.14),
//! `docs/theory/22-newton.md` (Y.1–Y.16). Everything runs on one thread.

pub mod alart_curnier;
pub mod assembly;
mod block_pivoting;
mod bounds;
pub mod bpp;
mod cholesky;
pub mod dantzig;
pub mod dense_direct;
pub mod dense_pgs;
mod elimination;
pub mod enumeration;
pub mod fischer_newton;
pub mod ipm;
pub mod jean_moreau;
pub mod lemke;
mod linear;
mod modes;
pub mod newton;
pub mod pdas;
mod pivoting;
mod scaled;
mod shifted;
mod spectral;
mod state;

use delassus_core::SolverVisitor;

pub use alart_curnier::AlartCurnier;
pub use bpp::Bpp;
pub use dantzig::Dantzig;
pub use dense_direct::DenseDirect;
pub use dense_pgs::DensePgs;
pub use enumeration::Enumeration;
pub use fischer_newton::FischerNewton;
pub use ipm::Ipm;
pub use jean_moreau::JeanMoreau;
pub use lemke::Lemke;
pub use pdas::Pdas;

/// Shows every solver of this crate to `visitor`, in the order of the documentation.
pub fn visit_solvers<V: SolverVisitor>(visitor: &mut V) {
    visitor.visit::<DenseDirect>();
    visitor.visit::<Dantzig>();
    visitor.visit::<Bpp>();
    visitor.visit::<Lemke>();
    visitor.visit::<Enumeration>();
    visitor.visit::<DensePgs>();
    visitor.visit::<Pdas>();
    visitor.visit::<Ipm>();
    visitor.visit::<FischerNewton>();
    visitor.visit::<AlartCurnier>();
    visitor.visit::<JeanMoreau>();
}
