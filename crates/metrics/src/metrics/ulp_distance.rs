//! Distance of two impulse vectors in units in the last place (M.35).

use super::impulse_error::ImpulseError;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::evaluator::Evaluator;
use crate::ulp;

/// Largest number of doubles between λ_i and λ_ref,i \[ulp\].
pub(crate) struct UlpDistance;

impl RequestedMetric for UlpDistance {
    const DOC: MetricDoc = MetricDoc {
        id: "ulp_distance",
        name: "distance from a reference in units in the last place",
        formula: "max_i |#(λ_i) − #(λ_ref,i)|, # the place of a double in their order",
        theory: &["M.35"],
        unit: "ulp",
        citations: &["Higham2002"],
        misleads: "there are 4.6e18 doubles between 0 and 2: noise around zero is far from zero; impulses need not be unique",
        ..ImpulseError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let reference = evaluator.nearest_impulses(answer)?;
        Ok(reference.map(|reference| ulp::real(ulp::largest(answer.impulses, reference))))
    }
}
