//! Ranges as users read them: `> 0`, `[0, 1]`, `(0, 2)`.

use proc_macro2::TokenStream;
use quote::quote;

/// One end of a range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum End {
    /// No bound.
    Open,
    /// The bound itself is allowed.
    Included(f64),
    /// The bound itself is not allowed.
    Excluded(f64),
}

/// The numbers that a parameter may have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    pub(crate) low: End,
    pub(crate) high: End,
}

const FORMS: &str =
    "write \"> 0\", \">= 0\", \"< 1\", \"<= 1\", \"[0, 1]\", \"(0, 1)\", \"[0, 1)\" or \"(0, 1]\"";

impl Range {
    /// Every number.
    pub(crate) const ALL: Self = Self {
        low: End::Open,
        high: End::Open,
    };

    /// Reads a range.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let half = |low, high| Ok(Self { low, high });
        if let Some(bound) = text.strip_prefix(">=") {
            return half(End::Included(number(bound)?), End::Open);
        }
        if let Some(bound) = text.strip_prefix('>') {
            return half(End::Excluded(number(bound)?), End::Open);
        }
        if let Some(bound) = text.strip_prefix("<=") {
            return half(End::Open, End::Included(number(bound)?));
        }
        if let Some(bound) = text.strip_prefix('<') {
            return half(End::Open, End::Excluded(number(bound)?));
        }
        Self::interval(text)
    }

    fn interval(text: &str) -> Result<Self, String> {
        let unknown = || format!("{text:?} is no range: {FORMS}");
        let mut letters = text.chars();
        let ends = (letters.next(), letters.next_back());
        let low: fn(f64) -> End = match ends.0 {
            Some('[') => End::Included,
            Some('(') => End::Excluded,
            _ => return Err(unknown()),
        };
        let high: fn(f64) -> End = match ends.1 {
            Some(']') => End::Included,
            Some(')') => End::Excluded,
            _ => return Err(unknown()),
        };
        let (from, to) = letters.as_str().split_once(',').ok_or_else(unknown)?;
        let (from, to) = (number(from)?, number(to)?);
        if from < to || (from == to && ends == (Some('['), Some(']'))) {
            return Ok(Self {
                low: low(from),
                high: high(to),
            });
        }
        Err(format!(
            "the range {text:?} is empty: the lower bound comes first"
        ))
    }

    /// What an error says of the range `text` in `unit`; `real` for numbers that may be infinite.
    pub(crate) fn expected(&self, text: &str, unit: &str, real: bool) -> String {
        let open = matches!((self.low, self.high), (End::Open, _) | (_, End::Open));
        let mut expected = match (open && real, text) {
            _ if !open => format!("it must lie in {text}"),
            (true, "") => "it must be finite".to_owned(),
            (true, _) => format!("it must be finite and {text}"),
            (false, _) => format!("it must be {text}"),
        };
        if !matches!(unit, "" | "-") {
            expected.push_str(&format!(" [{unit}]"));
        }
        expected
    }
}

impl End {
    pub(crate) fn tokens(self) -> TokenStream {
        match self {
            Self::Open => quote!(::core::ops::Bound::Unbounded),
            Self::Included(bound) => quote!(::core::ops::Bound::Included(#bound)),
            Self::Excluded(bound) => quote!(::core::ops::Bound::Excluded(#bound)),
        }
    }
}

fn number(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let found = text.replace('_', "").parse::<f64>().ok();
    let found = found.filter(|bound| bound.is_finite());
    found.ok_or_else(|| format!("the bound {text:?} of a range is no finite number: {FORMS}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(low: End, high: End) -> Result<Range, String> {
        Ok(Range { low, high })
    }

    #[test]
    fn every_form_is_read() {
        use End::{Excluded, Included, Open};
        assert_eq!(Range::parse("> 0"), range(Excluded(0.0), Open));
        assert_eq!(Range::parse(">=-1.5"), range(Included(-1.5), Open));
        assert_eq!(Range::parse("< 1"), range(Open, Excluded(1.0)));
        assert_eq!(Range::parse("<= 30"), range(Open, Included(30.0)));
        assert_eq!(Range::parse("[0, 1]"), range(Included(0.0), Included(1.0)));
        assert_eq!(Range::parse("(0, 2)"), range(Excluded(0.0), Excluded(2.0)));
        assert_eq!(Range::parse("[0,1)"), range(Included(0.0), Excluded(1.0)));
        assert_eq!(
            Range::parse(" (0, 1e-2] "),
            range(Excluded(0.0), Included(0.01))
        );
        assert_eq!(
            Range::parse("[1, 1_000_000]"),
            range(Included(1.0), Included(1e6))
        );
        assert_eq!(Range::parse("[2, 2]"), range(Included(2.0), Included(2.0)));
    }

    #[test]
    fn what_is_no_range_is_refused_with_a_reason() {
        for (wrong, reason) in [
            ("", "no range"),
            ("positive", "no range"),
            ("0, 1", "no range"),
            ("[0; 1]", "no range"),
            ("{0, 1}", "no range"),
            ("> zero", "\"zero\""),
            (">", "\"\""),
            ("[0, inf]", "\"inf\""),
            ("[0, n]", "\"n\""),
            ("[1, 0]", "empty"),
            ("(1, 1]", "empty"),
        ] {
            let error = Range::parse(wrong).unwrap_err();
            assert!(error.contains(reason), "{wrong}: {error}");
        }
    }

    #[test]
    fn errors_name_the_range_and_the_unit() {
        let expected = |text: &str, unit: &str, real: bool| {
            let range = if text.is_empty() {
                Range::ALL
            } else {
                Range::parse(text).unwrap()
            };
            range.expected(text, unit, real)
        };
        assert_eq!(
            expected("> 0", "kg", true),
            "it must be finite and > 0 [kg]"
        );
        assert_eq!(expected("", "rad", true), "it must be finite [rad]");
        assert_eq!(expected("(0, 2)", "-", true), "it must lie in (0, 2)");
        assert_eq!(expected(">= 1", "-", false), "it must be >= 1");
    }
}
