//! The Fenchel certificate of convex problems with compliance (M.24).

use delassus_core::{Operator, projection};

use crate::definition::{Answer, MetricDoc, Requested};
use crate::error::{MetricError, check_input, check_range, finite};
use crate::evaluator::{Evaluator, apply_delassus};
use crate::set::{Set, Triple};

/// A matrix that departs further from symmetry has no objective, hence no certificate \[-\].
const MAX_ASYMMETRY: f64 = 1e-12;

/// Upper bound of the error in energy \[J\].
pub(crate) struct Certificate;

impl Requested for Certificate {
    const DOC: MetricDoc = MetricDoc {
        id: "certificate",
        name: "Fenchel certificate",
        formula: "Σ ½R‖λ‖² + h*(−w) + λ·w ≥ ½‖v − v*‖²_M, w without Rλ",
        theory: &["M.24"],
        unit: "J",
        citations: &["Rockafellar1970"],
        applies: "convex laws with compliance on every row",
        decides: true,
        misleads: "grows like 1/R as R goes to 0, while the error does not",
        ..MetricDoc::BASE
    };

    fn value(
        evaluator: &mut Evaluator<'_>,
        answer: &Answer<'_>,
    ) -> Result<Option<f64>, MetricError> {
        evaluator.certificate(answer.impulses)
    }
}

impl Evaluator<'_> {
    /// Upper bound of ½‖v − v*‖²_M without knowing v* \[J\] (M.24); v is the velocity of Π_K(λ).
    ///
    /// Impulses outside K are projected first, as the bound holds inside K only; for λ in K nothing is changed.
    /// `None` where the bound does not exist: a law that is not convex, a row without compliance, an unsymmetric
    /// matrix, a convex cone whose two tangents have different compliance. A matrix is taken to be positive
    /// semi-definite: on one that is not (printed digits) the number bounds nothing.
    ///
    /// # Errors
    /// A wrong length, impulses that are not finite or overflow.
    pub fn certificate(&mut self, impulses: &[f64]) -> Result<Option<f64>, MetricError> {
        check_input("impulses", impulses, self.problem.rows())?;
        check_range("an impulse", impulses)?;
        if !self.has_certificate() {
            return Ok(None);
        }
        let mut admissible = std::mem::take(&mut self.scratch);
        admissible.copy_from_slice(impulses);
        for factor in &self.factors.list {
            if let Some(set) = factor.convex_set() {
                set.project(&mut admissible[factor.rows.clone()]);
            }
        }
        apply_delassus(
            self.problem,
            &admissible,
            &mut self.momentum,
            &mut self.work,
        );
        for (w, b) in self.work.iter_mut().zip(self.problem.b()) {
            *w += b;
        }
        let mut gap = 0.0;
        for factor in &self.factors.list {
            if let Some(set) = factor.convex_set() {
                let rows = factor.rows.clone();
                let compliance = &self.problem.compliance()[rows.clone()];
                gap += fenchel_gap(
                    &set,
                    &admissible[rows.clone()],
                    &self.work[rows],
                    compliance,
                );
            }
        }
        let in_range = check_range("a constraint velocity", &self.work);
        self.scratch = admissible;
        in_range?;
        Ok(Some(finite("the certificate", gap)?))
    }

    /// True if (M.24) applies: everything but the definiteness of a matrix.
    fn has_certificate(&self) -> bool {
        let factors_allow = self.factors.list.iter().all(|factor| {
            let compliance = &self.problem.compliance()[factor.rows.clone()];
            let round = match factor.convex_set() {
                None => false,
                Some(Set::Cone { .. }) => compliance[1..].windows(2).all(|r| r[0] == r[1]),
                Some(_) => true,
            };
            round && compliance.iter().all(|r| *r > 0.0)
        });
        factors_allow
            && match self.problem.operator() {
                Operator::Bodies(_) => true,
                Operator::Matrix(matrix) => matrix.delassus.symmetry_defect() <= MAX_ASYMMETRY,
            }
    }
}

/// h(λ) + h*(−w) + λ·w ≥ 0 of one factor, h = ½ λᵀRλ on K and infinite outside.
///
/// With x̂, the minimizer of ½ xᵀRx + w·x over K, both terms of the sum below are non-negative and nothing cancels.
fn fenchel_gap(set: &Set, impulse: &[f64], velocity: &[f64], compliance: &[f64]) -> f64 {
    let best = minimizer(set, velocity, compliance);
    let mut gap = 0.0;
    for i in 0..impulse.len() {
        let (r, step) = (compliance[i], impulse[i] - best[i]);
        gap += 0.5 * r * step * step + (r * best[i] + velocity[i]) * step;
    }
    gap.max(0.0)
}

/// x̂ = argmin over K of ½ xᵀRx + w·x.
fn minimizer(set: &Set, velocity: &[f64], compliance: &[f64]) -> Triple {
    let mut out = [0.0; 3];
    let x = &mut out[..velocity.len()];
    for (x, (w, r)) in x.iter_mut().zip(velocity.iter().zip(compliance)) {
        *x = -w / r;
    }
    match *set {
        Set::Cone { mu } => {
            // y = √R x maps the circular cone to another one, in which the norm is Euclidean
            let (normal, tangent) = (compliance[0].sqrt(), compliance[1].sqrt());
            x[0] *= normal;
            x[1..].iter_mut().for_each(|t| *t *= tangent);
            projection::cone(mu * tangent / normal, x);
            x[0] /= normal;
            x[1..].iter_mut().for_each(|t| *t /= tangent);
        }
        // the other convex sets are products of intervals: the metric R does not change the projection
        _ => set.project(x),
    }
    out
}
