//! What the decoder says of types and of missing keys, in the words of a scene file.

/// What a key of an entry looks like.
const EXAMPLES: [(&str, &str); 12] = [
    ("kind", "\"dynamic\", \"kinematic\" or \"static\""),
    ("position", "[0.0, 1.0, 0.0]"),
    ("mass", "1.0"),
    ("moments", "[0.1, 0.1, 0.1]"),
    (
        "constraint",
        "{ point = { bodies = [0, 1], anchors = [[0.0, 0.5, 0.0], [0.0, -0.5, 0.0]] } }",
    ),
    ("bodies", "[0, 1], or their names"),
    ("anchors", "[[0.0, 0.5, 0.0], [0.0, -0.5, 0.0]]"),
    ("axes", "[[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]"),
    ("body", "0, or its name"),
    ("shape", "{ sphere = { radius = 0.5 } }"),
    ("radius", "0.5"),
    ("points", "[[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]"),
];

/// A message about the type or the absence of the value of `key`; `None` of other messages.
pub(crate) fn of_type(message: &str, key: &str) -> Option<String> {
    if let Some(missing) = missing_key(message) {
        let mut examples = EXAMPLES.iter();
        let example = examples.find(|(key, _)| *key == missing);
        let example = example.map(|(_, value)| format!("; write {missing} = {value}"));
        return Some(format!(
            "{missing} is missing{}",
            example.unwrap_or_default()
        ));
    }
    let is = |start: &str| message.strip_prefix(start)?.split_once(", expected ");
    if let Some((length, wanted)) = is("invalid length ") {
        let elements = if length == "1" { "element" } else { "elements" };
        let wanted = kind_of(wanted, key);
        return Some(format!(
            "{key} has {length} {elements}; it must be {wanted}"
        ));
    }
    let (found, wanted) = is("invalid type: ").or_else(|| is("invalid value: "))?;
    let (wanted, found) = (kind_of(wanted, key), value_of(found));
    Some(format!("{key} must be {wanted}, not {found}"))
}

/// The key that a message says is missing.
pub(crate) fn missing_key(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.split('`').next()
}

/// A type that the decoder expects of the value of `key`.
fn kind_of(wanted: &str, key: &str) -> String {
    if let Some(length) = wanted.strip_prefix("an array of length ") {
        return format!("a list of {length}");
    }
    match wanted {
        "a matrix array" if key == "orientation" => "4 numbers, a quaternion [x, y, z, w]",
        "a matrix array" => "3 numbers, as [0.0, 1.0, 0.0]",
        "a sequence" => "a list",
        "a string" => "a text",
        "a boolean" => "true or false",
        "f64" | "f32" => "a number",
        "newtype variant" => "a table under the name of a kind, as { sphere = { radius = 0.5 } }",
        "a map" => "a table",
        "usize" | "u64" | "u32" | "u16" | "u8" => "a whole number, zero or more",
        _ if wanted.starts_with("struct ") => "a table",
        other => return other.replace('`', "\""),
    }
    .to_owned()
}

/// A value that the decoder found.
fn value_of(found: &str) -> String {
    let (kind, value) = found.split_once(' ').unwrap_or((found, ""));
    let value = value.replace('`', "");
    match kind {
        "sequence" => "a list".to_owned(),
        "map" | "newtype" => "a table".to_owned(),
        "unit" => "a name alone".to_owned(),
        "integer" | "boolean" => value,
        "floating" => value.replace("point ", ""),
        "string" => format!("the text {value}"),
        _ => found.replace('`', "\""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_the_decoder_name_the_key_and_the_value() {
        for (message, key, words) in [
            (
                "invalid type: string \"big\", expected f64",
                "radius",
                "radius must be a number, not the text \"big\"",
            ),
            (
                "invalid length 2, expected a matrix array",
                "position",
                "position has 2 elements; it must be 3 numbers, as [0.0, 1.0, 0.0]",
            ),
            (
                "invalid length 1, expected an array of length 2",
                "anchors",
                "anchors has 1 element; it must be a list of 2",
            ),
            (
                "invalid type: unit variant, expected newtype variant",
                "shape",
                "shape must be a table under the name of a kind, as { sphere = { radius = 0.5 } }, not a name alone",
            ),
            (
                "invalid value: integer `-1`, expected usize",
                "links",
                "links must be a whole number, zero or more, not -1",
            ),
            (
                "missing field `radius`",
                "shape",
                "radius is missing; write radius = 0.5",
            ),
        ] {
            assert_eq!(of_type(message, key).as_deref(), Some(words));
        }
        assert_eq!(of_type("unknown field `a`", "b"), None);
    }
}
