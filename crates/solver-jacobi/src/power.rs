//! Power iterations: the largest eigenvalue of D⁻¹(A + R) for the steps of a rule (J.10).

use delassus_core::{Problem, SolveError, interrupt};

/// Power iterations \[-\]. On the piles of experiment 19 they leave 1 to 4 % to the eigenvalue.
const ITERATIONS: usize = 30;

/// Vectors of power iterations, one number per row, in reused memory.
#[derive(Debug, Clone, Default)]
pub(crate) struct Power {
    /// Steps of the rows; zero where a row is not solved for \[kg\].
    pub(crate) steps: Vec<f64>,
    roots: Vec<f64>,
    x: Vec<f64>,
    scaled: Vec<f64>,
    y: Vec<f64>,
    coupled: Vec<f64>,
    /// Workspace of the product, six numbers per body.
    momentum: Vec<f64>,
}

impl Power {
    /// λ_max of diag(steps) (A + diag R) on the rows with a step, from below: power iteration on
    /// the symmetric form.
    ///
    /// # Errors
    /// A limit that ended it.
    pub(crate) fn largest_eigenvalue(&mut self, problem: &Problem) -> Result<f64, SolveError> {
        self.begin();
        let mut largest: f64 = 0.0;
        let mut clock = interrupt::UnitClock::default();
        for _ in 0..ITERATIONS {
            clock.check()?;
            let norm = self.x.iter().map(|v| v * v).sum::<f64>().sqrt();
            if norm == 0.0 {
                break;
            }
            let rows = self.x.iter_mut().zip(&mut self.scaled);
            for ((x, scaled), root) in rows.zip(&self.roots) {
                *x /= norm;
                *scaled = root * *x;
            }
            let Self {
                momentum,
                scaled,
                y,
                coupled,
                ..
            } = self;
            if problem.shifted_velocity_in(momentum, scaled, y).is_err() {
                break;
            }
            // rows of one block see each other's impulses through R as they change: what counts is
            // its diagonal
            coupled.fill(0.0);
            problem.add_coupled(scaled, coupled);
            let mut quotient = 0.0;
            for (row, x) in self.x.iter_mut().enumerate() {
                // the operator without b
                let product = self.roots[row] * (y[row] - coupled[row] - problem.b()[row]);
                quotient += *x * product;
                *x = product;
            }
            largest = largest.max(quotient);
        }
        Ok(largest)
    }

    /// Makes room, and a fixed start without symmetry, so that no eigenvector of a symmetric pile
    /// is missed.
    fn begin(&mut self) {
        let rows = self.steps.len();
        self.roots.clear();
        self.roots.extend(self.steps.iter().map(|s| s.sqrt()));
        self.x.clear();
        let start = (0..rows).map(|i| 1.0 + ((i * 37) % 19) as f64 / 19.0);
        self.x.extend(start);
        for list in [&mut self.scaled, &mut self.y, &mut self.coupled] {
            list.resize(rows, 0.0);
        }
    }
}
