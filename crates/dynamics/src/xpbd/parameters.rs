//! The parameters of XPBD, as data.

use delassus_core::{Choice, Parameters};

use crate::velocity::Gyroscopic;

/// What a contact does with a friction that exceeds its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum StaticFriction {
    /// The position solve takes a point back to where it began to stick, and leaves it to the
    /// velocity pass as the paper does where that is above the bound (X.14).
    Anchored,
    /// The paper's: the position solve takes a point back to where it was at the start of the
    /// substep. Above the bound it leaves it out; the velocity pass alone slows the sliding.
    Paper,
    /// As the paper's, and above the bound as much as it allows.
    Clamped,
}

/// Parameters of [`super::Xpbd`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct XpbdParameters {
    /// Substeps per frame.
    #[parameter(default = 20, unit = "-", range = ">= 1")]
    pub substeps: u32,
    /// Sweeps over joints and contacts per substep.
    #[parameter(default = 1, unit = "-", range = ">= 1")]
    pub iterations: u32,
    /// True solves the rows of a joint together, false one after the other.
    #[parameter(default = true)]
    pub block: bool,
    /// Friction of the position solve.
    #[parameter(default = StaticFriction::Anchored)]
    pub static_friction: StaticFriction,
    /// Approach speed below which contacts do not bounce. Twice gravity times the substep without
    /// it.
    #[parameter(default = None, unit = "m/s", range = ">= 0")]
    pub restitution_threshold: Option<f64>,
    /// Gyroscopic torque. The paper's is explicit.
    #[parameter(default = Gyroscopic::Momentum)]
    pub gyroscopic: Gyroscopic,
}
