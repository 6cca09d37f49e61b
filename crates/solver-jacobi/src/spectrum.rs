//! Relaxation from the largest eigenvalue of D⁻¹(A + R), by power iteration (J.10).

use delassus_core::{Problem, SolveError};

use crate::pack::Pack;
use crate::real::Real;
use crate::rule::StepRule;

/// What an estimate from below is multiplied by \[-\]: twice what is missing after the power
/// iterations.
const MARGIN: f64 = 1.08;

/// ω of the plain step is 1.9/λ_max: under the bound 2/λ_max (J.3), and fast for the largest
/// eigenvalues.
const PLAIN: f64 = 1.9;

/// The rule of `pack` with ω = 1.9/λ_max, or 1/λ_max for momentum, whose theory asks for D ⪰ A
/// (J.12).
///
/// # Errors
/// A problem without bodies; a limit that ended the power iteration.
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
    let mut power = std::mem::take(&mut pack.power);
    power.steps.resize(problem.rows(), 0.0);
    pack.read_steps(&mut power.steps);
    let largest = power.largest_eigenvalue(problem);
    pack.power = power;
    let largest = largest? * MARGIN;
    let goal = if accelerated { 1.0 } else { PLAIN };
    let omega = if largest > 0.0 && largest.is_finite() {
        goal / largest
    } else {
        1.0
    };
    Ok(StepRule { omega, ..unit })
}
