//! `budget` of `[simulate]`: what a frame may cost, from which each scheme gets its substeps.

use serde_json::Map;
use serde_json::Value;
use toml::de::DeValue;

use crate::document::axes::GridAxis;
use crate::document::keys;
use crate::document::section::{SpecSection, wrong_type};
use crate::document::text::SpecError;
use crate::record::FrameBudget;

/// The parameter of a scheme that a budget chooses.
pub(super) const SUBSTEPS: &str = "substeps";
/// Longest budget \[s\].
const MOST_SECONDS: f64 = 3600.0;
/// Units of a time, and how many of them are a second.
const UNITS: [(&str, f64); 5] = [
    ("ms", 1e3),
    ("µs", 1e6),
    ("μs", 1e6),
    ("us", 1e6),
    ("s", 1.0),
];

/// Reads the budget, if there is one.
pub(super) fn read(section: &SpecSection<'_>) -> Result<Option<FrameBudget>, SpecError> {
    let Some(item) = section.get("budget") else {
        return Ok(None);
    };
    match item.get_ref() {
        DeValue::String(text) => {
            let seconds = seconds(text).map_err(|message| section.error_at(item, message))?;
            Ok(Some(FrameBudget::Seconds(seconds)))
        }
        DeValue::Table(_) => {
            let own = SpecSection::of_item(section.document, "budget", item)?;
            own.allow(keys::BUDGET)?;
            let updates = own.count("row_updates", 1, keys::MOST_UPDATES)?;
            let updates = updates.ok_or_else(|| {
                section.error_at(item, "budget needs row_updates = …, or is a time: \"2 ms\"")
            })?;
            Ok(Some(FrameBudget::RowUpdates(updates)))
        }
        _ => {
            let expected = "a time as in \"2 ms\", or { row_updates = 5000 }";
            Err(wrong_type(section.document, "budget", expected, item))
        }
    }
}

/// A time with its unit in seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let units = UNITS.iter();
    let mut found = units.filter_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)));
    let seconds = found
        .next()
        .and_then(|(number, scale)| Some(number.trim_end().parse::<f64>().ok()? / scale));
    match seconds {
        Some(seconds) if seconds > 0.0 && seconds <= MOST_SECONDS => Ok(seconds),
        Some(_) => Err(format!(
            "budget = {text:?} is out of range: it must be more than 0 s and at most {MOST_SECONDS} s"
        )),
        None => Err(format!(
            "budget = {text:?} is no time with a unit, as in \"2 ms\"; units are s, ms and µs (us)"
        )),
    }
}

/// Refuses a scheme whose substeps a budget cannot choose.
pub(super) fn check_scheme(
    section: &SpecSection<'_>,
    name: &str,
    defaults: &Map<String, Value>,
    axes: &[GridAxis],
) -> Result<(), SpecError> {
    if !defaults.contains_key(SUBSTEPS) {
        let message = format!(
            "{name} has no substeps that the budget of [simulate] could choose; leave one of the two out"
        );
        return Err(match section.get("use") {
            Some(item) => section.error_at(item, message),
            None => section.error(message),
        });
    }
    let mut set = axes.iter().filter(|axis| axis.key == SUBSTEPS);
    match set.next().and_then(|axis| axis.values.first()) {
        None => Ok(()),
        Some((_, span)) => {
            let message = "the budget of [simulate] chooses substeps; leave their value out";
            Err(section.document.error(span.clone(), message))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        for (text, expected) in [
            ("2 ms", 0.002),
            ("2ms", 0.002),
            ("1.5 s", 1.5),
            ("250 µs", 2.5e-4),
            ("250 μs", 2.5e-4),
            ("40us", 4e-5),
            ("3600 s", 3600.0),
        ] {
            assert_eq!(
                seconds(text).map(f64::to_bits),
                Ok(f64::to_bits(expected)),
                "{text}"
            );
        }
        for text in ["2", "ms", "", "two ms", "2 min", "1_000 ms", "2 Ms"] {
            assert!(
                seconds(text).unwrap_err().contains("no time with a unit"),
                "{text}"
            );
        }
        for text in ["0 ms", "-1 ms", "inf s", "NaN ms", "3601 s", "1e300 s"] {
            assert!(
                seconds(text).unwrap_err().contains("out of range"),
                "{text}"
            );
        }
    }
}
