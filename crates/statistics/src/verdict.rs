//! What an interval of a ratio allows to say.

use crate::median::Interval;

/// What a ratio `b / a` of costs says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Change {
    /// b costs less.
    Less,
    /// Nothing beyond what the measurement can tell apart.
    None,
    /// b costs more.
    More,
}

/// What the interval of a ratio says where differences below `floor` \[-\] mean nothing (A.15): the
/// median and its whole interval must lie on one side of one, and the median beyond the floor.
/// Exchanging a and b exchanges the answers.
pub fn change(median: f64, interval: &Interval, floor: f64) -> Change {
    if median > 1.0 + floor && interval.low > 1.0 {
        Change::More
    } else if median < 1.0 / (1.0 + floor) && interval.high < 1.0 {
        Change::Less
    } else {
        Change::None
    }
}

/// A bound of a ratio.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RatioBound {
    /// It must not be more.
    AtMost(f64),
    /// It must not be less.
    AtLeast(f64),
}

/// True if the interval of a ratio shows that the bound is violated by more than `floor` \[-\]
/// (A.16): no value of the interval keeps the bound, and its median is beyond what counts as noise.
pub fn violates(limit: RatioBound, median: f64, interval: &Interval, floor: f64) -> bool {
    match limit {
        RatioBound::AtMost(most) => interval.low > most && median > most * (1.0 + floor),
        RatioBound::AtLeast(least) => interval.high < least && median < least / (1.0 + floor),
    }
}

/// True if the interval of a ratio shows that the bound is kept but for `floor` \[-\] (A.17): every
/// value of it does.
pub fn keeps(limit: RatioBound, interval: &Interval, floor: f64) -> bool {
    match limit {
        RatioBound::AtMost(most) => interval.high <= most * (1.0 + floor),
        RatioBound::AtLeast(least) => interval.low >= least / (1.0 + floor),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval {
            low,
            high,
            coverage: 0.99,
        }
    }

    #[test]
    fn a_change_is_beyond_the_floor_and_its_interval_beyond_one() {
        assert_eq!(change(1.5, &interval(1.4, 1.6), 0.02), Change::More);
        assert_eq!(change(0.5, &interval(0.4, 0.6), 0.02), Change::Less);
        assert_eq!(change(1.01, &interval(1.005, 1.02), 0.02), Change::None);
        assert_eq!(change(1.5, &interval(0.9, 1.6), 0.02), Change::None);
        // the other way round, also where the floor is more than one
        for floor in [0.02, 0.8, 2.6] {
            for median in [0.2, 0.4, 0.55, 0.7, 1.0 / 1.019, 1.3, 2.4, 4.0] {
                let there = interval(median * 0.9, median * 1.1);
                let back = interval(1.0 / there.high, 1.0 / there.low);
                let expected = match change(median, &there, floor) {
                    Change::Less => Change::More,
                    Change::None => Change::None,
                    Change::More => Change::Less,
                };
                assert_eq!(change(1.0 / median, &back, floor), expected);
            }
        }
        assert_eq!(
            change(f64::INFINITY, &interval(2.0, f64::INFINITY), 0.0),
            Change::More
        );
    }

    #[test]
    fn a_bound_is_violated_by_the_whole_interval() {
        let most = RatioBound::AtMost(1.0);
        assert!(violates(most, 1.05, &interval(1.03, 1.07), 0.02));
        assert!(!violates(most, 1.05, &interval(0.99, 1.07), 0.02));
        assert!(!violates(most, 1.01, &interval(1.005, 1.02), 0.02));
        let least = RatioBound::AtLeast(2.0);
        assert!(violates(least, 1.5, &interval(1.4, 1.6), 0.02));
        assert!(!violates(least, 1.5, &interval(1.4, 2.1), 0.02));
    }
    #[test]
    fn a_bound_is_kept_by_the_whole_interval_but_for_noise() {
        let most = RatioBound::AtMost(1.0);
        assert!(keeps(most, &interval(0.9, 1.02), 0.02));
        assert!(!keeps(most, &interval(0.9, 1.03), 0.02));
        let least = RatioBound::AtLeast(2.0);
        assert!(keeps(least, &interval(1.97, 9.0), 0.02));
        assert!(!keeps(least, &interval(1.95, 9.0), 0.02));
        // what is kept is not violated
        assert!(!violates(most, 1.01, &interval(0.9, 1.02), 0.02));
    }
}
