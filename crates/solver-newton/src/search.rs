//! How far to go along a Newton step (Z.10), (Z.11).

use delassus_core::StateCoverage;

use crate::linear;
use crate::primal::Primal;

/// Merits that the non-monotone search looks back on \[Grippo1986\].
const MEMORY: usize = 4;
/// Share of the predicted decrease that is enough.
const DECREASE: f64 = 1e-4;
/// Halvings of a step before the search fails.
const HALVINGS: u32 = 10;
/// A directional derivative of this part of the first one counts as zero \[-\].
const FLAT: f64 = 0.05;
/// Evaluations of an exact search.
const EVALUATIONS: u32 = 20;

/// Residuals of the last steps with one centre.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct History {
    pub(crate) merits: [f64; MEMORY],
    count: usize,
}

impl History {
    pub(crate) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Adds a merit; the largest of the last ones.
    fn push(&mut self, merit: f64) -> f64 {
        self.merits[self.count % MEMORY] = merit;
        self.count += 1;
        self.merits.iter().fold(0.0, |max, m| max.max(*m))
    }

    /// Appends what decides the searches to come.
    pub(crate) fn push_state(&self, out: &mut Vec<u64>) {
        StateCoverage::push(out, self.merits);
        out.push((self.count % MEMORY) as u64);
    }
}

/// Moves λ along the step of the natural map; false if no length is accepted.
pub(crate) fn advance(
    primal: &mut Primal,
    sigma: f64,
    searching: bool,
    history: &mut History,
) -> bool {
    if !searching {
        primal.natural_accept(1.0);
        return true;
    }
    let reference = history.push(primal.natural_at(sigma, 0.0));
    let mut length = 1.0;
    for _ in 0..=HALVINGS {
        if primal.natural_at(sigma, length) <= (1.0 - DECREASE * length) * reference {
            primal.natural_accept(length);
            return true;
        }
        length *= 0.5;
    }
    false
}

/// The exact search of a convex function: Newton's method in one variable, in a bracket (Z.10).
pub(crate) fn minimize(primal: &mut Primal) -> bool {
    let first = linear::dot(&primal.residual, &primal.step);
    if first.is_nan() || first >= 0.0 {
        return false;
    }
    let (mut low, mut high, mut length) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..EVALUATIONS {
        let (slope, curvature) = primal.derivatives_at(length);
        if slope.abs() <= FLAT * -first {
            break;
        }
        if slope > 0.0 {
            high = length;
        } else {
            low = length;
        }
        let next = length - slope / curvature;
        length = if next > low && next < high {
            next
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * length
        };
    }
    primal.residual_at(length);
    primal.accept(length);
    true
}
