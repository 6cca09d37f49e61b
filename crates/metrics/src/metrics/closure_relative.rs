//! Closure of the equations of motion, relative to what was summed (M.23).

use super::closure::Closure;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::evaluator::Evaluator;

/// [`Closure::relative`] \[-\].
pub(crate) struct ClosureRelative;

impl RequestedMetric for ClosureRelative {
    const DOC: MetricDoc = MetricDoc {
        id: "closure_relative",
        name: "closure of the equations of motion, relative",
        formula: "‖M(v⁺ − v_f) − Jᵀλ‖_∞ / max(‖M(v⁺ − v_f)‖_∞, ‖|J|ᵀ|λ|‖_∞)",
        theory: &["M.23"],
        unit: "-",
        ..Closure::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let closure = |velocities| evaluator.closure(answer.impulses, velocities);
        let closure = answer.velocities.map(closure).transpose()?;
        Ok(closure.map(|closure| closure.relative))
    }
}
