//! How far timing samples of one cell lie apart.

use super::count;

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
            iqr: quantile(&sorted, 0.75)? - quantile(&sorted, 0.25)?,
        })
    }
}

/// The value below or at which a share of the sorted values lies, by linear interpolation between
/// values; `None` of nothing.
pub(crate) fn quantile(values: &[f64], share: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let place = share * count(last as u64);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 0 and the last index"
    )]
    let below = (place.floor() as usize).min(last);
    let next = values[(below + 1).min(last)];
    let rest = place - place.floor();
    Some(if rest > 0.0 {
        values[below] + rest * (next - values[below])
    } else {
        values[below]
    })
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
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), Some(1.75));
        assert_eq!(quantile(&[1.0, 2.0], 1.0), Some(2.0));
        assert_eq!(quantile(&[], 0.5), None);
    }

    #[test]
    fn one_sample_has_no_width_and_none_has_no_spread() {
        let one = Spread::of([2.5]).unwrap();
        assert_eq!((one.min, one.max, one.iqr), (2.5, 2.5, 0.0));
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([1.0, f64::NAN]), None);
    }
}
