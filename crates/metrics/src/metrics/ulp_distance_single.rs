//! The same distance after rounding to single precision (M.35).

use super::ulp_distance::UlpDistance;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::evaluator::Evaluator;
use crate::ulp;

/// Largest number of single-precision numbers between λ_i and λ_ref,i \[ulp\].
pub(crate) struct UlpDistanceSingle;

impl RequestedMetric for UlpDistanceSingle {
    const DOC: MetricDoc = MetricDoc {
        id: "ulp_distance_single",
        name: "distance from a reference in units in the last place of f32",
        formula: "max_i |#(λ_i) − #(λ_ref,i)|, both rounded to f32, # the place of an f32 in their order",
        misleads: "there are 1.07e9 such numbers between 0 and 2: noise around zero is far from zero; impulses need not be unique",
        ..UlpDistance::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let reference = evaluator.nearest_impulses(answer)?;
        Ok(reference.map(|reference| ulp::real(ulp::largest_f32(answer.impulses, reference))))
    }
}
