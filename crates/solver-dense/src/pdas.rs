//! Primal–dual active sets: Newton's method on min(y − l, w) = 0 for rows with bounds.
//!
//! A step pins the rows that y − w puts beyond a bound onto it, and solves the others for w = 0
//! \[Hintermuller2003\]: a generalized Newton step on the natural map (Y.2), (Y.3). It ends after
//! finitely many steps where it ends; a set that comes back proves a cycle. Tangents of the
//! friction pyramid (F2) are pinned onto ±μ times their normal, in the same system, so that nothing
//! lags behind.
//!
//! Budget: one LU factorization of all rows per sweep, O(m³), typically 5 to 30; memory about 32 m²
//! bytes. Differs from [`crate::Dantzig`] by exchanging all rows at once, from
//! [`crate::FischerNewton`] by full steps on a piecewise linear map.
//!
//! Departures from \[Hintermuller2003\]: bounds on both sides; redundant rows, by a diagonal of
//! 1e-12 in the Jacobian that refinement takes out again; and safeguards. Where a set comes back,
//! or nothing gets better, the proximal-point method (Y.9) with a line search (Y.10) takes over
//! from the best iterate.
//!
//! # Limitations
//! Redundant rows keep impulses near the iterates that led there: λ is no canonical one.
//! Contradictory rows end with an error that names the certificate (Y.12). Coupled friction (F2)
//! has no guarantee. The best iterate is returned; without progress for `patience` sweeps the
//! method stops.
//!
//! Theory: docs/theory/22-newton.md (Y.1)–(Y.3), (Y.9)–(Y.12). Source: \[Hintermuller2003\],
//! \[Qi1993\].

use delassus_core::{Checked, Parameters, SolverDescriptor};

use crate::assembly::DENSE;
use crate::newton::method::{Equations, NewtonMethod};
use crate::newton::model::{Scaling, SetForm};
use crate::newton::{Map, NewtonSettings};

/// Parameters of [`Pdas`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct PdasParameters {
    /// Added to the diagonal of the scaled matrix in factorizations; two refinements take it out
    /// again.
    ///
    /// Larger values hide real directions, smaller ones let rounding grow in redundant rows.
    #[parameter(default = 1e-12, unit = "-", range = "[1e-15, 1e-4]")]
    pub epsilon: f64,
    /// True if a cycle or a stall starts the proximal-point method with a line search.
    #[parameter(default = true)]
    pub fall_back: bool,
    /// Sweeps without progress before the method gives up.
    #[parameter(default = 1000, unit = "-", range = ">= 1")]
    pub patience: u32,
}

/// Primal–dual active sets for rows with bounds (Y.2), (Y.3).
pub type Pdas = Checked<NewtonMethod<PdasEquations>>;

/// The equations of [`Pdas`].
#[derive(Debug)]
pub enum PdasEquations {}

impl Equations for PdasEquations {
    type Parameters = PdasParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "pdas",
        aliases: &["min-map-newton", "primal-dual-active-set"],
        name: "Primal–dual active set",
        summary: "Newton's method on the min map for rows with bounds, all rows exchanged at once; unlike dantzig it \
                  needs few factorizations and takes unsymmetric matrices and the friction pyramid.",
        citations: &["Hintermuller2003", "Qi1993"],
        theory: &["Y.1", "Y.2", "Y.3", "Y.9", "Y.10", "Y.11", "Y.12"],
        cost: "m³",
        forms: SolverDescriptor::ALL_INTERVALS,
        // an exchange of sets is no answer
        unit_is_map: false,
        ..DENSE
    };

    fn settings(parameters: &PdasParameters) -> NewtonSettings {
        NewtonSettings {
            map: Map::AlartCurnier,
            scaling: Scaling {
                form: SetForm::Discs,
                per_contact: false,
                rho: 1.0,
            },
            start_sweeps: 0,
            epsilon: parameters.epsilon,
            proximal: 0.0,
            fall_back: parameters.fall_back,
            line_search: false,
            patience: parameters.patience,
        }
    }
}
