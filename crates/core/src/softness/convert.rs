//! Conversions between the parametrisations of a soft row, in both directions (S.5)–(S.7).

use std::f64::consts::TAU;

use super::{SoftRow, Softness};

/// Softness as in v⁺ + β C/h + γ λ = 0 \[Catto2011\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BetaGamma {
    /// Share of the error that one step removes \[-\]; equal to ERP.
    pub beta: f64,
    /// Velocity per impulse \[1/kg | 1/(kg·m²)\]; equal to CFM/h and to the compliance R.
    pub gamma: f64,
}

/// Softness as in Δλ = −mass_scale·m_eff (v + bias_rate·C) − impulse_scale·λ \[Catto2024\].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftScales {
    /// Bias velocity per error \[1/s\].
    pub bias_rate: f64,
    /// Softened effective mass over the rigid one \[-\], in \[0, 1\].
    pub mass_scale: f64,
    /// Fraction of the accumulated impulse that an update subtracts \[-\]; 1 − mass_scale.
    pub impulse_scale: f64,
}

impl BetaGamma {
    /// The row at a step h \[s\].
    pub fn row(&self, h: f64) -> SoftRow {
        SoftRow {
            bias_rate: self.beta / h,
            compliance: self.gamma,
        }
    }

    /// Returns a softness that uses this β and γ at every step length.
    pub fn fixed_softness(&self) -> Softness {
        let Self { beta, gamma } = *self;
        Softness::BetaGamma { beta, gamma }
    }
}

impl SoftScales {
    /// Returns the row whose A_ii is `diagonal` \[1/kg\]. `None` if the mass scale is not positive,
    /// because no spring corresponds to it: such a row would have no effect.
    pub fn row(&self, diagonal: f64) -> Option<SoftRow> {
        (self.mass_scale > 0.0).then(|| SoftRow {
            bias_rate: self.bias_rate,
            compliance: diagonal * self.impulse_scale / self.mass_scale,
        })
    }

    /// Returns a softness that uses these three scales at every step length.
    pub fn fixed_softness(&self) -> Softness {
        Softness::Scales {
            bias_rate: self.bias_rate,
            mass_scale: self.mass_scale,
            impulse_scale: self.impulse_scale,
        }
    }
}

impl SoftRow {
    /// As β and γ at a step h \[s\] (S.5).
    pub fn beta_gamma(&self, h: f64) -> BetaGamma {
        BetaGamma {
            beta: h * self.bias_rate,
            gamma: self.compliance,
        }
    }

    /// As ERP and CFM at a step h \[s\] (S.5).
    pub fn erp_cfm(&self, h: f64) -> Softness {
        Softness::ErpCfm {
            erp: h * self.bias_rate,
            cfm: h * self.compliance,
        }
    }

    /// As the scales of a row whose A_ii is `diagonal` \[1/kg\] (S.6).
    pub fn scales(&self, diagonal: f64) -> SoftScales {
        let softened = diagonal + self.compliance;
        SoftScales {
            bias_rate: self.bias_rate,
            mass_scale: diagonal / softened,
            impulse_scale: self.compliance / softened,
        }
    }

    /// As stiffness and damping, at a step h \[s\] (S.7).
    ///
    /// `None` if no spring corresponds to the row: it has no compliance, or removes more than its
    /// error in one step.
    pub fn spring(&self, h: f64) -> Option<Softness> {
        let erp = h * self.bias_rate;
        // an undamped spring has erp = 1 up to the rounding of h·(1/h)
        let possible = self.compliance > 0.0 && (0.0..=1.0 + 4.0 * f64::EPSILON).contains(&erp);
        let impedance = 1.0 / (h * self.compliance);
        possible.then(|| Softness::Spring {
            stiffness: self.bias_rate * impedance,
            damping: (1.0 - erp).max(0.0) * impedance,
        })
    }

    /// Returns frequency and damping ratio of a row whose A_ii is `diagonal` \[1/kg\], at a step h
    /// \[s\] (S.7).
    ///
    /// `None` if [`Self::spring`] is `None`, and for a damper without a spring.
    pub fn frequency(&self, diagonal: f64, h: f64) -> Option<Softness> {
        let Some(Softness::Spring { stiffness, damping }) = self.spring(h) else {
            return None;
        };
        let omega = (stiffness * diagonal).sqrt();
        (omega > 0.0).then(|| Softness::Frequency {
            hertz: omega / TAU,
            damping_ratio: 0.5 * damping * diagonal / omega,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        // a few roundings each way; 1 − erp loses what erp has more than the damping
        (a - b).abs() <= 1e-12 * (a.abs() + b.abs())
    }

    #[test]
    fn every_parametrisation_comes_back() {
        for hertz in [0.3, 5.0, 29.0] {
            for damping_ratio in [0.01, 0.7, 1.0, 10.0] {
                for (diagonal, h) in [(1.0, 1.0 / 60.0), (37.5, 1e-3), (1e-4, 0.1)] {
                    let softness = Softness::Frequency {
                        hertz,
                        damping_ratio,
                    };
                    let row = softness.row(diagonal, h).unwrap();
                    let forms = [
                        row.frequency(diagonal, h).unwrap().row(diagonal, h),
                        row.spring(h).unwrap().row(diagonal, h),
                        row.erp_cfm(h).row(diagonal, h),
                        Some(row.beta_gamma(h).row(h)),
                        row.scales(diagonal).row(diagonal),
                    ];
                    for (index, form) in forms.into_iter().enumerate() {
                        let form = form.unwrap();
                        let same = close(form.bias_rate, row.bias_rate)
                            && close(form.compliance, row.compliance);
                        assert!(same, "{index}: {form:?} {row:?}");
                    }
                    let Softness::Frequency {
                        hertz: f,
                        damping_ratio: z,
                    } = row.frequency(diagonal, h).unwrap()
                    else {
                        panic!()
                    };
                    // 1 − erp keeps 2ζ/(2ζ + hω) of its digits: at worst 1e-3 here
                    assert!(close(f, hertz) && (z - damping_ratio).abs() < 1e-11);
                    let spring = row.spring(h).unwrap();
                    let k = softness.stiffness(diagonal, h);
                    assert!(close(spring.stiffness(diagonal, h), k));
                    let d = softness.damping(diagonal, h);
                    assert!((spring.damping(diagonal, h) - d).abs() < 1e-12 * (d + h * k));
                }
            }
        }
    }

    #[test]
    fn an_undamped_spring_comes_back_and_impossible_ones_do_not() {
        for h in [1.0 / 60.0, 1.0 / 49.0, 0.1, 1e-3] {
            let softness = Softness::Spring {
                stiffness: 40.0,
                damping: 0.0,
            };
            let row = softness.row(0.5, h).unwrap();
            let Softness::Spring { stiffness, damping } = row.spring(h).unwrap() else {
                panic!()
            };
            assert!(close(stiffness, 40.0) && damping < 1e-13 * h * stiffness);
        }
        let row = |bias_rate, compliance| SoftRow {
            bias_rate,
            compliance,
        };
        assert_eq!(row(10.0, 0.0).spring(0.1), None);
        assert_eq!(row(11.0, 1.0).spring(0.1), None);
        assert_eq!(row(-1.0, 1.0).spring(0.1), None);
        // a damper: v⁺ = −R λ without a bias
        let damper = Softness::Spring {
            stiffness: 0.0,
            damping: 4.0,
        };
        let soft = damper.row(1.0, 0.1).unwrap();
        assert_eq!(soft.spring(0.1), Some(damper));
        assert_eq!(soft.frequency(1.0, 0.1), None);
        let off = SoftScales {
            bias_rate: 1.0,
            mass_scale: 0.0,
            impulse_scale: 1.0,
        };
        assert_eq!(off.row(1.0), None);
    }
}
