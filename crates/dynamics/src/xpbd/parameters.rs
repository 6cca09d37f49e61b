//! The knobs of XPBD, as data.

use delassus_core::{ParameterDoc, ParameterError};
use serde::{Deserialize, Serialize};

use crate::velocity::Gyroscopic;
use crate::velocity::parameters::check;

/// What a contact does with a friction that exceeds its bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StaticFriction {
    /// The position solve leaves it out; the velocity pass alone slows the sliding.
    Paper,
    /// The position solve applies as much as the bound allows.
    Clamped,
}

/// Parameters of [`super::Xpbd`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct XpbdParameters {
    /// Substeps per frame \[-\].
    pub substeps: u32,
    /// Sweeps over joints and contacts per substep \[-\].
    pub iterations: u32,
    /// True if the rows of a joint are solved together, false if one after the other.
    pub block: bool,
    /// Friction in the position solve.
    pub static_friction: StaticFriction,
    /// Approach speed below which contacts do not bounce \[m/s\]; 2‖g‖h without it.
    pub restitution_threshold: Option<f64>,
    /// Gyroscopic torque.
    pub gyroscopic: Gyroscopic,
}

impl Default for XpbdParameters {
    fn default() -> Self {
        Self {
            substeps: 20,
            iterations: 1,
            block: true,
            static_friction: StaticFriction::Paper,
            restitution_threshold: None,
            gyroscopic: Gyroscopic::Explicit,
        }
    }
}

/// What each parameter is, in the order of the fields.
pub(super) const DOCS: &[ParameterDoc] = &[
    ParameterDoc {
        name: "substeps",
        doc: "substeps per frame [-]; >= 1",
    },
    ParameterDoc {
        name: "iterations",
        doc: "sweeps over joints and contacts per substep [-]; >= 1",
    },
    ParameterDoc {
        name: "block",
        doc: "true solves the rows of a joint together, false one after the other",
    },
    ParameterDoc {
        name: "static_friction",
        doc: "friction above its bound: \"paper\" leaves it out of the position solve, \"clamped\" cuts it to the bound",
    },
    ParameterDoc {
        name: "restitution_threshold",
        doc: "approach speed below which contacts do not bounce [m/s]; >= 0, twice gravity times the substep without it",
    },
    ParameterDoc {
        name: "gyroscopic",
        doc: "\"none\", \"explicit\" or \"implicit\"",
    },
];

impl XpbdParameters {
    /// Checks the numbers against their ranges.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let counts = [("substeps", self.substeps), ("iterations", self.iterations)];
        for (parameter, value) in counts {
            check(parameter, f64::from(value), value >= 1, "must be >= 1")?;
        }
        let threshold = self.restitution_threshold.unwrap_or(0.0);
        check(
            "restitution_threshold",
            threshold,
            threshold >= 0.0,
            "must be finite and >= 0",
        )
    }
}
