//! The Fenchel certificate of convex problems with compliance (M.24).

use delassus_core::{AdmissibleSet, LawForm, SetShape};

use crate::definition::{MetricDoc, MetricInput, MetricValue, RequestedMetric};
use crate::error::{MetricError, check_input, check_range, finite};
use crate::evaluator::{Evaluator, apply_delassus};
use crate::scale::is_symmetric;
use crate::set::{FactorSet, GroupValues, MOST_ROWS, dot};

/// Upper bound of the error in energy \[J\].
pub(crate) struct Certificate;

impl RequestedMetric for Certificate {
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

    fn value(evaluator: &mut Evaluator<'_>, answer: &MetricInput<'_>) -> MetricValue {
        evaluator.certificate(answer.impulses)
    }
}

impl Evaluator<'_> {
    /// Upper bound of ½‖v − v*‖²_M without knowing v* \[J\] (M.24); v is the velocity of Π_K(λ).
    ///
    /// Impulses outside K are projected first, as the bound holds inside K only; for λ in K nothing
    /// is changed. `None` where the bound does not exist: a law that is not convex, a row without
    /// compliance, bounded rows that share compliance, a singular block of it, an unsymmetric
    /// matrix, a convex cone whose two tangents have different compliance. A matrix is taken to be
    /// positive semi-definite: on one that is not (printed digits) the number bounds nothing.
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
        for group in &self.groups.list {
            if let Some(set) = group.convex_set() {
                set.project(&mut admissible[group.rows.clone()]);
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
        let coupled = self.problem.coupled_compliance();
        for group in &self.groups.list {
            if coupled.of(group.block).is_some() {
                continue;
            }
            if let Some(set) = group.convex_set() {
                let rows = group.rows.clone();
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
        let coupled = self.coupled_gap(&admissible);
        self.scratch = admissible;
        in_range?;
        let Some(coupled) = coupled else {
            return Ok(None);
        };
        gap += coupled;
        Ok(Some(finite("the certificate", gap)?))
    }

    /// The gaps of the blocks whose rows share compliance: ½ (Rλ + w)ᵀ R⁻¹ (Rλ + w) (M.26); `None`
    /// if an R is singular.
    fn coupled_gap(&self, impulses: &[f64]) -> Option<f64> {
        let mut gap = 0.0;
        for (index, _) in self.problem.coupled_compliance().iter() {
            if self.problem.active_dim(index) == 0 {
                continue;
            }
            let block = &self.problem.blocks()[index];
            let mut matrix = vec![0.0; block.dim * block.dim];
            self.problem.add_compliance(index, &mut matrix);
            let (impulses, velocities) = (&impulses[block.rows()], &self.work[block.rows()]);
            let rows = matrix.chunks_exact(block.dim).zip(velocities);
            let mut rest: Vec<f64> = rows.map(|(row, w)| dot(row, impulses) + w).collect();
            gap += half_inverse_form(&mut matrix, &mut rest)?;
        }
        Some(gap)
    }

    /// True if (M.24) applies: everything but the definiteness of a matrix.
    fn has_certificate(&self) -> bool {
        let groups_allow = self.groups.list.iter().all(|group| {
            let compliance = &self.problem.compliance()[group.rows.clone()];
            let round = match group.convex_set() {
                None => false,
                Some(set) => match set.bounds.shape {
                    SetShape::Interval { .. } => true,
                    SetShape::Cone => compliance[1..].windows(2).all(|r| r[0] == r[1]),
                    SetShape::Ball | SetShape::Polygon(_) => {
                        let friction = &compliance[usize::from(set.pushes)..];
                        friction.windows(2).all(|r| r[0] == r[1])
                    }
                },
            };
            // rows that share compliance count only without bounds: with bounds, the conjugate has
            // no closed form
            let block = group.block;
            let alone = self.problem.coupled_compliance().of(block).is_none()
                || self.problem.blocks()[block].law.form() == LawForm::Free;
            round && alone && compliance.iter().all(|r| *r > 0.0)
        });
        groups_allow && is_symmetric(self.problem)
    }
}

/// h(λ) + h*(−w) + λ·w ≥ 0 of one factor, h = ½ λᵀRλ on K and infinite outside.
///
/// With x̂, the minimizer of ½ xᵀRx + w·x over K, both terms of the sum below are non-negative and
/// nothing cancels.
fn fenchel_gap(set: &FactorSet<'_>, impulse: &[f64], velocity: &[f64], compliance: &[f64]) -> f64 {
    let best = minimizer(set, velocity, compliance);
    let mut gap = 0.0;
    for i in 0..impulse.len() {
        let (r, step) = (compliance[i], impulse[i] - best[i]);
        gap += 0.5 * r * step * step + (r * best[i] + velocity[i]) * step;
    }
    gap.max(0.0)
}

/// A pivot below this fraction of its diagonal entry is zero \[-\].
const SINGULAR: f64 = 1e-12;

/// ½ xᵀ R⁻¹ x by Cholesky, in place; `None` if R is singular.
fn half_inverse_form(matrix: &mut [f64], x: &mut [f64]) -> Option<f64> {
    let dim = x.len();
    let mut sum = 0.0;
    for i in 0..dim {
        for j in 0..=i {
            let (row, other) = (&matrix[i * dim..i * dim + j], &matrix[j * dim..j * dim + j]);
            let rest = matrix[i * dim + j] - dot(row, other);
            if j < i {
                matrix[i * dim + j] = rest / matrix[j * dim + j];
            } else if rest > SINGULAR * matrix[i * dim + i] {
                matrix[i * dim + i] = rest.sqrt();
            } else {
                return None;
            }
        }
        x[i] = (x[i] - dot(&matrix[i * dim..i * dim + i], &x[..i])) / matrix[i * dim + i];
        sum += x[i] * x[i];
    }
    Some(0.5 * sum)
}

/// x̂ = argmin over K of ½ xᵀRx + w·x.
fn minimizer(set: &FactorSet<'_>, velocity: &[f64], compliance: &[f64]) -> GroupValues {
    let mut out = [0.0; MOST_ROWS];
    let x = &mut out[..velocity.len()];
    for (x, (w, r)) in x.iter_mut().zip(velocity.iter().zip(compliance)) {
        *x = -w / r;
    }
    match set.bounds.shape {
        SetShape::Cone => {
            // y = √R x maps the circular cone to another one, in which the norm is Euclidean
            let (normal, tangent) = (compliance[0].sqrt(), compliance[1].sqrt());
            x[0] *= normal;
            x[1..].iter_mut().for_each(|t| *t *= tangent);
            let radius = set.bounds.radius * tangent / normal;
            AdmissibleSet {
                radius,
                ..set.bounds
            }
            .project(x);
            x[0] /= normal;
            x[1..].iter_mut().for_each(|t| *t /= tangent);
        }
        // the others are products of intervals, or their friction has one compliance: the metric R
        // does not change the projection
        _ => set.project(x),
    }
    out
}
