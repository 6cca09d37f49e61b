//! Ratios of paired times, and the smallest that a machine can tell from one.

use crate::median::{Interval, interval, middle, sorted};
use crate::{ALARM_LEVEL, LEAST_FLOOR};

/// `b_i / a_i` of measurements that were taken in turns; `None` where their numbers differ, or
/// where one is no positive finite number.
pub fn paired_ratios(a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let proper = |samples: &[f64]| samples.iter().all(|s| s.is_finite() && *s > 0.0);
    let paired = a.len() == b.len() && proper(a) && proper(b);
    paired.then(|| a.iter().zip(b).map(|(a, b)| b / a).collect())
}

/// The median of ratios ≥ 0 (A.10): of an even number, the geometric mean of the two in the middle,
/// so that the median of all inverses is its inverse.
///
/// `None` of nothing, where one is not a number, and where the two in the middle are zero and
/// infinite: then one half says the opposite of the other.
pub fn median_ratio(ratios: &[f64]) -> Option<f64> {
    match middle(&sorted(ratios)?)? {
        [low, high] if low == high => Some(low),
        [0.0, f64::INFINITY] => None,
        // each root by itself: the product may leave the range
        [low, high] => Some(low.sqrt() * high.sqrt()),
    }
}

/// Where the median of the distribution of ratios ≥ 0 lies (A.8), (A.9), interpolated in their
/// logarithms; `None` of fewer than two, and where one is not a number.
pub fn ratio_interval(ratios: &[f64], level: f64) -> Option<Interval> {
    interval(ratios, level, between_ratios)
}

/// The median of `b_i / a_i` and where it lies (A.10); `None` of fewer than two pairs, and where
/// there are no pairs.
pub fn paired_median_ratio(a: &[f64], b: &[f64], level: f64) -> Option<(f64, Interval)> {
    let ratios = paired_ratios(a, b)?;
    Some((median_ratio(&ratios)?, ratio_interval(&ratios, level)?))
}

/// `outer^(1 − weight) · inner^weight`; the outer where one is zero or infinite, since nothing lies
/// between.
fn between_ratios(outer: f64, inner: f64, weight: f64) -> f64 {
    let is_positive = |ratio: f64| ratio.is_finite() && ratio > 0.0;
    if outer == inner || !(is_positive(outer) && is_positive(inner)) {
        return outer;
    }
    outer * libm::exp(weight * (libm::log(inner) - libm::log(outer)))
}

/// The relative difference below which a machine tells nothing apart \[-\] (A.14), from the seconds
/// of equal work, taken one after the other: the even ones are compared with the odd ones as two
/// solvers would be.
///
/// `None` of fewer than four samples, and where one is no positive finite number.
pub fn noise_floor(seconds: &[f64]) -> Option<f64> {
    let (mut even, mut odd) = (Vec::new(), Vec::new());
    for pair in seconds.chunks_exact(2) {
        even.push(pair[0]);
        odd.push(pair[1]);
    }
    let (_, interval) = paired_median_ratio(&even, &odd, ALARM_LEVEL)?;
    let widest = (interval.high - 1.0).max(1.0 / interval.low - 1.0);
    Some(widest.max(LEAST_FLOOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_pairs() {
        let paired = paired_median_ratio(&[1.0, 2.0, 4.0], &[2.0, 4.0, 12.0], 0.9);
        let (ratio, interval) = paired.unwrap();
        assert_eq!((ratio, interval.low, interval.high), (2.0, 2.0, 3.0));
        assert_eq!(paired_ratios(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(paired_ratios(&[0.0], &[1.0]), None);
        assert_eq!(paired_median_ratio(&[1.0], &[1.0], 0.9), None);
    }

    /// Exchanging the two sides inverts the median and its interval, of odd and even numbers.
    #[test]
    fn exchanged_sides_give_inverse_ratios() {
        let costs = |seed: u32| -> Vec<f64> {
            let step = |i: u32| f64::from((i * seed + 7) % 101) + 0.5;
            (0..41).map(step).collect()
        };
        let (a, b) = (costs(37), costs(59));
        let near_one = |product: f64| assert!((product - 1.0).abs() < 1e-14, "{product}");
        for n in 2..=41 {
            let (there, own) = paired_median_ratio(&a[..n], &b[..n], 0.95).unwrap();
            let (back, other) = paired_median_ratio(&b[..n], &a[..n], 0.95).unwrap();
            near_one(there * back);
            near_one(own.low * other.high);
            near_one(own.high * other.low);
            assert_eq!(own.coverage, other.coverage);
        }
        // the mean of the two in the middle would be 7.5 one way and 1/4.8 the other
        near_one(median_ratio(&[3.0, 12.0]).unwrap() / 6.0);
    }

    #[test]
    fn goals_that_one_side_missed_are_ratios() {
        let inf = f64::INFINITY;
        assert_eq!(median_ratio(&[0.0, 2.0]), Some(0.0));
        assert_eq!(median_ratio(&[0.5, inf]), Some(inf));
        assert_eq!(median_ratio(&[0.0, inf]), None);
        assert_eq!(median_ratio(&[0.0, 3.0, inf]), Some(3.0));
        assert_eq!(median_ratio(&[]), None);
        assert_eq!(median_ratio(&[f64::NAN]), None);
        let most = median_ratio(&[f64::MAX, f64::MAX / 4.0]).unwrap();
        assert!((most / f64::MAX - 0.5).abs() < 1e-15, "{most}");
        let ends = ratio_interval(&[0.0, 1.0, inf], 0.5).unwrap();
        assert_eq!((ends.low, ends.high), (0.0, inf));
    }

    #[test]
    fn equal_work_in_equal_time_has_the_least_floor() {
        assert_eq!(noise_floor(&[3.0; 40]), Some(LEAST_FLOOR));
        let mut seconds = vec![1.0; 40];
        for pair in seconds.chunks_exact_mut(2).step_by(2) {
            pair[1] = 1.2;
        }
        let floor = noise_floor(&seconds).unwrap();
        assert!((floor - 0.2).abs() < 1e-9, "{floor}");
        assert_eq!(noise_floor(&[1.0; 3]), None);
        assert_eq!(noise_floor(&[1.0, 0.0, 1.0, 1.0]), None);
    }
}
