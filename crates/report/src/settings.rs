//! The settings of figures, tables, strips and gates, read off their own types: one declaration is
//! what specs are decoded into and what the schema of specs says.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::{Map, Value, json};

/// Something that a spec writes as the value of a key.
pub trait Setting {
    /// What it may be, as a JSON schema (draft 2020-12).
    fn schema() -> Value;
}

impl Setting for String {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Setting for PathBuf {
    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

impl Setting for bool {
    fn schema() -> Value {
        json!({ "type": "boolean" })
    }
}

impl Setting for f64 {
    fn schema() -> Value {
        json!({ "type": "number" })
    }
}

impl Setting for u32 {
    fn schema() -> Value {
        json!({ "type": "integer", "minimum": 0, "maximum": Self::MAX })
    }
}

impl<T: Setting> Setting for Vec<T> {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema() })
    }
}

impl<T: Setting, const N: usize> Setting for [T; N] {
    fn schema() -> Value {
        json!({ "type": "array", "items": T::schema(), "minItems": N, "maxItems": N })
    }
}

impl<T: Setting> Setting for Option<T> {
    fn schema() -> Value {
        T::schema()
    }
}

impl<T: Setting> Setting for BTreeMap<String, T> {
    fn schema() -> Value {
        json!({ "type": "object", "additionalProperties": T::schema() })
    }
}

/// One of some words.
pub(crate) fn one_of(words: &[&str]) -> Value {
    json!({ "enum": words })
}

/// A field of a type of settings, as its declaration has it.
#[derive(Debug, Clone)]
pub(crate) struct Field {
    /// Name in the source, and in specs.
    pub(crate) name: &'static str,
    /// Its attributes as text.
    pub(crate) attributes: &'static [&'static str],
    /// What it may be.
    pub(crate) schema: Value,
}

/// The schema of a type with these attributes, these fields and no others.
pub(crate) fn object(attributes: &[&str], fields: Vec<Field>) -> Value {
    let lines = attributes
        .iter()
        .filter_map(|text| documentation(text.trim()));
    let text = lines.collect::<Vec<_>>().join(" ");
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for field in fields {
        let attributes = || field.attributes.iter().map(|text| text.trim());
        let text: Vec<String> = attributes().filter_map(documentation).collect();
        let serde = attributes().filter(|text| text.starts_with("serde"));
        let serde: Vec<&str> = serde.flat_map(|text| text.split(['(', ',', ')'])).collect();
        let mut schema = field.schema;
        if attributes().any(|text| text.contains("deserialize_with = \"one_or_more\"")) {
            schema["minItems"] = 1.into();
            schema = json!({ "anyOf": [schema["items"], schema] });
        }
        schema["description"] = plain(&text.join(" ")).into();
        let optional = serde.iter().any(|word| word.trim().starts_with("default"));
        if !optional {
            required.push(field.name);
        }
        // the same under another name, where specs may write it
        for word in serde {
            let alias = word.trim().strip_prefix("alias").and_then(literal);
            if let Some(alias) = alias {
                properties.insert(alias, schema.clone());
            }
        }
        properties.insert(field.name.to_owned(), schema);
    }
    json!({
        "type": "object",
        "description": plain(&text),
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

/// The text of an attribute that is a line of documentation.
fn documentation(attribute: &str) -> Option<String> {
    literal(attribute.strip_prefix("doc")?)
}

/// The string in `= "…"`, raw or not.
fn literal(text: &str) -> Option<String> {
    let text = text.trim_start().strip_prefix('=')?.trim();
    let raw = text.starts_with('r');
    let inner = text.trim_start_matches('r').trim_matches('#');
    let inner = inner.strip_prefix('"')?.strip_suffix('"')?;
    let inner = inner.trim();
    Some(match raw {
        true => inner.to_owned(),
        false => inner.replace("\\\"", "\"").replace("\\\\", "\\"),
    })
}

/// Documentation without what only its own pages understand: escaped brackets, links, code marks.
fn plain(text: &str) -> String {
    text.replace("\\[", "[")
        .replace("\\]", "]")
        .replace("[`", "`")
        .replace("`]", "`")
        .replace('`', "")
}

/// An object with one of these keys: a kind with its settings.
pub(crate) fn kinds(kinds: &[(&str, Value)]) -> Value {
    let properties: Map<String, Value> = kinds
        .iter()
        .map(|(name, schema)| (kebab(name), schema.clone()))
        .collect();
    json!({
        "type": "object",
        "properties": properties,
        "minProperties": 1,
        "maxProperties": 1,
        "additionalProperties": false,
    })
}

/// `WorkPrecision` is `work-precision`, as serde writes it.
fn kebab(name: &str) -> String {
    let mut text = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !text.is_empty() {
            text.push('-');
        }
        text.push(c.to_ascii_lowercase());
    }
    text
}

/// Declares a type of settings as it stands, how specs write it, and its schema with it. A spec may
/// write no other keys.
///
/// Settings that many types share are named alone, as in `over, problems | scenes, schemes,
/// solvers,`; documentation in front replaces the usual one. A name behind a bar may be written in
/// its place. A type that names problems, scenes, schemes or solvers so is a
/// [`CellFilter`](crate::view::CellFilter) of them.
macro_rules! settings {
    // a field of its own
    (@read $head:tt [$($read:tt)*] $chosen:tt
     $(#[$($attribute:tt)*])* $access:vis $field:ident: $type:ty, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head
            [$($read)* { $(#[$($attribute)*])* $access $field: $type }] $chosen $($rest)*);
    };
    // shared ones
    (@read $head:tt $read:tt $chosen:tt over, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// What is taken of an observable.
            #[serde(default)]
            pub over: $crate::view::Over, $($rest)*);
    };
    (@read $head:tt $read:tt $chosen:tt together, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// All problems or scenes in one panel, in place of a panel each.
            #[serde(default)]
            pub together: bool, $($rest)*);
    };
    (@read $head:tt $read:tt $chosen:tt log_x, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// Logarithmic horizontal axis.
            #[serde(default)]
            pub log_x: bool, $($rest)*);
    };
    (@read $head:tt $read:tt $chosen:tt log_y, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// Logarithmic vertical axis.
            #[serde(default)]
            pub log_y: bool, $($rest)*);
    };
    // the usual documentation of what chooses cells
    (@read $head:tt $read:tt $chosen:tt problems, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// Problems to show, by name or by what their names begin with; all if left out.
            problems, $($rest)*);
    };
    (@read $head:tt $read:tt $chosen:tt scenes, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// Scenes to show, by name or by what their names begin with; all if left out.
            scenes, $($rest)*);
    };
    (@read $head:tt $read:tt $chosen:tt $name:ident | $alias:ident, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// Problems or scenes to show, by name or by what their names begin with; all if left
            /// out.
            $name | $alias, $($rest)*);
    };
    (@read $head:tt $read:tt $chosen:tt schemes, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// Schemes to show, by label or by what labels begin with.
            schemes, $($rest)*);
    };
    (@read $head:tt $read:tt $chosen:tt solvers, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head $read $chosen
            /// Solvers to show, by label or by what labels begin with.
            solvers, $($rest)*);
    };
    // what chooses cells
    (@read $head:tt [$($read:tt)*] [$($chosen:tt)*] $(#[$($doc:tt)*])+ problems | scenes, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head
            [$($read)* { $(#[$($doc)*])+ #[serde(default, alias = "scenes")] pub problems: Vec<String> }]
            [$($chosen)* problems: problems] $($rest)*);
    };
    (@read $head:tt [$($read:tt)*] [$($chosen:tt)*] $(#[$($doc:tt)*])+ scenes | problems, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head
            [$($read)* { $(#[$($doc)*])+ #[serde(default, alias = "problems")] pub scenes: Vec<String> }]
            [$($chosen)* problems: scenes] $($rest)*);
    };
    (@read $head:tt [$($read:tt)*] [$($chosen:tt)*] $(#[$($doc:tt)*])+ scenes, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head
            [$($read)* { $(#[$($doc)*])+ #[serde(default)] pub scenes: Vec<String> }]
            [$($chosen)* problems: scenes] $($rest)*);
    };
    (@read $head:tt [$($read:tt)*] [$($chosen:tt)*] $(#[$($doc:tt)*])+ $name:ident, $($rest:tt)*) => {
        $crate::settings::settings!(@read $head
            [$($read)* { $(#[$($doc)*])+ #[serde(default)] pub $name: Vec<String> }]
            [$($chosen)* $name: $name] $($rest)*);
    };
    // all fields are read
    (@read [$(#[$($meta:tt)*])* $vis:vis $name:ident]
     [$({ $(#[$($attribute:tt)*])* $access:vis $field:ident: $type:ty })*] $chosen:tt) => {
        $(#[$($meta)*])*
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        $vis struct $name {
            $($(#[$($attribute)*])* $access $field: $type,)*
        }

        impl $crate::settings::Setting for $name {
            fn schema() -> serde_json::Value {
                $crate::settings::object(&[$(stringify!($($meta)*)),*], vec![$($crate::settings::Field {
                    name: stringify!($field),
                    attributes: &[$(stringify!($($attribute)*)),*],
                    schema: <$type as $crate::settings::Setting>::schema(),
                }),*])
            }
        }

        $crate::settings::settings!(@choose $name $chosen);
    };
    (@choose $name:ident []) => {};
    (@choose $name:ident [$($part:ident: $field:ident)+]) => {
        impl $crate::view::CellFilter for $name {
            fn selection(&self) -> $crate::view::Selection<'_> {
                let mut chosen = $crate::view::Selection::default();
                $(chosen.$part = &self.$field;)+
                chosen
            }
        }
    };
    ($(#[$($meta:tt)*])* $vis:vis struct $name:ident { $($fields:tt)* }) => {
        $crate::settings::settings!(@read [$(#[$($meta)*])* $vis $name] [] [] $($fields)*);
    };
}
pub(crate) use settings;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::CellFilter;

    settings! {
        /// An example.
        struct Example {
            /// What is [shown] \[m\],
            /// in "two" lines.
            quantity: String,
            problems | scenes,
            /// Those that count.
            solvers, log_x,
        }
    }

    #[test]
    fn a_declaration_is_type_and_schema() {
        let schema = Example::schema();
        assert_eq!(schema["required"], json!(["quantity"]));
        assert_eq!(schema["description"], "An example.");
        assert_eq!(schema["additionalProperties"], false);
        let properties = schema["properties"].as_object().unwrap();
        let names: Vec<&String> = properties.keys().collect();
        assert_eq!(
            names,
            ["quantity", "scenes", "problems", "solvers", "log_x"]
        );
        assert_eq!(properties["solvers"]["description"], "Those that count.");
        let text = &properties["quantity"]["description"];
        assert_eq!(text, "What is [shown] [m], in \"two\" lines.");
        assert_eq!(properties["scenes"], properties["problems"]);
        assert_eq!(properties["problems"]["items"]["type"], "string");
        let read: Example =
            serde_json::from_value(json!({ "quantity": "x", "scenes": ["a"] })).unwrap();
        assert_eq!(read.selection().problems, ["a"]);
        assert!(read.selection().solvers.is_empty() && read.selection().schemes.is_empty());
    }

    #[test]
    fn kinds_are_named_as_serde_names_them() {
        assert_eq!(kebab("WorkPrecision"), "work-precision");
        let schema = kinds(&[("ClosedForms", json!({})), ("Heat", json!({}))]);
        assert!(schema["properties"]["closed-forms"].is_object());
        assert_eq!(schema["maxProperties"], 1);
    }
}
