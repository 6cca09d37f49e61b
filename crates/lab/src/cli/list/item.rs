//! An entry of a list.

use delassus_core::ParameterDoc;
use serde_json::{Map, Value, json};

/// Something that a list shows.
pub(super) struct Item {
    /// Other names that find it.
    pub(super) aliases: &'static [&'static str],
    /// Cells of its line; the first is the identifier.
    pub(super) line: Vec<String>,
    /// Its page, in parts with a heading each.
    pub(super) page: Vec<(String, String)>,
    pub(super) json: Value,
}

impl Item {
    /// The identifier.
    pub(super) fn id(&self) -> &str {
        &self.line[0]
    }
}

/// The cells of a line.
pub(super) fn cells(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

pub(super) fn part(heading: &str, body: impl Into<String>) -> (String, String) {
    (heading.to_owned(), body.into())
}

/// `name = default: doc`, one line per parameter.
pub(super) fn parameters(
    docs: &[ParameterDoc],
    defaults: &Map<String, Value>,
) -> (String, Vec<Value>) {
    let (mut text, mut list) = (String::new(), Vec::new());
    for doc in docs {
        let name = doc.name;
        let default = defaults.get(name).cloned().unwrap_or(Value::Null);
        let shown = match &default {
            Value::String(value) => value.clone(),
            other => other.to_string(),
        };
        text.push_str(&format!("{name} = {shown}: {doc}\n"));
        list.push(json!({ "name": name, "default": default, "doc": doc.to_string() }));
    }
    (text, list)
}

pub(super) fn theory(numbers: &[&str]) -> String {
    if numbers.is_empty() {
        return String::new();
    }
    let numbers: Vec<String> = numbers.iter().map(|number| format!("({number})")).collect();
    format!("{} of docs/theory", numbers.join(", "))
}
