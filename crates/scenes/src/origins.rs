//! Which section of a scene file a body, a joint or a shape of its world comes from.

use std::ops::Range;

use delassus_dynamics::{FieldError, WorldParts};

/// What is wrong with an entry of a section: the key, as `bodies[1]`, and a message.
#[derive(Debug)]
pub(crate) struct EntryFault {
    /// The key in the entry; empty for the whole of it.
    pub(crate) key: String,
    pub(crate) message: String,
}

impl EntryFault {
    pub(crate) fn new(key: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            key: key.into(),
            message: message.into(),
        }
    }
}

/// What an entry of a section has brought into the world.
#[derive(Debug)]
struct Brought {
    /// The entry, as `ropes[1]`.
    entry: String,
    /// True if the keys of the entry are those of what it brought.
    has_keys: bool,
    /// Numbers of its bodies, joints and shapes.
    parts: [Range<usize>; 3],
}

/// What was brought into a world, entry by entry; nothing of a file without sections.
#[derive(Debug, Default)]
pub(crate) struct Origins(Vec<Brought>);

/// How the paths of bodies, joints and shapes begin.
const BEGIN: [&str; 3] = ["bodies[", "joints[", "colliders["];

fn counts(parts: &WorldParts) -> [usize; 3] {
    [
        parts.bodies.len(),
        parts.joints.len(),
        parts.colliders.len(),
    ]
}

impl Origins {
    /// Notes what the entry `entry` has added to a world that had `before` parts of each kind.
    pub(crate) fn note(&mut self, entry: String, before: [usize; 3], parts: &WorldParts) {
        let has_keys = !entry.starts_with("include");
        let now = counts(parts);
        self.0.push(Brought {
            entry,
            has_keys,
            parts: [0, 1, 2].map(|kind| before[kind]..now[kind]),
        });
    }

    /// How many bodies, joints and shapes there are.
    pub(crate) fn before(parts: &WorldParts) -> [usize; 3] {
        counts(parts)
    }

    /// The error with the path that the file has for it: `rods[0].max_force` in place of
    /// `joints[7].max_force`.
    pub(crate) fn in_file(&self, error: FieldError) -> FieldError {
        match self.path(&error.path) {
            Some(path) => FieldError { path, ..error },
            None => error,
        }
    }

    fn path(&self, path: &str) -> Option<String> {
        let kind = BEGIN.iter().position(|begin| path.starts_with(begin))?;
        let (number, rest) = path[BEGIN[kind].len()..].split_once(']')?;
        let number: usize = number.parse().ok()?;
        let own = self.0.iter().find(|own| own.parts[kind].contains(&number));
        let Brought {
            entry, has_keys, ..
        } = own?;
        let key = rest.strip_prefix(".constraint").unwrap_or(rest);
        Some(match has_keys {
            true => format!("{entry}{key}"),
            // the scene has brought it, and the file has no more of it than the entry
            false => format!("{entry}: {path}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_entry() {
        let origins = Origins(vec![
            Brought {
                entry: "include[0]".to_owned(),
                has_keys: false,
                parts: [1..3, 0..1, 1..3],
            },
            Brought {
                entry: "rods[2]".to_owned(),
                has_keys: true,
                parts: [3..3, 1..2, 3..3],
            },
        ]);
        let path = |path: &str| origins.path(path);
        assert_eq!(
            path("joints[1].max_force").as_deref(),
            Some("rods[2].max_force")
        );
        let bodies = path("joints[1].constraint.bodies[1]");
        assert_eq!(bodies.as_deref(), Some("rods[2].bodies[1]"));
        let included = path("bodies[2].position[0]");
        assert_eq!(
            included.as_deref(),
            Some("include[0]: bodies[2].position[0]")
        );
        assert_eq!(path("bodies[0].position[0]"), None);
        assert_eq!(path("gravity[1]"), None);
    }
}
