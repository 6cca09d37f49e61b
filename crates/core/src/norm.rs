//! Euclidean norms whose squares may underflow or overflow: such numbers are scaled before they are
//! squared.
//!
//! If no square underflows or overflows, the result equals √Σx² bit for bit. Otherwise the numbers
//! are multiplied by a power of two, which is exact, and the root is divided by it. Without
//! scaling, a residual of 10⁻¹⁶² m/s would become zero, and an unsolved problem would count as
//! solved.

/// Sums of squares below this value may have lost digits by underflow \[-\]: 2⁻⁹⁶⁰. An infinite sum
/// has overflowed.
pub const LEAST: f64 = f64::from_bits((BIAS - 960) << FRACTION);

/// Scales numbers whose squares vanish into the middle of the range \[-\]: 2⁶⁰⁰.
const SCALE_UP: f64 = f64::from_bits((BIAS + 600) << FRACTION);

/// Exponent bits of 1, and the width of the fraction below them.
const BIAS: u64 = 1023;
const FRACTION: u32 = 52;

/// Returns √Σx² in the unit of x, without underflow or overflow of the squares.
#[must_use]
#[inline]
pub fn norm(values: &[f64]) -> f64 {
    let sum: f64 = values.iter().map(|x| x * x).sum();
    if (LEAST..f64::INFINITY).contains(&sum) {
        return sum.sqrt();
    }
    root_of_form(values, |scale| {
        values.iter().map(|x| (scale * x) * (scale * x)).sum()
    })
}

/// Returns √Q of a quadratic form Q ≥ 0 of `values`. `form` evaluates Q at the values multiplied by
/// a factor.
///
/// The first factor is 1. If Q then underflows or overflows, `form` is called again with another
/// power of two. If rounding makes Q negative, the result is zero. NaN stays NaN.
#[must_use]
pub fn root_of_form(values: &[f64], form: impl Fn(f64) -> f64) -> f64 {
    let plain = form(1.0);
    if (LEAST..f64::INFINITY).contains(&plain) || plain.is_nan() {
        return plain.sqrt();
    }
    let largest = values.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    if largest == 0.0 || !largest.is_finite() {
        return plain.max(0.0).sqrt();
    }
    // brings the largest value to about one
    let exponent = (2 * BIAS).saturating_sub(largest.to_bits() >> FRACTION);
    let scale = f64::from_bits(exponent.clamp(1, 2 * BIAS - 1) << FRACTION);
    form(scale).max(0.0).sqrt() / scale
}

/// A sum of squares that is accumulated in parts, and its root.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SquareSum {
    plain: f64,
    scaled_up: f64,
}

impl SquareSum {
    /// Adds the square of one number.
    #[inline]
    pub fn add(&mut self, x: f64) {
        self.plain += x * x;
        self.scaled_up += (SCALE_UP * x) * (SCALE_UP * x);
    }

    /// Adds the squares of several numbers, summed among themselves first.
    #[inline]
    pub fn add_all(&mut self, values: &[f64]) {
        self.plain += values.iter().map(|x| x * x).sum::<f64>();
        let scaled_up = values.iter().map(|x| (SCALE_UP * x) * (SCALE_UP * x));
        self.scaled_up += scaled_up.sum::<f64>();
    }

    /// The root, in the unit of what was added.
    #[must_use]
    pub fn root(self) -> f64 {
        if self.plain >= LEAST || self.plain.is_nan() {
            self.plain.sqrt()
        } else {
            self.scaled_up.sqrt() / SCALE_UP
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// (3, 4, 12) has the length 13.
    fn triple(scale: f64) -> [f64; 3] {
        [3.0 * scale, -4.0 * scale, 12.0 * scale]
    }

    #[test]
    fn lengths_keep_their_digits_from_end_to_end_of_the_range() {
        for exponent in [-1020, -700, -511, -481, -480, -1, 0, 300, 511, 512, 900] {
            let scale = f64::powi(2.0, exponent);
            let x = triple(scale);
            assert_eq!(norm(&x), 13.0 * scale, "2^{exponent}");
            let form = root_of_form(&x, |s| x.iter().map(|x| 4.0 * (s * x) * (s * x)).sum());
            assert_eq!(form, 26.0 * scale, "2^{exponent}");
            // residuals are computed from numbers up to 1e150
            if exponent < 500 {
                let mut sum = SquareSum::default();
                sum.add_all(&x[..2]);
                sum.add(x[2]);
                assert_eq!(sum.root(), 13.0 * scale, "2^{exponent}");
            }
        }
        // below the normal numbers: 3 and 4 of the smallest
        let least = f64::from_bits(1);
        assert_eq!(norm(&[3.0 * least, 4.0 * least]), 5.0 * least);
    }

    #[test]
    fn nothing_and_what_is_no_number_stay() {
        assert_eq!(norm(&[]), 0.0);
        assert_eq!(norm(&[0.0, -0.0]), 0.0);
        assert_eq!(norm(&[f64::INFINITY, 1.0]), f64::INFINITY);
        assert!(norm(&[f64::NAN, 1e-200]).is_nan());
        assert_eq!(SquareSum::default().root(), 0.0);
        let mut sum = SquareSum::default();
        sum.add(f64::NAN);
        assert!(sum.root().is_nan());
    }
}
