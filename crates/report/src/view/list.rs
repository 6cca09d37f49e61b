//! A string, or an array of strings.

use std::fmt;

use serde::Deserializer;
use serde::de::{Error, SeqAccess, Visitor};

/// Reads one string or several; none is an error.
pub(crate) fn one_or_more<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<String>, D::Error> {
    source.deserialize_any(Strings)
}

struct Strings;

impl<'de> Visitor<'de> for Strings {
    type Value = Vec<String>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an array of strings")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        Ok(vec![text.to_owned()])
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut strings = Vec::new();
        while let Some(text) = items.next_element::<String>()? {
            strings.push(text);
        }
        if strings.is_empty() {
            return Err(A::Error::custom("an empty array: name at least one"));
        }
        Ok(strings)
    }
}
