//! Many comparisons at once.

/// The p-values of several tests, each adjusted so that all together err as rarely as one (A.13)
/// \[Holm1979\].
///
/// The order is kept. What is not a number stays so and counts as no test.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).filter(|i| !p[*i].is_nan()).collect();
    order.sort_by(|i, j| p[*i].total_cmp(&p[*j]));
    let mut adjusted = p.to_vec();
    let mut least = 0.0_f64;
    for (rank, index) in order.iter().enumerate() {
        let left = crate::binomial::float(order.len() - rank);
        least = least.max((left * p[*index]).min(1.0));
        adjusted[*index] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_multiplied_by_the_tests_that_are_left_and_none_falls_below_a_smaller_one() {
        assert_eq!(holm(&[0.25, 0.0625, 0.125]), [0.25, 0.1875, 0.25]);
        assert_eq!(holm(&[0.5, 0.75]), [1.0, 1.0]);
        assert_eq!(holm(&[0.5]), [0.5]);
        let adjusted = holm(&[f64::NAN, 0.25]);
        assert!(adjusted[0].is_nan() && adjusted[1] == 0.25);
    }
}
