//! The parametrisations in which a scene can write one and the same spring.

use delassus_core::{Choice, SoftRow, Softness};

/// How the softness of a joint is written (S.1)–(S.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
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
    /// The spring of `hertz` \[Hz\] and `damping_ratio` on a row whose A_ii is `diagonal` \[1/kg\],
    /// written in this form; `step` \[s\] is the one that ERP and CFM, β and γ or the scales are
    /// for.
    ///
    /// 0 Hz is rigid. A joint keeps the numbers of its form: at another step the last three are
    /// three other springs.
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
            Self::BetaGamma => Some(row.beta_gamma(step).fixed_softness()),
            Self::Scales => Some(row.scales(diagonal).fixed_softness()),
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
        assert!((soft.damping(diagonal, 0.5 * step) / omega - 1.0).abs() < 1e-14);
    }

    #[test]
    fn at_another_step_beta_gamma_and_the_scales_keep_their_numbers() {
        let (diagonal, step, h) = (0.4, 0.02, 0.005);
        let row = |form: SoftForm, h: f64| {
            let soft = form.write(3.0, 0.5, diagonal, step).unwrap();
            assert!(soft.validate().is_ok(), "{form:?}");
            (soft, soft.row(diagonal, h).unwrap())
        };
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-13;
        let own = row(SoftForm::BetaGamma, step).1;
        let (soft, other) = row(SoftForm::BetaGamma, h);
        // β of the error in a shorter step, the same γ
        assert!(close(h * other.bias_rate, step * own.bias_rate));
        assert!(close(other.compliance, own.compliance));
        let (soft_scales, other) = row(SoftForm::Scales, h);
        assert!(close(other.bias_rate, own.bias_rate) && close(other.compliance, own.compliance));
        // ERP and CFM divide the same CFM by the shorter step
        let other = row(SoftForm::ErpCfm, h).1;
        assert!(close(other.compliance, own.compliance * step / h));
        // the springs that these are (S.7), from k = (2π 3)²/A and d = 2·0.5·2π 3/A at the step of
        // the form
        let omega = std::f64::consts::TAU * 3.0;
        let (k, d, r) = (omega * omega / diagonal, omega / diagonal, step / h);
        assert!(close(soft.stiffness(diagonal, h), r * r * k));
        assert!(close(soft.damping(diagonal, h), r * d));
        assert!(close(soft_scales.stiffness(diagonal, h), r * k));
        let damping = r * d + (r - 1.0) * step * k;
        assert!(close(soft_scales.damping(diagonal, h), damping));
    }
}
