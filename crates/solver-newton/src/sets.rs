//! The sets of the laws: impulses as projections of y, and how they follow it (Z.3)–(Z.6).
//!
//! A block's impulses are λ = Π(y) with y = c − β⁻¹w, so that ∂λ/∂w = −G, G = Π'(y)β⁻¹. Where y
//! lies on the boundary of two pieces, the piece that lets λ move is taken.

use std::ops::Range;

use delassus_core::{Factor, FactorList, Problem, Radius, SetShape, norm};

use crate::uneven::{self, Piece};

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

/// y, steps and what to fill of the rows of one block.
struct Local<'a> {
    y: &'a [f64],
    beta: &'a [f64],
    out: &'a mut [f64],
    slope: Option<&'a mut [f64]>,
    /// Radii that follow nothing; otherwise they follow the normal impulses.
    frozen: Option<&'a [f64]>,
    symmetric: bool,
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

impl Local<'_> {
    fn clear(&mut self) {
        if let Some(slope) = &mut self.slope {
            slope.fill(0.0);
        }
    }

    /// Projects the rows of one factor, after those that bound it.
    fn project(&mut self, factor: &Factor<'_>) {
        match (factor.shape, factor.radius) {
            (SetShape::Interval { lower, upper }, Radius::Fixed(radius)) => {
                let (lower, upper) = (lower * radius, upper * radius);
                let rows = factor.rows();
                rows.for_each(|i| self.interval(i, lower, upper));
            }
            (SetShape::Interval { .. }, Radius::Linear { .. }) => {
                factor.rows().for_each(|i| self.disc(i..i + 1, factor));
            }
            (SetShape::Ball | SetShape::Polygon(_), _) => self.disc(factor.rows(), factor),
            (SetShape::Cone, Radius::Fixed(mu)) => self.cone(mu),
            (SetShape::Cone, Radius::Linear { .. }) => {}
        }
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        let dim = self.y.len();
        if let Some(slope) = &mut self.slope {
            slope[row * dim + column] = value;
        }
    }

    /// One row between fixed bounds.
    fn interval(&mut self, i: usize, lower: f64, upper: f64) {
        self.out[i] = self.y[i].max(lower).min(upper);
        if self.y[i] >= lower && self.y[i] <= upper && lower < upper {
            self.set(i, i, 1.0 / self.beta[i]);
        }
    }

    /// One or two rows of a factor in a disc whose radius follows the impulses of normal rows.
    fn disc(&mut self, rows: Range<usize>, factor: &Factor<'_>) {
        let normals = factor.depends_on();
        let radius = match self.frozen {
            Some(radii) => radii[rows.start],
            None => {
                let slopes = (0..).map(|n| factor.slope(n));
                let terms = slopes.zip(&self.out[normals.clone()]);
                terms.map(|(slope, normal)| slope * normal).sum()
            }
        };
        let (first, last) = (rows.start, rows.end - 1);
        let other = if last > first { self.y[last] } else { 0.0 };
        let length = norm::norm(&[self.y[first], other]);
        let inverse = 1.0 / self.beta[first];
        if length <= radius {
            for i in rows {
                self.out[i] = self.y[i];
                self.set(i, i, inverse);
            }
            return;
        }
        let share = radius / length;
        let along = [self.y[first] / length, other / length];
        for i in rows.clone() {
            self.out[i] = share * self.y[i];
            for k in rows.clone() {
                let identity = if i == k { 1.0 } else { 0.0 };
                let across = identity - along[i - first] * along[k - first];
                self.set(i, k, inverse * share * across);
            }
            if self.frozen.is_some() {
                continue;
            }
            for (index, n) in normals.clone().enumerate() {
                let slope = factor.slope(index);
                if self.y[n] >= 0.0 && slope != 0.0 {
                    self.symmetric = false;
                    self.set(i, n, slope * along[i - first] / self.beta[n]);
                }
            }
        }
    }

    /// The cone, nearest in the metric of β (Z.5).
    fn cone(&mut self, mu: f64) {
        let dim = self.y.len();
        if self.beta[1..].iter().any(|beta| *beta != self.beta[1]) {
            return self.uneven_cone(mu);
        }
        let (inverse_n, inverse_t) = (1.0 / self.beta[0], 1.0 / self.beta[1]);
        let tangents = &self.y[1..];
        let length = norm::norm(tangents);
        let normal = self.y[0];
        if normal >= 0.0 && length <= mu * normal {
            self.out.copy_from_slice(self.y);
            for i in 0..dim {
                self.set(i, i, if i == 0 { inverse_n } else { inverse_t });
            }
            return;
        }
        let ratio = self.beta[1] / self.beta[0];
        if mu * ratio * length <= -normal {
            self.out.fill(0.0);
            return;
        }
        let share = 1.0 / (1.0 + mu * mu * ratio);
        let height = (normal + mu * ratio * length) * share;
        self.out[0] = height;
        self.set(0, 0, share * inverse_n);
        for i in 1..dim {
            let along = self.y[i] / length;
            self.out[i] = mu * height * along;
            // symmetric: μ̂/β_t = μ/β_n
            self.set(0, i, mu * share * inverse_n * along);
            self.set(i, 0, mu * share * inverse_n * along);
            for k in 1..dim {
                let beside = along * self.y[k] / length;
                let identity = if i == k { 1.0 } else { 0.0 };
                let across = mu * height / length * (identity - beside) * inverse_t;
                self.set(i, k, across + mu * mu * share * inverse_n * beside);
            }
        }
    }

    /// The cone in a metric whose tangents differ (Z.21).
    fn uneven_cone(&mut self, mu: f64) {
        let dim = self.y.len();
        match uneven::project(mu, self.beta, self.y, self.out) {
            Piece::Inside => (0..dim).for_each(|i| self.set(i, i, 1.0 / self.beta[i])),
            Piece::Apex => {}
            Piece::Edge { multiplier } => {
                if let Some(slope) = &mut self.slope {
                    uneven::slope(mu, self.beta, multiplier, self.out, slope);
                }
            }
        }
    }
}
