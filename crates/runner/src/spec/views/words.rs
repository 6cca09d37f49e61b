//! What the decoder says of types, in the words of a spec.

use delassus_core::suggest::list;
use toml::de::DeValue;

/// True if the decoder found something other than the name of one kind with its settings.
pub(super) fn is_of_kind(message: &str) -> bool {
    message == "invalid type: unit variant, expected newtype variant"
        || message == "wanted string or table"
        || message.starts_with("wanted exactly 1 element")
}

/// What is said of a key that must name one of these kinds, and has another value; `needed` is a
/// setting that the kind cannot do without.
pub(super) fn of_kind(
    label: &str,
    key: &str,
    value: &DeValue<'_>,
    kinds: &[&str],
    needed: Option<&str>,
) -> String {
    let there_are = format!("there are {}", list(kinds.iter().copied()));
    match value {
        DeValue::String(kind) if kinds.contains(&kind.as_ref()) => match needed {
            Some(needed) => format!(
                "{key} = \"{kind}\" in {label} has no settings; write {key} = {{ {kind} = {{ {needed} = … }} }}"
            ),
            None => format!(
                "{key} = \"{kind}\" in {label} has no settings; write {key} = {{ {kind} = {{}} }}, or settings between the inner braces"
            ),
        },
        DeValue::Table(table) if table.is_empty() => {
            format!("{key} in {label} names no kind; {there_are}")
        }
        DeValue::Table(table) => {
            let found = table.iter().map(|(name, _)| name.get_ref().as_ref());
            format!(
                "{key} in {label} names several kinds, {}; keep one of them",
                list(found)
            )
        }
        // names without settings
        _ if !["plot", "show"].contains(&key) => {
            format!("{key} in {label} must be a name; {there_are}")
        }
        _ => {
            let first = kinds.first().copied().unwrap_or("KIND");
            format!(
                "{key} in {label} must name a kind, as {key} = {{ {first} = {{}} }}; {there_are}"
            )
        }
    }
}

/// What is said of a value of a wrong type or of a key that is missing; `None` of other messages.
pub(super) fn of_type(label: &str, key: Option<&str>, message: &str) -> Option<String> {
    if let Some(missing) = missing_key(message) {
        return Some(format!("{missing} is missing in {label}"));
    }
    let rest = message.strip_prefix("invalid type: ")?;
    let (found, wanted) = rest.split_once(", expected ")?;
    let key = key.unwrap_or("the value");
    Some(format!(
        "{key} in {label} must be {}, not {}",
        kind_of(wanted),
        value_of(found)
    ))
}

/// The key that the decoder misses.
pub(super) fn missing_key(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.split('`').next()
}

/// A type that the decoder expects.
fn kind_of(wanted: &str) -> String {
    let unsigned = ["usize", "u64", "u32", "u16", "u8"];
    match wanted {
        "a sequence" => "a list".to_owned(),
        "a string" => "a text".to_owned(),
        "a boolean" => "true or false".to_owned(),
        "f64" | "f32" => "a number".to_owned(),
        "a map" | "newtype variant" => "a table".to_owned(),
        _ if unsigned.contains(&wanted) => "a whole number, zero or more".to_owned(),
        _ if wanted.starts_with("struct ") => {
            "a table with settings, which may be empty".to_owned()
        }
        other => other.replace('`', "\""),
    }
}

/// A value that the decoder found.
fn value_of(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let value = value.replace('`', "");
    match kind {
        "sequence" => "a list".to_owned(),
        "map" | "newtype" => "a table".to_owned(),
        "integer" | "boolean" => value,
        "floating" => value.replace("point ", ""),
        "string" => format!("the text {value}"),
        _ => found.replace('`', "\""),
    }
}
