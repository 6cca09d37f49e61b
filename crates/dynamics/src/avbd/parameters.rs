//! The knobs of AVBD, as data.

use delassus_core::parameter::require;
use delassus_core::{ParameterError, Parameters};

use crate::velocity::Gyroscopic;

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
    /// Smallest penalty.
    #[parameter(default = 1.0, unit = "N/m | N.m/rad", range = "> 0")]
    pub penalty_min: f64,
    /// Largest penalty. At least penalty_min.
    #[parameter(default = 1e9, unit = "N/m | N.m/rad", range = "> 0")]
    pub penalty_max: f64,
    /// True leaves the old error to one iteration after the velocities.
    #[parameter(default = false)]
    pub post_stabilize: bool,
    /// True adds the second derivatives of the rows as lumps on the diagonal.
    #[parameter(default = true)]
    pub geometric_stiffness: bool,
    /// Gyroscopic torque.
    #[parameter(default = Gyroscopic::Implicit)]
    pub gyroscopic: Gyroscopic,
}

impl AvbdParameters {
    fn check(&self) -> Result<(), ParameterError> {
        let fits = self.penalty_max >= self.penalty_min;
        let expected = "it must be >= penalty_min";
        require(fits, "penalty_max", self.penalty_max, expected)
    }
}
