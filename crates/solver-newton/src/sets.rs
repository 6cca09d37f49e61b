//! The sets of the laws: impulses as projections of y, and how they follow it (Z.3)–(Z.6).
//!
//! A block's impulses are λ = Π(y) with y = c − β⁻¹w, so that ∂λ/∂w = −G, G = Π'(y)β⁻¹. Where y
//! lies on the boundary of two pieces, the piece that lets λ move is taken.

mod local;

use std::ops::Range;

use delassus_core::{Factor, FactorList, Problem, Radius, SetShape};

use local::Local;

/// Rows that are projected together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum SetKind {
    /// Each row by itself, between bounds.
    Intervals,
    /// A normal and tangents in a disc of radius μ times the normal impulse.
    Disc { mu: f64 },
    /// The convex cone.
    Cone { mu: f64 },
    /// One factor after the other, normal rows first.
    Factors,
}

impl SetKind {
    /// That of the factors of a block.
    fn of(factors: &[Factor<'_>]) -> Self {
        match factors {
            factors if factors.iter().all(is_bounded) => Self::Intervals,
            [_, friction] if friction.with_normal && !is_interval(friction) => Self::Disc {
                mu: friction.slope(0),
            },
            [
                Factor {
                    shape: SetShape::Cone,
                    radius: Radius::Fixed(mu),
                    ..
                },
            ] => Self::Cone { mu: *mu },
            _ => Self::Factors,
        }
    }
}

/// True if the bounds of the rows are fixed numbers: also those of tangents, or of a cone, with
/// μ = 0.
fn is_bounded(factor: &Factor<'_>) -> bool {
    match (factor.shape, factor.radius) {
        (SetShape::Interval { .. }, Radius::Fixed(_)) => true,
        (SetShape::Cone, Radius::Fixed(mu)) => mu == 0.0,
        _ => factor.with_normal && factor.slope(0) == 0.0,
    }
}

fn is_interval(factor: &Factor<'_>) -> bool {
    matches!(factor.shape, SetShape::Interval { .. })
}

/// The rows of one block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct BlockSet {
    pub(crate) first: usize,
    pub(crate) dim: usize,
    pub(crate) kind: SetKind,
    /// Where its factors are in the list of all.
    factors: Range<usize>,
    /// True if G is stored as a diagonal.
    diagonal: bool,
    /// Where its G is in [`Slopes`].
    pub(crate) slope: usize,
}

impl BlockSet {
    /// True if G is diagonal and stored as such.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.diagonal
    }
}

/// The sets of a problem.
#[derive(Debug, Clone)]
pub(crate) struct Sets {
    pub(crate) list: Vec<BlockSet>,
    /// Coulomb's law as a normal row and a disc.
    factors: FactorList,
    /// Bounds per row \[N·s\], of rows that are projected by themselves; equal where a row is
    /// inactive.
    pub(crate) lower: Vec<f64>,
    pub(crate) upper: Vec<f64>,
    /// True for the convex problem in place of Coulomb's law: cones, and discs that do not follow
    /// normal impulses (Z.6).
    pub(crate) convex: bool,
    /// Radii of those discs, at their first rows \[N·s\].
    radius: Vec<f64>,
    slopes: usize,
}

/// G of every block, row by row.
#[derive(Debug, Clone, Default)]
pub(crate) struct Slopes {
    pub(crate) values: Vec<f64>,
    /// False if some block slides along a set whose size follows another row.
    pub(crate) symmetric: bool,
}

impl Sets {
    /// The sets of `problem`; rows that are not solved for keep `impulses`.
    pub(crate) fn new(problem: &Problem, impulses: &[f64]) -> Self {
        let rows = problem.rows();
        let mut sets = Self {
            list: Vec::with_capacity(problem.blocks().len()),
            factors: FactorList::default(),
            lower: vec![f64::NEG_INFINITY; rows],
            upper: vec![f64::INFINITY; rows],
            convex: false,
            radius: vec![0.0; rows],
            slopes: 0,
        };
        for (index, block) in problem.blocks().iter().enumerate() {
            let active = problem.active_dim(index);
            let own = block.law.factors(active).in_disc_form();
            let factors = sets.factors.len()..sets.factors.len() + own.len();
            for factor in own {
                sets.factors.push(factor);
                sets.take_bounds(block.first_row, &factor);
            }
            let kind = SetKind::of(&own);
            for row in block.first_row + active..block.first_row + block.dim {
                (sets.lower[row], sets.upper[row]) = (impulses[row], impulses[row]);
            }
            let slope = sets.slopes;
            let shared = problem.coupled_compliance().of(index).is_some();
            let diagonal = kind == SetKind::Intervals && !shared;
            sets.slopes += if diagonal {
                block.dim
            } else {
                block.dim * block.dim
            };
            let (first, dim) = (block.first_row, block.dim);
            sets.list.push(BlockSet {
                first,
                dim,
                kind,
                factors,
                diagonal,
                slope,
            });
        }
        sets
    }

    /// The bounds of rows that are projected by themselves, of a block that begins at `first`.
    fn take_bounds(&mut self, first: usize, factor: &Factor<'_>) {
        let rows = first + factor.first..first + factor.rows().end;
        match (factor.shape, factor.radius) {
            (SetShape::Interval { lower, upper }, Radius::Fixed(radius)) => {
                self.lower[rows.clone()].fill(lower * radius);
                self.upper[rows].fill(upper * radius);
            }
            _ if is_bounded(factor) => {
                self.lower[rows.clone()].fill(-0.0);
                self.upper[rows.clone()].fill(0.0);
                if factor.shape == SetShape::Cone {
                    (self.lower[rows.start], self.upper[rows.start]) = (0.0, f64::INFINITY);
                }
            }
            _ => {}
        }
    }

    /// Rows of a block that share a step: `call` is given ranges of local rows of one unit.
    pub(crate) fn groups(&self, set: &BlockSet, mut call: impl FnMut(Range<usize>)) {
        if set.kind == SetKind::Intervals {
            return (0..set.dim).for_each(|i| call(i..i + 1));
        }
        for factor in self.factors.slice(set.factors.clone()) {
            if is_interval(&factor) {
                factor.rows().for_each(|i| call(i..i + 1));
            } else {
                call(factor.rows());
            }
        }
    }

    /// Memory for G.
    pub(crate) fn slopes(&self) -> Slopes {
        Slopes {
            values: vec![0.0; self.slopes],
            symmetric: true,
        }
    }

    /// λ = Π(y) of every block, and G where it is asked for.
    pub(crate) fn project(
        &self,
        y: &[f64],
        beta: &[f64],
        out: &mut [f64],
        mut slopes: Option<&mut Slopes>,
    ) {
        if let Some(slopes) = &mut slopes {
            slopes.symmetric = true;
        }
        for set in &self.list {
            let symmetric = self.project_block(set, y, beta, out, slopes.as_deref_mut());
            if let Some(slopes) = &mut slopes {
                slopes.symmetric &= symmetric;
            }
        }
    }

    /// The same of one block; false if its G is not symmetric.
    pub(crate) fn project_block(
        &self,
        set: &BlockSet,
        y: &[f64],
        beta: &[f64],
        out: &mut [f64],
        slopes: Option<&mut Slopes>,
    ) -> bool {
        let rows = set.first..set.first + set.dim;
        if set.is_diagonal() {
            let values = slopes.map(|s| &mut s.values[set.slope..set.slope + set.dim]);
            self.intervals(rows, y, beta, out, values, 1);
            return true;
        }
        let mut slope = slopes.map(|s| &mut s.values[set.slope..set.slope + set.dim * set.dim]);
        if set.kind == SetKind::Intervals {
            if let Some(slope) = &mut slope {
                slope.fill(0.0);
            }
            self.intervals(rows, y, beta, out, slope, set.dim + 1);
            return true;
        }
        let mut local = Local {
            y: &y[rows.clone()],
            beta: &beta[rows.clone()],
            frozen: self.convex.then(|| &self.radius[rows.clone()]),
            out: &mut out[rows],
            slope,
            symmetric: true,
        };
        local.clear();
        match set.kind {
            SetKind::Cone { mu } => local.cone(mu),
            SetKind::Disc { mu } if self.convex => local.cone(mu),
            _ => {
                for factor in self.factors.slice(set.factors.clone()) {
                    local.project(&factor);
                }
            }
        }
        local.symmetric
    }

    /// Takes the radii that belong to normal impulses.
    pub(crate) fn freeze(&mut self, impulses: &[f64]) {
        for set in &self.list {
            let rows = set.first..set.first + set.dim;
            let (impulses, radius) = (&impulses[rows.clone()], &mut self.radius[rows]);
            for factor in self.factors.slice(set.factors.clone()) {
                radius[factor.rows()].fill(factor.radius_at(impulses));
            }
        }
    }

    fn intervals(
        &self,
        rows: Range<usize>,
        y: &[f64],
        beta: &[f64],
        out: &mut [f64],
        mut slope: Option<&mut [f64]>,
        stride: usize,
    ) {
        let first = rows.start;
        for i in rows {
            let (lower, upper) = (self.lower[i], self.upper[i]);
            let free = y[i] >= lower && y[i] <= upper && lower < upper;
            out[i] = y[i].max(lower).min(upper);
            if let Some(slope) = &mut slope {
                slope[(i - first) * stride] = if free { 1.0 / beta[i] } else { 0.0 };
            }
        }
    }
}
