//! Relaxation from the largest eigenvalue of D⁻¹(A + R), by power iteration (J.10).

use delassus_core::{Problem, SolveError};

use crate::pack::Pack;
use crate::real::Real;
use crate::rule::StepRule;

/// Power iterations \[-\]. On the piles of experiment 19 they leave 1 to 4 % to the eigenvalue.
const ITERATIONS: usize = 30;

/// What an estimate from below is multiplied by \[-\]: twice what is missing after [`ITERATIONS`].
const MARGIN: f64 = 1.08;

/// ω of the plain step is 1.9/λ_max: under the bound 2/λ_max (J.3), and fast for the largest eigenvalues.
const PLAIN: f64 = 1.9;

/// The rule of `pack` with ω = 1.9/λ_max, or 1/λ_max for momentum, whose theory asks for D ⪰ A (J.12).
///
/// # Errors
/// A problem without bodies.
pub fn relaxation<T: Real>(
    problem: &Problem,
    pack: &mut Pack<T>,
    accelerated: bool,
) -> Result<StepRule, SolveError> {
    let unit = StepRule {
        omega: 1.0,
        ..pack.rule()
    };
    pack.set_rule(problem, unit)?;
    let mut steps = vec![0.0; problem.rows()];
    pack.read_steps(&mut steps);
    let largest = largest_eigenvalue(problem, &steps) * MARGIN;
    let goal = if accelerated { 1.0 } else { PLAIN };
    let omega = if largest > 0.0 && largest.is_finite() {
        goal / largest
    } else {
        1.0
    };
    Ok(StepRule { omega, ..unit })
}

/// λ_max of diag(steps) (A + diag R) on the rows with a step, from below: power iteration on the symmetric form.
fn largest_eigenvalue(problem: &Problem, steps: &[f64]) -> f64 {
    let rows = problem.rows();
    let roots: Vec<f64> = steps.iter().map(|s| s.sqrt()).collect();
    // a fixed start without symmetry, so that no eigenvector of a symmetric pile is missed
    let mut x: Vec<f64> = (0..rows)
        .map(|i| 1.0 + ((i * 37) % 19) as f64 / 19.0)
        .collect();
    let (mut y, mut scaled, mut momentum) = (vec![0.0; rows], vec![0.0; rows], Vec::new());
    let mut coupled = vec![0.0; rows];
    let mut largest: f64 = 0.0;
    for _ in 0..ITERATIONS {
        let norm = x.iter().map(|v| v * v).sum::<f64>().sqrt();
        if norm == 0.0 {
            return largest;
        }
        for i in 0..rows {
            x[i] /= norm;
            scaled[i] = roots[i] * x[i];
        }
        if problem
            .shifted_velocity_in(&mut momentum, &scaled, &mut y)
            .is_err()
        {
            return largest;
        }
        // rows of one block see each other's impulses through R as they change: what counts is its diagonal
        coupled.fill(0.0);
        problem.add_coupled(&scaled, &mut coupled);
        let mut quotient = 0.0;
        for i in 0..rows {
            // the operator without b
            let product = roots[i] * (y[i] - coupled[i] - problem.b()[i]);
            quotient += x[i] * product;
            x[i] = product;
        }
        largest = largest.max(quotient);
    }
    largest
}
