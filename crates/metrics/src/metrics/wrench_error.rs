//! Error of the wrench on each body against a reference (M.30).

use delassus_core::BodyRows;
use delassus_core::norm::root_of_form;

use super::velocity_error::VelocityError;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::error::{MetricError, check_input, check_range, finite, larger};
use crate::evaluator::Evaluator;
use crate::set::{dot, length};

/// Largest ‖J_bᵀ(λ − λ_ref)‖ in energy units \[-\].
pub(crate) struct WrenchError;

impl RequestedMetric for WrenchError {
    const DOC: MetricDoc = MetricDoc {
        id: "wrench_error",
        name: "largest wrench error of a body",
        formula: "max_b √(p_bᵀ M_b⁻¹ p_b) / √(2E_s), p_b = J_bᵀ(λ − λ_ref)",
        theory: &["M.30"],
        applies: "problems with bodies and a reference solution",
        decides: false,
        misleads: "weighs a wrench by how it moves its body: what the immovable ground carries counts for nothing",
        ..VelocityError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        Ok(wrenches(evaluator, answer)?.map(|error| error.scaled))
    }
}

/// The largest errors of the wrenches on single bodies (M.30); each number may be of another body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wrenches {
    /// √(pᵀM⁻¹p)/√(2E_s), the same in all units and frames \[-\].
    pub scaled: f64,
    /// Length of the linear part \[N·s\].
    pub linear: f64,
    /// Length of the angular part, about the centre of mass \[N·m·s\].
    pub angular: f64,
}

/// Against the nearest reference; `None` without bodies or without one.
pub(super) fn wrenches(
    evaluator: &mut Evaluator<'_>,
    answer: &MetricInput<'_>,
) -> Result<Option<Wrenches>, MetricError> {
    let Some(bodies) = evaluator.problem.bodies() else {
        return Ok(None);
    };
    match evaluator.nearest_impulses(answer)? {
        Some(reference) => {
            let found = evaluator.wrenches_of(bodies, answer.impulses, reference);
            found.map(Some)
        }
        None => Ok(None),
    }
}

impl Evaluator<'_> {
    /// How far the wrench that the constraints exert on a body is from that of a reference, at most
    /// (M.30).
    ///
    /// # Errors
    /// A matrix problem, wrong lengths, numbers that are not finite or overflow.
    pub fn wrench_error(
        &mut self,
        impulses: &[f64],
        reference: &[f64],
    ) -> Result<Wrenches, MetricError> {
        let bodies = self.problem.bodies().ok_or(MetricError::NoBodies)?;
        self.wrenches_of(bodies, impulses, reference)
    }

    fn wrenches_of(
        &mut self,
        bodies: &BodyRows,
        impulses: &[f64],
        reference: &[f64],
    ) -> Result<Wrenches, MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        self.difference(impulses, reference)?;
        self.momentum.fill(0.0);
        let blocks = self.problem.blocks();
        bodies.add_transposed(blocks, &self.scratch, &mut self.momentum);
        let (mut scaled, mut linear, mut angular) = (0.0f64, 0.0f64, 0.0f64);
        for (mass, p) in bodies.mass.iter().zip(self.momentum.chunks_exact(6)) {
            let mut wrench = [0.0; 6];
            wrench.copy_from_slice(p);
            let root = root_of_form(&wrench, |scale| {
                let wrench = wrench.map(|x| scale * x);
                dot(&wrench, &mass.apply_inverse(&wrench))
            });
            scaled = larger(scaled, root);
            linear = larger(linear, length(&wrench[..3]));
            angular = larger(angular, length(&wrench[3..]));
        }
        let scaled = scaled / self.energy.root;
        Ok(Wrenches {
            scaled: finite("the wrench error", scaled)?,
            linear: finite("the wrench error", linear)?,
            angular: finite("the wrench error", angular)?,
        })
    }
}
