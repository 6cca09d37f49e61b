//! `sums`: sums of an iteration that control the momentum, in an order that is the same on every
//! machine.
//!
//! Pieces are summed in chunks of [`CHUNK`], each by a binary tree; the chunks' sums are summed in
//! the same way until one is left. A workgroup of any multiple of [`CHUNK`] threads, subgroup or
//! not, gives the same bits.

use crate::real::Real;

/// Pieces that one tree sums \[-\].
pub const CHUNK: usize = 32;

/// Sums of one or more pieces. D = 1/step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sums<T> {
    /// Σ (y − λ_{k+1}) D (λ_{k+1} − λ_k): positive if the last move went uphill (J.13). \[J\]
    pub uphill: T,
    /// Σ (λ_{k+1} − y)² D: the squared natural residual at y in the norm of D (J.14). \[J\]
    pub residual: T,
}

impl<T: Real> Sums<T> {
    /// Adds one row that moved from `y` to `new`; a row that nothing moves has the step 0, and adds
    /// nothing.
    #[inline(always)]
    pub fn add(&mut self, y: T, new: T, old: T, step: T) {
        if step == T::ZERO {
            return;
        }
        let gradient = (y - new) / step;
        self.uphill = self.uphill + gradient * (new - old);
        self.residual = self.residual + gradient * (y - new);
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Self {
            uphill: self.uphill + other.uphill,
            residual: self.residual + other.residual,
        }
    }
}

/// Sums all of `values`, which it overwrites.
pub fn tree<T: Real>(values: &mut [Sums<T>]) -> Sums<T> {
    let mut count = values.len();
    while count > 1 {
        let chunks = count.div_ceil(CHUNK);
        for chunk in 0..chunks {
            let first = chunk * CHUNK;
            let last = count.min(first + CHUNK);
            values[chunk] = chunk_sum(&values[first..last]);
        }
        count = chunks;
    }
    values.first().copied().unwrap_or_default()
}

/// One binary tree; missing values are zero.
fn chunk_sum<T: Real>(values: &[Sums<T>]) -> Sums<T> {
    let mut lanes = [Sums::default(); CHUNK];
    lanes[..values.len()].copy_from_slice(values);
    let mut stride = CHUNK / 2;
    while stride > 0 {
        for lane in 0..stride {
            lanes[lane] = lanes[lane].plus(lanes[lane + stride]);
        }
        stride /= 2;
    }
    lanes[0]
}
