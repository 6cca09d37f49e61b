//! Block factorizations of the Newton matrix: Cholesky, and LU with pivots inside diagonal blocks
//! (Z.15).
//!
//! Left-looking: a column gathers what the columns left of it subtract, then it is divided by its
//! diagonal block. Blocks lie column by column inside; every update is C −= ABᵀ of 6 × 6 blocks,
//! for which upper triangles are kept transposed.

use delassus_core::interrupt;

use super::pattern::Pattern;

/// A 6 × 6 block, column by column.
pub(crate) type Block = [f64; 36];

/// Pivot of a diagonal block, of the largest number in its column, below which a factorization has
/// failed \[-\].
const SINGULAR: f64 = 1e-14;

/// Columns between two looks at the limit of the caller \[-\].
const LOOK: usize = 16;

/// The blocks of both triangles; a symmetric matrix has no upper one.
pub(crate) struct Triangles<'a> {
    pub(crate) lower: &'a mut [Block],
    pub(crate) upper: Option<&'a mut [Block]>,
}

/// The matrix, replaced by its factors.
#[derive(Debug, Clone)]
pub(crate) struct BlockMatrix {
    pub(crate) pattern: Pattern,
    /// Lower triangle with the diagonal; of an LU the inverse diagonal blocks, and L without its
    /// unit diagonal.
    pub(crate) lower: Vec<Block>,
    /// Strict upper triangle, transposed; only where the matrix is not symmetric.
    pub(crate) upper: Vec<Block>,
    /// Place of each row in the current column.
    map: Vec<u32>,
    /// First of the columns whose next block is in a row, and the next of the same list.
    head: Vec<u32>,
    next: Vec<u32>,
    /// Where a column in a list has that block.
    at: Vec<usize>,
    /// Factorizations so far \[-\].
    pub(crate) factored: u64,
    /// True if the limit of the caller ended the last factorization.
    pub(crate) cut_short: bool,
}

const END: u32 = u32::MAX;

impl BlockMatrix {
    pub(crate) fn new(pattern: Pattern, unsymmetric: bool) -> Self {
        let (n, blocks) = (pattern.len(), pattern.rows.len());
        Self {
            pattern,
            lower: vec![[0.0; 36]; blocks],
            upper: vec![[0.0; 36]; if unsymmetric { blocks } else { 0 }],
            map: vec![0; n],
            head: vec![END; n],
            next: vec![END; n],
            at: vec![0; n],
            factored: 0,
            cut_short: false,
        }
    }

    /// The blocks to add to.
    pub(crate) fn triangles(&mut self, symmetric: bool) -> Triangles<'_> {
        Triangles {
            lower: &mut self.lower,
            upper: (!symmetric).then_some(&mut self.upper[..]),
        }
    }

    /// The identity, to add to.
    pub(crate) fn reset(&mut self, symmetric: bool) {
        self.lower.fill([0.0; 36]);
        if !symmetric {
            self.upper.fill([0.0; 36]);
        }
        let n = self.pattern.len();
        for first in &self.pattern.first[..n] {
            for i in 0..6 {
                self.lower[*first][7 * i] = 1.0;
            }
        }
    }

    /// Cholesky of the lower triangle; false if a pivot is not positive.
    pub(crate) fn cholesky(&mut self) -> bool {
        self.factorize::<true>()
    }

    /// LU of both triangles; false if a diagonal block is singular.
    pub(crate) fn lu(&mut self) -> bool {
        self.factorize::<false>()
    }

    /// Column after column; false if a diagonal block cannot be factored.
    #[inline(always)]
    fn factorize<const SYMMETRIC: bool>(&mut self) -> bool {
        self.factored += 1;
        self.cut_short = false;
        self.head.fill(END);
        for j in 0..self.pattern.len() {
            if j.is_multiple_of(LOOK) && interrupt::requested() {
                self.cut_short = true;
                return false;
            }
            let (first, end) = self.begin(j);
            let mut k = self.head[j];
            while k != END {
                let (from, last) = (self.at[k as usize], self.pattern.first[k as usize + 1]);
                let next = self.next[k as usize];
                let (left, right) = self.lower.split_at_mut(first);
                // the factor of a symmetric matrix is its own transpose
                let (above, upper) = match SYMMETRIC {
                    true => (&*left, &mut [][..]),
                    false => {
                        let (above, upper) = self.upper.split_at_mut(first);
                        (&*above, upper)
                    }
                };
                for at in from..last {
                    let target = self.map[self.pattern.rows[at] as usize] as usize;
                    subtract_product(&left[at], &above[from], &mut right[target]);
                    if !SYMMETRIC && at > from {
                        subtract_product(&above[at], &left[from], &mut upper[target]);
                    }
                }
                self.advance(k, from, last);
                k = next;
            }
            let (diagonal, below) = self.lower[first..end].split_at_mut(1);
            let diagonal = &mut diagonal[0];
            let is_factored = if SYMMETRIC {
                cholesky(diagonal)
            } else {
                invert(diagonal)
            };
            if !is_factored {
                return false;
            }
            for block in below {
                if SYMMETRIC {
                    divide(block, diagonal);
                } else {
                    *block = product(block, diagonal);
                }
            }
            self.enlist(j, first, end);
        }
        true
    }

    /// Places of the rows of column `j`.
    fn begin(&mut self, j: usize) -> (usize, usize) {
        let (first, end) = (self.pattern.first[j], self.pattern.first[j + 1]);
        for (local, row) in (0..).zip(&self.pattern.rows[first..end]) {
            self.map[*row as usize] = local;
        }
        (first, end)
    }

    /// Moves column `k` to the list of its next block.
    fn advance(&mut self, k: u32, from: usize, last: usize) {
        self.at[k as usize] = from + 1;
        if from + 1 < last {
            let row = self.pattern.rows[from + 1] as usize;
            self.next[k as usize] = self.head[row];
            self.head[row] = k;
        }
    }

    fn enlist(&mut self, j: usize, first: usize, end: usize) {
        #[allow(
            clippy::cast_possible_truncation,
            reason = "bodies are numbered in u32"
        )]
        self.advance(j as u32, first, end);
    }

    /// x ← H⁻¹x after [`Self::cholesky`].
    pub(crate) fn solve_cholesky(&self, x: &mut [[f64; 6]]) {
        let Pattern { first, rows } = &self.pattern;
        for j in 0..self.pattern.len() {
            forward(&self.lower[first[j]], &mut x[j]);
            let known = x[j];
            for at in first[j] + 1..first[j + 1] {
                subtract_from(&self.lower[at], &known, &mut x[rows[at] as usize]);
            }
        }
        for j in (0..self.pattern.len()).rev() {
            let mut sum = x[j];
            for at in first[j] + 1..first[j + 1] {
                subtract_transposed(&self.lower[at], &x[rows[at] as usize], &mut sum);
            }
            backward(&self.lower[first[j]], &mut sum);
            x[j] = sum;
        }
    }

    /// x ← H⁻¹x after [`Self::lu`].
    pub(crate) fn solve_lu(&self, x: &mut [[f64; 6]]) {
        let Pattern { first, rows } = &self.pattern;
        for j in 0..self.pattern.len() {
            let known = x[j];
            for at in first[j] + 1..first[j + 1] {
                subtract_from(&self.lower[at], &known, &mut x[rows[at] as usize]);
            }
        }
        for j in (0..self.pattern.len()).rev() {
            let mut sum = x[j];
            for at in first[j] + 1..first[j + 1] {
                subtract_transposed(&self.upper[at], &x[rows[at] as usize], &mut sum);
            }
            let mut solved = [0.0; 6];
            for k in 0..6 {
                for i in 0..6 {
                    solved[i] += self.lower[first[j]][6 * k + i] * sum[k];
                }
            }
            x[j] = solved;
        }
    }
}

/// C −= ABᵀ.
#[inline(always)]
pub(crate) fn subtract_product(a: &Block, b: &Block, c: &mut Block) {
    for column in 0..6 {
        let mut sum = [0.0; 6];
        sum.copy_from_slice(&c[6 * column..6 * column + 6]);
        for k in 0..6 {
            let factor = b[6 * k + column];
            for i in 0..6 {
                sum[i] -= a[6 * k + i] * factor;
            }
        }
        c[6 * column..6 * column + 6].copy_from_slice(&sum);
    }
}

/// AB.
#[inline(always)]
pub(crate) fn product(a: &Block, b: &Block) -> Block {
    let mut out = [0.0; 36];
    for column in 0..6 {
        for k in 0..6 {
            let factor = b[6 * column + k];
            for i in 0..6 {
                out[6 * column + i] += a[6 * k + i] * factor;
            }
        }
    }
    out
}

/// L of a symmetric block, from its lower triangle; false if a pivot is not positive.
pub(crate) fn cholesky(a: &mut Block) -> bool {
    for j in 0..6 {
        let mut pivot = a[7 * j];
        for k in 0..j {
            pivot -= a[6 * k + j] * a[6 * k + j];
        }
        if pivot.is_nan() || pivot <= 0.0 {
            return false;
        }
        let pivot = pivot.sqrt();
        a[7 * j] = pivot;
        let inverse = 1.0 / pivot;
        for i in j + 1..6 {
            let mut sum = a[6 * j + i];
            for k in 0..j {
                sum -= a[6 * k + i] * a[6 * k + j];
            }
            a[6 * j + i] = sum * inverse;
        }
    }
    true
}

/// X with XLᵀ = A, in place of A.
#[inline(always)]
pub(crate) fn divide(a: &mut Block, l: &Block) {
    for j in 0..6 {
        let mut column = [0.0; 6];
        column.copy_from_slice(&a[6 * j..6 * j + 6]);
        for k in 0..j {
            let factor = l[6 * k + j];
            for i in 0..6 {
                column[i] -= a[6 * k + i] * factor;
            }
        }
        let inverse = 1.0 / l[7 * j];
        column.iter_mut().for_each(|x| *x *= inverse);
        a[6 * j..6 * j + 6].copy_from_slice(&column);
    }
}

/// A⁻¹ by elimination with row pivots, in place; false if A is singular.
fn invert(a: &mut Block) -> bool {
    let mut inverse = [0.0; 36];
    for i in 0..6 {
        inverse[7 * i] = 1.0;
    }
    for j in 0..6 {
        let size = |i: &usize| a[6 * j + *i].abs();
        let pivot = (j..6)
            .max_by(|x, y| size(x).total_cmp(&size(y)))
            .unwrap_or(j);
        let largest = (0..6).fold(0.0f64, |m, i| m.max(size(&i)));
        if largest.is_nan() || size(&pivot) <= SINGULAR * largest {
            return false;
        }
        for column in 0..6 {
            a.swap(6 * column + j, 6 * column + pivot);
            inverse.swap(6 * column + j, 6 * column + pivot);
        }
        let scale = 1.0 / a[7 * j];
        for column in 0..6 {
            a[6 * column + j] *= scale;
            inverse[6 * column + j] *= scale;
        }
        for i in (0..6).filter(|i| *i != j) {
            let factor = a[6 * j + i];
            for column in 0..6 {
                a[6 * column + i] -= factor * a[6 * column + j];
                inverse[6 * column + i] -= factor * inverse[6 * column + j];
            }
        }
    }
    *a = inverse;
    true
}

/// x ← L⁻¹x.
pub(crate) fn forward(l: &Block, x: &mut [f64; 6]) {
    for j in 0..6 {
        x[j] /= l[7 * j];
        for i in j + 1..6 {
            x[i] -= l[6 * j + i] * x[j];
        }
    }
}

/// x ← L⁻ᵀx.
pub(crate) fn backward(l: &Block, x: &mut [f64; 6]) {
    for j in (0..6).rev() {
        for i in j + 1..6 {
            x[j] -= l[6 * j + i] * x[i];
        }
        x[j] /= l[7 * j];
    }
}

/// out −= Ax.
#[inline(always)]
pub(crate) fn subtract_from(a: &Block, x: &[f64; 6], out: &mut [f64; 6]) {
    for k in 0..6 {
        for i in 0..6 {
            out[i] -= a[6 * k + i] * x[k];
        }
    }
}

/// out −= Aᵀx.
#[inline(always)]
pub(crate) fn subtract_transposed(a: &Block, x: &[f64; 6], out: &mut [f64; 6]) {
    for k in 0..6 {
        let mut sum = 0.0;
        for i in 0..6 {
            sum += a[6 * k + i] * x[i];
        }
        out[k] -= sum;
    }
}

/// C += ABᵀ.
pub(crate) fn add_product(a: &Block, b: &Block, c: &mut Block) {
    subtract_product(&a.map(|x| -x), b, c);
}

/// Aᵀ.
pub(crate) fn transposed(a: &Block) -> Block {
    let mut out = [0.0; 36];
    for (at, x) in a.iter().enumerate() {
        out[6 * (at % 6) + at / 6] = *x;
    }
    out
}
