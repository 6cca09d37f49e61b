//! What `alart-curnier` and `jean-moreau` share: their parameters and laws.

use delassus_core::{Parameters, SolverDescriptor};

use super::model::{Scaling, SetForm};
use super::{Map, NewtonSettings};
use crate::assembly::DENSE;

/// What both declare.
pub(crate) const COULOMB: SolverDescriptor = SolverDescriptor {
    theory: &[
        "Y.1", "Y.2", "Y.3", "Y.4", "Y.5", "Y.9", "Y.10", "Y.11", "Y.12",
    ],
    cost: "m³",
    forms: SolverDescriptor::ALL_BUT_POLYGONS,
    ..DENSE
};

/// Parameters of [`crate::AlartCurnier`] and [`crate::JeanMoreau`].
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct CoulombParameters {
    /// Factor on the step of each contact, 1/λ_max of its block.
    #[parameter(default = 1.0, unit = "-", range = "[1e-3, 1e3]")]
    pub rho: f64,
    /// True for one step per contact; otherwise its normal and its tangents have a step each.
    #[parameter(default = true)]
    pub per_contact: bool,
    /// First parameter of the outer proximal-point method; zero begins with plain Newton steps.
    #[parameter(default = 1e-4, unit = "-", range = "[0, 10]")]
    pub proximal: f64,
    /// Added to the diagonal of the scaled matrix in factorizations; two refinements take it out
    /// again.
    #[parameter(default = 1e-12, unit = "-", range = "[1e-15, 1e-4]")]
    pub epsilon: f64,
    /// True if the length of every step is searched; otherwise full steps are taken until the
    /// method has to fall back.
    #[parameter(default = false)]
    pub line_search: bool,
    /// Sweeps of projected Gauss–Seidel before the first Newton step: 1, 2, 4, … in a unit of work.
    #[parameter(default = 200, unit = "-", range = ">= 0")]
    pub start_sweeps: u32,
    /// Sweeps without progress before the method gives up.
    #[parameter(default = 1000, unit = "-", range = ">= 1")]
    pub patience: u32,
}

impl CoulombParameters {
    pub(crate) fn settings(&self, map: Map) -> NewtonSettings {
        NewtonSettings {
            map,
            scaling: Scaling {
                form: SetForm::Discs,
                per_contact: self.per_contact,
                rho: self.rho,
            },
            start_sweeps: self.start_sweeps,
            epsilon: self.epsilon,
            proximal: self.proximal,
            fall_back: true,
            line_search: self.line_search,
            patience: self.patience,
        }
    }
}
