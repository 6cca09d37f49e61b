//! How far timing samples of one cell lie apart.

/// Order statistics of the samples of a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// The smallest.
    pub min: f64,
    /// The largest.
    pub max: f64,
    /// The third quartile less the first, each by linear interpolation between samples.
    pub iqr: f64,
}

impl Spread {
    /// The spread of some samples; `None` of nothing, or where one is not finite.
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut sorted: Vec<f64> = samples.into_iter().collect();
        if sorted.is_empty() || !sorted.iter().all(|sample| sample.is_finite()) {
            return None;
        }
        sorted.sort_by(f64::total_cmp);
        Some(Self {
            min: sorted[0],
            max: sorted[sorted.len() - 1],
            iqr: quarter(&sorted, 3) - quarter(&sorted, 1),
        })
    }
}

/// The value below which so many quarters of the sorted samples lie.
fn quarter(sorted: &[f64], quarters: usize) -> f64 {
    let quarters = (sorted.len() - 1) * quarters;
    let (index, rest) = (quarters / 4, super::count((quarters % 4) as u64) / 4.0);
    let next = sorted[(index + 1).min(sorted.len() - 1)];
    sorted[index] + rest * (next - sorted[index])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_are_interpolated() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap();
        // the quartiles of 1, 2, 3, 4 are 1.75 and 3.25
        assert_eq!((spread.min, spread.max, spread.iqr), (1.0, 4.0, 1.5));
        let five = Spread::of([50.0, 10.0, 40.0, 20.0, 30.0]).unwrap();
        assert_eq!(five.iqr, 20.0);
    }

    #[test]
    fn one_sample_has_no_width_and_none_has_no_spread() {
        let one = Spread::of([2.5]).unwrap();
        assert_eq!((one.min, one.max, one.iqr), (2.5, 2.5, 0.0));
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([1.0, f64::NAN]), None);
    }
}
