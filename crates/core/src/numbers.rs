//! Numbers as text for people.

/// `value` with `digits` significant digits: decimal where that is short, otherwise as 1.234e-8.
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

#[cfg(test)]
mod tests {
    use super::*;

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
