//! Softness of a constraint: three parametrisations of one spring-damper, and what a solver needs of it.

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

use crate::error::ParameterError;

/// How soft a row is. All of them are an implicit-Euler spring-damper; rigid is its limit (S.1)–(S.7).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Softness {
    /// Not soft.
    #[default]
    Rigid,
    /// By frequency and damping ratio of the row as if it were alone: independent of mass.
    Frequency {
        /// Undamped natural frequency \[Hz\]; > 0.
        hertz: f64,
        /// Damping ratio ζ \[-\]; ≥ 0.
        damping_ratio: f64,
    },
    /// By spring stiffness and damping.
    Spring {
        /// Stiffness k \[N/m | N·m/rad\]; > 0.
        stiffness: f64,
        /// Damping d \[N·s/m | N·m·s/rad\]; ≥ 0.
        damping: f64,
    },
    /// By error reduction and constraint force mixing, at the step that the scheme takes.
    ErpCfm {
        /// Share of the error that one step removes \[-\], in \[0, 1\].
        erp: f64,
        /// Velocity per force \[m/(N·s) | rad/(N·m·s)\]; ≥ 0. The compliance R of a row is cfm/h.
        cfm: f64,
    },
}

/// What a softness is for one row and one step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftRow {
    /// Bias velocity per error \[1/s\] (S.4).
    pub bias_rate: f64,
    /// Diagonal compliance R \[1/kg | 1/(kg·m²)\] (S.3).
    pub compliance: f64,
}

impl Softness {
    /// True if the row is rigid.
    pub fn is_rigid(&self) -> bool {
        *self == Self::Rigid
    }

    /// Checks the numbers against their ranges.
    ///
    /// # Errors
    /// The first parameter out of its range.
    pub fn validate(&self) -> Result<(), ParameterError> {
        let check = |parameter: &'static str, value: f64, ok: bool, expected: &'static str| {
            if ok && value.is_finite() {
                Ok(())
            } else {
                Err(ParameterError {
                    parameter,
                    value: value.to_string(),
                    expected,
                })
            }
        };
        match *self {
            Self::Rigid => Ok(()),
            Self::Frequency {
                hertz,
                damping_ratio,
            } => {
                check(
                    "hertz",
                    hertz,
                    hertz > 0.0,
                    "must be > 0 [Hz]; leave the softness out for a rigid row",
                )?;
                check(
                    "damping_ratio",
                    damping_ratio,
                    damping_ratio >= 0.0,
                    "must be ≥ 0 [-]",
                )
            }
            Self::Spring { stiffness, damping } => {
                check("stiffness", stiffness, stiffness > 0.0, "must be > 0 [N/m]")?;
                check("damping", damping, damping >= 0.0, "must be ≥ 0 [N·s/m]")
            }
            Self::ErpCfm { erp, cfm } => {
                check(
                    "erp",
                    erp,
                    (0.0..=1.0).contains(&erp),
                    "must be in [0, 1] [-]",
                )?;
                check("cfm", cfm, cfm >= 0.0, "must be ≥ 0")
            }
        }
    }

    /// The numbers of one row for a step h \[s\]; `diagonal` is A_ii of the row \[1/kg\]. `None` if it is rigid.
    pub fn row(&self, diagonal: f64, h: f64) -> Option<SoftRow> {
        match *self {
            Self::Rigid => None,
            Self::Frequency {
                hertz,
                damping_ratio,
            } => {
                let omega = TAU * hertz;
                let damped = 2.0 * damping_ratio + h * omega;
                Some(SoftRow {
                    bias_rate: omega / damped,
                    compliance: diagonal / (h * omega * damped),
                })
            }
            Self::Spring { stiffness, damping } => {
                let denominator = damping + h * stiffness;
                Some(SoftRow {
                    bias_rate: stiffness / denominator,
                    compliance: 1.0 / (h * denominator),
                })
            }
            Self::ErpCfm { erp, cfm } => Some(SoftRow {
                bias_rate: erp / h,
                compliance: cfm / h,
            }),
        }
    }

    /// Stiffness of the row's spring \[N/m\]; infinite where it is rigid or has no spring at the step h.
    pub fn stiffness(&self, diagonal: f64, h: f64) -> f64 {
        match *self {
            Self::Rigid => f64::INFINITY,
            Self::Frequency { hertz, .. } => {
                let omega = TAU * hertz;
                omega * omega / diagonal
            }
            Self::Spring { stiffness, .. } => stiffness,
            Self::ErpCfm { erp, cfm } => erp / (h * cfm),
        }
    }
}
