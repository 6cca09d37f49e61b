//! The parameters of AVBD, as data.

use delassus_core::parameter::require;
use delassus_core::{Choice, ParameterError, Parameters};

use crate::velocity::Gyroscopic;

/// The penalty of a soft row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum SpringPenalty {
    /// Its stiffness from the start, which does not decay.
    Stiffness,
    /// The paper's: it grows by (V.8) and decays by (V.9), up to its stiffness or to where the two
    /// balance (V.12).
    Growing,
}

/// How the friction of a contact point with a disc finds its direction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum FrictionDirection {
    /// Both tangents have one penalty, and the multiplier of a contact that slides turns with the
    /// slip (V.13).
    Slip,
    /// Each tangent has its own penalty, and the multiplier fades, as in the authors'
    /// demonstration: friction turns towards the tangent that slips more.
    PerAxis,
}

/// Parameters of [`super::Avbd`].
#[derive(Debug, Clone, PartialEq, Parameters)]
#[parameters(check = "Self::check")]
pub struct AvbdParameters {
    /// Substeps per frame.
    #[parameter(default = 1, unit = "-", range = ">= 1")]
    pub substeps: u32,
    /// Iterations per substep, each over all bodies and then over all rows.
    #[parameter(default = 10, unit = "-", range = ">= 1")]
    pub iterations: u32,
    /// Share of a substep's first error that rigid rows keep.
    #[parameter(default = 0.99, unit = "-", range = "[0, 1]")]
    pub alpha: f64,
    /// Decay of penalties and multipliers per substep.
    #[parameter(default = 0.99, unit = "-", range = "[0, 1]")]
    pub gamma: f64,
    /// Growth of the penalty of rows in metres, per error.
    #[parameter(default = 1e5, unit = "N/m^2", range = ">= 0")]
    pub beta_linear: f64,
    /// Growth of the penalty of rows in radians, per error.
    #[parameter(default = 100.0, unit = "N.m/rad^2", range = ">= 0")]
    pub beta_angular: f64,
    /// Smallest penalty of any row.
    #[parameter(default = 1.0, unit = "N/m | N.m/rad", range = "> 0")]
    pub penalty_min: f64,
    /// What penalties grow to. At least penalty_min.
    #[parameter(default = 1e9, unit = "N/m | N.m/rad", range = "> 0")]
    pub penalty_max: f64,
    /// Smallest penalty of a rigid row, as a multiple of the inertia that the row moves, over h².
    /// The paper's is 0, and `penalty_min` for all masses.
    #[parameter(default = 4.0, unit = "-", range = ">= 0")]
    pub penalty_floor: f64,
    /// Penalty of soft rows.
    #[parameter(default = SpringPenalty::Stiffness)]
    pub spring_penalty: SpringPenalty,
    /// Direction of friction.
    #[parameter(default = FrictionDirection::Slip)]
    pub friction_direction: FrictionDirection,
    /// True leaves the old error to one iteration after the velocities.
    #[parameter(default = false)]
    pub post_stabilize: bool,
    /// True adds the second derivatives of the rows as lumps on the diagonal.
    #[parameter(default = true)]
    pub geometric_stiffness: bool,
    /// Gyroscopic torque.
    #[parameter(default = Gyroscopic::Momentum)]
    pub gyroscopic: Gyroscopic,
}

impl AvbdParameters {
    /// Least and largest penalty of a row with a stiffness, which is infinite for a rigid row, and
    /// with a diagonal A \[1/kg | 1/(kg·m²)\] (V.14).
    pub(super) fn penalties(&self, stiffness: f64, diagonal: f64, h: f64) -> (f64, f64) {
        if stiffness.is_finite() {
            return match self.spring_penalty {
                SpringPenalty::Stiffness => (stiffness, stiffness),
                SpringPenalty::Growing => (self.penalty_min, stiffness.min(self.penalty_max)),
            };
        }
        let floor = if diagonal > 0.0 {
            self.penalty_min
                .max(self.penalty_floor / (h * h * diagonal))
        } else {
            self.penalty_min
        };
        (floor, self.penalty_max.max(floor))
    }

    fn check(&self) -> Result<(), ParameterError> {
        let fits = self.penalty_max >= self.penalty_min;
        let expected = "it must be >= penalty_min";
        require(fits, "penalty_max", self.penalty_max, expected)
    }
}
