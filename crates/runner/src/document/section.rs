//! One table of a spec: typed access to its keys, every refusal with its position.

use std::ops::Range;

use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::keys::Key;
use super::text::{Document, SpecError};
pub(crate) use crate::suggest::list;
use crate::suggest::nearest;

/// A value with its position.
pub(crate) type Item<'d> = Spanned<DeValue<'d>>;

/// One table with the name that messages use for it.
#[derive(Debug, Clone)]
pub(crate) struct SpecSection<'d> {
    pub(crate) document: Document<'d>,
    /// As in the spec: `[stop]`, `[[solver]]`, "the spec".
    pub(crate) label: &'static str,
    table: &'d DeTable<'d>,
    span: Range<usize>,
}

impl<'d> SpecSection<'d> {
    pub(crate) fn new(
        document: Document<'d>,
        label: &'static str,
        table: &'d DeTable<'d>,
        span: Range<usize>,
    ) -> Self {
        Self {
            document,
            label,
            table,
            span,
        }
    }

    /// The value as a table of its own.
    pub(crate) fn of_item(
        document: Document<'d>,
        label: &'static str,
        item: &'d Item<'d>,
    ) -> Result<Self, SpecError> {
        match item.get_ref().as_table() {
            Some(table) => Ok(Self::new(document, label, table, item.span())),
            None => Err(wrong_type(document, label, "a table", item)),
        }
    }

    /// The section in the text.
    pub(crate) fn span(&self) -> Range<usize> {
        self.span.clone()
    }

    /// An error about the section as a whole; points at its header.
    pub(crate) fn error(&self, message: impl Into<String>) -> SpecError {
        self.document.error(self.span.clone(), message)
    }

    /// An error about one value.
    pub(crate) fn error_at(&self, item: &Item<'_>, message: impl Into<String>) -> SpecError {
        self.document.error(item.span(), message)
    }

    /// Keys and values in the order of the file.
    pub(crate) fn entries(&self) -> Vec<(&'d str, Range<usize>, &'d Item<'d>)> {
        let entries = self.table.iter();
        let mut entries: Vec<_> = entries
            .map(|(key, item)| (key.get_ref().as_ref(), key.span(), item))
            .collect();
        entries.sort_by_key(|(_, span, _)| span.start);
        entries
    }

    pub(crate) fn get(&self, key: &str) -> Option<&'d Item<'d>> {
        self.table
            .iter()
            .find(|(name, _)| name.get_ref().as_ref() == key)
            .map(|(_, item)| item)
    }

    /// Refuses every key that is not in `known`.
    pub(crate) fn allow(&self, known: &[Key]) -> Result<(), SpecError> {
        let names = || known.iter().map(|key| key.name);
        for (key, span, _) in self.entries() {
            if !names().any(|name| name == key) {
                return Err(self.unknown(key, span, names().collect::<Vec<_>>()));
            }
        }
        Ok(())
    }

    /// The error of an unknown key.
    pub(crate) fn unknown<'n>(
        &self,
        key: &str,
        span: Range<usize>,
        known: impl IntoIterator<Item = &'n str> + Clone,
    ) -> SpecError {
        let label = self.label;
        let message = match nearest(key, known.clone()) {
            Some(name) => format!("unknown key {key:?} in {label}; did you mean {name:?}?"),
            None => format!(
                "unknown key {key:?} in {label}; known keys: {}",
                list(known)
            ),
        };
        self.document.error(span, message)
    }

    pub(crate) fn string(&self, key: &str) -> Result<Option<&'d str>, SpecError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        match item.get_ref().as_str() {
            Some(text) => Ok(Some(text)),
            None => Err(wrong_type(self.document, key, "a string", item)),
        }
    }

    pub(crate) fn flag(&self, key: &str) -> Result<Option<bool>, SpecError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        match item.get_ref().as_bool() {
            Some(flag) => Ok(Some(flag)),
            None => Err(wrong_type(self.document, key, "true or false", item)),
        }
    }

    /// Strings with their positions; one string counts as a list of one.
    pub(crate) fn strings(
        &self,
        key: &str,
    ) -> Result<Option<Vec<(&'d str, &'d Item<'d>)>>, SpecError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        let what = "a string or an array of strings";
        match item.get_ref() {
            DeValue::String(text) => Ok(Some(vec![(text.as_ref(), item)])),
            DeValue::Array(array) => {
                if array.is_empty() {
                    return Err(self.error_at(item, format!("{key} is an empty array")));
                }
                let strings = array.iter().map(|element| match element.get_ref() {
                    DeValue::String(text) => Ok((text.as_ref(), element)),
                    _ => Err(wrong_type(self.document, key, what, element)),
                });
                strings.collect::<Result<_, _>>().map(Some)
            }
            _ => Err(wrong_type(self.document, key, what, item)),
        }
    }

    /// A finite number > 0.
    pub(crate) fn positive(&self, key: &str) -> Result<Option<f64>, SpecError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        match number(item) {
            Some(value) if value.is_finite() && value > 0.0 => Ok(Some(value)),
            Some(_) => Err(self.out_of_range(key, "a finite number > 0", item)),
            None => Err(wrong_type(self.document, key, "a number", item)),
        }
    }

    /// A number from `least`, which is above zero, to `most`.
    pub(crate) fn between(
        &self,
        key: &str,
        [least, most]: [f64; 2],
    ) -> Result<Option<f64>, SpecError> {
        match (self.positive(key)?, self.get(key)) {
            (Some(value), Some(item)) if !(least..=most).contains(&value) => {
                let expected = format!("a number from {least:e} to {most:e}");
                Err(self.out_of_range(key, &expected, item))
            }
            (value, _) => Ok(value),
        }
    }

    /// Different finite numbers > 0.
    pub(crate) fn positives(&self, key: &str) -> Result<Option<Vec<f64>>, SpecError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        let DeValue::Array(array) = item.get_ref() else {
            return Err(wrong_type(self.document, key, "an array of numbers", item));
        };
        let mut values: Vec<f64> = Vec::with_capacity(array.len());
        for item in array {
            match number(item) {
                Some(value) if values.contains(&value) => {
                    let found = self.document.excerpt(item.span());
                    return Err(self.error_at(item, format!("{key} has {found} twice")));
                }
                Some(value) if value.is_finite() && value > 0.0 => values.push(value),
                Some(_) => return Err(self.out_of_range(key, "finite numbers > 0", item)),
                None => return Err(wrong_type(self.document, key, "an array of numbers", item)),
            }
        }
        match values.is_empty() {
            true => Err(self.error_at(item, format!("{key} is an empty array"))),
            false => Ok(Some(values)),
        }
    }

    /// A whole number in `range`.
    pub(crate) fn count(&self, key: &str, least: u64, most: u64) -> Result<Option<u64>, SpecError> {
        let Some(item) = self.get(key) else {
            return Ok(None);
        };
        let DeValue::Integer(integer) = item.get_ref() else {
            return Err(wrong_type(self.document, key, "a whole number", item));
        };
        match u64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) if (least..=most).contains(&value) => Ok(Some(value)),
            _ => {
                let range = if most == u64::MAX {
                    format!("a whole number ≥ {least}")
                } else {
                    format!("a whole number from {least} to {most}")
                };
                Err(self.out_of_range(key, &range, item))
            }
        }
    }

    /// One of `choices`.
    pub(crate) fn choice<'c>(
        &self,
        key: &str,
        choices: &[&'c str],
    ) -> Result<Option<&'c str>, SpecError> {
        let Some(text) = self.string(key)? else {
            return Ok(None);
        };
        if let Some(found) = choices.iter().find(|choice| **choice == text) {
            return Ok(Some(found));
        }
        let item = self.get(key).map_or(self.span.clone(), Spanned::span);
        let message = format!("unknown {key} {text:?}{}", among(text, choices));
        Err(self.document.error(item, message))
    }

    /// A string that must be given, and be one of `names`.
    pub(crate) fn named(
        &self,
        key: &str,
        what: &str,
        names: &[&str],
    ) -> Result<&'d str, SpecError> {
        let label = self.label;
        let Some(item) = self.get(key) else {
            return Err(self.error(format!("{label} needs {key} = \"{}\"", what.to_uppercase())));
        };
        let Some(name) = self.string(key)? else {
            return Err(wrong_type(self.document, key, "a string", item));
        };
        if names.contains(&name) {
            return Ok(name);
        }
        Err(self.error_at(item, unknown_name(what, name, names)))
    }

    fn out_of_range(&self, key: &str, expected: &str, item: &Item<'_>) -> SpecError {
        let found = self.document.excerpt(item.span());
        self.error_at(item, format!("{key} must be {expected}, found {found}"))
    }
}

/// The end of a message about a name that is none of a few: the closest, and all of them.
pub(crate) fn among(name: &str, known: &[&str]) -> String {
    let all = list(known.iter().copied());
    match nearest(name, known.iter().copied()) {
        Some(found) => format!("; did you mean {found:?}? There are {all}"),
        None => format!("; there are {all}"),
    }
}

/// What to say of a name that is none of `known`.
fn unknown_name(what: &str, name: &str, known: &[&str]) -> String {
    let known = known.iter().copied();
    match nearest(name, known.clone()) {
        Some(found) => format!("unknown {what} {name:?}; did you mean {found:?}?"),
        None => format!("unknown {what} {name:?}; known: {}", list(known)),
    }
}

/// The error of a value of the wrong type.
pub(crate) fn wrong_type(
    document: Document<'_>,
    key: &str,
    expected: &str,
    item: &Item<'_>,
) -> SpecError {
    let found = match item.get_ref() {
        DeValue::Array(_) => "an array".to_owned(),
        DeValue::Table(_) => "a table".to_owned(),
        _ => document.excerpt(item.span()),
    };
    document.error(
        item.span(),
        format!("{key} must be {expected}, found {found}"),
    )
}

/// A TOML number; infinities and NaN come through, a literal beyond f64 does not.
pub(crate) fn number(item: &Item<'_>) -> Option<f64> {
    match item.get_ref() {
        DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str().parse().ok(),
        #[expect(
            clippy::cast_precision_loss,
            reason = "a hexadecimal literal above 2^53 in place of a real number"
        )]
        DeValue::Integer(integer) => {
            let value = u64::from_str_radix(integer.as_str(), integer.radix());
            value.ok().map(|value| value as f64)
        }
        DeValue::Float(float) => float.as_str().parse().ok(),
        _ => None,
    }
}

/// A parameter value as JSON. NaN, infinity and dates have no place in it.
pub(crate) fn json(document: Document<'_>, key: &str, item: &Item<'_>) -> Result<Value, SpecError> {
    let refuse = |what: &str| {
        let found = document.excerpt(item.span());
        document.error(item.span(), format!("{key} must be {what}, found {found}"))
    };
    Ok(match item.get_ref() {
        DeValue::String(text) => Value::String(text.to_string()),
        DeValue::Boolean(flag) => Value::Bool(*flag),
        DeValue::Integer(integer) => {
            let (text, radix) = (integer.as_str(), integer.radix());
            let signed = i64::from_str_radix(text, radix).map(Number::from);
            let number = signed.or_else(|_| u64::from_str_radix(text, radix).map(Number::from));
            Value::Number(number.map_err(|_| refuse("a 64-bit integer"))?)
        }
        DeValue::Float(_) => {
            let value = number(item).and_then(Number::from_f64);
            Value::Number(value.ok_or_else(|| refuse("a finite number"))?)
        }
        DeValue::Array(array) => {
            let values = array.iter().map(|element| json(document, key, element));
            Value::Array(values.collect::<Result<_, _>>()?)
        }
        DeValue::Table(table) => {
            let values = table.iter().map(|(name, element)| {
                let name = name.get_ref().to_string();
                Ok((name, json(document, key, element)?))
            });
            Value::Object(values.collect::<Result<_, SpecError>>()?)
        }
        DeValue::Datetime(_) => return Err(refuse("a number, a string or a flag")),
    })
}

/// The tables of an array of tables; at least one.
pub(crate) fn sections<'d>(
    root: &SpecSection<'d>,
    key: &str,
    label: &'static str,
) -> Result<Vec<SpecSection<'d>>, SpecError> {
    let Some(item) = root.get(key) else {
        return Err(root.error(format!("the spec has no {label}")));
    };
    match item.get_ref() {
        DeValue::Array(array) if !array.is_empty() => {
            let sections = array.iter();
            let sections = sections.map(|item| SpecSection::of_item(root.document, label, item));
            sections.collect()
        }
        _ => Err(root.error_at(item, format!("write {label}, once per {key}"))),
    }
}
