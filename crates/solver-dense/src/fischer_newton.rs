//! Newton's method on the Fischer–Burmeister function, for numbers and for cones.
//!
//! a + b − (a² + b²)^½ = 0 holds where 0 ≤ a ⊥ b ≥ 0 \[Fischer1992\]; the same in the Jordan
//! algebra of the second-order cone says x ⊥ s for x, s in the cone \[Fukushima2002\]. Its square
//! is smooth, which a line search can rely on. Coulomb's law is the cone with the shift of De Saxcé
//! (Y.6).
//!
//! Budget: one LU factorization of all rows per sweep, O(m³), typically 10 to 40; memory about 32
//! m² bytes. Differs from [`crate::Pdas`] by a smooth merit and one more curvature per row, from
//! [`crate::AlartCurnier`] by one equation for the whole cone in place of one for the normal and
//! one for a disc.
//!
//! Degenerate points (a = b = 0, or a spectral value of x² + s² that vanishes) take the derivative
//! along a = b, and in cones one smoothed by 1e-9 of ‖(x, s)‖. Rank-deficient matrices: a diagonal
//! `epsilon` in the Jacobian that refinement takes out, and, where a search fails, the
//! Levenberg–Marquardt-like proximal regularization (Y.9).
//!
//! Departures: rows are scaled to unit diagonal first, a contact by one number (Y.5); two finite
//! bounds are nested \[Billups1995\]; the search is not monotone (Y.10).
//!
//! # Limitations
//! Where both a and b vanish at the solution convergence is slow, and in cones it ends near 1e-8.
//! Friction pyramids, facets, patches and rolling rows are refused. Coulomb's law has no guarantee.
//! Contradictory rows end with an error (Y.12).
//!
//! Theory: docs/theory/22-newton.md (Y.5)–(Y.12). Source: \[Fischer1992\], \[Fukushima2002\],
//! \[Billups1995\].

use delassus_core::{Checked, Parameters, SolverDescriptor};

use crate::assembly::DENSE;
use crate::newton::method::{Equations, NewtonMethod};
use crate::newton::model::{Scaling, SetForm};
use crate::newton::{Map, NewtonSettings};

/// Parameters of [`FischerNewton`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct FischerNewtonParameters {
    /// Added to the diagonal of the scaled matrix in factorizations; two refinements take it out
    /// again.
    #[parameter(default = 1e-12, unit = "-", range = "[1e-15, 1e-4]")]
    pub epsilon: f64,
    /// First parameter of the proximal-point method; zero begins with plain Newton steps.
    #[parameter(default = 0.0, unit = "-", range = "[0, 10]")]
    pub proximal: f64,
    /// Sweeps of projected Gauss–Seidel before the first Newton step: 1, 2, 4, … in a unit of work.
    #[parameter(default = 20, unit = "-", range = ">= 0")]
    pub start_sweeps: u32,
    /// Sweeps without progress before the method gives up.
    #[parameter(default = 1000, unit = "-", range = ">= 1")]
    pub patience: u32,
}

/// Damped Newton's method on the Fischer–Burmeister function (Y.7), (Y.8).
pub type FischerNewton = Checked<NewtonMethod<FischerNewtonEquations>>;

/// The equations of [`FischerNewton`].
#[derive(Debug)]
pub enum FischerNewtonEquations {}

impl Equations for FischerNewtonEquations {
    type Parameters = FischerNewtonParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "fischer-newton",
        aliases: &["fischer-burmeister-newton"],
        name: "Fischer–Burmeister Newton",
        summary: "Damped semismooth Newton on the Fischer–Burmeister function of bounds and cones; unlike \
                  alart-curnier it treats a contact's cone by one equation with a smooth merit.",
        citations: &["Fischer1992", "Fukushima2002", "Billups1995"],
        theory: &["Y.5", "Y.6", "Y.7", "Y.8", "Y.9", "Y.10", "Y.11", "Y.12"],
        cost: "m³",
        forms: SolverDescriptor::BALL_OR_CONE_PER_CONTACT,
        ..DENSE
    };

    fn settings(parameters: &FischerNewtonParameters) -> NewtonSettings {
        NewtonSettings {
            map: Map::FischerBurmeister,
            scaling: Scaling {
                form: SetForm::Cones,
                per_contact: true,
                rho: 1.0,
            },
            start_sweeps: parameters.start_sweeps,
            epsilon: parameters.epsilon,
            proximal: parameters.proximal,
            fall_back: true,
            line_search: true,
            patience: parameters.patience,
        }
    }
}
