//! Rows with fixed bounds: what the pivoting methods see of a problem.

use delassus_core::{Friction, Law, Problem};

/// Bounds of the impulse of a row \[N·s\].
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowBounds {
    pub(crate) lower: f64,
    pub(crate) upper: f64,
}

impl RowBounds {
    pub(crate) const FREE: Self = Self::new(f64::NEG_INFINITY, f64::INFINITY);
    pub(crate) const PUSH: Self = Self::new(0.0, f64::INFINITY);

    const fn new(lower: f64, upper: f64) -> Self {
        Self { lower, upper }
    }

    /// A row that is held at its impulse.
    pub(crate) const fn fixed(impulse: f64) -> Self {
        Self::new(impulse, impulse)
    }
}

/// Bounds of local row `local` of a block with this law; `None` if they depend on other impulses.
pub(crate) fn of_row(law: &Law, local: usize) -> Option<RowBounds> {
    match law {
        Law::Equality => Some(RowBounds::FREE),
        Law::Bounds { lower, upper } => Some(RowBounds::new(*lower, *upper)),
        Law::Contact(_) if local == 0 => Some(RowBounds::PUSH),
        Law::Contact(friction) => match *friction {
            Friction::Frictionless => Some(RowBounds::fixed(0.0)),
            Friction::FixedBox { limit } => Some(RowBounds::new(-limit, limit)),
            Friction::Pyramid { .. } => Some(RowBounds::fixed(0.0)),
            Friction::Disc { .. }
            | Friction::Coulomb { .. }
            | Friction::ConvexCone { .. }
            | Friction::Facets { .. } => None,
        },
        Law::Patch(_) | Law::Rolling(_) => None,
    }
}

/// A tangent whose impulse is bounded by μ times that of a normal row (F2).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Coupled {
    pub(crate) row: usize,
    pub(crate) normal: usize,
    pub(crate) mu: f64,
}

/// The tangents of pyramids that are solved for, in row order.
pub(crate) fn pyramids(problem: &Problem, out: &mut Vec<Coupled>) {
    out.clear();
    for (index, block) in problem.blocks().iter().enumerate() {
        if let Law::Contact(Friction::Pyramid { mu }) = block.law {
            let normal = block.first_row;
            let tangents = normal + 1..normal + problem.active_dim(index);
            out.extend(tangents.map(|row| Coupled { row, normal, mu }));
        }
    }
}

/// Writes the bounds of every row; a held row is fixed at its impulse.
///
/// Returns the first row whose bounds are not fixed numbers, if there is one; those of pyramids are
/// fixed at zero, for the caller to set.
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
            let held = RowBounds::fixed(impulses[row]);
            let bounds = if local < active {
                of_row(&block.law, local)
            } else {
                Some(held)
            };
            if bounds.is_none() && coupled.is_none() {
                coupled = Some(row);
            }
            let bounds = bounds.unwrap_or(held);
            (lower[row], upper[row]) = (bounds.lower, bounds.upper);
        }
    }
    coupled
}
