//! Formats numbers for messages and tables.

use std::borrow::Cow;

/// Formats `value` with `digits` significant digits: in decimal notation from 0.001 up to below
/// 10⁶, otherwise with an exponent, as in 1.234e-8.
pub fn significant(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if !value.is_finite() {
        return if value.is_nan() {
            "not a number".to_owned()
        } else {
            format!("{}∞", if value < 0.0 { "−" } else { "" })
        };
    }
    let scientific = format!("{value:.*e}", digits.saturating_sub(1));
    // the exponent after rounding, so that 0.99999 counts as 1.0
    let exponent: i32 = scientific
        .split('e')
        .nth(1)
        .and_then(|e| e.parse().ok())
        .unwrap_or(0);
    let text = if (-3..6).contains(&exponent) {
        let decimals = usize::try_from(i32::try_from(digits).unwrap_or(4) - 1 - exponent);
        format!("{value:.*}", decimals.unwrap_or(0))
    } else {
        scientific
    };
    text.replace('-', "−")
}

/// Magnitudes that messages print without an exponent.
const PLAIN: std::ops::Range<f64> = 1e-4..1e7;

/// Formats a number with all its digits. Numbers of at least 10⁷ or below 10⁻⁴ in magnitude get an
/// exponent, as in 1e308.
pub fn shown(value: f64) -> String {
    if value == 0.0 || !value.is_finite() || PLAIN.contains(&value.abs()) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// Length of the longest text that [`shortened`] does not change \[-\].
const SHORT: usize = 12;

/// If `text` is a number of more than 12 characters without an exponent, formats it as [`shown`]
/// does. Otherwise returns the text unchanged.
pub fn shortened(text: &str) -> Cow<'_, str> {
    if text.len() <= SHORT || text.contains(['e', 'E']) {
        return Cow::Borrowed(text);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => Cow::Owned(shown(value)),
        _ => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_have_an_exponent() {
        assert_eq!(shown(0.0), "0");
        assert_eq!(shown(1.3), "1.3");
        assert_eq!(shown(9_999_999.0), "9999999");
        assert_eq!(shown(-1e7), "-1e7");
        assert_eq!(shown(1e-4), "0.0001");
        assert_eq!(shown(2.5e-5), "2.5e-5");
        assert_eq!(shown(1e308), "1e308");
        assert_eq!(shown(f64::NEG_INFINITY), "-inf");
        assert_eq!(shortened(&format!("{}", -1e308)), "-1e308");
        assert_eq!(shortened(&format!("{}", 1.5e-300)), "1.5e-300");
        assert_eq!(shortened("0.30000000000000004"), "0.30000000000000004");
        assert_eq!(
            shortened("coulomb's law, exactly"),
            "coulomb's law, exactly"
        );
        assert_eq!(shortened("10000000"), "10000000");
    }

    #[test]
    fn significant_digits_are_rounded_once_and_kept() {
        assert_eq!(significant(0.0, 4), "0");
        assert_eq!(significant(0.975_528_3, 4), "0.9755");
        assert_eq!(significant(0.999_99, 4), "1.000");
        assert_eq!(significant(-12.345, 4), "−12.35");
        assert_eq!(significant(123_456.0, 4), "123456");
        assert_eq!(significant(1.234e-8, 4), "1.234e−8");
        assert_eq!(significant(-1.234e300, 3), "−1.23e300");
        assert_eq!(significant(f64::INFINITY, 4), "∞");
        assert_eq!(significant(f64::NAN, 4), "not a number");
    }
}
