//! Sparse linear algebra of 6 × 6 blocks, one row of blocks per body that moves.

pub(crate) mod aggregation;
pub(crate) mod assembly;
pub(crate) mod elements;
pub(crate) mod factor;
pub(crate) mod incomplete;
pub(crate) mod krylov;
pub(crate) mod multigrid;
pub(crate) mod pattern;
pub(crate) mod small;

use delassus_core::norm;

/// Euclidean length.
pub(crate) fn norm(x: &[[f64; 6]]) -> f64 {
    let square = dot(x, x);
    // what overflows stays infinite: it has diverged
    if square >= norm::LEAST || square.is_nan() {
        square.sqrt()
    } else {
        norm::norm(x.as_flattened())
    }
}

/// aᵀb.
pub(crate) fn dot(a: &[[f64; 6]], b: &[[f64; 6]]) -> f64 {
    let mut sums = [0.0; 6];
    for (a, b) in a.iter().zip(b) {
        for axis in 0..6 {
            sums[axis] += a[axis] * b[axis];
        }
    }
    sums.iter().sum()
}

/// y += factor · x.
pub(crate) fn add_scaled(factor: f64, x: &[[f64; 6]], y: &mut [[f64; 6]]) {
    for (x, y) in x.iter().zip(y) {
        for axis in 0..6 {
            y[axis] += factor * x[axis];
        }
    }
}

/// C += A.
pub(crate) fn add(a: &factor::Block, c: &mut factor::Block) {
    for (c, a) in c.iter_mut().zip(a) {
        *c += a;
    }
}
