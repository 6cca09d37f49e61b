//! Kernels on contiguous slices. The order of every sum is fixed, so equal inputs give equal bits.

use delassus_core::norm;

/// aᵀb, in four partial sums.
#[inline]
pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let (head_a, tail_a) = a.as_chunks::<4>();
    let (head_b, tail_b) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (x, y) in head_a.iter().zip(head_b) {
        for lane in 0..4 {
            sums[lane] += x[lane] * y[lane];
        }
    }
    let tail: f64 = tail_a.iter().zip(tail_b).map(|(x, y)| x * y).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// y += factor · x.
#[inline]
pub(crate) fn add_scaled(factor: f64, x: &[f64], y: &mut [f64]) {
    debug_assert_eq!(x.len(), y.len());
    for (target, value) in y.iter_mut().zip(x) {
        *target += factor * value;
    }
}

/// Euclidean norm.
pub(crate) fn norm(x: &[f64]) -> f64 {
    let square = dot(x, x);
    // what overflows stays infinite: it has diverged
    if square >= norm::LEAST || square.is_nan() {
        square.sqrt()
    } else {
        norm::norm(x)
    }
}

/// Largest magnitude; zero for an empty slice.
pub(crate) fn max_magnitude(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |max: f64, v| max.max(v.abs()))
}
