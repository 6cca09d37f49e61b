//! Rows with fixed bounds: what the pivoting methods see of a problem.

use delassus_core::{Friction, Law, Problem};

/// Bounds [l, u] of local row `local` of a block with this law; `None` if they depend on other impulses.
pub(crate) fn of_row(law: &Law, local: usize) -> Option<(f64, f64)> {
    const FREE: (f64, f64) = (f64::NEG_INFINITY, f64::INFINITY);
    const PUSH: (f64, f64) = (0.0, f64::INFINITY);
    match law {
        Law::Equality => Some(FREE),
        Law::Bounds { lower, upper } => Some((*lower, *upper)),
        Law::Contact(_) if local == 0 => Some(PUSH),
        Law::Contact(Friction::Frictionless) => Some((0.0, 0.0)),
        Law::Contact(Friction::FixedBox { limit }) => Some((-limit, *limit)),
        Law::Contact(_) | Law::Patch(_) => None,
    }
}

/// Writes the bounds of every row; a held row is fixed at its impulse.
///
/// Returns the first row whose bounds are not fixed numbers, if there is one.
pub(crate) fn write(
    problem: &Problem,
    impulses: &[f64],
    lower: &mut [f64],
    upper: &mut [f64],
) -> Option<usize> {
    let mut coupled = None;
    for (index, block) in problem.blocks().iter().enumerate() {
        let active = problem.active_dim(index);
        for local in 0..block.dim {
            let row = block.first_row + local;
            let held = (impulses[row], impulses[row]);
            let bounds = if local < active {
                of_row(&block.law, local)
            } else {
                Some(held)
            };
            if bounds.is_none() && coupled.is_none() {
                coupled = Some(row);
            }
            (lower[row], upper[row]) = bounds.unwrap_or(held);
        }
    }
    coupled
}
