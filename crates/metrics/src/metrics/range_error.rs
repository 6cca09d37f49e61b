//! The part of the distance of impulses that moves anything (M.33).

use super::impulse_error::ImpulseError;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::error::MetricError;
use crate::evaluator::Evaluator;
use crate::range::{MAX_ROWS, RangeBasis};
use crate::set::length;

/// ‖Π_range(λ − λ_ref)‖ in energy units \[-\].
pub(crate) struct RangeError;

impl RequestedMetric for RangeError {
    const DOC: MetricDoc = MetricDoc {
        id: "range_error",
        name: "distance of the impulses from a reference, without null vectors",
        formula: "‖Π D^½(λ − λ_ref)‖ / √(2E_s), Π on the range of D^−½ A D^−½",
        theory: &["M.33"],
        dense: true,
        applies: "problems of up to 1000 rows with a reference solution and a symmetric matrix",
        misleads: "vectors that A hardly moves count in full: it may be large where velocity_error is small",
        ..ImpulseError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        match evaluator.nearest_impulses(answer)? {
            Some(reference) => evaluator.range_error(answer.impulses, reference),
            None => Ok(None),
        }
    }
}

impl Evaluator<'_> {
    /// How far impulses are from others, without what null vectors of A make of it \[-\] (M.33).
    ///
    /// The first call makes a basis of the range, O(rows³); `None` beyond 1000 rows and for
    /// unsymmetric matrices.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn range_error(
        &mut self,
        impulses: &[f64],
        reference: &[f64],
    ) -> Result<Option<f64>, MetricError> {
        self.scaled_difference(impulses, reference)?;
        let made = || {
            let small = self.problem.rows() <= MAX_ROWS;
            let of = || RangeBasis::of(self.problem, &self.groups.list, &self.root_scales);
            small.then(of).flatten()
        };
        let Some(basis) = self.range.get_or_init(made) else {
            return Ok(None);
        };
        let norm = length(&basis.coordinates(&self.scratch));
        self.of_energy(norm).map(Some)
    }
}
