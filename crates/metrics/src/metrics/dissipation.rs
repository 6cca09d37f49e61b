//! Defect of maximum dissipation (M.16).

use super::complementarity::Complementarity;
use crate::definition::{Accumulated, MetricDoc};
use crate::error::raise;
use crate::set::{Set, dot, length};
use crate::terms::{Norms, Terms};

/// Largest |c‖w_t‖ + λ_t·w_t| \[J\]; `None` without friction.
#[derive(Debug, Default)]
pub(crate) struct Dissipation(Option<f64>);

impl Accumulated for Dissipation {
    type Value = Option<f64>;

    const DOC: MetricDoc = MetricDoc {
        id: "dissipation",
        name: "defect of maximum dissipation",
        formula: "max |c‖w_t‖ + λ_t·w_t|, c the friction bound of the problem's own law",
        theory: &["M.16"],
        citations: &["Moreau1988"],
        applies: "contacts and patches with friction",
        misleads: "zero where nothing slides or λ_n = 0; judges the problem's own law, not Coulomb's",
        ..Complementarity::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        if terms.factor.has_friction() {
            raise(
                &mut self.0,
                defect(&terms.set, terms.impulse, terms.velocity),
            );
        }
    }

    fn finish(self, _: &Norms) -> Option<f64> {
        self.0
    }
}

/// |sup over the friction set of −x·w_t, plus λ_t·w_t| (M.16); tangential components only.
///
/// `velocity` is w or ŵ: the normal component is not read.
pub(super) fn defect(set: &Set, impulse: &[f64], velocity: &[f64]) -> f64 {
    let (x, w) = (&impulse[1..], &velocity[1..]);
    let defect = match *set {
        // a patch's twist: its interval is symmetric
        Set::Interval { upper, .. } => upper * velocity[0].abs() + impulse[0] * velocity[0],
        Set::Disc { radius } => radius * length(velocity) + dot(impulse, velocity),
        Set::NormalAndBox { limit } => {
            let terms = x.iter().zip(w).map(|(x, w)| limit * w.abs() + x * w);
            return terms.map(f64::abs).sum();
        }
        Set::NormalAndDisc { radius, .. } => radius * length(w) + dot(x, w),
        Set::Cone { mu } => mu * impulse[0].max(0.0) * length(w) + dot(x, w),
    };
    defect.abs()
}
