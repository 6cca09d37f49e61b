//! The angular part of the wrench error (M.30).

use super::wrench_error::{WrenchError, wrenches};
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::evaluator::Evaluator;

/// Largest angular part of J_bᵀ(λ − λ_ref) \[N·m·s\].
pub(crate) struct WrenchErrorAngular;

impl RequestedMetric for WrenchErrorAngular {
    const DOC: MetricDoc = MetricDoc {
        id: "wrench_error_angular",
        name: "largest angular impulse error of a body",
        formula: "max_b ‖p_b‖ over the angular part, p_b = J_bᵀ(λ − λ_ref), about the centre of mass",
        unit: "N·m·s",
        misleads: "about centres of mass: a force far from one weighs more than one that passes through it",
        ..WrenchError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        Ok(wrenches(evaluator, answer)?.map(|error| error.angular))
    }
}
