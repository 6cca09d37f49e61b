//! Writes measured values in place of quoted numbers, in the form that the numbers had.

use delassus_findings::{Compare, Quote};

/// The text with every number that is not its value replaced; bounds and dashes stay, since a
/// person decides about them.
pub(crate) fn rewritten(
    text: &str,
    quotes: &[Quote],
    value: impl Fn(&Quote) -> Option<(f64, f64)>,
) -> String {
    let mut text = text.to_owned();
    let mut wrong: Vec<(&Quote, (f64, f64))> = quotes
        .iter()
        .filter_map(|quote| {
            let value = value(quote)?;
            let is_number = matches!(quote.compare, Compare::Equal | Compare::Range);
            let stays = quote.number.is_none() || quote.objection(Some(value)).is_none();
            (is_number && !stays).then_some((quote, value))
        })
        .collect();
    // from the end, so that places in front of it stay where they are
    wrong.sort_by_key(|(quote, _)| std::cmp::Reverse(quote.at.start));
    for (quote, (low, high)) in wrong {
        let shown = text[quote.at.clone()].to_owned();
        let (low, high) = (low / quote.unit, high / quote.unit);
        let (low, high) = (low.min(high), low.max(high));
        let new = match shown.split_once(" to ") {
            Some((first, last)) => format!("{} to {}", like(first, low), like(last, high)),
            None if low == high => like(&shown, low),
            None => format!("{} to {}", like(&shown, low), like(&shown, high)),
        };
        text.replace_range(quote.at.clone(), &new);
    }
    text
}

/// A value in the form of a number: as a power of ten, with as many decimals where it has the same
/// size, else with as many digits.
fn like(shown: &str, value: f64) -> String {
    let sign = match value < 0.0 {
        true => "−",
        false if shown.starts_with('+') => "+",
        false => "",
    };
    let size = value.abs();
    let mantissa = shown.split('·').next().unwrap_or(shown);
    if shown.starts_with("10") && shown.chars().any(|c| "⁻⁰¹²³⁴⁵⁶⁷⁸⁹".contains(c))
    {
        return format!("{sign}10{}", raised(libm::log10(size).round()));
    }
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let significant = digits.trim_start_matches('0').len().clamp(1, 17);
    let decimals = mantissa.split_once('.').map_or(0, |(_, part)| part.len());
    if shown.contains('·') || size > 0.0 && !(1e-5..1e6).contains(&size) {
        return scientific(
            sign,
            size,
            if shown.contains('·') {
                decimals
            } else {
                significant - 1
            },
        );
    }
    if decimals == 0 && (size.fract() == 0.0 || size >= 10.0) {
        return format!("{sign}{size:.0}");
    }
    let old: f64 = mantissa
        .trim_start_matches(['−', '-', '+'])
        .replace(['\u{202f}', '\u{a0}', ' '], "")
        .parse()
        .unwrap_or(0.0);
    let grown = if old > 0.0 && size > 0.0 {
        libm::log10(size).floor() - libm::log10(old).floor()
    } else {
        0.0
    };
    let places = if (0.0..=1.0).contains(&grown) {
        decimals
    } else {
        fixed(significant, size)
    };
    format!("{sign}{size:.places$}")
}

/// Decimals that leave this many digits.
fn fixed(significant: usize, size: f64) -> usize {
    let of = |places: usize| format!("{size:.places$}");
    let digits = |text: String| text.replace('.', "").trim_start_matches('0').len();
    (0..12)
        .find(|places| digits(of(*places)) >= significant)
        .unwrap_or(12)
}

fn scientific(sign: &str, size: f64, decimals: usize) -> String {
    let text = format!("{size:.decimals$e}");
    let (mantissa, power) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{sign}{mantissa}·10{}", superscript(power))
}

fn raised(power: f64) -> String {
    superscript(&format!("{power:.0}"))
}

fn superscript(text: &str) -> String {
    let raise = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        digit => char::from_u32(0x2070 + digit as u32 - '0' as u32).unwrap_or(digit),
    };
    text.chars().map(raise).collect()
}

#[test]
fn numbers_keep_their_form() {
    let forms = [
        ("5.9", 6.123, "6.1"),
        ("0.0964", 0.10253, "0.1025"),
        ("77", 102.4, "102"),
        ("16.6", 4939.4, "4939"),
        ("0.0964", 9.1234, "9.12"),
        ("1.2·10⁻⁴", 3.456e-7, "3.5·10⁻⁷"),
        ("10⁻¹³", 3e-12, "10⁻¹²"),
        ("−1.94", -1.8762, "−1.88"),
        ("+0.03", 0.0412, "+0.04"),
        ("9", 7.0, "7"),
        ("39", 0.0, "0"),
        ("0.5", 2.34e-7, "2·10⁻⁷"),
    ];
    for (shown, value, expected) in forms {
        assert_eq!(like(shown, value), expected, "{shown} {value}");
    }
}
