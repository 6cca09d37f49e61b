//! Rows that contradict each other: a certificate from a step that grows without end (Y.12).

use delassus_core::SolveError;

use super::model::{Group, Model};
use crate::linear;

/// Impulses so many times larger than the problem's scale are no solution \[-\].
const UNREACHABLE: f64 = 1e10;
/// Steps that S shortens less than this are no candidates \[-\].
const CANDIDATE: f64 = 1e-7;

/// Workspace of the test.
#[derive(Debug)]
pub(crate) struct Contradiction {
    z: Vec<f64>,
    image: Vec<f64>,
}

impl Contradiction {
    pub(crate) fn new(size: usize) -> Self {
        Self {
            z: vec![0.0; size],
            image: vec![0.0; size],
        }
    }

    /// Fails if `step`, whose image under S is `moved`, proves that no impulses satisfy every row.
    ///
    /// # Errors
    /// [`SolveError::Infeasible`].
    pub(crate) fn check(
        &mut self,
        model: &Model,
        step: &[f64],
        moved: &[f64],
    ) -> Result<(), SolveError> {
        let largest = linear::max_magnitude(step);
        if largest == 0.0 || linear::max_magnitude(moved) > CANDIDATE * largest {
            return Ok(());
        }
        for (z, step) in self.z.iter_mut().zip(step) {
            *z = step / largest;
        }
        recede(model, &mut self.z);
        model.multiply_transposed(&self.z, &mut self.image);
        let power = -linear::dot(&self.z, &model.c);
        let image = linear::max_magnitude(&self.image);
        let scale = linear::max_magnitude(&model.c);
        if power > UNREACHABLE * image * scale && power > f64::EPSILON.sqrt() * scale {
            return Err(SolveError::Infeasible {
                reason: "rows contradict each other: a combination of them that no impulse moves has a velocity that \
                         their laws forbid",
            });
        }
        Ok(())
    }
}

/// Projects onto the directions in which every set goes on without end, and for which a velocity
/// that the laws admit never has negative power.
fn recede(model: &Model, z: &mut [f64]) {
    for group in &model.groups {
        match group {
            Group::Interval(i) => {
                if model.lower[*i].is_finite() {
                    z[*i] = z[*i].max(0.0);
                }
                if model.upper[*i].is_finite() {
                    z[*i] = z[*i].min(0.0);
                }
            }
            // the radius follows normals, whose velocities alone are bounded
            Group::Disc { rows, .. } => z[rows.clone()].fill(0.0),
            Group::Cone {
                rows,
                shifted: false,
            } => delassus_core::projection::cone(1.0, &mut z[rows.clone()]),
            Group::Cone { rows, .. } => {
                let (normal, tangents) = z[rows.clone()].split_at_mut(1);
                normal[0] = normal[0].max(0.0);
                tangents.fill(0.0);
            }
        }
    }
}
