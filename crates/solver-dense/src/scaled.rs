//! A box problem in scaled rows (D.2): what the pivoting methods work on.

use delassus_core::{Changes, Problem, Ray, SolveError};

use crate::assembly::DenseDelassus;
use crate::block_pivoting::BoxData;
use crate::state::State;
use crate::{bounds, linear};

/// The scaled matrix and bounds of a problem, and its impulses.
#[derive(Debug)]
pub(crate) struct ScaledBox {
    pub(crate) state: State,
    /// S (D.2).
    matrix: DenseDelassus,
    /// Scaling (D.2).
    d: Vec<f64>,
    /// Scaled b.
    c: Vec<f64>,
    /// Bounds \[N·s\].
    bounds: [Vec<f64>; 2],
    /// Scaled bounds.
    scaled: [Vec<f64>; 2],
}

impl ScaledBox {
    pub(crate) fn new(problem: &Problem, impulses: Vec<f64>) -> Result<Self, SolveError> {
        let (d, matrix) = scaled_matrix(problem)?;
        let zeros = || vec![0.0; d.len()];
        Ok(Self {
            state: State::new(problem, impulses),
            c: zeros(),
            bounds: [zeros(), zeros()],
            scaled: [zeros(), zeros()],
            matrix,
            d,
        })
    }

    /// Takes over b, the activity, and A + R if the compliance has changed.
    pub(crate) fn update(&mut self, problem: &Problem, what: Changes) -> Result<(), SolveError> {
        self.state.update(problem);
        if what.compliance {
            (self.d, self.matrix) = scaled_matrix(problem)?;
        }
        Ok(())
    }

    /// Scales b and the bounds; inactive rows are bounded by their impulses.
    ///
    /// # Errors
    /// A row whose bounds depend on other impulses.
    pub(crate) fn load(
        &mut self,
        solver: &'static str,
        problem: &Problem,
    ) -> Result<(), SolveError> {
        let [lower, upper] = &mut self.bounds;
        bounds::write_fixed(solver, problem, &self.state.impulses, [lower, upper])?;
        for (i, d) in self.d.iter().enumerate() {
            self.c[i] = d * self.state.b[i];
            for (scaled, bound) in self.scaled.iter_mut().zip(&self.bounds) {
                scaled[i] = bound[i] / d;
            }
        }
        Ok(())
    }

    pub(crate) fn view(&self) -> BoxData<'_> {
        BoxData {
            matrix: &self.matrix,
            c: &self.c,
            lower: &self.scaled[0],
            upper: &self.scaled[1],
        }
    }

    /// Writes the impulses of scaled ones.
    pub(crate) fn store(&mut self, y: &[f64]) {
        let bounds = [&self.bounds[0][..], &self.bounds[1]];
        let scaled = [&self.scaled[0][..], &self.scaled[1]];
        self.state.write_scaled(y, &self.d, scaled, bounds);
    }

    /// The error of a problem whose impulses grow along `direction` (scaled) without end.
    pub(crate) fn contradiction(&self, direction: &[f64]) -> SolveError {
        let mut velocity = vec![0.0; direction.len()];
        if let Err(error) = self.matrix.multiply(direction, &mut velocity) {
            return error;
        }
        let length = linear::norm(direction).max(f64::MIN_POSITIVE);
        let scale = linear::norm(&self.c).max(f64::MIN_POSITIVE);
        let impulses = direction.iter().zip(&self.d);
        Ray::new(
            impulses.map(|(y, d)| y * d / length).collect(),
            linear::max_magnitude(&velocity) / length,
            linear::dot(&self.c, direction) / (length * scale),
        )
        .into()
    }
}

fn scaled_matrix(problem: &Problem) -> Result<(Vec<f64>, DenseDelassus), SolveError> {
    let matrix = DenseDelassus::assemble_with_compliance(problem)?;
    let d = matrix.scaling();
    let scaled = matrix.scaled(&d)?;
    Ok((d, scaled))
}
