//! Numbers as a text quotes them: "11 931", "0.4747", "1.0·10⁻⁴", "10⁻¹³", "−1.94", "+0.03", "2.6
//! to 3.2".

/// What a quoted number can stand for: its digits say how far it is rounded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quoted {
    /// Lowest value that is written so.
    pub low: f64,
    /// Highest value that is written so.
    pub high: f64,
}

/// The number, or the range, at the end of a text, and where it begins.
pub(super) fn at_end(text: &str, range: bool) -> Option<(usize, Quoted)> {
    let (start, last) = number_at_end(text)?;
    if !range {
        return Some((start, last));
    }
    let before = text[..start].trim_end().strip_suffix("to")?.trim_end();
    let (start, first) = number_at_end(before)?;
    let both = Quoted {
        low: first.low.min(last.low),
        high: first.high.max(last.high),
    };
    Some((start, both))
}

/// The longest number that ends a text, and where it begins.
fn number_at_end(text: &str) -> Option<(usize, Quoted)> {
    let part = |c: char| {
        c.is_ascii_digit() || "+−-.·\u{202f}\u{a0} ".contains(c) || superscript(c).is_some()
    };
    let begin = text
        .char_indices()
        .rev()
        .take_while(|(_, c)| part(*c))
        .last();
    let (begin, _) = begin?;
    let starts = text[begin..].char_indices().map(|(at, _)| begin + at);
    starts
        .filter(|at| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '.'))
        .find_map(|at| Some((at, parse(&text[at..])?)))
}

/// A whole text as a number.
fn parse(text: &str) -> Option<Quoted> {
    let negative = text.starts_with(['−', '-']);
    let text = text.trim_start_matches(['−', '-', '+']);
    let (mantissa, exponent) = match text.split_once('·') {
        Some((mantissa, power)) => (mantissa, raised(power)?),
        None => match raised(text) {
            // a bare power of ten is an order of magnitude
            Some(power) => return Some(signed(negative, around(power))),
            None => (text, 0),
        },
    };
    let (value, half) = decimal(mantissa)?;
    let scale = libm::exp10(f64::from(exponent));
    let quoted = Quoted {
        low: (value - half) * scale,
        high: (value + half) * scale,
    };
    Some(signed(negative, quoted))
}

fn around(power: i32) -> Quoted {
    Quoted {
        low: libm::exp10(f64::from(power) - 0.5),
        high: libm::exp10(f64::from(power) + 0.5),
    }
}

fn signed(negative: bool, quoted: Quoted) -> Quoted {
    if negative {
        Quoted {
            low: -quoted.high,
            high: -quoted.low,
        }
    } else {
        quoted
    }
}

/// The exponent of "10⁻⁴".
fn raised(text: &str) -> Option<i32> {
    let power = text.strip_prefix("10").filter(|power| !power.is_empty())?;
    let digits: Option<String> = power.chars().map(superscript).collect();
    digits?.parse().ok()
}

fn superscript(c: char) -> Option<char> {
    let from = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".chars();
    from.zip("-0123456789".chars())
        .find_map(|(raised, plain)| (raised == c).then_some(plain))
}

/// Value and half a unit of the last digit of "12 345.60". The zeros at the end of a whole number
/// of three digits or more are places that were rounded away; "0" is what is left of rounding.
fn decimal(text: &str) -> Option<(f64, f64)> {
    let blanks = |c: char| "\u{202f}\u{a0} ".contains(c);
    let (whole, fraction) = match text.split_once('.') {
        Some((whole, fraction)) => (whole, fraction),
        None => (text, ""),
    };
    let groups: Vec<&str> = whole.split(blanks).collect();
    let grouped = groups.len() == 1
        || (1..=3).contains(&groups[0].len()) && groups[1..].iter().all(|g| g.len() == 3);
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    let plain = groups.concat();
    let point = text.contains('.');
    if !grouped
        || plain.is_empty()
        || !digits(&plain)
        || !digits(fraction)
        || point && fraction.is_empty()
    {
        return None;
    }
    let value: f64 = format!("{plain}.{fraction}0").parse().ok()?;
    if value == 0.0 && fraction.is_empty() {
        return Some((0.0, 1e-12));
    }
    let zeros = plain.len() - plain.trim_end_matches('0').len();
    let rounded = if point {
        0
    } else {
        zeros.min(plain.len().saturating_sub(2))
    };
    let last = i32::try_from(rounded).ok()? - i32::try_from(fraction.len()).ok()?;
    Some((value, 0.5 * libm::exp10(f64::from(last))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(text: &str, low: f64, high: f64) {
        let found = at_end(text, false);
        let (start, found) = found.unwrap_or_else(|| panic!("{text}: no number"));
        assert!(start < text.len());
        let close = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1e-30);
        assert!(
            close(found.low, low) && close(found.high, high),
            "{text}: {found:?}"
        );
    }

    #[test]
    fn digits_say_how_far_a_number_is_rounded() {
        is("leave 77", 76.5, 77.5);
        is("of 11 931", 11930.5, 11931.5);
        is("about 13\u{202f}996", 13995.5, 13996.5);
        is("at 0.4747", 0.47465, 0.47475);
        is("is 1.0·10⁻⁴", 0.95e-4, 1.05e-4);
        is("(5·10⁻⁸", 4.5e-8, 5.5e-8);
        is("gives −1.94", -1.945, -1.935);
        is("+0.03", 0.025, 0.035);
        // trailing zeros of three digits and more were rounded away, those of two were not
        is("2000", 1950.0, 2050.0);
        is("110", 105.0, 115.0);
        is("50", 49.5, 50.5);
        is("0", -1e-12, 1e-12);
        is("n = 10⁻¹³", libm::exp10(-13.5), libm::exp10(-12.5));
    }

    #[test]
    fn ranges_and_what_is_no_number() {
        let (start, range) = at_end("from 2.6 to 3.2", true).expect("a range");
        assert_eq!(start, 5);
        assert!((range.low - 2.55).abs() < 1e-12 && (range.high - 3.25).abs() < 1e-12);
        assert_eq!(at_end("from 2.6", true), None);
        for text in ["", "none", "x1", "1.", "12 34", "–"] {
            assert!(
                at_end(text, false).is_none_or(|(_, q)| text.ends_with("34") && q.low == 33.5),
                "{text}"
            );
        }
    }
}
