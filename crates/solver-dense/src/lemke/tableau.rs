//! The condensed tableau of complementary pivoting: basic variables as affine functions of the
//! others.
//!
//! basic = column 0 + Σ columns · nonbasic. A pivot exchanges one of each, O(n²); a refresh
//! computes the whole anew from M and q. Columns that belong to variables fixed at zero
//! (complements of free variables) are kept and never enter; rows of free variables never block.

use delassus_core::{SolveError, interrupt};

use crate::linear;

/// A variable of the extended problem s = Mx + q + d x₀.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Name {
    /// x_k.
    Impulse(usize),
    /// s_k.
    Velocity(usize),
    /// x₀.
    Artificial,
}

/// Ratios that differ by less than this fraction of the largest constant are ties \[-\].
const TIE: f64 = 1e-11;

/// See the module documentation.
#[derive(Debug)]
pub(super) struct Tableau {
    /// n \[-\].
    pub(super) size: usize,
    pub(super) stride: usize,
    /// Row-major; column 0 holds the constants.
    pub(super) values: Vec<f64>,
    /// Basic variable of each row.
    pub(super) basic: Vec<Name>,
    /// Nonbasic variable of each column from 1 on; entry 0 is of no use.
    pub(super) nonbasic: Vec<Name>,
    /// Rows that cannot block: free variables, and rows found redundant.
    pub(super) silent: Vec<bool>,
    /// Entries of an entering column below this fraction of its largest are zero \[-\].
    pub(super) zero: f64,
    /// Column of s_k where it is nonbasic; 0 where it is basic. For the lexicographic rule.
    velocity_column: Vec<usize>,
    /// Variables without a sign: their velocities take no part in the lexicographic rule.
    free: Vec<bool>,
    tied: Vec<usize>,
    pivot_row: Vec<f64>,
}

impl Tableau {
    pub(super) fn new(free: Vec<bool>) -> Self {
        let size = free.len();
        let stride = (size + 2).next_multiple_of(8);
        Self {
            size,
            stride,
            values: vec![0.0; size * stride],
            basic: vec![Name::Artificial; size],
            nonbasic: vec![Name::Artificial; size + 2],
            silent: vec![false; size],
            zero: 0.0,
            velocity_column: vec![0; size],
            free,
            tied: Vec::with_capacity(size),
            pivot_row: vec![0.0; stride],
        }
    }

    /// Entries of row `i`: the constant, then one per nonbasic variable.
    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.stride..][..self.size + 2]
    }

    pub(super) fn row_mut(&mut self, i: usize) -> &mut [f64] {
        &mut self.values[i * self.stride..][..self.size + 2]
    }

    /// Looks up the columns of the velocities after labels were written from outside.
    pub(super) fn index(&mut self) {
        self.velocity_column.fill(0);
        for (column, name) in self.nonbasic.iter().enumerate().skip(1) {
            if let Name::Velocity(k) = name {
                self.velocity_column[*k] = column;
            }
        }
    }

    pub(super) fn column_of(&self, name: Name) -> Option<usize> {
        (1..self.size + 2).find(|c| self.nonbasic[*c] == name)
    }

    /// Exchanges the basic variable of `row` with the nonbasic one of `column`.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it; the tableau is none then.
    pub(super) fn pivot(&mut self, row: usize, column: usize) -> Result<(), SolveError> {
        let width = self.size + 2;
        let reciprocal = 1.0 / self.row(row)[column];
        self.pivot_row[..width].copy_from_slice(&self.values[row * self.stride..][..width]);
        // basic = … + p·nonbasic, solved for the nonbasic variable
        for value in &mut self.pivot_row[..width] {
            *value *= -reciprocal;
        }
        self.pivot_row[column] = reciprocal;
        interrupt::for_each(self.size, width, |i| {
            let target = &mut self.values[i * self.stride..][..width];
            if i == row {
                target.copy_from_slice(&self.pivot_row[..width]);
                return;
            }
            let factor = target[column];
            if factor != 0.0 {
                target[column] = 0.0;
                linear::add_scaled(factor, &self.pivot_row[..width], target);
            }
        })?;
        let (leaving, entering) = (self.basic[row], self.nonbasic[column]);
        self.basic[row] = entering;
        self.nonbasic[column] = leaving;
        if let Name::Velocity(k) = leaving {
            self.velocity_column[k] = column;
        }
        if let Name::Velocity(k) = entering {
            self.velocity_column[k] = 0;
        }
        Ok(())
    }

    /// The row that makes every constant non-negative when x₀ enters: the lexicographically
    /// smallest (B.10); `None` if none is negative.
    pub(super) fn most_negative(&self, column: usize, zero: f64) -> Option<usize> {
        let mut best: Option<(usize, f64)> = None;
        for i in 0..self.size {
            let row = self.row(i);
            if self.silent[i] || row[0] >= -zero {
                continue;
            }
            let ratio = row[0] / row[column];
            // of equal ratios the last row is the smallest: its perturbation is of the highest
            // order
            if best.is_none_or(|(_, smallest)| ratio <= smallest + TIE * smallest.abs()) {
                best = Some((i, best.map_or(ratio, |(_, s)| s.min(ratio))));
            }
        }
        best.map(|(row, _)| row)
    }

    /// The row that blocks the variable of `column` first (B.11): x₀ if it is among the first, then
    /// the lexicographically smallest. `None` on a ray.
    pub(super) fn blocking(&mut self, column: usize) -> Option<usize> {
        let mut tied = std::mem::take(&mut self.tied);
        self.first_of(column, &mut tied);
        let artificial = tied.iter().find(|i| self.basic[**i] == Name::Artificial);
        let found = match artificial {
            Some(row) => Some(*row),
            None => self.lexicographic(column, &mut tied),
        };
        self.tied = tied;
        found
    }

    /// The rows that block the variable of `column` first, ties included.
    fn first_of(&self, column: usize, tied: &mut Vec<usize>) {
        let largest = (0..self.size).fold(0.0, |max: f64, i| max.max(self.row(i)[column].abs()));
        let zero = self.zero * largest;
        let scale = (0..self.size).fold(0.0, |max: f64, i| max.max(self.row(i)[0].abs()));
        let blocks = |i: &usize| !self.silent[*i] && self.row(*i)[column] < -zero;
        let ratio = |i: usize| self.row(i)[0].max(0.0) / -self.row(i)[column];
        let candidates = (0..self.size).filter(blocks);
        let smallest = candidates.clone().map(ratio).fold(f64::INFINITY, f64::min);
        let limit = smallest + TIE * scale.max(smallest);
        tied.clear();
        tied.extend(candidates.filter(|i| ratio(*i) <= limit));
    }

    /// Of the rows in `tied` the one whose row of B⁻¹, over the entry of the entering column, is
    /// the smallest (B.11).
    fn lexicographic(&self, column: usize, tied: &mut Vec<usize>) -> Option<usize> {
        for k in (0..self.size).filter(|k| !self.free[*k]) {
            if tied.len() <= 1 {
                break;
            }
            let entry = |i: usize| {
                let row = self.row(i);
                let inverse = match self.velocity_column[k] {
                    0 => f64::from(u8::from(self.basic[i] == Name::Velocity(k))),
                    at => -row[at],
                };
                inverse / -row[column]
            };
            let smallest = tied.iter().map(|i| entry(*i)).fold(f64::INFINITY, f64::min);
            let limit = smallest + TIE * smallest.abs().max(1.0);
            tied.retain(|i| entry(*i) <= limit);
        }
        // rounding has made them equal: the largest entry is the safest pivot
        let size = |i: &&usize| self.row(**i)[column].abs();
        tied.iter()
            .max_by(|a, b| size(a).total_cmp(&size(b)))
            .copied()
    }
}
