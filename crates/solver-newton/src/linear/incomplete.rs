//! Factors on the pattern of the matrix itself: incomplete Cholesky, and the symmetric Gauss–Seidel
//! product (Z.17).

use super::factor::{
    self, Block, backward, forward, subtract_from, subtract_product, subtract_transposed,
};
use super::pattern::Pattern;

/// One product that an elimination subtracts from a block of the pattern.
#[derive(Debug, Clone, Copy)]
struct Update {
    /// Blocks (i, j) and (k, j), i ≥ k > j.
    left: usize,
    right: usize,
    /// Block (i, k), or [`NONE`].
    target: usize,
    /// Diagonal blocks of i and k.
    diagonals: [usize; 2],
}

/// A block outside the pattern.
const NONE: usize = usize::MAX;

/// M = LLᵀ with the pattern of the lower triangle of H.
#[derive(Debug, Clone)]
pub(crate) struct Incomplete {
    /// Updates column by column.
    updates: Vec<Update>,
    first_update: Vec<usize>,
    factor: Vec<Block>,
    gauss_seidel: bool,
}

impl Incomplete {
    /// Finds the places of all products once; `gauss_seidel` leaves all of them out: M = (D +
    /// L)D⁻¹(D + L)ᵀ.
    pub(crate) fn new(pattern: &Pattern, gauss_seidel: bool) -> Self {
        let count = pattern.len();
        let mut updates = Vec::new();
        let mut first_update = Vec::with_capacity(count + 1);
        for j in 0..count {
            first_update.push(updates.len());
            if gauss_seidel {
                continue;
            }
            let below = pattern.first[j] + 1..pattern.first[j + 1];
            for right in below.clone() {
                for left in right..below.end {
                    let (i, k) = (pattern.rows[left], pattern.rows[right]);
                    updates.push(Update {
                        left,
                        right,
                        target: pattern.locate(i, k).unwrap_or(NONE),
                        diagonals: [i, k].map(|row| pattern.first[row as usize]),
                    });
                }
            }
        }
        first_update.push(updates.len());
        Self {
            updates,
            first_update,
            factor: vec![[0.0; 36]; pattern.rows.len()],
            gauss_seidel,
        }
    }

    /// True if M = H: nothing is left out.
    pub(crate) fn is_exact(&self, pattern: &Pattern) -> bool {
        let edges = pattern.rows.len() > pattern.len();
        let dropped = self.updates.iter().any(|update| update.target == NONE);
        !(dropped || self.gauss_seidel && edges)
    }

    /// Factors of a positive definite matrix; false if there are none.
    ///
    /// What falls outside the pattern, XYᵀ, is left out together with XXᵀ and YYᵀ on the diagonals
    /// \[Ajiz1984\]: M − H is positive semi-definite, so that no pivot fails and M smooths.
    pub(crate) fn factorize(
        &mut self,
        pattern: &Pattern,
        diagonal: &[Block],
        lower: &[Block],
    ) -> bool {
        self.factor.copy_from_slice(&lower[..pattern.rows.len()]);
        for (first, block) in pattern.first.iter().zip(diagonal) {
            self.factor[*first] = *block;
        }
        for j in 0..pattern.len() {
            let (first, end) = (pattern.first[j], pattern.first[j + 1]);
            let (left, below) = self.factor.split_at_mut(first + 1);
            if !factor::cholesky(&mut left[first]) {
                return false;
            }
            for block in &mut below[..end - first - 1] {
                factor::divide(block, &left[first]);
            }
            for update in &self.updates[self.first_update[j]..self.first_update[j + 1]] {
                if update.target == NONE {
                    for (at, from) in update
                        .diagonals
                        .into_iter()
                        .zip([update.left, update.right])
                    {
                        let x = self.factor[from];
                        factor::add_product(&x, &x, &mut self.factor[at]);
                    }
                } else {
                    let (x, y) = (self.factor[update.left], self.factor[update.right]);
                    subtract_product(&x, &y, &mut self.factor[update.target]);
                }
            }
        }
        true
    }

    /// x ← M⁻¹x.
    pub(crate) fn solve(&self, pattern: &Pattern, x: &mut [[f64; 6]]) {
        let Pattern { first, rows } = pattern;
        for j in 0..pattern.len() {
            forward(&self.factor[first[j]], &mut x[j]);
            let known = x[j];
            for at in first[j] + 1..first[j + 1] {
                subtract_from(&self.factor[at], &known, &mut x[rows[at] as usize]);
            }
        }
        for j in (0..pattern.len()).rev() {
            let mut sum = x[j];
            for at in first[j] + 1..first[j + 1] {
                subtract_transposed(&self.factor[at], &x[rows[at] as usize], &mut sum);
            }
            backward(&self.factor[first[j]], &mut sum);
            x[j] = sum;
        }
    }
}
