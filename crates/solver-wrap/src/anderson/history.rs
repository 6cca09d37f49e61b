//! The last sweeps, and the combination of them that changes least (U.3), (U.4).

use delassus_core::{Problem, StateCoverage};

/// A column whose part that newer ones do not hold is shorter than this, of unit length, says
/// nothing \[-\]: squared, it is rounding of the normal equations.
const DEPENDENT: f64 = 1e-6;

/// Differences of the last sweeps. Columns are overwritten in turn.
#[derive(Debug, Clone)]
pub(super) struct History {
    /// A_ii + R_ii \[1/kg\].
    weights: Vec<f64>,
    /// Δf and Δg, a column of one number per row each.
    changes: Vec<f64>,
    reached: Vec<f64>,
    /// Length of every column Δf in the energy norm \[√J\].
    lengths: Vec<f64>,
    depth: usize,
    /// Columns that hold something, and the one that is written next.
    count: usize,
    next: usize,
    /// Cholesky factor of the normal equations, row-major; the right-hand side, then γ.
    factor: Vec<f64>,
    gamma: Vec<f64>,
}

/// A quantity of this step and of the step before.
#[derive(Clone, Copy)]
pub(super) struct Successive<'a> {
    pub(super) now: &'a [f64],
    pub(super) before: &'a [f64],
}

impl History {
    pub(super) fn new(problem: &Problem, depth: usize) -> Self {
        let columns = || vec![0.0; depth * problem.rows()];
        let mut history = Self {
            weights: vec![0.0; problem.rows()],
            changes: columns(),
            reached: columns(),
            lengths: vec![0.0; depth],
            depth,
            count: 0,
            next: 0,
            factor: vec![0.0; depth * depth],
            gamma: vec![0.0; depth],
        };
        history.weigh(problem);
        history
    }

    /// Takes the weights of the energy norm over.
    pub(super) fn weigh(&mut self, problem: &Problem) {
        let diagonal = problem.diagonal().iter().zip(problem.compliance());
        for (weight, (a, r)) in self.weights.iter_mut().zip(diagonal) {
            *weight = (a + r).max(0.0);
        }
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.next = 0;
    }

    /// Length in the energy norm \[√J\].
    pub(super) fn length(&self, x: &[f64]) -> f64 {
        dot(&self.weights, x, x).sqrt()
    }

    /// Stores the differences Δf and Δg of one step.
    pub(super) fn push(&mut self, change: Successive<'_>, reached: Successive<'_>) {
        let rows = self.weights.len();
        let column = self.next * rows..(self.next + 1) * rows;
        difference(change.now, change.before, &mut self.changes[column.clone()]);
        difference(
            reached.now,
            reached.before,
            &mut self.reached[column.clone()],
        );
        self.lengths[self.next] = self.length(&self.changes[column]);
        self.next = (self.next + 1) % self.depth;
        self.count = (self.count + 1).min(self.depth);
    }

    /// Writes g − Σ γ_j Δg_j with the γ that makes f − Σ γ_j Δf_j shortest; false, with g itself
    /// written, if nothing is combined or the combination is no number.
    pub(super) fn combine(&mut self, change: &[f64], reached: &[f64], out: &mut [f64]) -> bool {
        out.copy_from_slice(reached);
        if !self.solve(change) {
            return false;
        }
        let rows = self.weights.len();
        for (age, gamma) in self.gamma[..self.count].iter().enumerate() {
            if *gamma != 0.0 {
                let first = self.column(age) * rows;
                let column = &self.reached[first..first + rows];
                // inactive rows have differences of zero and stay as they are
                out.iter_mut()
                    .zip(column)
                    .for_each(|(x, d)| *x -= gamma * d);
            }
        }
        let finite = out.iter().all(|x| x.is_finite());
        if !finite {
            out.copy_from_slice(reached);
        }
        finite
    }

    /// The column of this age; the newest is 0.
    fn column(&self, age: usize) -> usize {
        (self.next + self.depth - 1 - age) % self.depth
    }

    /// γ by the normal equations of columns of unit length, the newest first (U.4). True if one is
    /// not zero.
    fn solve(&mut self, change: &[f64]) -> bool {
        let (rows, count, depth) = (self.weights.len(), self.count, self.depth);
        let columns: &[f64] = &self.changes;
        let of = |column: usize| &columns[column * rows..(column + 1) * rows];
        for i in 0..count {
            let own = self.column(i);
            let length = self.lengths[own];
            for j in 0..=i {
                let other = self.column(j);
                let scale = length * self.lengths[other];
                let product = dot(&self.weights, of(own), of(other));
                let product = if scale > 0.0 { product / scale } else { 0.0 };
                let known = (0..j).map(|k| self.factor[i * depth + k] * self.factor[j * depth + k]);
                let rest = product - known.sum::<f64>();
                let pivot = self.factor[j * depth + j];
                // zero in place of a pivot leaves the column out
                self.factor[i * depth + j] = match () {
                    () if i == j && rest > DEPENDENT * DEPENDENT => rest.sqrt(),
                    () if i != j && pivot > 0.0 => rest / pivot,
                    () => 0.0,
                };
            }
            let known = (0..i).map(|k| self.factor[i * depth + k] * self.gamma[k]);
            let rest = dot(&self.weights, of(own), change) / length - known.sum::<f64>();
            let pivot = self.factor[i * depth + i];
            self.gamma[i] = if pivot > 0.0 { rest / pivot } else { 0.0 };
        }
        for i in (0..count).rev() {
            let pivot = self.factor[i * depth + i];
            let known = (i + 1..count).map(|k| self.factor[k * depth + i] * self.gamma[k]);
            let rest = self.gamma[i] - known.sum::<f64>();
            self.gamma[i] = if pivot > 0.0 { rest / pivot } else { 0.0 };
        }
        for i in 0..count {
            let length = self.lengths[self.column(i)];
            self.gamma[i] = if length > 0.0 {
                self.gamma[i] / length
            } else {
                0.0
            };
        }
        self.gamma[..count].iter().any(|gamma| *gamma != 0.0)
    }

    /// Appends what decides the combinations to come.
    pub(super) fn state(&self, out: &mut Vec<u64>) {
        let rows = self.weights.len();
        out.push(self.count as u64);
        for age in 0..self.count {
            let column = self.column(age);
            for numbers in [&self.changes, &self.reached] {
                let numbers = &numbers[column * rows..(column + 1) * rows];
                StateCoverage::push(out, numbers.iter().copied());
            }
        }
    }
}

fn difference(a: &[f64], b: &[f64], out: &mut [f64]) {
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        *out = a - b;
    }
}

/// Σ d x y.
fn dot(weights: &[f64], x: &[f64], y: &[f64]) -> f64 {
    let terms = weights.iter().zip(x).zip(y);
    terms.map(|((d, x), y)| d * x * y).sum()
}
