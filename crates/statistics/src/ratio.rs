//! Ratios of paired times, and the smallest that a machine can tell from one.

use crate::median::{Interval, median, median_interval};
use crate::{ALARM_LEVEL, LEAST_FLOOR};

/// `b_i / a_i` of measurements that were taken in turns; `None` where their numbers differ, or
/// where one is no positive finite number.
pub fn paired_ratios(a: &[f64], b: &[f64]) -> Option<Vec<f64>> {
    let proper = |samples: &[f64]| samples.iter().all(|s| s.is_finite() && *s > 0.0);
    let paired = a.len() == b.len() && proper(a) && proper(b);
    paired.then(|| a.iter().zip(b).map(|(a, b)| b / a).collect())
}

/// The median of `b_i / a_i` and where it lies (A.10); `None` of fewer than two pairs, and where
/// there are no pairs.
pub fn median_ratio(a: &[f64], b: &[f64], level: f64) -> Option<(f64, Interval)> {
    let ratios = paired_ratios(a, b)?;
    Some((median(&ratios)?, median_interval(&ratios, level)?))
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
    let (_, interval) = median_ratio(&even, &odd, ALARM_LEVEL)?;
    let widest = (interval.high - 1.0).max(1.0 - interval.low);
    Some(widest.max(LEAST_FLOOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_of_pairs() {
        let (ratio, interval) = median_ratio(&[1.0, 2.0, 4.0], &[2.0, 4.0, 12.0], 0.9).unwrap();
        assert_eq!((ratio, interval.low, interval.high), (2.0, 2.0, 3.0));
        assert_eq!(paired_ratios(&[1.0], &[1.0, 2.0]), None);
        assert_eq!(paired_ratios(&[0.0], &[1.0]), None);
        assert_eq!(median_ratio(&[1.0], &[1.0], 0.9), None);
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
