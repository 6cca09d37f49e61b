//! Alart and Curnier's Newton method for exact Coulomb friction.
//!
//! λ_N = (λ_N − ρw_N)₊ and λ_T = Π(λ_T − ρw_T) onto the disc of radius μ(λ_N − ρw_N)₊: equations
//! that hold exactly where Signorini's and Coulomb's laws do (Y.4), solved by Newton's method with
//! an element of their generalized Jacobian \[Alart1991\]. The regularized problems of a
//! proximal-point method (Y.9) make it work where redundant contacts leave the matrix singular;
//! plain Newton is `proximal = 0`.
//!
//! Budget: one LU factorization of all rows per sweep, O(m³), typically 20 to 100; memory about 32
//! m² bytes. Differs from [`crate::JeanMoreau`] by the radius of the disc, which follows the normal
//! impulse after the projection, from [`crate::FischerNewton`] by two equations per contact in
//! place of one on its cone, from [`crate::DensePgs`] by quadratic convergence near a regular
//! solution.
//!
//! Departures from \[Alart1991\]: impulses in place of an augmented Lagrangian; steps 1/λ_max of
//! each contact's block in place of one ρ; the proximal-point method; a non-monotone search on ‖F‖²
//! (Y.10) once full steps have failed; the best iterate is returned. The same projections treat
//! F2 (one disc per tangent), patches, rolling rows and the convex cone (Y.5).
//!
//! # Limitations
//! No guarantee of convergence: Coulomb's law is not monotone. Where there are several solutions it
//! ends in one of them, where there is none it stops after `patience` sweeps without progress. λ of
//! redundant contacts is not canonical. Contradictory rows end with an error (Y.12).
//!
//! Theory: docs/theory/22-newton.md (Y.1)–(Y.5), (Y.9)–(Y.12). Source: \[Alart1991\],
//! \[Acary2018\], \[Rockafellar1976\].

use delassus_core::{Checked, SolverDescriptor};

use crate::newton::coulomb::{COULOMB, CoulombParameters};
use crate::newton::method::{Equations, NewtonMethod};
use crate::newton::{Map, NewtonSettings};

/// Nonsmooth Newton with discs that follow λ_N − ρw_N (Y.4).
pub type AlartCurnier = Checked<NewtonMethod<AlartCurnierEquations>>;

/// The method of [`AlartCurnier`].
pub type AlartCurnierMethod = NewtonMethod<AlartCurnierEquations>;

/// The equations of [`AlartCurnier`].
#[derive(Debug)]
pub enum AlartCurnierEquations {}

impl Equations for AlartCurnierEquations {
    type Parameters = CoulombParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "alart-curnier",
        aliases: &["nsn-ac"],
        name: "Alart–Curnier Newton",
        summary: "Nonsmooth Newton for exact Coulomb friction inside a proximal-point method; unlike jean-moreau its \
                  discs follow the normal impulse after its projection.",
        citations: &["Alart1991", "Acary2018", "Rockafellar1976"],
        ..COULOMB
    };

    fn settings(parameters: &CoulombParameters) -> NewtonSettings {
        parameters.settings(Map::AlartCurnier)
    }
}
