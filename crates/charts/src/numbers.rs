//! Numbers as text for people: significant digits, powers of ten, durations.

pub use delassus_core::numbers::significant;

/// A count as a float.
#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub fn count(value: u64) -> f64 {
    value as f64
}

/// What a figure leaves out of `noun`: "1 more scene is in the data".
pub fn more(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 more {noun} is in the data"),
        many => format!("{many} more {noun}s are in the data"),
    }
}

/// A count with thin spaces between groups of three digits from ten thousand on.
pub fn grouped(value: u64) -> String {
    let digits = value.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// A tolerance as 1e-8 is printed in running text: "10⁻⁸", or "2·10⁻⁸".
pub fn power(value: f64) -> String {
    let text = power_in_column(value);
    let Some((mantissa, power)) = text.split_once('·') else {
        return text;
    };
    match mantissa.trim_end_matches('0').trim_end_matches('.') {
        "1" => power.to_owned(),
        mantissa => format!("{mantissa}·{power}"),
    }
}

/// A number as a column of powers prints it, each with three digits: "1.00·10⁰".
pub fn power_in_column(value: f64) -> String {
    match format!("{value:.2e}").split_once('e') {
        Some((mantissa, exponent)) => {
            let raised: String = exponent.chars().map(superscript).collect();
            format!("{mantissa}·10{raised}")
        }
        None => significant(value, 3),
    }
}

fn superscript(c: char) -> char {
    match c {
        '-' => '⁻',
        '0' => '⁰',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_that_is_left_out_is_singular() {
        assert_eq!(more(1, "scene"), "1 more scene is in the data");
        assert_eq!(more(3, "panel"), "3 more panels are in the data");
    }

    #[test]
    fn counts_are_grouped() {
        assert_eq!(grouped(9999), "9999");
        assert_eq!(grouped(10_000), "10\u{202f}000");
        assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
    }

    #[test]
    fn tolerances_are_powers_of_ten() {
        assert_eq!(power(1e-8), "10⁻⁸");
        assert_eq!(power(2.5e-10), "2.5·10⁻¹⁰");
        assert_eq!(power(1.0), "10⁰");
        assert_eq!(power(1.000_000_000_000_000_2e-20), "10⁻²⁰");
    }
}
