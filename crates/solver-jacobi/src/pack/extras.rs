//! What only some contact points have besides frame, points and law.

use delassus_core::Problem;

/// What only some points have.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Extras {
    /// Fixed bound of the tangents \[N·s\].
    pub(super) limit: f64,
    /// Of the tangents \[m/s\].
    pub(super) bias: [f64; 2],
    /// Of the tangents \[1/kg\].
    pub(super) compliance: [f64; 2],
}

/// True if a contact point has a limit, or tangents with bias or compliance.
pub(super) fn needs_extras(problem: &Problem, block: usize) -> bool {
    point_extras(problem, block) != Extras::default()
}

/// Those of a contact point.
pub(super) fn point_extras(problem: &Problem, block: usize) -> Extras {
    let entry = &problem.blocks()[block];
    let mut extras = Extras {
        limit: entry.law.limit(),
        ..Extras::default()
    };
    for tangent in 0..entry.dim.saturating_sub(1).min(2) {
        let row = entry.first_row + 1 + tangent;
        extras.bias[tangent] = problem.bias()[row];
        extras.compliance[tangent] = problem.compliance()[row];
    }
    extras
}
