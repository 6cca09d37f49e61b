//! The parametrisations in which a scene can write one and the same spring.

use delassus_core::{SoftRow, Softness};
use serde::{Deserialize, Serialize};

/// How the softness of a joint is written (S.1)–(S.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SoftForm {
    /// Frequency and damping ratio.
    Frequency,
    /// Stiffness and damping.
    Spring,
    /// ERP and CFM at one step.
    ErpCfm,
    /// β and γ at one step.
    BetaGamma,
    /// Bias rate, mass scale and impulse scale at one step.
    Scales,
}

impl SoftForm {
    /// The spring of `hertz` \[Hz\] and `damping_ratio` on a row whose A_ii is `diagonal` \[1/kg\], written in this form;
    /// `step` \[s\] is the one that ERP and CFM, β and γ or the scales are for.
    ///
    /// 0 Hz is rigid. The last two forms go back to ERP and CFM, which a joint can hold.
    pub(crate) fn write(
        self,
        hertz: f64,
        damping_ratio: f64,
        diagonal: f64,
        step: f64,
    ) -> Option<Softness> {
        if hertz == 0.0 {
            return Some(Softness::Rigid);
        }
        let softness = Softness::Frequency {
            hertz,
            damping_ratio,
        };
        let row: SoftRow = softness.row(diagonal, step)?;
        match self {
            Self::Frequency => Some(softness),
            Self::Spring => row.spring(step),
            Self::ErpCfm => Some(row.erp_cfm(step)),
            Self::BetaGamma => Some(row.beta_gamma(step).row(step).erp_cfm(step)),
            Self::Scales => {
                let row = row.scales(diagonal).row(diagonal)?;
                Some(row.erp_cfm(step))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMS: [SoftForm; 5] = [
        SoftForm::Frequency,
        SoftForm::Spring,
        SoftForm::ErpCfm,
        SoftForm::BetaGamma,
        SoftForm::Scales,
    ];

    #[test]
    fn at_their_step_all_forms_are_one_row() {
        let (diagonal, step) = (0.4, 1.0 / 60.0);
        let exact = FORMS[0].write(5.0, 0.7, diagonal, step).unwrap();
        let exact = exact.row(diagonal, step).unwrap();
        for form in FORMS {
            let row = form.write(5.0, 0.7, diagonal, step).unwrap();
            let row = row.row(diagonal, step).unwrap();
            assert!(
                (row.bias_rate / exact.bias_rate - 1.0).abs() < 1e-14,
                "{form:?}"
            );
            assert!(
                (row.compliance / exact.compliance - 1.0).abs() < 1e-14,
                "{form:?}"
            );
            assert_eq!(form.write(0.0, 0.7, diagonal, step), Some(Softness::Rigid));
        }
    }

    #[test]
    fn at_another_step_erp_and_cfm_are_another_spring() {
        let (diagonal, step) = (1.0, 0.02);
        let soft = SoftForm::ErpCfm.write(3.0, 0.5, diagonal, step).unwrap();
        let omega = std::f64::consts::TAU * 3.0;
        // d stays, k grows by the ratio of the steps
        let k = soft.stiffness(diagonal, 0.5 * step);
        assert!((k / (2.0 * omega * omega) - 1.0).abs() < 1e-14);
        assert!((soft.damping(diagonal) / omega - 1.0).abs() < 1e-14);
    }
}
