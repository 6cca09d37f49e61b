//! The linear part of the wrench error (M.30).

use super::wrench_error::{WrenchError, wrenches};
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::evaluator::Evaluator;

/// Largest linear part of J_bᵀ(λ − λ_ref) \[N·s\].
pub(crate) struct WrenchErrorLinear;

impl RequestedMetric for WrenchErrorLinear {
    const DOC: MetricDoc = MetricDoc {
        id: "wrench_error_linear",
        name: "largest impulse error of a body",
        formula: "max_b ‖p_b‖ over the linear part, p_b = J_bᵀ(λ − λ_ref)",
        unit: "N·s",
        misleads: "a light body that is thrown about can hide behind a heavy one that is not",
        ..WrenchError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        Ok(wrenches(evaluator, answer)?.map(|error| error.linear))
    }
}
