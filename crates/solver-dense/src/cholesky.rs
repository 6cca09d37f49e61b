//! A Cholesky factor of a principal block whose rows come and go, O(k²) per change.
//!
//! S_CC = L Lᵀ for an ordered set C of rows. Appending adds one row to L (D.10); deleting leaves a
//! lower Hessenberg matrix that plane rotations bring back to triangular form (D.11), which is the
//! stable direction of the update \[Golub2013\] §6.5.

use delassus_core::{SolveError, interrupt};

use crate::assembly::DenseDelassus;
use crate::linear;

/// Multiplications between two looks at the limit of the caller \[-\].
const LOOK: usize = 1_000_000;
/// Multiplications that an entry of a column takes, which is in a cache line of its own \[-\].
const STRIDED: usize = 8;

/// L and the rows that it factorizes, in order.
#[derive(Debug)]
pub(crate) struct UpdatableCholesky {
    stride: usize,
    /// Row-major, `stride` per row; entries above the diagonal are never read.
    factor: Vec<f64>,
    members: Vec<usize>,
}

/// What appending a row would do (D.10).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Pivot {
    /// Schur complement S_dd − S_dC S_CC⁻¹ S_Cd \[-\].
    pub(crate) schur: f64,
    /// 1 + ‖S_CC⁻¹ S_Cd‖², the squared length of the vector whose Rayleigh quotient is `rayleigh`.
    pub(crate) length_squared: f64,
}

impl Pivot {
    /// Upper bound of the smallest eigenvalue of the enlarged block (D.9) \[-\].
    pub(crate) fn rayleigh(&self) -> f64 {
        self.schur / self.length_squared
    }
}

impl UpdatableCholesky {
    /// An empty factor with room for `capacity` rows.
    pub(crate) fn new(capacity: usize) -> Self {
        Self {
            stride: capacity,
            factor: vec![0.0; capacity * capacity],
            members: Vec::with_capacity(capacity),
        }
    }

    /// The rows of C, in factor order.
    pub(crate) fn members(&self) -> &[usize] {
        &self.members
    }

    /// Writes S_CC⁻¹ S_Cd into `x` (one entry per member) and the forward half into `half`.
    pub(crate) fn direction(
        &self,
        matrix: &DenseDelassus,
        d: usize,
        x: &mut [f64],
        half: &mut [f64],
    ) -> Pivot {
        let size = self.members.len();
        let row = matrix.row(d);
        for (target, member) in half.iter_mut().zip(&self.members) {
            *target = row[*member];
        }
        self.forward(&mut half[..size]);
        x[..size].copy_from_slice(&half[..size]);
        self.backward(&mut x[..size]);
        let (half, x) = (&half[..size], &x[..size]);
        Pivot {
            schur: row[d] - linear::dot(half, half),
            length_squared: 1.0 + linear::dot(x, x),
        }
    }

    /// Factorizes as many of `candidates` as `accepts` allows, the largest Schur complement first
    /// (diagonal pivoting, \[Golub2013\] §4.2), and discards what was factorized before. Reorders
    /// `candidates`: members first.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it.
    pub(crate) fn factorize(
        &mut self,
        matrix: &DenseDelassus,
        candidates: &mut [usize],
        schur: &mut [f64],
        x: &mut [f64],
        accepts: impl Fn(Pivot) -> bool,
    ) -> Result<(), SolveError> {
        self.members.clear();
        for (s, row) in schur.iter_mut().zip(candidates.iter()) {
            *s = matrix.row(*row)[*row];
        }
        for k in 0..candidates.len() {
            let mut best = k;
            for i in k + 1..candidates.len() {
                if schur[i] > schur[best] {
                    best = i;
                }
            }
            candidates.swap(k, best);
            schur.swap(k, best);
            self.swap_rows(k, best, k);
            x[..k].copy_from_slice(&self.factor[k * self.stride..][..k]);
            self.backward(&mut x[..k]);
            let pivot = Pivot {
                schur: schur[k],
                length_squared: 1.0 + linear::dot(&x[..k], &x[..k]),
            };
            if !accepts(pivot) {
                return Ok(());
            }
            self.members.push(candidates[k]);
            let diagonal = schur[k].sqrt();
            self.factor[k * self.stride + k] = diagonal;
            let (head, tail) = self.factor.split_at_mut((k + 1) * self.stride);
            let pivot_row = &head[k * self.stride..][..k];
            // one step of all rows is short while k is small, and looks then would be many
            let cost = (k + 1) * (candidates.len() - k);
            if k.is_multiple_of(LOOK.div_ceil(cost)) {
                interrupt::check()?;
            }
            interrupt::for_each(candidates.len() - k - 1, k + 1, |offset| {
                let i = k + 1 + offset;
                let row = &mut tail[offset * self.stride..][..k + 1];
                let coupling = matrix.row(candidates[i])[candidates[k]];
                row[k] = (coupling - linear::dot(&row[..k], pivot_row)) / diagonal;
                schur[i] -= row[k] * row[k];
            })?;
        }
        Ok(())
    }

    fn swap_rows(&mut self, a: usize, b: usize, length: usize) {
        if a != b {
            let (head, tail) = self.factor.split_at_mut(b * self.stride);
            head[a * self.stride..][..length].swap_with_slice(&mut tail[..length]);
        }
    }

    /// Appends row `d`; `half` and `schur` are those of [`Self::direction`], `schur` > 0.
    pub(crate) fn append(&mut self, d: usize, half: &[f64], schur: f64) {
        let size = self.members.len();
        let row = &mut self.factor[size * self.stride..][..size + 1];
        row[..size].copy_from_slice(&half[..size]);
        row[size] = schur.sqrt();
        self.members.push(d);
    }

    /// Removes the member at `position`.
    ///
    /// # Errors
    /// [`SolveError::Interrupted`] if the limit of the caller ended it; the factor is none then.
    pub(crate) fn remove(&mut self, position: usize) -> Result<(), SolveError> {
        let size = self.members.len();
        self.members.remove(position);
        interrupt::for_each(size - 1 - position, size, |k| {
            let row = position + k;
            let from = (row + 1) * self.stride;
            self.factor
                .copy_within(from..from + row + 2, row * self.stride);
        })?;
        interrupt::for_each(size - 1 - position, STRIDED * size, |k| {
            let column = position + k;
            let diagonal = column * self.stride + column;
            let (a, b) = (self.factor[diagonal], self.factor[diagonal + 1]);
            let length = (a * a + b * b).sqrt();
            let (cosine, sine) = (a / length, b / length);
            for row in column..size - 1 {
                let at = row * self.stride + column;
                let (x, y) = (self.factor[at], self.factor[at + 1]);
                self.factor[at] = cosine * x + sine * y;
                self.factor[at + 1] = cosine * y - sine * x;
            }
        })
    }

    /// x ← S_CC⁻¹ x, one entry per member.
    pub(crate) fn solve(&self, x: &mut [f64]) {
        self.forward(x);
        self.backward(x);
    }

    fn forward(&self, x: &mut [f64]) {
        for i in 0..x.len() {
            let row = &self.factor[i * self.stride..][..i + 1];
            x[i] = (x[i] - linear::dot(&row[..i], &x[..i])) / row[i];
        }
    }

    fn backward(&self, x: &mut [f64]) {
        for i in (0..x.len()).rev() {
            let row = &self.factor[i * self.stride..][..i + 1];
            x[i] /= row[i];
            let value = x[i];
            linear::add_scaled(-value, &row[..i], &mut x[..i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use delassus_core::{Law, MassProperties, ProblemBuilder};

    /// Nine rows on two bodies with twelve degrees of freedom: regular.
    fn matrix() -> DenseDelassus {
        let mut builder = ProblemBuilder::new();
        for _ in 0..2 {
            let mass = MassProperties::aligned(1.0, nalgebra::Vector3::repeat(0.4));
            builder.body(mass, [0.0; 6]);
        }
        for i in 0..9usize {
            let entry = |shift: usize| {
                std::array::from_fn(|k| {
                    ((3 * i * i + 5 * i * k + 2 * k * k + shift) % 13) as f64 / 13.0 - 0.4
                })
            };
            builder.block(Law::Equality, &[0, 1], &[[entry(0), entry(5)]]);
        }
        DenseDelassus::assemble(&builder.build().expect("valid")).expect("finite")
    }

    /// ‖S_CC S_CC⁻¹ e − e‖ for a vector of ones.
    fn residual(matrix: &DenseDelassus, factor: &UpdatableCholesky) -> f64 {
        let members = factor.members();
        let mut x = vec![1.0; members.len()];
        factor.solve(&mut x);
        let rows = members.iter().map(|i| {
            let products = members.iter().zip(&x).map(|(j, x)| matrix.row(*i)[*j] * x);
            (products.sum::<f64>() - 1.0).abs()
        });
        rows.fold(0.0, f64::max)
    }

    #[test]
    fn rows_come_and_go() {
        let matrix = matrix();
        let mut factor = UpdatableCholesky::new(9);
        let (mut x, mut half) = ([0.0; 9], [0.0; 9]);
        for d in [4, 0, 8, 2, 6, 1] {
            let pivot = factor.direction(&matrix, d, &mut x, &mut half);
            factor.append(d, &half, pivot.schur);
        }
        // 1e-12: entries of order one, a condition number of a few hundred
        assert!(residual(&matrix, &factor) < 1e-12);
        for (position, rest) in [
            (2, &[4, 0, 2, 6, 1][..]),
            (0, &[0, 2, 6, 1]),
            (3, &[0, 2, 6]),
        ] {
            factor.remove(position).expect("no limit");
            assert_eq!(factor.members(), rest);
            assert!(residual(&matrix, &factor) < 1e-12);
        }
        let pivot = factor.direction(&matrix, 3, &mut x, &mut half);
        factor.append(3, &half, pivot.schur);
        assert!(residual(&matrix, &factor) < 1e-12);
    }

    #[test]
    fn pivoted_factor_takes_the_largest_first() {
        let matrix = matrix();
        let mut factor = UpdatableCholesky::new(9);
        let mut candidates: Vec<usize> = (0..9).collect();
        let (mut schur, mut x) = ([0.0; 9], [0.0; 9]);
        factor
            .factorize(&matrix, &mut candidates, &mut schur, &mut x, |p| {
                p.schur > 1e-12
            })
            .expect("no limit");
        let largest = (0..9).max_by(|a, b| matrix.row(*a)[*a].total_cmp(&matrix.row(*b)[*b]));
        assert_eq!(factor.members().first().copied(), largest);
        assert_eq!(factor.members().len(), 9);
        assert!(residual(&matrix, &factor) < 1e-12);
    }

    #[test]
    fn pivots_of_the_whole_are_those_of_one_row_at_a_time() {
        let matrix = matrix();
        let mut factor = UpdatableCholesky::new(9);
        let mut candidates: Vec<usize> = (0..9).collect();
        let (mut schur, mut x) = ([0.0; 9], [0.0; 9]);
        let pivots = std::cell::RefCell::new(Vec::new());
        factor
            .factorize(&matrix, &mut candidates, &mut schur, &mut x, |pivot| {
                pivots.borrow_mut().push(pivot);
                true
            })
            .expect("no limit");
        let mut single = UpdatableCholesky::new(9);
        let mut half = [0.0; 9];
        for (row, found) in candidates.iter().zip(pivots.take()) {
            let pivot = single.direction(&matrix, *row, &mut x, &mut half);
            let error = (found.schur / pivot.schur - 1.0).abs();
            let error = error.max((found.length_squared / pivot.length_squared - 1.0).abs());
            assert!(error < 1e-10, "{found:?} {pivot:?}");
            single.append(*row, &half, pivot.schur);
        }
        assert_eq!(single.members(), factor.members());
    }

    #[test]
    fn of_equal_rows_the_first_is_a_member() {
        let matrix = DenseDelassus::from_rows([[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]);
        let mut factor = UpdatableCholesky::new(3);
        let mut candidates = [0, 1, 2];
        let (mut schur, mut x) = ([0.0; 3], [0.0; 3]);
        factor
            .factorize(&matrix, &mut candidates, &mut schur, &mut x, |p| {
                p.schur > 0.5
            })
            .expect("no limit");
        assert_eq!(factor.members(), [0, 1]);
    }
}
