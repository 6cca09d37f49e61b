//! The sets of the laws: impulses as projections of y, and how they follow it (Z.3)–(Z.6).
//!
//! A block's impulses are λ = Π(y) with y = c − β⁻¹w, so that ∂λ/∂w = −G, G = Π'(y)β⁻¹. Where y
//! lies on the boundary of two pieces, the piece that lets λ move is taken.

use delassus_core::{Law, Problem, Tangents, norm};

/// Rows that are projected together.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Kind {
    /// Each row by itself, between bounds.
    Intervals,
    /// A normal and tangents, each within μ times the normal impulse.
    Square { mu: f64 },
    /// A normal and tangents in a disc of radius μ times the normal impulse.
    Disc { mu: f64 },
    /// The convex cone.
    Cone { mu: f64 },
    /// Normals, two tangents and a twist (P.8).
    Patch { mu: f64, levers: Box<[f64]> },
    /// Normal, tangents, rolling rows, spinning row (P.11).
    Rolling { radii: [f64; 3] },
}

/// The rows of one block.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Set {
    pub(crate) first: usize,
    pub(crate) dim: usize,
    pub(crate) kind: Kind,
    /// True if G is stored as a diagonal.
    diagonal: bool,
    /// Where its G is in [`Slopes`].
    pub(crate) slope: usize,
}

impl Set {
    /// True if G is diagonal and stored as such.
    pub(crate) fn is_diagonal(&self) -> bool {
        self.diagonal
    }

    /// Rows that share a step: `call` is given ranges of local rows of one unit.
    pub(crate) fn groups(&self, mut call: impl FnMut(std::ops::Range<usize>)) {
        match &self.kind {
            Kind::Intervals | Kind::Square { .. } => (0..self.dim).for_each(|i| call(i..i + 1)),
            Kind::Disc { .. } => {
                call(0..1);
                call(1..self.dim);
            }
            Kind::Cone { .. } => call(0..self.dim),
            Kind::Patch { levers, .. } => {
                let k = levers.len();
                (0..k).for_each(|i| call(i..i + 1));
                call(k..k + 2);
                call(k + 2..k + 3);
            }
            Kind::Rolling { .. } => {
                call(0..1);
                call(1..3);
                call(3..5);
                if self.dim > 5 {
                    call(5..6);
                }
            }
        }
    }
}

/// The sets of a problem.
#[derive(Debug, Clone)]
pub(crate) struct Sets {
    pub(crate) list: Vec<Set>,
    /// Bounds per row \[N·s\], of rows that are projected by themselves; equal where a row is held.
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
            lower: vec![f64::NEG_INFINITY; rows],
            upper: vec![f64::INFINITY; rows],
            convex: false,
            radius: vec![0.0; rows],
            slopes: 0,
        };
        for (index, block) in problem.blocks().iter().enumerate() {
            let active = problem.active_dim(index);
            let kind = sets.kind(&block.law, block.rows(), active);
            for row in block.first_row + active..block.first_row + block.dim {
                (sets.lower[row], sets.upper[row]) = (impulses[row], impulses[row]);
            }
            let slope = sets.slopes;
            let shared = problem.coupled_compliance().of(index).is_some();
            let diagonal = kind == Kind::Intervals && !shared;
            sets.slopes += if diagonal {
                block.dim
            } else {
                block.dim * block.dim
            };
            let (first, dim) = (block.first_row, block.dim);
            sets.list.push(Set {
                first,
                dim,
                kind,
                diagonal,
                slope,
            });
        }
        sets
    }

    /// The kind of a block, and the bounds of its rows.
    fn kind(&mut self, law: &Law, rows: std::ops::Range<usize>, active: usize) -> Kind {
        let whole = active == rows.len();
        match law {
            Law::Equality => Kind::Intervals,
            Law::Bounds { lower, upper } => {
                self.lower[rows.clone()].fill(*lower);
                self.upper[rows].fill(*upper);
                Kind::Intervals
            }
            Law::Contact(friction) => {
                self.lower[rows.start] = 0.0;
                match friction.tangents() {
                    _ if !whole || rows.len() == 1 => Kind::Intervals,
                    _ if friction.mu() == 0.0 => {
                        let tangents = rows.start + 1..rows.end;
                        self.lower[tangents.clone()].fill(-friction.limit());
                        self.upper[tangents].fill(friction.limit());
                        Kind::Intervals
                    }
                    Tangents::Box { mu, .. } => Kind::Square { mu },
                    Tangents::Disc { mu } | Tangents::Polygon { mu, .. } => Kind::Disc { mu },
                    Tangents::Cone { mu } => Kind::Cone { mu },
                }
            }
            Law::Patch(patch) => {
                let normals = rows.start..rows.start + patch.levers.len();
                self.lower[normals].fill(0.0);
                if !whole {
                    return Kind::Intervals;
                }
                let levers = patch.levers.clone().into_boxed_slice();
                Kind::Patch {
                    mu: patch.mu,
                    levers,
                }
            }
            Law::Rolling(rolling) => {
                self.lower[rows.start] = 0.0;
                if !whole {
                    return Kind::Intervals;
                }
                let spinning = rolling.spinning.unwrap_or(0.0);
                Kind::Rolling {
                    radii: [rolling.mu, rolling.rolling, spinning],
                }
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
            let symmetric = self.project_block(set, (y, beta), out, slopes.as_deref_mut());
            if let Some(slopes) = &mut slopes {
                slopes.symmetric &= symmetric;
            }
        }
    }

    /// The same of one block; false if its G is not symmetric.
    pub(crate) fn project_block(
        &self,
        set: &Set,
        (y, beta): (&[f64], &[f64]),
        out: &mut [f64],
        slopes: Option<&mut Slopes>,
    ) -> bool {
        let rows = set.first..set.first + set.dim;
        if set.is_diagonal() {
            let values = slopes.map(|s| &mut s.values[set.slope..set.slope + set.dim]);
            self.intervals(rows, (y, beta), out, (values, 1));
            return true;
        }
        let mut slope = slopes.map(|s| &mut s.values[set.slope..set.slope + set.dim * set.dim]);
        if set.kind == Kind::Intervals {
            if let Some(slope) = &mut slope {
                slope.fill(0.0);
            }
            self.intervals(rows, (y, beta), out, (slope, set.dim + 1));
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
        local.project(&set.kind);
        local.symmetric
    }

    /// Takes the radii that belong to normal impulses.
    pub(crate) fn freeze(&mut self, impulses: &[f64]) {
        for set in &self.list {
            let (first, rows) = (set.first, set.first..set.first + set.dim);
            let normal = |i: usize| impulses[first + i].max(0.0);
            let radius = &mut self.radius[rows];
            match &set.kind {
                Kind::Square { mu } => radius.fill(mu * normal(0)),
                Kind::Patch { mu, levers } => {
                    let k = levers.len();
                    radius[k] = mu * (0..k).map(normal).sum::<f64>();
                    let levers = levers.iter().enumerate();
                    radius[k + 2] = mu * levers.map(|(i, l)| l * normal(i)).sum::<f64>();
                }
                Kind::Rolling { radii } => {
                    for (row, factor) in [1, 3, 5].into_iter().zip(radii) {
                        if row < set.dim {
                            radius[row] = factor * normal(0);
                        }
                    }
                }
                Kind::Intervals | Kind::Disc { .. } | Kind::Cone { .. } => {}
            }
        }
    }

    fn intervals(
        &self,
        rows: std::ops::Range<usize>,
        (y, beta): (&[f64], &[f64]),
        out: &mut [f64],
        (mut slope, stride): (Option<&mut [f64]>, usize),
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

    fn project(&mut self, kind: &Kind) {
        let dim = self.y.len();
        match kind {
            Kind::Intervals => {}
            Kind::Square { mu } => {
                self.normal(0);
                for i in 1..dim {
                    self.disc(i..i + 1, |_| *mu, 1);
                }
            }
            Kind::Disc { mu } if self.frozen.is_some() => self.cone(*mu),
            Kind::Disc { mu } => {
                self.normal(0);
                self.disc(1..dim, |_| *mu, 1);
            }
            Kind::Cone { mu } => self.cone(*mu),
            Kind::Patch { mu, levers } => {
                let k = levers.len();
                (0..k).for_each(|i| self.normal(i));
                self.disc(k..k + 2, |_| *mu, k);
                self.disc(k + 2..k + 3, |i| mu * levers[i], k);
            }
            Kind::Rolling { radii } => {
                self.normal(0);
                self.disc(1..3, |_| radii[0], 1);
                self.disc(3..5, |_| radii[1], 1);
                if dim > 5 {
                    self.disc(5..6, |_| radii[2], 1);
                }
            }
        }
    }

    fn set(&mut self, row: usize, column: usize, value: f64) {
        let dim = self.y.len();
        if let Some(slope) = &mut self.slope {
            slope[row * dim + column] = value;
        }
    }

    /// λ ≥ 0.
    fn normal(&mut self, i: usize) {
        self.out[i] = self.y[i].max(0.0);
        if self.y[i] >= 0.0 {
            self.set(i, i, 1.0 / self.beta[i]);
        }
    }

    /// One or two rows in a disc whose radius is the sum of `factor` times the impulses of the
    /// first `normals` rows.
    fn disc(
        &mut self,
        rows: std::ops::Range<usize>,
        factor: impl Fn(usize) -> f64,
        normals: usize,
    ) {
        let radius = match self.frozen {
            Some(radii) => radii[rows.start],
            None => (0..normals).map(|n| factor(n) * self.out[n]).sum(),
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
            for n in 0..normals {
                if self.y[n] >= 0.0 && factor(n) != 0.0 {
                    self.symmetric = false;
                    self.set(i, n, factor(n) * along[i - first] / self.beta[n]);
                }
            }
        }
    }

    /// The cone, nearest in the metric of β (Z.5).
    fn cone(&mut self, mu: f64) {
        let dim = self.y.len();
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
}
