//! Sparse L D Lᵀ of a symmetric matrix with a little more on its diagonal, row by row along its elimination tree.

/// ε: share of every diagonal entry that is added to it, so that redundant rows have a pivot \[-\]; far above the
/// roundings that an elimination leaves there.
const SHIFT: f64 = 1e-10;

/// No parent in the elimination tree.
const NONE: usize = usize::MAX;

/// Entries (column, value) of the rows of a matrix.
pub(super) type Rows = Vec<Vec<(usize, f64)>>;

/// The factors of A + ε diag A.
#[derive(Debug, Clone)]
pub(super) struct Ldl {
    /// First entry of every column of L, and their number.
    first: Vec<usize>,
    rows: Vec<usize>,
    values: Vec<f64>,
    /// 1 / D.
    inverse: Vec<f64>,
}

impl Ldl {
    /// Factorizes a matrix of which the rows have their entries up to the diagonal, in any order.
    pub(super) fn new(matrix: &Rows) -> Self {
        let n = matrix.len();
        let (parent, counts) = tree(matrix);
        let mut first = vec![0; n + 1];
        for column in 0..n {
            first[column + 1] = first[column] + counts[column];
        }
        let mut ldl = Self {
            rows: vec![0; first[n]],
            values: vec![0.0; first[n]],
            inverse: vec![0.0; n],
            first,
        };
        let mut row = Row::new(n);
        let mut filled = vec![0; n];
        for k in 0..n {
            ldl.add_row(k, &matrix[k], &parent, &mut filled, &mut row);
        }
        ldl
    }

    /// Row k of L and its pivot; `filled` counts the entries of each column.
    fn add_row(
        &mut self,
        k: usize,
        entries: &[(usize, f64)],
        parent: &[usize],
        filled: &mut [usize],
        row: &mut Row,
    ) {
        row.seen[k] = k;
        row.pattern.clear();
        let mut diagonal = 0.0;
        for (column, value) in entries {
            if *column == k {
                diagonal += value;
                continue;
            }
            row.values[*column] += value;
            row.path.clear();
            let mut at = *column;
            while row.seen[at] != k {
                row.path.push(at);
                row.seen[at] = k;
                at = parent[at];
            }
            // what comes later on a path depends on what comes earlier
            row.pattern.extend(row.path.iter().rev());
        }
        let least = SHIFT * diagonal;
        let mut pivot = diagonal + least;
        for column in row.pattern.iter().rev() {
            let y = std::mem::take(&mut row.values[*column]);
            let start = self.first[*column];
            for at in start..start + filled[*column] {
                row.values[self.rows[at]] -= self.values[at] * y;
            }
            let l = y * self.inverse[*column];
            pivot -= l * y;
            let at = start + filled[*column];
            (self.rows[at], self.values[at]) = (k, l);
            filled[*column] += 1;
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
struct Row {
    values: Vec<f64>,
    /// The last row that met a column.
    seen: Vec<usize>,
    path: Vec<usize>,
    /// Columns of the row, paths one after the other, each from its end.
    pattern: Vec<usize>,
}

impl Row {
    fn new(n: usize) -> Self {
        Self {
            values: vec![0.0; n],
            seen: vec![NONE; n],
            path: Vec::new(),
            pattern: Vec::new(),
        }
    }
}

/// The elimination tree, and the number of entries of every column of L.
fn tree(matrix: &Rows) -> (Vec<usize>, Vec<usize>) {
    let n = matrix.len();
    let (mut parent, mut counts, mut seen) = (vec![NONE; n], vec![0; n], vec![NONE; n]);
    for (k, entries) in matrix.iter().enumerate() {
        seen[k] = k;
        for (column, _) in entries {
            let mut at = *column;
            while seen[at] != k {
                if parent[at] == NONE {
                    parent[at] = k;
                }
                counts[at] += 1;
                seen[at] = k;
                at = parent[at];
            }
        }
    }
    (parent, counts)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        (0..n).map(row).collect()
    }

    /// Solves with refinements by residuals of the matrix itself; returns the last residual.
    fn refined(matrix: &Rows, b: &[f64], times: usize) -> f64 {
        let ldl = Ldl::new(matrix);
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
        let ldl = Ldl::new(&(0..n).map(row).collect());
        assert_eq!(ldl.entries(), n - 1);
    }
}
