//! Distance between trusted solutions (M.31).

use super::velocity_error::VelocityError;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric, TrustedSolution};
use crate::evaluator::Evaluator;

/// The least distance between two references \[-\].
pub(crate) struct ReferenceDistance;

impl RequestedMetric for ReferenceDistance {
    const DOC: MetricDoc = MetricDoc {
        id: "reference_distance",
        name: "least distance between two reference solutions",
        formula: "min over pairs of ‖A(λ_a − λ_b)‖_D / √(2E_s)",
        theory: &["M.31"],
        applies: "problems with two reference solutions or more",
        decides: false,
        misleads: "of the problem and its references, not of the answer; small distances may be one solution found twice",
        ..VelocityError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let known = answer.references().filter_map(|reference| match reference {
            TrustedSolution::Impulses(impulses) => Some(impulses),
            TrustedSolution::Velocities(_) => None,
        });
        let known: Vec<&[f64]> = known.collect();
        evaluator.separation(&known)
    }
}
