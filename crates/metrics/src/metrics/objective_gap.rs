//! Gap of the objective of convex problems against a reference (M.28).

use super::velocity_error::VelocityError;
use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::error::{MetricError, check_input, check_range, finite};
use crate::evaluator::{Evaluator, apply_delassus, shifted_velocity};
use crate::scale::is_symmetric;
use crate::set::dot;

/// (f − f_ref)/E_s \[-\].
pub(crate) struct ObjectiveGap;

impl RequestedMetric for ObjectiveGap {
    const DOC: MetricDoc = MetricDoc {
        id: "objective_gap",
        name: "objective gap",
        formula: "(f(λ) − f(λ_ref)) / E_s, f = ½λᵀ(A + R)λ + bᵀλ",
        theory: &["M.28", "M.29"],
        citations: &["Rockafellar1970"],
        applies: "convex laws with a reference solution, symmetric matrices",
        decides: false,
        misleads: "negative outside of K, where an impulse buys what is not allowed: read it with primal",
        ..VelocityError::DOC
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        match evaluator.nearest_impulses(answer)? {
            Some(reference) => evaluator.objective_gap(answer.impulses, reference),
            None => Ok(None),
        }
    }
}

impl Evaluator<'_> {
    /// (f(λ) − f(λ_ref))/E_s \[-\] (M.28) of the objective that convex laws minimize; `None` for
    /// other laws and for unsymmetric matrices, which have none.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn objective_gap(
        &mut self,
        impulses: &[f64],
        reference: &[f64],
    ) -> Result<Option<f64>, MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        self.difference(impulses, reference)?;
        if !self.is_convex() {
            return Ok(None);
        }
        // δ·(w_ref + ½(A + R)δ): the two objectives themselves would cancel
        shifted_velocity(self.problem, reference, &mut self.momentum, &mut self.work);
        let linear = dot(&self.work, &self.scratch);
        apply_delassus(
            self.problem,
            &self.scratch,
            &mut self.momentum,
            &mut self.work,
        );
        let softened = self.work.iter_mut().zip(self.problem.compliance());
        for ((w, r), x) in softened.zip(&self.scratch) {
            *w += r * x;
        }
        self.problem.add_coupled(&self.scratch, &mut self.work);
        let quadratic = dot(&self.work, &self.scratch);
        let gap = (linear + 0.5 * quadratic) / self.energy.joules;
        finite("the objective gap", gap).map(Some)
    }

    /// True if the laws minimize an objective: fixed convex sets and a symmetric matrix.
    fn is_convex(&self) -> bool {
        let sets = self.groups.list.iter().all(|g| g.convex_set().is_some());
        sets && is_symmetric(self.problem)
    }
}
