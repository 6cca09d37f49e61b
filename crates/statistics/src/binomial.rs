//! Counts of heads of a fair coin.

/// `P(H ≤ k)` for each k = 0…n of the number of heads H of n fair coins.
///
/// The terms are made from the middle outwards by their ratios and divided by their sum, so that
/// nothing overflows: far tails become zero.
pub(crate) fn cumulative(n: usize) -> Vec<f64> {
    let mut terms = vec![0.0; n + 1];
    let middle = n / 2;
    terms[middle] = 1.0;
    for k in (0..middle).rev() {
        terms[k] = terms[k + 1] * (float(k + 1) / float(n - k));
    }
    for k in middle + 1..=n {
        terms[k] = terms[k - 1] * (float(n - k + 1) / float(k));
    }
    // small ones first
    let total: f64 = 2.0 * terms[..middle].iter().sum::<f64>()
        + terms[middle..n + 1 - middle].iter().sum::<f64>();
    let mut sum = 0.0;
    for term in &mut terms {
        sum += *term / total;
        *term = sum.min(1.0);
    }
    terms
}

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(crate) fn float(count: usize) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_coins() {
        let expected = [1.0, 6.0, 16.0, 26.0, 31.0, 32.0].map(|count| count / 32.0);
        for (found, expected) in cumulative(5).iter().zip(expected) {
            assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        }
        assert_eq!(cumulative(0), [1.0]);
    }

    #[test]
    fn many_coins_stay_finite_and_symmetric() {
        for n in [1_999, 100_000] {
            let cumulative = cumulative(n);
            assert!((cumulative[n] - 1.0).abs() < 1e-12);
            for k in [0, n / 4, n / 2 - 200, n / 2 - 1] {
                let other = 1.0 - cumulative[n - 1 - k];
                assert!((cumulative[k] - other).abs() < 1e-11, "{n} {k}");
            }
        }
    }
}
