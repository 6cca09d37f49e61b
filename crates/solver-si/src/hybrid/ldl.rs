//! Sparse L D Lᵀ of a symmetric matrix with a little more on its diagonal, row by row along its
//! elimination tree.

use delassus_core::{SolveError, interrupt};

use super::ordering::LOOK;
use super::rows::Rows;

/// ε: share of every diagonal entry that is added to it, so that redundant rows have a pivot \[-\];
/// far above the roundings that an elimination leaves there.
const SHIFT: f64 = 1e-10;

/// No parent in the elimination tree.
const NONE: usize = usize::MAX;

/// The factors of A + ε diag A.
#[derive(Debug, Clone, Default)]
pub(super) struct Ldl {
    /// First entry of every column of L, and their number.
    first: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// 1 / D.
    inverse: Vec<f64>,
    tree: Tree,
    row: Row,
    /// Entries of each column so far.
    filled: Vec<usize>,
}

impl Ldl {
    /// Factorizes a matrix of which the rows have their entries up to the diagonal, in any order.
    ///
    /// # Errors
    /// A limit that ended it.
    pub(super) fn renew(&mut self, matrix: &Rows) -> Result<(), SolveError> {
        let n = matrix.len();
        self.tree.renew(matrix)?;
        self.first.clear();
        self.first.push(0);
        let mut entries = 0;
        for count in &self.tree.counts {
            entries += count;
            self.first.push(entries);
        }
        // all of them are written
        self.rows.resize(entries, 0);
        self.values.resize(entries, 0.0);
        self.inverse.resize(n, 0.0);
        fill(&mut self.filled, n, 0);
        self.row.renew(n);
        for k in 0..n {
            if k.is_multiple_of(LOOK) {
                interrupt::check()?;
            }
            self.add_row(k, matrix.row(k));
        }
        Ok(())
    }

    /// Row k of L and its pivot.
    fn add_row(&mut self, k: usize, entries: &[(usize, f64)]) {
        let diagonal = self.row.load(k, entries, &self.tree.parent);
        let least = SHIFT * diagonal;
        let mut pivot = diagonal + least;
        let Row {
            values, pattern, ..
        } = &mut self.row;
        for column in pattern.iter().rev() {
            let y = std::mem::take(&mut values[*column]);
            let start = self.first[*column];
            for at in start..start + self.filled[*column] {
                values[self.rows[at]] -= self.values[at] * y;
            }
            let l = y * self.inverse[*column];
            pivot -= l * y;
            let at = start + self.filled[*column];
            (self.rows[at], self.values[at]) = (k, l);
            self.filled[*column] += 1;
        }
        // rounding may take what was added
        self.inverse[k] = 1.0 / if pivot > 0.5 * least { pivot } else { least };
    }

    /// Replaces `x` by the solution of the shifted system.
    pub(super) fn solve(&self, x: &mut [f64]) {
        for column in 0..x.len() {
            for at in self.first[column]..self.first[column + 1] {
                x[self.rows[at]] -= self.values[at] * x[column];
            }
        }
        for (x, inverse) in x.iter_mut().zip(&self.inverse) {
            *x *= inverse;
        }
        for column in (0..x.len()).rev() {
            for at in self.first[column]..self.first[column + 1] {
                x[column] -= self.values[at] * x[self.rows[at]];
            }
        }
    }

    /// Entries of L below its diagonal \[-\].
    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        self.values.len()
    }
}

/// Workspace of one row.
#[derive(Debug, Clone, Default)]
struct Row {
    values: Vec<f64>,
    /// The last row that met a column.
    seen: Vec<usize>,
    path: Vec<usize>,
    /// Columns of the row, paths one after the other, each from its end.
    pattern: Vec<usize>,
}

impl Row {
    /// Makes room for rows of n columns.
    fn renew(&mut self, n: usize) {
        fill(&mut self.values, n, 0.0);
        fill(&mut self.seen, n, NONE);
        // no path and no row has more columns
        self.path.clear();
        self.path.reserve(n);
        self.pattern.clear();
        self.pattern.reserve(n);
    }

    /// Takes over row k and finds the pattern that it has in L; returns its diagonal.
    fn load(&mut self, k: usize, entries: &[(usize, f64)], parent: &[usize]) -> f64 {
        self.seen[k] = k;
        self.pattern.clear();
        let mut diagonal = 0.0;
        for (column, value) in entries {
            if *column == k {
                diagonal += value;
                continue;
            }
            self.values[*column] += value;
            self.path.clear();
            let mut at = *column;
            while self.seen[at] != k {
                self.path.push(at);
                self.seen[at] = k;
                at = parent[at];
            }
            // what comes later on a path depends on what comes earlier
            self.pattern.extend(self.path.iter().rev());
        }
        diagonal
    }
}

/// The elimination tree.
#[derive(Debug, Clone, Default)]
struct Tree {
    parent: Vec<usize>,
    /// Number of entries of every column of L.
    counts: Vec<usize>,
    /// The last row that met a column.
    seen: Vec<usize>,
}

impl Tree {
    fn renew(&mut self, matrix: &Rows) -> Result<(), SolveError> {
        let n = matrix.len();
        fill(&mut self.parent, n, NONE);
        fill(&mut self.counts, n, 0);
        fill(&mut self.seen, n, NONE);
        for (k, entries) in matrix.iter().enumerate() {
            if k.is_multiple_of(LOOK) {
                interrupt::check()?;
            }
            self.seen[k] = k;
            for (column, _) in entries {
                let mut at = *column;
                while self.seen[at] != k {
                    if self.parent[at] == NONE {
                        self.parent[at] = k;
                    }
                    self.counts[at] += 1;
                    self.seen[at] = k;
                    at = self.parent[at];
                }
            }
        }
        Ok(())
    }
}

/// Makes a list so many times one thing, in its memory.
pub(super) fn fill<T: Copy>(list: &mut Vec<T>, length: usize, with: T) {
    list.clear();
    list.resize(length, with);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The factors of a matrix.
    fn factors(matrix: &Rows) -> Ldl {
        let mut ldl = Ldl::default();
        ldl.renew(matrix).expect("no limit");
        ldl
    }

    /// A matrix from its rows.
    fn matrix_of(all: impl Iterator<Item = Vec<(usize, f64)>>) -> Rows {
        let (mut rows, mut count) = (Rows::default(), 0);
        for (row, entries) in all.enumerate() {
            for (column, value) in entries {
                rows.push(row, column, value);
            }
            count = row + 1;
        }
        rows.settle(count);
        rows
    }

    /// b − A x.
    fn residuals(matrix: &Rows, x: &[f64], b: &[f64]) -> Vec<f64> {
        let mut r = b.to_vec();
        for (i, entries) in matrix.iter().enumerate() {
            for (j, value) in entries {
                r[i] -= value * x[*j];
                if i != *j {
                    r[*j] -= value * x[i];
                }
            }
        }
        r
    }

    /// Pseudo-random numbers in (−1, 1).
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (*seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    /// A = Σ c cᵀ of sparse columns, plus `shift` on the diagonal; its rows up to the diagonal.
    fn gram(n: usize, terms: usize, shift: f64, seed: &mut u64) -> Rows {
        let mut dense = vec![vec![0.0; n]; n];
        for term in 0..terms {
            let places = [(7 * term + 3) % n, (5 * term + 1) % n, term % n];
            let c = places.map(|_| noise(seed));
            for (i, x) in places.iter().zip(c) {
                for (j, y) in places.iter().zip(c) {
                    dense[*i][*j] += x * y;
                }
            }
        }
        let row = |i: usize| {
            let entries = (0..=i).map(|j| (j, dense[i][j] + if i == j { shift } else { 0.0 }));
            entries
                .filter(|(j, value)| *j == i || *value != 0.0)
                .collect()
        };
        matrix_of((0..n).map(row))
    }

    /// Solves with refinements by residuals of the matrix itself; returns the last residual.
    fn refined(matrix: &Rows, b: &[f64], times: usize) -> f64 {
        let ldl = factors(matrix);
        let mut x = vec![0.0; b.len()];
        for _ in 0..times {
            let mut r = residuals(matrix, &x, b);
            ldl.solve(&mut r);
            x.iter_mut().zip(&r).for_each(|(x, r)| *x += r);
        }
        let left = residuals(matrix, &x, b);
        left.iter().fold(0.0f64, |m, x| m.max(x.abs()))
    }

    #[test]
    fn definite_systems_are_solved() {
        let mut seed = 3;
        for n in [1usize, 2, 7, 30] {
            let matrix = gram(n, 2 * n, 0.1, &mut seed);
            let b: Vec<f64> = (0..n).map(|_| noise(&mut seed)).collect();
            assert!(refined(&matrix, &b, 1) < 1e-7, "{n}");
            assert!(refined(&matrix, &b, 3) < 1e-13, "{n}");
        }
    }

    #[test]
    fn redundant_rows_of_consistent_systems_are_solved_by_refinement() {
        let mut seed = 5;
        let n = 24;
        // rank 15 of 24
        let matrix = gram(n, 15, 0.0, &mut seed);
        let full: Vec<f64> = (0..n).map(|_| noise(&mut seed)).collect();
        let b: Vec<f64> = residuals(&matrix, &full, &vec![0.0; n])
            .iter()
            .map(|r| -r)
            .collect();
        let left = refined(&matrix, &b, 4);
        assert!(left < 1e-12, "{left}");
    }

    #[test]
    fn a_tridiagonal_matrix_does_not_fill() {
        let n = 50;
        let row = |i: usize| match i {
            0 => vec![(0, 2.0)],
            _ => vec![(i - 1, -1.0), (i, 2.0)],
        };
        let ldl = factors(&matrix_of((0..n).map(row)));
        assert_eq!(ldl.entries(), n - 1);
    }
}
