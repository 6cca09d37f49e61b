//! What is wrong with a scene file, in words, and where.

use std::ops::Range;

use delassus_core::parameter;
use delassus_core::suggest::nearest;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Words of parsers, and what they mean to whoever writes a scene.
const WORDS: &[(&str, &str)] = &[
    (
        "string values must be quoted, expected literal string",
        "a text stands between quotation marks",
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

/// The sections that stand for bodies and joints, which a parser of the parts of a world lacks.
pub(crate) const SECTIONS: [&str; 3] = ["include", "rods", "ropes"];

/// How words for a part of a scene begin that a scene file does not have, and the section that is
/// meant.
const MEANT: [(&str, &str); 9] = [
    ("shape", "colliders"),
    ("geom", "colliders"),
    ("object", "bodies"),
    ("link", "bodies"),
    ("constraint", "joints"),
    ("hinge", "joints"),
    ("spring", "joints"),
    ("motor", "joints"),
    ("scene", "include"),
];

/// Kinds by the names that the library or other programs have for them.
const ELSEWHERE: [(&str, &str); 10] = [
    ("ball", "point"),
    ("spherical", "point"),
    ("ball-and-socket", "point"),
    ("revolute", "hinge"),
    ("prismatic", "slider"),
    ("fixed", "weld"),
    ("spring", "distance"),
    ("ball", "sphere"),
    ("cuboid", "box"),
    ("plane", "half-space"),
];

/// A table of an entry, its fields, and how it is written.
type InnerTable = (&'static str, &'static [&'static str], &'static str);

/// Fields that belong into a table of an entry.
const INNER: [InnerTable; 4] = [
    (
        "material",
        &[
            "friction",
            "kinetic_friction",
            "restitution",
            "rolling_friction",
            "spinning_friction",
            "surface_velocity",
            "softness",
        ],
        "material = { friction = 0.5 }",
    ),
    (
        "filter",
        &["category", "mask", "group"],
        "filter = { group = 1 }",
    ),
    (
        "shape",
        &["radius", "half", "sphere", "box", "capsule", "half-space"],
        "shape = { sphere = { radius = 0.5 } }",
    ),
    (
        "inertia",
        &["mass", "moments", "axes"],
        "inertia = { mass = 1.0, moments = [0.1, 0.1, 0.1] }",
    ),
];

/// A parser's message in words; an unknown name with the nearest valid one, the table that it
/// belongs to, or all names where none is near.
pub(crate) fn in_words(message: &str) -> String {
    let mut text = parameter::in_words(&message)
        .replace('\n', ", ")
        .replace("`\"`", "a double quotation mark")
        .replace('`', "\"");
    for (parser, words) in WORDS {
        text = text.replace(parser, words);
    }
    let names: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    if let Some((&wrong, known)) = names.split_first()
        && message.starts_with("unknown")
    {
        // the parts of a world
        if known.contains(&"colliders") && known.contains(&"bodies") {
            return unknown_section(wrong, known);
        }
        let inner = inner_fields(known);
        let fields = inner
            .iter()
            .flat_map(|(_, fields, _)| fields.iter().copied());
        if message.starts_with("unknown variant") {
            return unknown_kind(wrong, known);
        }
        let Some(close) = nearest(wrong, known.iter().copied().chain(fields)) else {
            return text;
        };
        let place = inner
            .iter()
            .find(|(_, fields, _)| fields.contains(&&*close));
        if let (Some((table, _, example)), false) = (place, known.contains(&&*close)) {
            return format!(
                "unknown field {wrong:?}; did you mean {close:?} in {table}, as {example}?"
            );
        }
        return format!("unknown field {wrong:?}; did you mean {close:?}?");
    }
    text
}

/// What is said of a word that is none of a few: what may be meant, and all of them.
fn unknown_kind(wrong: &str, known: &[&str]) -> String {
    let all = known.join(", ");
    let word = wrong.to_lowercase().replace(['_', ' '], "-");
    let word = word.strip_suffix("-joint").unwrap_or(&word);
    let own = known.iter().map(|kind| (*kind, *kind));
    let mut names = own
        .chain(ELSEWHERE)
        .filter(|(_, kind)| known.contains(kind));
    match names.find(|(name, _)| *name == word) {
        Some((_, kind)) => {
            format!("unknown kind {wrong:?}; it is called {kind:?} here. There are {all}")
        }
        None => match nearest(wrong, known.iter().copied()) {
            Some(close) => {
                format!("unknown kind {wrong:?}; did you mean {close:?}? There are {all}")
            }
            None => format!("unknown kind {wrong:?}; there are {all}"),
        },
    }
}

/// The tables of an entry that has these fields, with theirs and with an example.
fn inner_fields(known: &[&str]) -> Vec<InnerTable> {
    let own = INNER.iter().filter(|(table, ..)| known.contains(table));
    own.copied().collect()
}

/// What is said of a section that a scene file does not have.
fn unknown_section(wrong: &str, known: &[&str]) -> String {
    let all: Vec<&str> = known.iter().copied().chain(SECTIONS).collect();
    let mut meant = MEANT.iter();
    let meant = meant.find(|(begin, _)| wrong.to_lowercase().starts_with(begin));
    let meant = meant.map(|(_, section)| (*section).to_owned());
    match meant.or_else(|| nearest(wrong, all.iter().copied())) {
        Some(close) => format!("unknown field {wrong:?}; did you mean {close:?}?"),
        None => format!(
            "unknown field {wrong:?}; a scene file has {}",
            all.join(", ")
        ),
    }
}

/// Where a field of a TOML text stands.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct FieldSpan {
    /// The field, or the nearest part of the text around it.
    pub(crate) span: Range<usize>,
    /// The key that this part does not have; `None` if the text has the field.
    pub(crate) missing: Option<String>,
}

/// Where a field stands in a TOML text; `path` as in `bodies[1].inertia.mass`.
pub(crate) fn span_of(text: &str, path: &str) -> Option<FieldSpan> {
    let document = DeTable::parse(text).ok()?;
    let mut found: Option<Range<usize>> = None;
    let mut at = At::Table(document.get_ref());
    let mut parts = path.split(['.', '[']);
    let missing = parts.find_map(|part| {
        let part = part.trim_end_matches(']');
        match at.step(part) {
            Some((next, span)) => {
                found = Some(span);
                at = next;
                None
            }
            None => Some(part.to_owned()),
        }
    });
    found.map(|span| FieldSpan { span, missing })
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
    use delassus_core::source_location::SourceLocation;

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
            let place = SourceLocation::of(TEXT, span_of(TEXT, path).unwrap().span);
            assert_eq!((place.line, place.column), (line, column), "{path}");
        }
        let length = span_of(TEXT, "joints[0].constraint.length").unwrap();
        assert_eq!(length.missing.as_deref(), Some("length"));
        assert_eq!(span_of(TEXT, "gravity[1]").unwrap().missing, None);
        assert!(span_of(TEXT, "bodies[0]").is_none());
    }

    #[test]
    fn unknown_names_have_the_nearest() {
        let message = "unknown field `nmae`, expected one of `name`, `kind`";
        assert_eq!(
            in_words(message),
            "unknown field \"nmae\"; did you mean \"name\"?"
        );
        for (wrong, end) in [
            ("rod", "did you mean \"rods\"?"),
            ("rope", "did you mean \"ropes\"?"),
            ("includes", "did you mean \"include\"?"),
            ("body", "did you mean \"bodies\"?"),
            ("joint", "did you mean \"joints\"?"),
            ("collider", "did you mean \"colliders\"?"),
            ("contact", "did you mean \"contacts\"?"),
            ("gravitation", "did you mean \"gravity\"?"),
            ("Shapes", "did you mean \"colliders\"?"),
            ("springs", "did you mean \"joints\"?"),
            (
                "xyzzy",
                "a scene file has gravity, bodies, joints, manifolds, colliders, contacts, include, rods, ropes",
            ),
        ] {
            let message = format!(
                "unknown field `{wrong}`, expected one of `gravity`, `bodies`, `joints`, `manifolds`, `colliders`, `contacts`"
            );
            assert_eq!(
                in_words(&message),
                format!("unknown field {wrong:?}; {end}")
            );
        }
        for (wrong, end) in [
            (
                "friction",
                "\"friction\" in material, as material = { friction = 0.5 }?",
            ),
            (
                "resttution",
                "\"restitution\" in material, as material = { friction = 0.5 }?",
            ),
            (
                "radius",
                "\"radius\" in shape, as shape = { sphere = { radius = 0.5 } }?",
            ),
            ("densty", "\"density\"?"),
        ] {
            let message = format!(
                "unknown field `{wrong}`, expected one of `body`, `shape`, `position`, `orientation`, `density`, `material`, `filter`"
            );
            let expected = format!("unknown field {wrong:?}; did you mean {end}");
            assert_eq!(in_words(&message), expected);
        }
        for (wrong, end) in [
            ("zzz", "; there are point, hinge"),
            ("hingee", "; did you mean \"hinge\"? There are point, hinge"),
            (
                "ball",
                "; it is called \"point\" here. There are point, hinge",
            ),
            (
                "hinge_joint",
                "; it is called \"hinge\" here. There are point, hinge",
            ),
            (
                "Ball_joint",
                "; it is called \"point\" here. There are point, hinge",
            ),
            // a word that this list does not have
            ("prismatic", "; there are point, hinge"),
        ] {
            let message = format!("unknown variant `{wrong}`, expected `point` or `hinge`");
            assert_eq!(in_words(&message), format!("unknown kind {wrong:?}{end}"));
        }
        let open = "invalid basic string, expected `\"`";
        assert_eq!(
            in_words(open),
            "invalid basic string, expected a double quotation mark"
        );
    }
}
