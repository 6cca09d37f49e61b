//! Medians, and where the true median lies.

use crate::binomial::{cumulative, float};

/// Where a median lies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The lower end, in the unit of the samples.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How often such intervals hold the median \[-\]: the level that was asked for, or less where
    /// the samples are too few for it and the interval is their whole range.
    pub coverage: f64,
}

impl Interval {
    /// True if the interval holds the value.
    pub fn holds(&self, value: f64) -> bool {
        (self.low..=self.high).contains(&value)
    }
}

/// The median of samples, infinite ones among them; `None` of nothing, and where one is not a
/// number.
pub fn median(samples: &[f64]) -> Option<f64> {
    let sorted = sorted(samples)?;
    let [low, high] = middle(&sorted)?;
    Some(between(low, high, 0.5))
}

/// The two middle ones of sorted samples, which are the same of an odd number; `None` of nothing.
pub(crate) fn middle(sorted: &[f64]) -> Option<[f64; 2]> {
    let last = sorted.len().checked_sub(1)?;
    Some([sorted[last / 2], sorted[sorted.len() / 2]])
}

/// Where the median of the distribution of the samples lies, by interpolated order statistics
/// (A.8), (A.9) \[HettmanspergerSheather1986\].
///
/// `level` \[-\] lies between 0 and 1. Samples may be infinite: an end between a finite and an
/// infinite one is infinite. `None` of fewer than two samples, and where one is not a number.
pub fn median_interval(samples: &[f64], level: f64) -> Option<Interval> {
    interval(samples, level, between)
}

/// The same with another interpolation between an outer and an inner sample.
pub(crate) fn interval(
    samples: &[f64],
    level: f64,
    between: fn(f64, f64, f64) -> f64,
) -> Option<Interval> {
    let sorted = sorted(samples)?;
    let n = sorted.len();
    if n < 2 || !(0.0..1.0).contains(&level) {
        return None;
    }
    let cumulative = cumulative(n);
    // coverage of the k-th smallest to the k-th largest, k = 1…n/2
    let coverage = |k: usize| 1.0 - 2.0 * cumulative[k - 1];
    if coverage(1) <= level {
        return Some(Interval {
            low: sorted[0],
            high: sorted[n - 1],
            coverage: coverage(1),
        });
    }
    let inner = (2..=n / 2).find(|k| coverage(*k) < level);
    let Some(inner) = inner else {
        let k = (n / 2).max(1);
        return Some(Interval {
            low: sorted[k - 1],
            high: sorted[n - k],
            coverage: coverage(k),
        });
    };
    let outer = inner - 1;
    let part = (coverage(outer) - level) / (coverage(outer) - coverage(inner));
    let (own, all) = (float(outer), float(n));
    let weight = (all - own) * part / (own + (all - 2.0 * own) * part);
    Some(Interval {
        low: between(sorted[outer - 1], sorted[inner - 1], weight),
        high: between(sorted[n - outer], sorted[n - inner], weight),
        coverage: level,
    })
}

/// Samples that an interval of this level takes \[-\]: the range of fewer holds the median less
/// often (A.8).
pub fn fewest_samples(level: f64) -> usize {
    let (mut samples, mut missed) = (1, 1.0);
    // half of the next sample's chances to lie beyond all others; 64 of them exhaust f64
    while missed > 1.0 - level && samples < 64 {
        samples += 1;
        missed *= 0.5;
    }
    samples
}

/// Samples in ascending order; `None` where one is not a number.
pub(crate) fn sorted(samples: &[f64]) -> Option<Vec<f64>> {
    if samples.iter().any(|sample| sample.is_nan()) {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

/// `(1 − weight) from + weight to`; the first where one is infinite, since nothing lies between.
fn between(from: f64, to: f64, weight: f64) -> f64 {
    match (from.is_finite(), to.is_finite()) {
        (true, true) => from + weight * (to - from),
        // the middle of a finite and an infinite sample is infinite, and an end is its outer sample
        (true, false) if weight == 0.5 => to,
        _ => from,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(n: usize) -> Vec<f64> {
        (1..=n).map(float).collect()
    }

    #[test]
    fn few_samples_give_their_range_and_say_how_often_it_holds() {
        let interval = median_interval(&[3.0, 1.0, 2.0], 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 3.0));
        assert_eq!(interval.coverage, 0.75);
        assert_eq!(median_interval(&counted(5), 0.95).unwrap().coverage, 0.9375);
        assert_eq!(median_interval(&[1.0], 0.95), None);
        assert_eq!(median_interval(&[1.0, f64::NAN], 0.95), None);
        assert_eq!(median_interval(&counted(9), 1.0), None);
    }

    #[test]
    fn ends_lie_between_the_order_statistics_around_the_level() {
        // n = 10: the second to the ninth cover 0.9785, the third to the eighth 0.8906
        let interval = median_interval(&counted(10), 0.95).unwrap();
        let part = (1.0 - 22.0 / 1024.0 - 0.95) / (90.0 / 1024.0);
        let weight = 8.0 * part / (2.0 + 6.0 * part);
        assert!(
            (interval.low - (2.0 + weight)).abs() < 1e-12,
            "{interval:?}"
        );
        assert!((interval.high - (9.0 - weight)).abs() < 1e-12);
        assert_eq!(interval.coverage, 0.95);
    }

    #[test]
    fn low_levels_are_not_interpolated_beyond_the_middle() {
        let interval = median_interval(&counted(4), 0.1).unwrap();
        assert_eq!((interval.low, interval.high), (2.0, 3.0));
        assert_eq!(interval.coverage, 0.375);
        assert!(median_interval(&counted(2), 0.3).unwrap().holds(1.5));
    }

    #[test]
    fn infinite_samples_are_samples() {
        let samples = [1.0, 2.0, f64::INFINITY];
        assert_eq!(median(&samples), Some(2.0));
        assert_eq!(median(&[1.0, f64::INFINITY]), Some(f64::INFINITY));
        assert_eq!(
            median(&[f64::NEG_INFINITY, f64::INFINITY]),
            Some(f64::NEG_INFINITY)
        );
        assert_eq!(median_interval(&samples, 0.95).unwrap().high, f64::INFINITY);
        let mut many = counted(20);
        many[19] = f64::INFINITY;
        let interval = median_interval(&many, 0.95).unwrap();
        assert!(interval.low.is_finite() && interval.high.is_finite());
        assert_eq!(median(&[]), None);
    }
}
