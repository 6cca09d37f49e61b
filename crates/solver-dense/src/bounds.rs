//! Rows with fixed bounds: what the pivoting methods see of a problem.

use delassus_core::{Factor, Law, Problem, SetShape, Unsupported};

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

/// Bounds of local row `local` of a block of which `active` rows are solved for; `None` if they
/// depend on other impulses. Those of pyramids are zero, for the caller to set.
pub(crate) fn of_row(law: &Law, active: usize, local: usize) -> Option<RowBounds> {
    let factors = law.factors(active);
    let factor = factors.iter().find(|f| f.rows().contains(&local))?;
    match factor.shape {
        SetShape::Cone => (local == factor.first).then_some(RowBounds::PUSH),
        SetShape::Interval { .. } if is_pyramid(factor) => Some(RowBounds::fixed(0.0)),
        _ => of_factor(factor),
    }
}

/// Bounds of the rows of a factor; `None` if they are not fixed numbers.
pub(crate) fn of_factor(factor: &Factor<'_>) -> Option<RowBounds> {
    let (lower, upper) = factor.fixed_set()?.bounds()?;
    Some(RowBounds::new(lower, upper))
}

/// True for tangents that are bounded by their normal impulse, each by itself.
fn is_pyramid(factor: &Factor<'_>) -> bool {
    factor.with_normal
        && matches!(factor.shape, SetShape::Interval { .. })
        && !factor.depends_on().is_empty()
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
        let factors = block.law.factors(problem.active_dim(index));
        for factor in factors.iter().filter(|factor| is_pyramid(factor)) {
            let first = block.first_row;
            out.extend(factor.rows().map(|local| Coupled {
                row: first + local,
                normal: first + factor.depends_on().start,
                mu: factor.slope(0),
            }));
        }
    }
}

/// Writes the bounds of every row; an inactive row is fixed at its impulse.
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
                of_row(&block.law, active, local)
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

/// As [`write()`] for the pivoting methods.
///
/// # Errors
/// A row whose bounds depend on other impulses.
pub(crate) fn write_fixed(
    solver: &'static str,
    problem: &Problem,
    impulses: &[f64],
    [lower, upper]: [&mut [f64]; 2],
) -> Result<(), Unsupported> {
    let Some(row) = write(problem, impulses, lower, upper) else {
        return Ok(());
    };
    let block = problem.block_of_row(row);
    let law = problem.blocks()[block].law.kind();
    Err(Unsupported::Law { solver, block, law })
}
