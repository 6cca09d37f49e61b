//! The knobs of AVBD, as data.

use delassus_core::{ParameterDoc, ParameterError};
use serde::{Deserialize, Serialize};

use crate::velocity::Gyroscopic;
use crate::velocity::parameters::check;

/// Parameters of [`super::Avbd`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AvbdParameters {
    /// Substeps per frame \[-\].
    pub substeps: u32,
    /// Iterations per substep, each over all bodies and then over all rows \[-\].
    pub iterations: u32,
    /// Share α of the error at the start of a substep that rigid rows keep \[-\].
    pub alpha: f64,
    /// Decay γ of penalties and multipliers per substep \[-\].
    pub gamma: f64,
    /// Growth of the penalty of rows in metres, per error \[N/m²\].
    pub beta_linear: f64,
    /// Growth of the penalty of rows in radians, per error \[N·m/rad²\].
    pub beta_angular: f64,
    /// Smallest penalty \[N/m | N·m/rad\].
    pub penalty_min: f64,
    /// Largest penalty \[N/m | N·m/rad\].
    pub penalty_max: f64,
    /// True: the iterations leave the old error alone, and one more, after the velocities, removes it.
    pub post_stabilize: bool,
    /// True if the second derivatives of the rows enter, as lumps on the diagonal.
    pub geometric_stiffness: bool,
    /// Gyroscopic torque.
    pub gyroscopic: Gyroscopic,
}

impl Default for AvbdParameters {
    fn default() -> Self {
        Self {
            substeps: 1,
            iterations: 10,
            alpha: 0.99,
            gamma: 0.99,
            beta_linear: 1e5,
            beta_angular: 100.0,
            penalty_min: 1.0,
            penalty_max: 1e9,
            post_stabilize: false,
            geometric_stiffness: true,
            gyroscopic: Gyroscopic::Implicit,
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
        doc: "iterations per substep, each over all bodies and then over all rows [-]; >= 1",
    },
    ParameterDoc {
        name: "alpha",
        doc: "share of a substep's first error that rigid rows keep [-]; in [0, 1]",
    },
    ParameterDoc {
        name: "gamma",
        doc: "decay of penalties and multipliers per substep [-]; in [0, 1]",
    },
    ParameterDoc {
        name: "beta_linear",
        doc: "growth of the penalty of rows in metres, per error [N/m^2]; >= 0",
    },
    ParameterDoc {
        name: "beta_angular",
        doc: "growth of the penalty of rows in radians, per error [N.m/rad^2]; >= 0",
    },
    ParameterDoc {
        name: "penalty_min",
        doc: "smallest penalty [N/m | N.m/rad]; > 0",
    },
    ParameterDoc {
        name: "penalty_max",
        doc: "largest penalty [N/m | N.m/rad]; >= penalty_min",
    },
    ParameterDoc {
        name: "post_stabilize",
        doc: "true leaves the old error to one iteration after the velocities",
    },
    ParameterDoc {
        name: "geometric_stiffness",
        doc: "true adds the second derivatives of the rows as lumps on the diagonal",
    },
    ParameterDoc {
        name: "gyroscopic",
        doc: "\"none\", \"explicit\" or \"implicit\"",
    },
];

impl AvbdParameters {
    /// Checks the numbers against their ranges.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let counts = [("substeps", self.substeps), ("iterations", self.iterations)];
        for (parameter, value) in counts {
            check(parameter, f64::from(value), value >= 1, "must be >= 1")?;
        }
        for (parameter, value) in [("alpha", self.alpha), ("gamma", self.gamma)] {
            let inside = (0.0..=1.0).contains(&value);
            check(parameter, value, inside, "must be in [0, 1]")?;
        }
        let growths = [
            ("beta_linear", self.beta_linear),
            ("beta_angular", self.beta_angular),
        ];
        for (parameter, value) in growths {
            check(parameter, value, value >= 0.0, "must be finite and >= 0")?;
        }
        let (min, max) = (self.penalty_min, self.penalty_max);
        check("penalty_min", min, min > 0.0, "must be finite and > 0")?;
        check(
            "penalty_max",
            max,
            max >= min,
            "must be finite and >= penalty_min",
        )
    }
}
