//! Natural map in disc form: normal row and tangents of a contact by themselves (M.39).

use super::natural_map::NaturalMap;
use crate::definition::{AccumulatedMetric, MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::evaluator::Evaluator;

/// √Σ over the factors in disc form, relative \[-\].
pub(crate) struct NaturalMapDisc;

impl RequestedMetric for NaturalMapDisc {
    const DOC: MetricDoc = MetricDoc {
        id: "natural_map_disc",
        name: "natural map, disc form",
        formula: "√Σ (d_n r_n² + L_t‖r_t‖²) / √(2E_s), r_n = λ_n − max(0, λ_n − w_n/d_n), \
                  r_t = λ_t − Π_disc(λ_t − w_t/L_t), radius μ max(λ_n, 0)",
        theory: &["M.39"],
        misleads: "bounds the velocity error only up to the conditioning of A; a large μ magnifies the rounding of λ_n",
        ..NaturalMap::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let [_, disc] = evaluator.natural_maps(answer.impulses)?;
        Ok(Some(disc))
    }
}
