//! Paired tests: do differences lean to one side?

use crate::binomial::{cumulative, float};

/// Pairs up to which every choice of signs is counted \[-\]: beyond, the normal distribution is
/// within 0.0005.
const COUNTED: usize = 200;

/// Two-sided p-value of the sign test (A.11): differences that are zero take no part.
///
/// Differences may be infinite; `NaN`s take no part. 1 where nothing is left.
pub fn sign_test(differences: &[f64]) -> f64 {
    let positive = differences.iter().filter(|d| **d > 0.0).count();
    let negative = differences.iter().filter(|d| **d < 0.0).count();
    let n = positive + negative;
    if n == 0 {
        return 1.0;
    }
    (2.0 * cumulative(n)[positive.min(negative)]).min(1.0)
}

/// Two-sided p-value of Wilcoxon's signed-rank test (A.12), with mid-ranks for ties and Pratt's way
/// with zeros: they take ranks and have no sign \[Wilcoxon1945\] \[Pratt1959\].
///
/// Differences may be infinite, as where one side never ends; infinite ones are ties. `NaN`s take
/// no part. 1 where all are zero. Exact up to 200 pairs, the normal approximation beyond.
pub fn signed_rank(differences: &[f64]) -> f64 {
    let known = differences.iter().copied().filter(|d| !d.is_nan());
    let mut known: Vec<f64> = known.collect();
    known.sort_by(|a, b| a.abs().total_cmp(&b.abs()));
    let ranks = doubled_ranks(&known);
    let signed: Vec<(usize, bool)> = ranks
        .into_iter()
        .zip(&known)
        .filter(|(_, difference)| **difference != 0.0)
        .map(|(rank, difference)| (rank, *difference > 0.0))
        .collect();
    if signed.is_empty() {
        return 1.0;
    }
    let total: usize = signed.iter().map(|(rank, _)| rank).sum();
    let positive: usize = signed.iter().filter(|s| s.1).map(|(rank, _)| rank).sum();
    let smaller = positive.min(total - positive);
    let ranks: Vec<usize> = signed.iter().map(|(rank, _)| *rank).collect();
    if ranks.len() <= COUNTED {
        counted(&ranks, smaller)
    } else {
        normal(&ranks, smaller)
    }
}

/// Twice the mid-rank of each of the sorted magnitudes: a whole number.
fn doubled_ranks(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = vec![0; sorted.len()];
    let mut start = 0;
    while start < sorted.len() {
        let magnitude = sorted[start].abs();
        let tied = sorted[start..].iter().take_while(|d| d.abs() == magnitude);
        let end = start + tied.count();
        // ranks start + 1 … end
        ranks[start..end].fill(start + 1 + end);
        start = end;
    }
    ranks
}

/// `2 P(W ≤ smaller)` over all choices of signs, each as likely.
fn counted(ranks: &[usize], smaller: usize) -> f64 {
    // share of the choices with each sum; what is above the smaller sum is not needed
    let mut shares = vec![0.0; smaller + 1];
    shares[0] = 1.0;
    for rank in ranks {
        for sum in (0..=smaller).rev() {
            let with = if sum >= *rank {
                shares[sum - rank]
            } else {
                0.0
            };
            shares[sum] = 0.5 * (shares[sum] + with);
        }
    }
    (2.0 * shares.iter().sum::<f64>()).min(1.0)
}

/// The same by the normal distribution of that mean and variance, half a step of the sum towards
/// the middle.
fn normal(ranks: &[usize], smaller: usize) -> f64 {
    let mean = 0.5 * ranks.iter().map(|rank| float(*rank)).sum::<f64>();
    let squares: f64 = ranks.iter().map(|rank| float(*rank) * float(*rank)).sum();
    let deviation = 0.5 * squares.sqrt();
    let distance = (mean - float(smaller) - 1.0).max(0.0) / deviation;
    libm::erfc(distance * core::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn five_alike_are_one_choice_in_thirty_two_on_each_side() {
        let differences = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(signed_rank(&differences), 2.0 / 32.0);
        assert_eq!(sign_test(&differences), 2.0 / 32.0);
        assert_eq!(signed_rank(&differences.map(|d| -d)), 2.0 / 32.0);
        // W = 1 or less: none, or the first alone
        assert_eq!(signed_rank(&[-1.0, 2.0, 3.0, 4.0, 5.0]), 4.0 / 32.0);
    }

    #[test]
    fn ties_share_ranks_and_zeros_keep_theirs() {
        // ranks 1.5, 1.5, 3: sums of 1.5 or less are 3 of 8 choices
        assert_eq!(signed_rank(&[-1.0, 1.0, 2.0]), 6.0 / 8.0);
        // the zero has rank 1, so that the others have 2 and 3
        assert_eq!(doubled_ranks(&[0.0, 1.0, -2.0]), [2, 4, 6]);
        assert_eq!(signed_rank(&[0.0, 1.0, 2.0]), 2.0 / 4.0);
        assert_eq!((signed_rank(&[0.0; 9]), sign_test(&[0.0; 9])), (1.0, 1.0));
        assert_eq!((signed_rank(&[]), sign_test(&[])), (1.0, 1.0));
        let infinite = [f64::INFINITY, f64::INFINITY, 1.0, f64::NAN];
        assert_eq!(signed_rank(&infinite), 2.0 / 8.0);
    }

    #[test]
    fn the_normal_distribution_takes_over_without_a_step() {
        let ranks: Vec<usize> = (1..=COUNTED).map(|rank| 2 * rank).collect();
        for smaller in [14_000, 16_000, 18_000, 19_800] {
            let (exact, close) = (counted(&ranks, smaller), normal(&ranks, smaller));
            assert!((exact - close).abs() < 5e-4, "{exact} {close}");
        }
    }
}
