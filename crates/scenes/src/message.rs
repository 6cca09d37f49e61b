//! What is wrong with a scene file, in words, and where.

use std::ops::Range;

use delassus_core::parameter;
use delassus_core::source_location::SourceLocation;
use delassus_core::suggest::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Words of parsers, and what they mean to whoever writes a scene.
const WORDS: &[(&str, &str)] = &[
    (
        "expected a matrix array",
        "expected an array of numbers: 3 of a vector, 4 of a quaternion",
    ),
    (
        "wanted string or table",
        "write a name, or a table under the name of a kind, as { constant = 1.0 }",
    ),
    (
        "wanted exactly 1 element, more than 1 element",
        "one table under the name of a kind; here are more",
    ),
    (
        "wanted exactly 1 element, 0 elements",
        "one table under the name of a kind; here is none",
    ),
];

/// A parser's message in words; an unknown name with the nearest valid one, or all where none is
/// near.
pub(crate) fn in_words(message: &str) -> String {
    let mut text = parameter::in_words(&message).replace('\n', ", ");
    for (parser, words) in WORDS {
        text = text.replace(parser, words);
    }
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let Some((&wrong, known)) = names.split_first()
        && message.starts_with("unknown")
        && let Some(close) = nearest(wrong, known.iter().copied())
    {
        let what = if message.starts_with("unknown field") {
            "field"
        } else {
            "name"
        };
        return format!("unknown {what} {wrong:?}; did you mean {close:?}?");
    }
    text.replace('`', "\"")
}

/// Where a field stands in a TOML text, or the nearest part of the text around it; `path` as in
/// `bodies[1].inertia.mass`.
pub(crate) fn place_of(text: &str, path: &str) -> Option<SourceLocation> {
    let document = DeTable::parse(text).ok()?;
    let mut found: Option<Range<usize>> = None;
    let mut at = At::Table(document.get_ref());
    for part in path.split(['.', '[']) {
        let part = part.trim_end_matches(']');
        let Some((next, span)) = at.step(part) else {
            break;
        };
        found = Some(span);
        at = next;
    }
    found.map(|span| SourceLocation::of(text, span))
}

/// A part of a document.
#[derive(Clone, Copy)]
enum At<'d> {
    Table(&'d DeTable<'d>),
    Array(&'d [Spanned<DeValue<'d>>]),
    Leaf,
}

impl<'d> At<'d> {
    fn of(value: &'d Spanned<DeValue<'d>>) -> Self {
        match value.get_ref() {
            DeValue::Table(table) => Self::Table(table),
            DeValue::Array(array) => Self::Array(array),
            _ => Self::Leaf,
        }
    }

    /// The part under a key or an index. A path leaves out the kind of a constraint, shape or
    /// softness, which is the only key of its table.
    fn step(self, part: &str) -> Option<(Self, Range<usize>)> {
        let value = match self {
            Self::Array(array) => array.get(part.parse::<usize>().ok()?)?,
            Self::Leaf => return None,
            Self::Table(table) => match table.get(part) {
                Some(value) => value,
                None => {
                    let mut kinds = table.values();
                    return match (kinds.next(), kinds.next()) {
                        (Some(kind), None) => Self::of(kind).step(part),
                        _ => None,
                    };
                }
            },
        };
        Some((Self::of(value), value.span()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str =
        "gravity = [0.0, -9.81, 0.0]\n[[joints]]\n[joints.constraint.distance]\nbodies = [0, 7]\n";

    #[test]
    fn places_of_fields_and_of_what_is_around_them() {
        for (path, line, column) in [
            ("gravity[1]", 1, 17),
            ("joints[0].constraint.bodies[1]", 4, 14),
            ("joints[0].constraint.length", 3, 9),
            ("joints[0].softness.hertz", 2, 1),
        ] {
            let place = place_of(TEXT, path).unwrap();
            assert_eq!((place.line, place.column), (line, column), "{path}");
        }
        assert!(place_of(TEXT, "bodies[0]").is_none());
    }

    #[test]
    fn unknown_names_have_the_nearest() {
        let message = "unknown field `nmae`, expected one of `name`, `kind`";
        assert_eq!(
            in_words(message),
            "unknown field \"nmae\"; did you mean \"name\"?"
        );
        let message = "unknown variant `zzz`, expected `a` or `b`";
        assert_eq!(
            in_words(message),
            "unknown variant \"zzz\", expected \"a\" or \"b\""
        );
    }
}
