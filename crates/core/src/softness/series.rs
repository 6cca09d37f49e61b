//! Two springs in series: the combined softness of two soft surfaces.

use super::Softness;

impl Softness {
    /// Returns the softness of two springs in series, if both have the same form. `None` otherwise,
    /// because different forms can be combined only with masses and a step (S.22).
    ///
    /// If one spring is rigid, the result is the other one. Compliances add. The resulting damping
    /// dissipates as much as both dampers together when the springs share the deformation according
    /// to their compliances. Frequencies and scales are relative to the effective mass of the pair;
    /// the softer of the two is used. Impedances are mixed as in MuJoCo
    /// ([`super::Impedance::mixed`]).
    pub fn in_series(self, other: Self) -> Option<Self> {
        use Softness as S;
        Some(match (self, other) {
            (S::Rigid, soft) | (soft, S::Rigid) => soft,
            (S::Frequency { .. }, S::Frequency { .. }) | (S::Scales { .. }, S::Scales { .. }) => {
                if self.relative_stiffness() <= other.relative_stiffness() {
                    self
                } else {
                    other
                }
            }
            (
                S::Spring {
                    stiffness: k,
                    damping: d,
                },
                S::Spring {
                    stiffness: l,
                    damping: e,
                },
            ) => springs([k, d], [l, e]),
            (S::ErpCfm { erp: a, cfm: r }, S::ErpCfm { erp: b, cfm: s }) => S::ErpCfm {
                erp: weighted([a, b], [r, s]),
                cfm: r + s,
            },
            (S::BetaGamma { beta: a, gamma: r }, S::BetaGamma { beta: b, gamma: s }) => {
                S::BetaGamma {
                    beta: weighted([a, b], [r, s]),
                    gamma: r + s,
                }
            }
            (S::Impedance(one), S::Impedance(other)) => S::Impedance(one.mixed(other)?),
            _ => return None,
        })
    }

    /// What orders softness of a form that is relative to the mass: the smaller one is softer.
    fn relative_stiffness(self) -> Option<[f64; 2]> {
        match self {
            Self::Frequency {
                hertz,
                damping_ratio,
            } => Some([hertz, damping_ratio]),
            Self::Scales {
                bias_rate,
                mass_scale,
                ..
            } => Some([mass_scale, bias_rate]),
            _ => None,
        }
    }

    /// Returns R/A_ii of a row at the step h \[s\] for frequencies and scales, where it does not
    /// depend on the mass \[-\]. `None` for the other forms, whose R is not proportional to A_ii.
    pub fn relative_compliance(&self, h: f64) -> Option<f64> {
        match self {
            Self::Frequency { .. } | Self::Scales { .. } => Some(self.row(1.0, h)?.compliance),
            _ => None,
        }
    }

    /// The name of this form of softness in files.
    pub fn form(&self) -> &'static str {
        match self {
            Self::Rigid => "rigid",
            Self::Frequency { .. } => "frequency",
            Self::Spring { .. } => "spring",
            Self::ErpCfm { .. } => "erp-cfm",
            Self::BetaGamma { .. } => "beta-gamma",
            Self::Scales { .. } => "scales",
            Self::Impedance(_) => "impedance",
        }
    }
}

/// (stiffness, damping) in series.
fn springs([k, d]: [f64; 2], [l, e]: [f64; 2]) -> Softness {
    let both = k + l;
    if both == 0.0 {
        // dampers alone
        return Softness::Spring {
            stiffness: 0.0,
            damping: d * (e / (d + e)),
        };
    }
    // shares of the deformation
    let (first, second) = (l / both, k / both);
    Softness::Spring {
        stiffness: k * first,
        damping: d * first * first + e * second * second,
    }
}

/// The mean with these weights; the smaller one where both weights are zero.
fn weighted(values: [f64; 2], weights: [f64; 2]) -> f64 {
    let sum = weights[0] + weights[1];
    if sum == 0.0 {
        return values[0].min(values[1]);
    }
    values[0] * (weights[0] / sum) + values[1] * (weights[1] / sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spring(stiffness: f64, damping: f64) -> Softness {
        Softness::Spring { stiffness, damping }
    }

    fn frequency(hertz: f64, damping_ratio: f64) -> Softness {
        Softness::Frequency {
            hertz,
            damping_ratio,
        }
    }

    #[test]
    fn series_do_not_depend_on_the_order_and_rigid_ones_do_nothing() {
        let mixing = |erp, cfm| Softness::ErpCfm { erp, cfm };
        let gamma = |beta, gamma| Softness::BetaGamma { beta, gamma };
        let scales = |bias_rate, mass_scale: f64| Softness::Scales {
            bias_rate,
            mass_scale,
            impulse_scale: 1.0 - mass_scale,
        };
        let pairs = [
            (spring(3.0, 1.0), spring(5.0, 0.5)),
            (spring(0.0, 1.0), spring(5.0, 0.0)),
            (frequency(3.0, 1.0), frequency(3.0, 0.5)),
            (mixing(0.2, 0.01), mixing(0.4, 0.03)),
            (gamma(0.2, 0.0), gamma(0.4, 0.0)),
            (scales(3.0, 0.5), scales(5.0, 0.25)),
        ];
        for (a, b) in pairs {
            let together = a.in_series(b).unwrap();
            assert_eq!(together, b.in_series(a).unwrap());
            assert!(together.validate().is_ok(), "{together:?}");
            assert_eq!(a.in_series(Softness::Rigid), Some(a));
            assert_eq!(Softness::Rigid.in_series(b), Some(b));
        }
        assert_eq!(spring(1.0, 0.0).in_series(frequency(1.0, 0.0)), None);
    }

    #[test]
    fn springs_in_series_by_hand() {
        // equal springs: half the stiffness, half the damping
        assert_eq!(
            spring(4.0, 2.0).in_series(spring(4.0, 2.0)),
            Some(spring(2.0, 1.0))
        );
        // d/k of both is a second: a series of dampers as well, 3·6/9
        let Some(Softness::Spring { stiffness, damping }) =
            spring(3.0, 3.0).in_series(spring(6.0, 6.0))
        else {
            panic!()
        };
        assert!((stiffness - 2.0).abs() < 1e-15 && (damping - 2.0).abs() < 1e-15);
        // a damper takes all of the deformation of a spring behind it
        assert_eq!(
            spring(0.0, 2.0).in_series(spring(7.0, 1.0)),
            Some(spring(0.0, 2.0))
        );
        assert_eq!(
            spring(0.0, 2.0).in_series(spring(0.0, 2.0)),
            Some(spring(0.0, 1.0))
        );
        // the softer one of two frequencies, and of equal ones the less damped
        assert_eq!(
            frequency(5.0, 0.1).in_series(frequency(2.0, 3.0)),
            Some(frequency(2.0, 3.0))
        );
        // compliances add, the error that each removes counts with its compliance
        let mixing = |erp, cfm| Softness::ErpCfm { erp, cfm };
        let together = mixing(0.2, 0.25).in_series(mixing(0.4, 0.75));
        let Some(Softness::ErpCfm { erp, cfm }) = together else {
            panic!()
        };
        assert!((erp - 0.35).abs() < 1e-15 && cfm == 1.0);
    }

    #[test]
    fn only_forms_that_follow_the_mass_have_a_relative_compliance() {
        let h = 0.01;
        let relative = frequency(5.0, 0.7).relative_compliance(h).unwrap();
        let row = frequency(5.0, 0.7).row(0.25, h).unwrap();
        assert!((row.compliance - 0.25 * relative).abs() < 1e-15);
        assert_eq!(spring(1.0, 1.0).relative_compliance(h), None);
        assert_eq!(Softness::Rigid.relative_compliance(h), None);
    }
}
