//! Linear algebra of one block: extreme eigenvalues and inverses of tiny matrices, with + − × ÷ √
//! only.

/// Largest eigenvalue of the symmetric part of [[a, b], [c, d]].
#[inline]
pub fn largest_eigenvalue_2([[a, b], [c, d]]: [[f64; 2]; 2]) -> f64 {
    let (mean, half) = (0.5 * (a + d), 0.5 * (a - d));
    let off = 0.5 * (b + c);
    mean + (half * half + off * off).sqrt()
}

/// Largest eigenvalue of the symmetric part of a 3 × 3 matrix, by cyclic Jacobi rotations.
pub(crate) fn largest_eigenvalue_3(matrix: [[f64; 3]; 3]) -> f64 {
    let mut a = matrix;
    for i in 0..3 {
        for j in 0..3 {
            a[i][j] = 0.5 * (matrix[i][j] + matrix[j][i]);
        }
    }
    // quadratic convergence: five sweeps reach rounding for 3 × 3, eight are safe
    for _ in 0..8 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut a, p, q);
        }
    }
    a[0][0].max(a[1][1]).max(a[2][2])
}

/// The same of an n × n matrix, row-major, n at most six.
fn largest_eigenvalue_n(matrix: &[f64], n: usize) -> f64 {
    let mut a = [[0.0; MOST]; MOST];
    for i in 0..n {
        for j in 0..n {
            a[i][j] = 0.5 * (matrix[i * n + j] + matrix[j * n + i]);
        }
    }
    for _ in 0..12 {
        for p in 0..n {
            for q in p + 1..n {
                rotate(&mut a, p, q);
            }
        }
    }
    (0..n).map(|i| a[i][i]).fold(f64::NEG_INFINITY, f64::max)
}

/// Most rows whose eigenvalues are asked for \[-\].
const MOST: usize = 6;

/// Annihilates a_pq of a symmetric matrix by a rotation in the plane (p, q).
fn rotate<const N: usize>(a: &mut [[f64; N]; N], p: usize, q: usize) {
    if a[p][q] == 0.0 {
        return;
    }
    let theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
    let sign = if theta < 0.0 { -1.0 } else { 1.0 };
    let tangent = sign / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cosine = 1.0 / (tangent * tangent + 1.0).sqrt();
    let sine = tangent * cosine;
    for row in a.iter_mut() {
        let (x, y) = (row[p], row[q]);
        row[p] = cosine * x - sine * y;
        row[q] = sine * x + cosine * y;
    }
    for k in 0..N {
        let (x, y) = (a[p][k], a[q][k]);
        a[p][k] = cosine * x - sine * y;
        a[q][k] = sine * x + cosine * y;
    }
}

/// Largest eigenvalue of the symmetric part of a matrix of one to six rows, row-major.
pub(crate) fn largest_eigenvalue(matrix: &[f64]) -> f64 {
    match *matrix {
        [a] => a,
        [a, b, c, d] => largest_eigenvalue_2([[a, b], [c, d]]),
        [a, b, c, d, e, f, g, h, i] => largest_eigenvalue_3([[a, b, c], [d, e, f], [g, h, i]]),
        ref all => match (4..=MOST).find(|n| n * n == all.len()) {
            Some(n) => largest_eigenvalue_n(all, n),
            None => f64::NAN,
        },
    }
}

/// A pivot below this fraction of the largest one counts as zero \[-\]: 1e-12 leaves four digits in
/// the answer.
const RANK_TOLERANCE: f64 = 1e-12;

/// Replaces a row-major n × n matrix with a positive diagonal by its inverse: Gauss–Jordan with
/// full pivoting.
///
/// The diagonal is scaled to one first, so that rows in metres and in radians compare. False if the
/// scaled matrix is singular to `RANK_TOLERANCE`; its content is then lost.
#[inline]
pub fn invert(a: &mut [f64], n: usize) -> bool {
    if n > SMALL {
        let (mut scales, mut used) = (vec![0.0; n], vec![false; n]);
        return invert_in(a, n, &mut scales, &mut used, &mut vec![(0, 0); n]);
    }
    let (mut scales, mut used) = ([0.0; SMALL], [false; SMALL]);
    invert_in(a, n, &mut scales, &mut used, &mut [(0, 0); SMALL])
}

/// Rows of a matrix that is inverted without allocation \[-\]: those of joints.
const SMALL: usize = 8;

/// As [`invert`], with room for n rows.
fn invert_in(
    a: &mut [f64],
    n: usize,
    scales: &mut [f64],
    used: &mut [bool],
    pivots: &mut [(usize, usize)],
) -> bool {
    for (i, scale) in scales.iter_mut().enumerate().take(n) {
        *scale = 1.0 / a[i * n + i].sqrt();
    }
    scale(a, n, scales);
    let regular = invert_scaled(a, n, used, pivots);
    scale(a, n, scales);
    regular && a.iter().all(|x| x.is_finite())
}

/// A pivot of a matrix with a diagonal of ones below this is not eliminated without a search for a
/// better one \[-\]: above it the growth of rounding, at most one over the pivots, leaves the
/// digits that f32 keeps.
const SAFE_PIVOT: f64 = 1e-4;

/// Rows of a matrix that [`invert_definite`] takes at most \[-\].
const MAX_DEFINITE: usize = 7;

/// [`invert`] for symmetric positive definite matrices, pivots in the order of the rows and without
/// allocation: several times as fast. False, and the content lost, if a pivot is so small that only
/// a search is safe.
#[inline]
pub fn invert_definite(a: &mut [f64], n: usize) -> bool {
    if n > MAX_DEFINITE {
        return false;
    }
    let mut scales = [0.0; MAX_DEFINITE];
    for (i, scale) in scales.iter_mut().enumerate().take(n) {
        *scale = 1.0 / a[i * n + i].sqrt();
    }
    scale(a, n, &scales);
    for p in 0..n {
        // a pivot that is no number leaves none, and is found below
        if a[p * n + p] < SAFE_PIVOT {
            return false;
        }
        eliminate(a, n, p);
    }
    scale(a, n, &scales);
    a.iter().all(|x| x.is_finite())
}

/// a_ij ← s_i a_ij s_j.
fn scale(a: &mut [f64], n: usize, scales: &[f64]) {
    for i in 0..n {
        for j in 0..n {
            a[i * n + j] *= scales[i] * scales[j];
        }
    }
}

/// `used` has n times false.
fn invert_scaled(
    a: &mut [f64],
    n: usize,
    used: &mut [bool],
    pivots: &mut [(usize, usize)],
) -> bool {
    let mut largest: f64 = 0.0;
    for to in &mut pivots[..n] {
        let Some((row, column)) = pivot(a, n, used) else {
            return false;
        };
        let value = a[row * n + column];
        largest = largest.max(value.abs());
        if value.abs() <= RANK_TOLERANCE * largest {
            return false;
        }
        used[column] = true;
        // bring the pivot onto the diagonal
        swap_rows(a, n, row, column);
        *to = (row, column);
        eliminate(a, n, column);
    }
    for (row, column) in pivots[..n].iter().rev() {
        for k in 0..n {
            a.swap(k * n + row, k * n + column);
        }
    }
    true
}

/// The largest entry among the rows and columns without a pivot.
fn pivot(a: &[f64], n: usize, used: &[bool]) -> Option<(usize, usize)> {
    let mut best = None;
    let mut size = 0.0;
    for row in (0..n).filter(|row| !used[*row]) {
        for column in (0..n).filter(|column| !used[*column]) {
            let value = a[row * n + column].abs();
            if value > size {
                (best, size) = (Some((row, column)), value);
            }
        }
    }
    best
}

fn swap_rows(a: &mut [f64], n: usize, i: usize, j: usize) {
    if i != j {
        for k in 0..n {
            a.swap(i * n + k, j * n + k);
        }
    }
}

/// One step of Gauss–Jordan in place on the pivot (p, p).
fn eliminate(a: &mut [f64], n: usize, p: usize) {
    let inverse = 1.0 / a[p * n + p];
    a[p * n + p] = 1.0;
    for k in 0..n {
        a[p * n + k] *= inverse;
    }
    for row in (0..n).filter(|row| *row != p) {
        let factor = a[row * n + p];
        a[row * n + p] = 0.0;
        for k in 0..n {
            a[row * n + k] -= factor * a[p * n + k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{DMatrix, Matrix3, SymmetricEigen};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn eigenvalues_agree_with_nalgebra(v in prop::array::uniform9(-2.0..2.0f64)) {
            let m = Matrix3::from_row_slice(&v);
            let expected = SymmetricEigen::new(0.5 * (m + m.transpose())).eigenvalues.max();
            let found = largest_eigenvalue(&v);
            // both sides round at about 1e-15 of the norm
            prop_assert!((found - expected).abs() <= 1e-13 * m.norm());
            let two = largest_eigenvalue(&[v[0], v[1], v[1], v[2]]);
            let m = nalgebra::Matrix2::new(v[0], v[1], v[1], v[2]);
            prop_assert!((two - SymmetricEigen::new(m).eigenvalues.max()).abs() <= 1e-13 * m.norm());
        }

        #[test]
        fn inverse_times_matrix_is_identity(
            n in 1usize..7,
            v in prop::collection::vec(-1.0..1.0f64, 36),
        ) {
            // diagonally shifted by n: condition number below 1e2, so 1e-12 is generous
            let mut a: Vec<f64> = v[..n * n].to_vec();
            for i in 0..n {
                a[i * n + i] += 2.0 * 6.0;
            }
            let original = DMatrix::from_row_slice(n, n, &a);
            prop_assert!(invert(&mut a, n));
            let product = original * DMatrix::from_row_slice(n, n, &a);
            prop_assert!((product - DMatrix::identity(n, n)).amax() < 1e-12);
        }
    }

    #[test]
    fn pivots_anywhere_and_refuses_singular_matrices() {
        let mut a = [0.0, 2.0, 0.0, 0.0, 0.0, 4.0, 8.0, 0.0, 0.0];
        assert!(invert_scaled(&mut a, 3, &mut [false; 3], &mut [(0, 0); 3]));
        assert_eq!(a, [0.0, 0.0, 0.125, 0.5, 0.0, 0.0, 0.0, 0.25, 0.0]);
        let mut singular = [1.0, 2.0, 2.0, 4.0];
        assert!(!invert(&mut singular, 2));
        // metres with radians of a small body: scaled, and regular
        let mut units = [1.0, 0.0, 0.0, 1e14];
        assert!(invert(&mut units, 2));
        assert!((units[0] - 1.0).abs() < 1e-15 && (units[3] * 1e14 - 1.0).abs() < 1e-15);
    }

    #[test]
    fn definite_matrices_are_inverted_as_any_others_or_refused() {
        let good = [4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2e-3];
        let mut fast = good;
        // 0.5² / (4 · 2e-3) is larger than one: not definite
        assert!(!invert_definite(&mut fast, 3));
        let good = [4.0, 1.0, 0.05, 1.0, 3.0, -0.02, 0.05, -0.02, 2e-3];
        let (mut fast, mut sure) = (good, good);
        assert!(invert_definite(&mut fast, 3) && invert(&mut sure, 3));
        for (a, b) in fast.iter().zip(&sure) {
            // a dozen roundings of the largest entry, some 1e3
            assert!((a - b).abs() < 1e-11, "{a} {b}");
        }
        // two equal rows
        let mut twice = [1.0, 1.0, 1.0, 1.0];
        assert!(!invert_definite(&mut twice, 2));
    }

    #[test]
    fn one_row_and_the_largest_size_are_inverted() {
        assert_eq!(largest_eigenvalue(&[3.0]), 3.0);
        let mut one = [4.0];
        assert!(invert_definite(&mut one, 1));
        assert_eq!(one, [0.25]);
        // tridiagonal(−1, 2, −1) of seven rows: (min(i, j) (8 − max(i, j)))/8 counted from one
        for n in [7usize, 8] {
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                a[i * n + i] = 2.0;
                if i > 0 {
                    (a[i * n + i - 1], a[(i - 1) * n + i]) = (-1.0, -1.0);
                }
            }
            assert_eq!(invert_definite(&mut a, n), n <= MAX_DEFINITE);
            for i in (0..n).filter(|_| n <= MAX_DEFINITE) {
                for j in 0..n {
                    let expected = ((i.min(j) + 1) * (n - i.max(j))) as f64 / (n + 1) as f64;
                    assert!((a[i * n + j] - expected).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn pivots_count_against_the_largest_one() {
        // 1e-13 of it is nothing, 1e-11 is something, whatever the unit
        for exponent in -60..=60 {
            let unit = libm::exp2(f64::from(exponent));
            for (small, regular) in [(1e-13, false), (1e-11, true)] {
                let mut a = [0.0, unit, small * unit, 0.0];
                assert_eq!(
                    invert_scaled(&mut a, 2, &mut [false; 2], &mut [(0, 0); 2]),
                    regular,
                    "{unit} {small}"
                );
                let expected = [0.0, 1.0 / (small * unit), 1.0 / unit, 0.0];
                assert!(!regular || a == expected, "{a:?}");
            }
        }
    }

    #[test]
    fn what_is_no_number_is_not_inverted() {
        for bad in [f64::NAN, f64::INFINITY] {
            for at in 0..9 {
                let mut a = [4.0, 1.0, 0.5, 1.0, 3.0, 0.2, 0.5, 0.2, 2.0];
                a[at] = bad;
                let mut same = a;
                assert!(!invert(&mut a, 3), "{bad} {at}");
                assert!(!invert_definite(&mut same, 3), "{bad} {at}");
            }
        }
    }
}
