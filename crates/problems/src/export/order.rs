//! Which rows of a problem are which rows of its file.

use delassus_core::Problem;
use delassus_formats::{FieldProblem, StoredSolution};

/// Which rows of a problem are which rows of its file.
pub(super) struct Order {
    /// Rows of contacts or of the whole, in the order of the file.
    pub(super) contacts: Vec<usize>,
    /// Bilateral rows, in the order of the file.
    pub(super) bilateral: Vec<usize>,
    /// Freedoms of the bodies, in the order of the file.
    pub(super) freedoms: Vec<usize>,
}

impl Order {
    /// Impulses and their velocities in the order of the file.
    pub(super) fn solution(
        &self,
        problem: &Problem,
        impulses: &[f64],
        content: &FieldProblem,
    ) -> StoredSolution {
        let mut velocity = vec![0.0; problem.rows()];
        problem.shifted_velocity(impulses, &mut velocity);
        let take = |values: &[f64], rows: &[usize]| -> Vec<f64> {
            rows.iter().map(|row| values[*row]).collect()
        };
        let global = matches!(content, FieldProblem::Global(_));
        let v = global.then(|| {
            let bodies = problem.bodies().map_or(0, |bodies| bodies.len());
            let mut velocities = vec![0.0; 6 * bodies];
            // a global form is made of bodies
            let known = problem.body_velocities(impulses, &mut velocities).is_ok();
            if known {
                take(&velocities, &self.freedoms)
            } else {
                Vec::new()
            }
        });
        let has_bilateral = match content {
            FieldProblem::Local(local) => local.bilateral.is_some(),
            FieldProblem::Global(global) => global.bilateral.is_some(),
            _ => false,
        };
        StoredSolution {
            u: take(&velocity, &self.contacts),
            r: take(impulses, &self.contacts),
            v,
            l: has_bilateral.then(|| take(impulses, &self.bilateral)),
        }
    }
}
