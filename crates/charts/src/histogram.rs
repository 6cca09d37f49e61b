//! Bins of equal width, on a logarithmic axis of equal ratio.

use crate::numbers::count;

/// Bins at most and at least \[-\].
const MOST: usize = 40;
const LEAST: usize = 5;

/// The bins that some values fall into.
#[derive(Debug, Clone, PartialEq)]
pub struct Bins {
    log: bool,
    low: f64,
    width: f64,
    number: usize,
}

impl Bins {
    /// Bins over all of the values, as many as the square root of their number; `None` of no
    /// values.
    pub fn of(values: impl Iterator<Item = f64>, log: bool) -> Option<Self> {
        let own = |value: f64| if log { libm::log10(value) } else { value };
        let (mut low, mut high, mut all) = (f64::INFINITY, f64::NEG_INFINITY, 0_usize);
        for value in values.map(own).filter(|value| value.is_finite()) {
            (low, high, all) = (low.min(value), high.max(value), all + 1);
        }
        if all == 0 {
            return None;
        }
        // equal values stand in the middle of one bin
        if high - low <= 1e-9 * low.abs().max(high.abs()).max(1e-300) {
            let margin = if log {
                0.5
            } else {
                0.5 * low.abs().max(1e-300)
            };
            (low, high) = (low - margin, high + margin);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a small positive number"
        )]
        let number = (count(all as u64).sqrt().ceil() as usize).clamp(LEAST, MOST);
        Some(Self {
            log,
            low,
            width: (high - low) / count(number as u64),
            number,
        })
    }

    /// How many of the values fall into each bin.
    pub fn counts(&self, values: &[f64]) -> Vec<usize> {
        let mut counts = vec![0; self.number];
        for value in values {
            let value = if self.log {
                libm::log10(*value)
            } else {
                *value
            };
            let place = (value - self.low) / self.width;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "saturating"
            )]
            let bin = (place.max(0.0) as usize).min(self.number - 1);
            counts[bin] += 1;
        }
        counts
    }

    /// Where the bin of this index begins; the number of bins stands for the end of the last.
    fn edge(&self, bin: usize) -> f64 {
        let edge = self.low + self.width * count(bin as u64);
        if self.log { libm::exp10(edge) } else { edge }
    }

    /// The outline of bars of these heights, from zero to zero.
    pub fn outline(&self, heights: &[f64]) -> Vec<(f64, f64)> {
        let mut points = vec![(self.edge(0), 0.0)];
        for (bin, height) in heights.iter().enumerate() {
            points.push((self.edge(bin), *height));
            points.push((self.edge(bin + 1), *height));
        }
        points.push((self.edge(heights.len()), 0.0));
        points
    }

    /// The middles of the tops of the bars that are not empty.
    pub fn tops(&self, heights: &[f64]) -> Vec<(f64, f64)> {
        let middle = |bin: usize| {
            let middle = self.low + self.width * (count(bin as u64) + 0.5);
            if self.log {
                libm::exp10(middle)
            } else {
                middle
            }
        };
        let tall = heights.iter().enumerate().filter(|(_, h)| **h > 0.0);
        tall.map(|(bin, height)| (middle(bin), *height)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_falls_into_one_bin() {
        let values = [1.0, 10.0, 100.0, 1000.0, 1e5];
        let bins = Bins::of(values.into_iter(), true).expect("bins");
        let counts = bins.counts(&values);
        assert_eq!(counts.iter().sum::<usize>(), 5);
        assert_eq!((counts[0], counts[bins.number - 1]), (1, 1));
        let outline = bins.outline(&[1.0; 5]);
        assert!((outline[0].0 - 1.0).abs() < 1e-9 && outline[0].1 == 0.0);
        let one = Bins::of([3.0].into_iter(), false).expect("bins");
        assert_eq!(one.counts(&[3.0]).iter().sum::<usize>(), 1);
        assert_eq!(Bins::of([0.0].into_iter(), true), None);
        assert_eq!(Bins::of([].into_iter(), false), None);
    }
}
