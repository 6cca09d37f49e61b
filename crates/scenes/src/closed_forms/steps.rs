//! The substeps of a run, and what several closed forms compute with them.

use delassus_metrics::ClosedForm;
use serde_json::{Map, Value};

use crate::scene::Scene;
use crate::soft::SoftForm;

/// The equal substeps of a run with a velocity-level scheme.
#[derive(Debug, Clone, Copy)]
pub struct SchemeSteps<'r> {
    /// Length of a substep \[s\].
    pub h: f64,
    /// Number of substeps of the run \[-\].
    pub count: usize,
    /// Parameters of the scheme.
    pub parameters: &'r Map<String, Value>,
    /// True if the solver sweeps over the rows one by one in their order, and accumulates their
    /// impulses.
    pub in_order: bool,
}

impl SchemeSteps<'_> {
    pub(super) fn number(&self, key: &str) -> Option<f64> {
        self.parameters.get(key)?.as_f64()
    }

    pub(super) fn text(&self, key: &str) -> &str {
        let value = self.parameters.get(key).and_then(Value::as_str);
        value.unwrap_or_default()
    }

    /// True if the scheme runs this kind of pass.
    pub(super) fn has(&self, key: &str) -> bool {
        self.number(key).is_some_and(|count| count > 0.0)
    }

    /// True if a substep is one solve and one move.
    pub(super) fn is_plain(&self) -> bool {
        !self.has("relax_sweeps") && !self.has("position_sweeps")
    }

    /// What the scheme must give, known at the ends of substeps only.
    pub(super) fn law(&self, name: impl Into<String>, values: Vec<f64>) -> ClosedForm {
        let h = self.h;
        let at = move |t: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "within the number of substeps, or saturating"
            )]
            let index = (t / h).round() as usize;
            values.get(index).copied().unwrap_or(f64::NAN)
        };
        ClosedForm {
            name: name.into(),
            of_method: true,
            discrete: true,
            at: Box::new(at),
        }
    }
}

/// A scene; `None` where its parameters do not fit, as in a record of another version.
pub(super) fn parsed<S: Scene>(parameters: &Map<String, Value>) -> Option<S> {
    S::from_map(parameters).ok()
}

/// Stiffness and damping at steps h of a spring (k, d) written for the step s: forms that keep
/// numbers of one step are another spring at another one (S.15).
pub(super) fn kept(form: SoftForm, s: f64, h: f64, k: f64, d: f64) -> (f64, f64) {
    let ratio = s / h;
    match form {
        SoftForm::Frequency | SoftForm::Spring => (k, d),
        SoftForm::ErpCfm => (ratio * k, d),
        SoftForm::BetaGamma => (ratio * ratio * k, ratio * d),
        SoftForm::Scales => (ratio * k, ratio * d + (ratio - 1.0) * s * k),
    }
}

/// A damped oscillator released from 1 at rest.
pub(super) fn released(omega: f64, zeta: f64, t: f64) -> f64 {
    let rate = zeta * omega;
    if zeta == 1.0 {
        return libm::exp(-rate * t) * (1.0 + rate * t);
    }
    if zeta < 1.0 {
        let own = omega * (1.0 - zeta * zeta).sqrt();
        let (sine, cosine) = (libm::sin(own * t), libm::cos(own * t));
        return libm::exp(-rate * t) * (cosine + rate / own * sine);
    }
    // the product of the roots is ω²: the slow one without cancellation
    let fast = rate + omega * (zeta * zeta - 1.0).sqrt();
    let slow = omega * omega / fast;
    (fast * libm::exp(-slow * t) - slow * libm::exp(-fast * t)) / (fast - slow)
}
