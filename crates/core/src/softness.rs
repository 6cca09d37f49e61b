//! Softness of a constraint: a spring-damper, its parametrisations, and its numbers for a solver.
//!
//! A soft row is a spring-damper on the effective mass of this row, integrated with implicit Euler
//! (S.1)–(S.4). Five parametrisations are in use: frequency and damping ratio, stiffness and
//! damping, ERP and CFM ([`Softness`]), [`BetaGamma`] and [`SoftScales`]. [`SoftRow`] has the
//! numbers of a row for one step. Every conversion between parametrisations goes through
//! [`SoftRow`]. The sixth form, [`Impedance`], is not such a spring-damper, because its numbers
//! depend on the error of the row.
//!
//! Theory: docs/theory/09-softness.md. Source: \[Catto2011\], \[Catto2024\], \[Smith2006\].

mod convert;
mod impedance;
mod series;

use std::f64::consts::TAU;

use serde::{Deserialize, Serialize};

pub use convert::{BetaGamma, SoftScales};
pub use impedance::{DiagonalEstimate, Impedance, ImpedanceRow};

use crate::error::ParameterError;
use crate::parameter::require;

/// Softness of a row. Every variant except the last is a spring-damper integrated with implicit
/// Euler; a rigid row is the limit of infinite stiffness (S.1)–(S.7).
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub enum Softness {
    /// Not soft.
    #[default]
    Rigid,
    /// Frequency and damping ratio of the row alone, independent of the mass.
    Frequency {
        /// Undamped natural frequency \[Hz\]; > 0.
        hertz: f64,
        /// Damping ratio ζ \[-\]; ≥ 0.
        damping_ratio: f64,
    },
    /// By spring stiffness and damping; one of them may be zero.
    Spring {
        /// Stiffness k \[N/m | N·m/rad\]; ≥ 0.
        stiffness: f64,
        /// Damping d \[N·s/m | N·m·s/rad\]; ≥ 0.
        damping: f64,
    },
    /// Error reduction parameter and constraint force mixing, for the step of the scheme.
    ErpCfm {
        /// Target fraction of the error that one step removes \[-\], in \[0, 1\]; exact if cfm = 0.
        erp: f64,
        /// Velocity per force \[m/(N·s) | rad/(N·m·s)\]; ≥ 0. The compliance R of a row is cfm/h.
        cfm: f64,
    },
    /// β and γ, unchanged for every length of the step; see the struct [`BetaGamma`].
    BetaGamma {
        /// Target fraction of the error that one step removes \[-\], in \[0, 1\].
        beta: f64,
        /// Compliance R of a row \[1/kg | 1/(kg·m²)\]; ≥ 0.
        gamma: f64,
    },
    /// Scales of a soft update, unchanged for every length of the step; see [`SoftScales`].
    Scales {
        /// Bias velocity per error \[1/s\]; ≥ 0, and at most 1/h.
        bias_rate: f64,
        /// Softened effective mass over the rigid one \[-\], in (0, 1\].
        mass_scale: f64,
        /// Fraction of the accumulated impulse that an update subtracts \[-\]; 1 − mass_scale.
        impulse_scale: f64,
    },
    /// Reference acceleration and impedance as in MuJoCo; see [`Impedance`]. The rows of friction
    /// of a contact have it too.
    Impedance(Impedance),
}

/// How far the two scales of a row may be from a sum of one \[-\]: files with printed digits are
/// read.
const SCALES_SUM: f64 = 1e-6;

/// Numbers of a soft row for one step: v⁺ + R λ + bias_rate·C = 0 (S.2).
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
        match *self {
            Self::Rigid => Ok(()),
            Self::Frequency {
                hertz,
                damping_ratio: ratio,
            } => {
                let expected = "must be > 0 [Hz]; leave the softness out for a rigid row";
                check("hertz", hertz, hertz > 0.0, expected)?;
                check("damping_ratio", ratio, ratio >= 0.0, "must be ≥ 0 [-]")
            }
            Self::Spring { stiffness, damping } => {
                let expected = "must be ≥ 0 [N/m]";
                check("stiffness", stiffness, stiffness >= 0.0, expected)?;
                check("damping", damping, damping >= 0.0, "must be ≥ 0 [N·s/m]")?;
                let expected = "must be > 0 [N/m] where the damping is zero";
                check("stiffness", stiffness, stiffness + damping > 0.0, expected)
            }
            Self::ErpCfm { erp, cfm } => {
                let expected = "must be in [0, 1] [-]";
                check("erp", erp, (0.0..=1.0).contains(&erp), expected)?;
                check("cfm", cfm, cfm >= 0.0, "must be ≥ 0")
            }
            Self::BetaGamma { beta, gamma } => {
                let expected = "must be in [0, 1] [-]";
                check("beta", beta, (0.0..=1.0).contains(&beta), expected)?;
                check("gamma", gamma, gamma >= 0.0, "must be ≥ 0 [1/kg]")
            }
            Self::Scales {
                bias_rate: rate,
                mass_scale: mass,
                impulse_scale: impulse,
            } => {
                check("bias_rate", rate, rate >= 0.0, "must be ≥ 0 [1/s]")?;
                let fits = mass > 0.0 && mass <= 1.0;
                let expected =
                    "must be above 0 and at most 1 [-]; a scale of 0 switches the row off";
                check("mass_scale", mass, fits, expected)?;
                let fits = (mass + impulse - 1.0).abs() <= SCALES_SUM && impulse >= 0.0;
                let expected = "must be 1 − mass_scale and ≥ 0 [-]";
                check("impulse_scale", impulse, fits, expected)
            }
            Self::Impedance(impedance) => impedance.validate(),
        }
    }

    /// Returns the impedance; `None` for other forms of softness.
    pub fn impedance(&self) -> Option<Impedance> {
        match self {
            Self::Impedance(impedance) => Some(*impedance),
            _ => None,
        }
    }

    /// Returns ERP, the target fraction of the error that a step h \[s\] removes \[-\] (S.5). With
    /// compliance, the step removes less. `None` if the row is rigid or has an impedance.
    pub fn erp(&self, h: f64) -> Option<f64> {
        match *self {
            Self::Rigid | Self::Impedance(_) => None,
            Self::Frequency {
                hertz,
                damping_ratio,
            } => {
                let step = TAU * hertz * h;
                Some(step / (step + 2.0 * damping_ratio))
            }
            Self::Spring { stiffness, damping } => {
                let step = h * stiffness;
                Some(step / (step + damping))
            }
            Self::ErpCfm { erp, .. } => Some(erp),
            Self::BetaGamma { beta, .. } => Some(beta),
            Self::Scales { bias_rate, .. } => Some(h * bias_rate),
        }
    }

    /// The numbers of one row for a step h \[s\]; `diagonal` is A_ii of the row \[1/kg\] (S.3,
    /// S.4). `None` if the row is rigid or has an impedance, whose numbers depend on the error of
    /// the row ([`Impedance::row`]).
    pub fn row(&self, diagonal: f64, h: f64) -> Option<SoftRow> {
        let erp = self.erp(h)?;
        let compliance = match *self {
            Self::Rigid | Self::Impedance(_) => return None,
            Self::Frequency {
                hertz,
                damping_ratio,
            } => {
                let step = TAU * hertz * h;
                diagonal / (step * (2.0 * damping_ratio + step))
            }
            Self::Spring { stiffness, damping } => 1.0 / (h * (damping + h * stiffness)),
            Self::ErpCfm { cfm, .. } => cfm / h,
            Self::BetaGamma { gamma, .. } => gamma,
            Self::Scales {
                bias_rate,
                mass_scale,
                impulse_scale,
            } => {
                let compliance = diagonal * impulse_scale / mass_scale;
                return Some(SoftRow {
                    bias_rate,
                    compliance,
                });
            }
        };
        Some(SoftRow {
            bias_rate: erp / h,
            compliance,
        })
    }

    /// Stiffness of the row's spring \[N/m\] (S.7); infinite if the row is rigid, has an impedance,
    /// or has no spring at the step h \[s\].
    pub fn stiffness(&self, diagonal: f64, h: f64) -> f64 {
        match *self {
            Self::Rigid | Self::Impedance(_) => f64::INFINITY,
            Self::Frequency { hertz, .. } => {
                let omega = TAU * hertz;
                omega * omega / diagonal
            }
            Self::Spring { stiffness, .. } => stiffness,
            Self::ErpCfm { cfm: 0.0, .. } => f64::INFINITY,
            Self::ErpCfm { erp, cfm } => erp / (h * cfm),
            Self::BetaGamma { .. } | Self::Scales { .. } => {
                self.of_row(diagonal, h, |row| row.bias_rate)
            }
        }
    }

    /// `what` of the row over hR (S.7); infinite for a row without compliance.
    fn of_row(&self, diagonal: f64, h: f64, what: impl Fn(SoftRow) -> f64) -> f64 {
        let row = self.row(diagonal, h).filter(|row| row.compliance > 0.0);
        row.map_or(f64::INFINITY, |row| what(row) / (h * row.compliance))
    }

    /// Damping of the row at the step h \[N·s/m\] (S.7); infinite if [`Self::stiffness`] is
    /// infinite.
    pub fn damping(&self, diagonal: f64, h: f64) -> f64 {
        match *self {
            Self::Rigid | Self::Impedance(_) | Self::ErpCfm { cfm: 0.0, .. } => f64::INFINITY,
            Self::Frequency {
                hertz,
                damping_ratio,
            } => 2.0 * damping_ratio * TAU * hertz / diagonal,
            Self::Spring { damping, .. } => damping,
            Self::ErpCfm { erp, cfm } => (1.0 - erp) / cfm,
            Self::BetaGamma { .. } | Self::Scales { .. } => {
                self.of_row(diagonal, h, |row| 1.0 - h * row.bias_rate)
            }
        }
    }
}

fn check(
    parameter: &'static str,
    value: f64,
    ok: bool,
    expected: &'static str,
) -> Result<(), ParameterError> {
    require(ok && value.is_finite(), parameter, value, expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_out_of_range_are_refused() {
        let spring = |stiffness, damping| Softness::Spring { stiffness, damping };
        let frequency = |hertz, damping_ratio| Softness::Frequency {
            hertz,
            damping_ratio,
        };
        let mixing = |erp, cfm| Softness::ErpCfm { erp, cfm };
        let bad = [
            (frequency(0.0, 1.0), "hertz"),
            (frequency(f64::INFINITY, 1.0), "hertz"),
            (frequency(1.0, -1e-9), "damping_ratio"),
            (frequency(1.0, f64::NAN), "damping_ratio"),
            (spring(0.0, 0.0), "stiffness"),
            (spring(-1.0, 1.0), "stiffness"),
            (spring(1.0, -1.0), "damping"),
            (mixing(1.1, 0.0), "erp"),
            (mixing(0.2, -1.0), "cfm"),
        ];
        for (softness, parameter) in bad {
            let error = softness.validate().unwrap_err();
            assert_eq!(error.parameter, parameter, "{softness:?}");
        }
        let good = [
            Softness::Rigid,
            frequency(1e-3, 0.0),
            spring(0.0, 1.0),
            spring(1.0, 0.0),
            mixing(0.0, 0.0),
            mixing(1.0, 1.0),
        ];
        for softness in good {
            softness.validate().unwrap();
        }
    }
}
