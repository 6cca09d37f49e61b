//! Eigenvalues of symmetric matrices up to 6 × 6, by square roots only: equal bits on every
//! machine.

/// Sweeps after which Jacobi's method has long converged (it needs 5 to 8 for 3 × 3).
const MAX_SWEEPS: usize = 40;

/// Eigenvalues and eigenvectors of a symmetric 3 × 3 matrix.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Eigen {
    /// Eigenvalues, unordered.
    pub(crate) values: [f64; 3],
    /// `vectors[k]` is the unit eigenvector of `values[k]`.
    pub(crate) vectors: [[f64; 3]; 3],
}

impl Eigen {
    /// Cyclic Jacobi rotations. The upper triangle is read.
    ///
    /// A matrix that is not finite gives values that are not finite.
    pub(crate) fn new(matrix: [[f64; 3]; 3]) -> Self {
        let mut vectors = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let values = diagonalize(matrix, |(p, q), (c, s)| {
            for k in 0..3 {
                let (x, y) = (vectors[p][k], vectors[q][k]);
                vectors[p][k] = c * x - s * y;
                vectors[q][k] = s * x + c * y;
            }
        });
        Self { values, vectors }
    }

    /// The largest eigenvalue.
    pub(crate) fn largest(&self) -> f64 {
        largest_of(self.values)
    }
}

/// The largest eigenvalue of a symmetric matrix, with the bits of [`Eigen::largest`].
pub(crate) fn largest(matrix: [[f64; 3]; 3]) -> f64 {
    largest_of(diagonalize(matrix, |_, _| ()))
}

/// The largest eigenvalue of a symmetric matrix of at most six rows, whose entries `entry` gives.
pub(crate) fn largest_of_rows(rows: usize, entry: impl Fn(usize, usize) -> f64) -> f64 {
    let mut a: [[f64; MOST_ROWS]; MOST_ROWS] = Default::default();
    for i in 0..rows {
        for j in 0..rows {
            a[i][j] = entry(i, j);
        }
    }
    for _ in 0..MAX_SWEEPS {
        let mut changed = false;
        for p in 0..rows {
            for q in p + 1..rows {
                changed |= rotate_full(&mut a, p, q);
            }
        }
        if !changed {
            break;
        }
    }
    (0..rows).map(|i| a[i][i]).fold(f64::NEG_INFINITY, f64::max)
}

/// Most rows of a group \[-\].
const MOST_ROWS: usize = 6;

/// One Jacobi rotation of both triangles that makes a_pq zero; false where it is negligible.
fn rotate_full(a: &mut [[f64; MOST_ROWS]; MOST_ROWS], p: usize, q: usize) -> bool {
    let off = a[p][q];
    if off == 0.0 || a[p][p] + off == a[p][p] && a[q][q] + off == a[q][q] {
        return false;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    for row in a.iter_mut() {
        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
    }
    for k in 0..MOST_ROWS {
        (a[p][k], a[q][k]) = (c * a[p][k] - s * a[q][k], s * a[p][k] + c * a[q][k]);
    }
    true
}

fn largest_of([a, b, c]: [f64; 3]) -> f64 {
    a.max(b).max(c)
}

/// Eigenvalues; `rotated` is called with every rotation: its rows, cosine and sine.
fn diagonalize(
    matrix: [[f64; 3]; 3],
    mut rotated: impl FnMut((usize, usize), (f64, f64)),
) -> [f64; 3] {
    let scale = matrix
        .iter()
        .flatten()
        .fold(0.0, |m: f64, v| m.max(v.abs()));
    if scale == 0.0 {
        return [0.0; 3];
    }
    let mut a = matrix.map(|row| row.map(|v| v / scale));
    for _ in 0..MAX_SWEEPS {
        if a[0][1] == 0.0 && a[0][2] == 0.0 && a[1][2] == 0.0 {
            break;
        }
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if let Some(by) = rotate(&mut a, p, q) {
                rotated((p, q), by);
            }
        }
    }
    [a[0][0] * scale, a[1][1] * scale, a[2][2] * scale]
}

/// One Jacobi rotation that makes a_pq zero, and its cosine and sine; only the upper
/// triangle is kept up to date.
#[inline]
fn rotate(a: &mut [[f64; 3]; 3], p: usize, q: usize) -> Option<(f64, f64)> {
    let off = a[p][q];
    // below the rounding of both diagonal entries the rotation would change nothing else
    let negligible = a[p][p] + off == a[p][p] && a[q][q] + off == a[q][q];
    a[p][q] = 0.0;
    if negligible {
        return None;
    }
    let theta = (a[q][q] - a[p][p]) / (2.0 * off);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let c = 1.0 / (t * t + 1.0).sqrt();
    let s = t * c;
    a[p][p] -= t * off;
    a[q][q] += t * off;
    let r = 3 - p - q;
    let (rp, rq) = ((r.min(p), r.max(p)), (r.min(q), r.max(q)));
    let (x, y) = (a[rp.0][rp.1], a[rq.0][rq.1]);
    a[rp.0][rp.1] = c * x - s * y;
    a[rq.0][rq.1] = s * x + c * y;
    Some((c, s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_spectra() {
        // circulant with 2 on the diagonal and −1 off it: 0, 3, 3
        let eigen = Eigen::new([[2.0, -1.0, -1.0], [-1.0, 2.0, -1.0], [-1.0, -1.0, 2.0]]);
        let mut values = eigen.values;
        values.sort_by(f64::total_cmp);
        // 1e-15: a few rounding errors of numbers of size 3
        for (value, exact) in values.iter().zip([0.0, 3.0, 3.0]) {
            assert!((value - exact).abs() < 4e-15, "{values:?}");
        }
        // [[2, 1], [1, 2]] padded: 3 and 1
        let plane = [[2.0, 1.0, 0.0], [1.0, 2.0, 0.0], [0.0; 3]];
        assert!((largest(plane) - 3.0).abs() < 1e-15);
        assert_eq!(largest([[0.0; 3]; 3]), 0.0);
    }

    #[test]
    fn a_small_eigenvalue_keeps_its_digits() {
        // [[1, 1e-17], [1e-17, 2e-34]]: the product of both is 2e-34 − 1e-34. An
        // off-diagonal entry that is rounding for one of its eigenvalues is not for the other
        for (p, q) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
            let mut matrix = [[0.0; 3]; 3];
            (matrix[p][p], matrix[q][q]) = (1.0, 2e-34);
            (matrix[p][q], matrix[q][p]) = (1e-17, 1e-17);
            let eigen = Eigen::new(matrix);
            let small = eigen.values[q];
            assert!((small - 1e-34).abs() < 1e-48, "{p} {q}: {small:e}");
            assert_eq!(largest(matrix), 1.0);
        }
    }

    #[test]
    fn vectors_rebuild_the_matrix() {
        let matrix = [[1e8, 3.0, -2e3], [3.0, 5.0, 0.25], [-2e3, 0.25, 1e-3]];
        let eigen = Eigen::new(matrix);
        for i in 0..3 {
            for j in 0..3 {
                let (mut rebuilt, mut gram) = (0.0, 0.0);
                for k in 0..3 {
                    let v = eigen.vectors;
                    rebuilt += eigen.values[k] * v[k][i] * v[k][j];
                    gram += v[i][k] * v[j][k];
                }
                // rounding relative to the largest entry
                assert!((rebuilt - matrix[i][j]).abs() < 1e-14 * 1e8);
                assert!((gram - f64::from(u8::from(i == j))).abs() < 1e-14);
            }
        }
    }
}
