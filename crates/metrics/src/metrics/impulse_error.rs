//! Distance of the impulses themselves from a reference (M.32).

use super::velocity_error::VelocityError;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::error::{MetricError, check_input, check_range, finite};
use crate::evaluator::Evaluator;
use crate::set::length;

/// ‖λ − λ_ref‖ in energy units \[-\].
pub(crate) struct ImpulseError;

impl RequestedMetric for ImpulseError {
    const DOC: MetricDoc = MetricDoc {
        id: "impulse_error",
        name: "distance of the impulses from a reference",
        formula: "√(Σ d_i (λ_i − λ_ref,i)²) / √(2E_s)",
        theory: &["M.32"],
        decides: false,
        misleads: "impulses of redundant rows are not unique: it need not vanish at a solution; range_error does",
        ..VelocityError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        match evaluator.nearest_impulses(answer)? {
            Some(reference) => evaluator
                .impulse_error(answer.impulses, reference)
                .map(Some),
            None => Ok(None),
        }
    }
}

impl Evaluator<'_> {
    /// How far impulses are from others in energy units \[-\] (M.32), over the rows that are solved
    /// for.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn impulse_error(
        &mut self,
        impulses: &[f64],
        reference: &[f64],
    ) -> Result<f64, MetricError> {
        self.scaled_difference(impulses, reference)?;
        self.of_energy(length(&self.scratch))
    }

    /// √d_i (λ_i − λ_ref,i) of the rows that are solved for, zero elsewhere, into `self.scratch`.
    pub(super) fn scaled_difference(
        &mut self,
        impulses: &[f64],
        reference: &[f64],
    ) -> Result<(), MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        self.difference(impulses, reference)?;
        self.work.fill(0.0);
        for group in &self.groups.list {
            for row in group.rows.clone() {
                self.work[row] = self.root_scales[row] * self.scratch[row];
            }
        }
        self.scratch.copy_from_slice(&self.work);
        Ok(())
    }

    /// A norm in √J over √(2E_s) \[-\].
    pub(super) fn of_energy(&self, norm: f64) -> Result<f64, MetricError> {
        finite("the impulse error", norm / self.energy.root)
    }
}
