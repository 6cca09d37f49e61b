//! Velocity error against a reference (M.19, M.20).

use std::f64::consts::FRAC_1_SQRT_2;

use delassus_core::Operator;

use crate::definition::{
    MetricDoc, MetricInput, MetricValue, Needs, RequestedMetric, TrustedSolution,
};
use crate::error::{MetricError, check_input, check_range, finite};
use crate::evaluator::{Evaluator, apply_delassus, shifted_velocity};
use crate::velocity::{mass_norm, subtract};

/// Below this multiple of √E_s the reference's own velocity change is not divided by \[-\] (M.19).
const REFERENCE_FLOOR: f64 = 1e-12;

/// ‖v − v_ref‖_M over the velocity change of the reference \[-\].
pub(crate) struct VelocityError;

impl RequestedMetric for VelocityError {
    const DOC: MetricDoc = MetricDoc {
        id: "velocity_error",
        name: "velocity error against a reference",
        formula: "‖v − v_ref‖_M / max(‖v_ref − v_f‖_M, 1e-12 √E_s)",
        theory: &["M.19", "M.20", "M.31"],
        needs: Needs::Reference,
        applies: "problems with a reference solution",
        decides: true,
        misleads: "no better than the reference; with several solutions it measures the distance to the nearest that is \
                   known, and with a family of them there is no reference",
        ..MetricDoc::BASE
    };

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        let nearest = evaluator.nearest(answer)?;
        Ok(nearest.map(|(_, error)| error))
    }
}

impl Evaluator<'_> {
    /// How far the velocities of `impulses` are from those of a reference \[-\] (M.19, M.20).
    ///
    /// With a reference of impulses the difference of the impulses is formed before the operator is
    /// applied, so that nothing cancels; velocities carry their own rounding.
    ///
    /// # Errors
    /// Wrong lengths, numbers that are not finite or overflow.
    pub fn velocity_error(
        &mut self,
        impulses: &[f64],
        reference: TrustedSolution<'_>,
    ) -> Result<f64, MetricError> {
        let (error, change) = self.velocity_distance(impulses, reference)?;
        self.relative(error, change)
    }

    /// An error over the velocity change of its reference, above the floor \[-\] (M.19).
    pub(crate) fn relative(&self, error: f64, change: f64) -> Result<f64, MetricError> {
        let floor = self.energy.root * (FRAC_1_SQRT_2 * REFERENCE_FLOOR);
        finite("the velocity error", error / change.max(floor))
    }

    /// Numerator and divisor of (M.19), without the floor \[√J\].
    pub(crate) fn velocity_distance(
        &mut self,
        impulses: &[f64],
        reference: TrustedSolution<'_>,
    ) -> Result<(f64, f64), MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        let (error, change) = match (self.problem.operator(), reference) {
            (Operator::Bodies(bodies), TrustedSolution::Impulses(reference)) => {
                self.difference(impulses, reference)?;
                let scratch = std::mem::take(&mut self.scratch);
                let error = self.impulse_norm(bodies, &scratch);
                self.scratch = scratch;
                (error, self.impulse_norm(bodies, reference))
            }
            (Operator::Bodies(bodies), TrustedSolution::Velocities(reference)) => {
                check_input("reference velocities", reference, 6 * bodies.len())?;
                check_range("a reference velocity", reference)?;
                self.body_velocities(bodies, impulses);
                (
                    mass_norm(bodies, &self.momentum, reference),
                    mass_norm(bodies, reference, &bodies.free_velocity),
                )
            }
            (Operator::Matrix(_), TrustedSolution::Impulses(reference)) => {
                self.difference(impulses, reference)?;
                self.delassus_of_scratch();
                let error = self.motion_norm(&self.work);
                apply_delassus(self.problem, reference, &mut self.momentum, &mut self.work);
                (error, self.motion_norm(&self.work))
            }
            (Operator::Matrix(_), TrustedSolution::Velocities(reference)) => {
                check_input("reference velocities", reference, self.problem.rows())?;
                check_range("a reference velocity", reference)?;
                shifted_velocity(self.problem, impulses, &mut self.momentum, &mut self.work);
                subtract(&self.work, reference, &mut self.scratch);
                let error = self.motion_norm(&self.scratch);
                subtract(reference, self.problem.b(), &mut self.scratch);
                (error, self.motion_norm(&self.scratch))
            }
        };
        let error = finite("the velocity error", error)?;
        let change = finite("the reference's velocity change", change)?;
        Ok((error, change))
    }
}
