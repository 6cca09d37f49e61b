//! Signorini's product |λ_n w_n| (M.15).

use super::complementarity::Complementarity;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::error::raise;
use crate::terms::{Norms, Terms};

/// Largest |λ_n w_n| \[J\]; `None` without such rows.
#[derive(Debug, Default)]
pub(crate) struct Signorini(Option<f64>);

impl AccumulatedMetric for Signorini {
    type Value = Option<f64>;

    const DOC: MetricDoc = MetricDoc {
        id: "signorini",
        name: "Signorini complementarity",
        formula: "max |λ_n w_n|",
        theory: &["M.15"],
        applies: "contacts, patches, rolling contacts, rows with bounds [0, ∞)",
        misleads: "zero at λ = 0; not zero at the solution of a sliding convex cone (F6), whose artefact it shows",
        ..Complementarity::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        if terms.group.has_normal() {
            raise(&mut self.0, (terms.impulse[0] * terms.velocity[0]).abs());
        }
    }

    fn finish(self, _: &Norms) -> Option<f64> {
        self.0
    }
}
