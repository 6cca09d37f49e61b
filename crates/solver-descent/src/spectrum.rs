//! The largest eigenvalue of D⁻¹(A + R), by power iteration from a fixed start (I.7).

use delassus_core::{Problem, SolveError, interrupt};

use crate::space::{Space, dot};

/// Power iterations \[-\].
const ITERATIONS: usize = 40;

/// What an estimate from below is multiplied by \[-\].
pub(crate) const MARGIN: f64 = 1.05;

/// λ_max of D⁻¹(A + R) on the rows that are solved for, from below \[-\]; 1 if no row is.
///
/// # Errors
/// A limit that ends between two products with A.
pub(crate) fn largest_eigenvalue(space: &mut Space, problem: &Problem) -> Result<f64, SolveError> {
    let [mut x, mut y] = space.lend_pair(problem.rows());
    // without symmetry, so that no eigenvector of a symmetric pile is missed
    for (i, (x, inverse)) in x.iter_mut().zip(space.inverse()).enumerate() {
        *x = inverse.sqrt() * (1.0 + ((i * 37) % 19) as f64 / 19.0);
    }
    let mut largest = 0.0_f64;
    let mut clock = interrupt::UnitClock::default();
    for _ in 0..ITERATIONS {
        clock.check()?;
        let norm = space.dot(&x, &x).sqrt();
        if norm == 0.0 {
            break;
        }
        x.iter_mut().for_each(|x| *x /= norm);
        space.multiply(problem, &x, &mut y)?;
        largest = largest.max(dot(&x, &y));
        for ((x, y), inverse) in x.iter_mut().zip(&y).zip(space.inverse()) {
            *x = inverse * y;
        }
    }
    space.take_pair([x, y]);
    Ok(if largest > 0.0 && largest.is_finite() {
        largest
    } else {
        1.0
    })
}

/// The step 1/(1.05 λ_max) that no set makes too long (I.7) \[-\].
pub(crate) fn safe_step(space: &mut Space, problem: &Problem) -> Result<f64, SolveError> {
    Ok(1.0 / (MARGIN * largest_eigenvalue(space, problem)?))
}
