//! Defect of maximum dissipation (M.16).

use super::complementarity::Complementarity;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::error::raise;
use crate::terms::{Norms, Terms};

/// Largest |c‖w_t‖ + λ_t·w_t| \[J\]; `None` without friction.
#[derive(Debug, Default)]
pub(crate) struct Dissipation(Option<f64>);

impl AccumulatedMetric for Dissipation {
    type Value = Option<f64>;

    const DOC: MetricDoc = MetricDoc {
        id: "dissipation",
        name: "defect of maximum dissipation",
        formula: "max |c‖w_t‖ + λ_t·w_t|, c the friction bound of the problem's own law",
        theory: &["M.16"],
        citations: &["Moreau1988"],
        applies: "contacts, patches and rolling contacts with friction",
        misleads: "zero where nothing slides or λ_n = 0; judges the problem's own law, not Coulomb's",
        ..Complementarity::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        if terms.group.has_friction() {
            raise(
                &mut self.0,
                terms.set.dissipation(terms.impulse, terms.velocity),
            );
        }
    }

    fn finish(self, _: &Norms) -> Option<f64> {
        self.0
    }
}
