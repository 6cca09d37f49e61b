//! Jean and Moreau's equations of Coulomb friction, solved by Newton's method.
//!
//! λ_N = (λ_N − ρw_N)₊ and λ_T = Π(λ_T − ρw_T) onto the disc of radius μ(λ_N)₊ \[Jean1987\]: the
//! equations of [`crate::AlartCurnier`] with the radius of the current normal impulse (Y.4).
//! Jacobian, proximal-point method, search and start are shared.
//!
//! Budget: one LU factorization of all rows per sweep, O(m³), typically 20 to 100; memory about 32
//! m² bytes. Differs from [`crate::AlartCurnier`] by that radius alone: where a contact slips its
//! rows of the Jacobian do not see the normal velocity, and the two leave different iterates on the
//! way to the same solutions.
//!
//! Departures: \[Jean1987\] state the projections and solve them by successive sweeps; Newton's
//! method on them is that of \[Acary2018\]. The others are those of [`crate::AlartCurnier`].
//!
//! # Limitations
//! Those of [`crate::AlartCurnier`].
//!
//! Theory: docs/theory/22-newton.md (Y.1)–(Y.5), (Y.9)–(Y.12). Source: \[Jean1987\], \[Acary2018\],
//! \[Rockafellar1976\].

use delassus_core::{Checked, SolverDescriptor};

use crate::newton::coulomb::{COULOMB, CoulombParameters};
use crate::newton::method::{Equations, NewtonMethod};
use crate::newton::{Map, NewtonSettings};

/// Nonsmooth Newton with discs that follow λ_N (Y.4).
pub type JeanMoreau = Checked<NewtonMethod<JeanMoreauEquations>>;

/// The equations of [`JeanMoreau`].
#[derive(Debug)]
pub enum JeanMoreauEquations {}

impl Equations for JeanMoreauEquations {
    type Parameters = CoulombParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "jean-moreau",
        aliases: &["nsn-jm"],
        name: "Jean–Moreau Newton",
        summary: "Nonsmooth Newton for exact Coulomb friction inside a proximal-point method; unlike alart-curnier its \
                  discs follow the normal impulse before its projection.",
        citations: &["Jean1987", "Acary2018", "Rockafellar1976"],
        ..COULOMB
    };

    fn settings(parameters: &CoulombParameters) -> NewtonSettings {
        parameters.settings(Map::JeanMoreau)
    }
}
