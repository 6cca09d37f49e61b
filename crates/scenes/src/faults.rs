//! All faults of a scene file in one reading: what is wrong is put right in a copy of the text, and
//! the copy is read again.

use std::ops::Range;

use delassus_core::suggest::nearest;
use toml::de::DeTable;

use crate::document::{self, Fault};
use crate::error::SceneFault;
use crate::wording::missing_key;

/// Most faults that one reading shows \[-\].
const MOST: usize = 20;
/// Most text that is read again to find further faults \[B\].
const MOST_READ: usize = 8 << 20;
/// Most readings of copies \[-\].
const MOST_READINGS: usize = 400;

/// Values of the types that scenes have, one of which takes the place of a wrong value.
const STAND_INS: [&str; 15] = [
    "1.0",
    "0.0",
    "0",
    "1",
    "true",
    "\"dynamic\"",
    "[1.0, 1.0, 1.0]",
    "[0.0, 1.0, 0.0]",
    "[0.0, 0.0, 0.0, 1.0]",
    "[0, 1]",
    "[[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]",
    "[[0.0, 1.0, 0.0], [1.0, 1.0, 0.0]]",
    "{ sphere = { radius = 1.0 } }",
    "{ mass = 1.0, moments = [1.0, 1.0, 1.0] }",
    "{ point = { bodies = [0, 1], anchors = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.0]] } }",
];

/// Reads a text; the fault that the reader found first.
pub(crate) type Reader<'r> = &'r dyn Fn(&str) -> Option<Fault>;

/// The faults of a text in the order of their places; `first` is the one that `read` found.
pub(crate) fn all(text: &str, first: Fault, read: Reader<'_>) -> Vec<SceneFault> {
    let mut search = Search {
        copy: text.to_owned(),
        changes: Vec::new(),
        left: MOST_READINGS.min(MOST_READ / text.len().max(1)),
        read,
    };
    let (mut found, mut nameless) = (Vec::new(), Vec::new());
    let mut next = Some(first);
    while let Some(fault) = next.take() {
        let span = fault.span_in(&search.copy);
        // what a change brings about is no fault of the text
        if !search.is_change(&span, fault.path.is_some()) {
            let own = search.original(&span);
            let shown = fault.shown(text, own);
            match fault.unknown_body() {
                Some(name) => nameless.push((name.to_owned(), shown)),
                None => found.push(shown),
            }
        }
        if found.len() + nameless.len() == MOST {
            break;
        }
        next = search.mend(&fault, &span).flatten();
    }
    // a body has its name once the key of the name is right
    let names = document::names_of_bodies(&search.copy);
    nameless.retain(|(name, _)| !names.contains(name));
    found.extend(nameless.into_iter().map(|(_, fault)| fault));
    found.sort_by_key(|fault| (fault.place.line, fault.place.column));
    found.dedup();
    found.truncate(MOST);
    found
}

/// A part of the copy that was changed.
struct Change {
    /// Where it began in the copy as it was then.
    start: usize,
    new_length: usize,
    old_length: usize,
}

/// A copy of a text in which faults are put right.
struct Search<'r> {
    copy: String,
    changes: Vec<Change>,
    /// Readings that are left.
    left: usize,
    read: Reader<'r>,
}

impl Search<'_> {
    /// Where a part of the copy is in the text.
    fn original(&self, span: &Range<usize>) -> Range<usize> {
        let back = |mut at: usize| {
            for change in self.changes.iter().rev() {
                if at >= change.start + change.new_length {
                    at = at - change.new_length + change.old_length;
                }
            }
            at
        };
        back(span.start)..back(span.end)
    }

    /// True if a part of the copy begins in a change; or, if it is of the world that was read,
    /// overlaps one.
    fn is_change(&self, span: &Range<usize>, of_world: bool) -> bool {
        let (mut start, mut end) = (span.start, span.end);
        for change in self.changes.iter().rev() {
            let changed = change.start..change.start + change.new_length;
            let overlaps = of_world && start < changed.end && changed.start < end;
            if changed.contains(&start) || overlaps {
                return true;
            }
            for at in [&mut start, &mut end] {
                if *at >= changed.end {
                    *at = *at - change.new_length + change.old_length;
                }
            }
        }
        false
    }

    /// Puts a fault right in the copy, and reads it again; `None` where nothing helps.
    fn mend(&mut self, fault: &Fault, span: &Range<usize>) -> Option<Option<Fault>> {
        for (at, word) in self.proposals(fault, span) {
            self.left = self.left.checked_sub(1)?;
            let mut copy = self.copy.clone();
            copy.replace_range(at.clone(), &word);
            let next = (self.read)(&copy);
            let changed = at.start..at.start + word.len();
            // a change that leaves no document is none
            if DeTable::parse(&copy).is_err() {
                continue;
            }
            if next
                .as_ref()
                .is_some_and(|next| next.persists(fault, &copy, &changed))
            {
                continue;
            }
            self.copy = copy;
            self.changes.push(Change {
                start: at.start,
                new_length: word.len(),
                old_length: at.len(),
            });
            return Some(next);
        }
        None
    }

    /// What may put a fault right: a part of the copy, and what takes its place.
    fn proposals(&self, fault: &Fault, span: &Range<usize>) -> Vec<(Range<usize>, String)> {
        let copy = &self.copy;
        let word = fault
            .path
            .is_none()
            .then(|| word_for(copy, span, &fault.message));
        let mut proposals: Vec<_> = word.flatten().into_iter().collect();
        if let Some(key) = fault.missing_in(copy) {
            let of = |value: &&str| insertion(copy, span, &key, value);
            proposals.extend(STAND_INS.iter().filter_map(of));
            return proposals;
        }
        let Some(shown) = copy.get(span.clone()) else {
            return proposals;
        };
        if fault.message.starts_with("unknown field") {
            proposals.extend(removals(copy, span));
            return proposals;
        }
        if shown.starts_with(|c: char| c.is_alphabetic()) {
            proposals.push((span.clone(), format!("{shown:?}")));
        }
        let mut parts = vec![span.clone()];
        // an element may not be right by itself
        let parent = fault.path.as_ref().and_then(|path| path.rsplit_once('['));
        parts.extend(parent.and_then(|(list, _)| document::exact_span(copy, list)));
        for part in parts {
            let of = |value: &&str| (part.clone(), (*value).to_owned());
            proposals.extend(STAND_INS.iter().map(of));
        }
        proposals
    }
}

/// `key = value` in the table at `span`: an inline table or the header of one.
fn insertion(
    text: &str,
    span: &Range<usize>,
    key: &str,
    value: &str,
) -> Option<(Range<usize>, String)> {
    let table = text.get(span.clone())?;
    if let Some(fields) = table.strip_prefix('{') {
        let end = if fields.trim_start().starts_with('}') {
            ""
        } else {
            ","
        };
        let at = span.start + 1;
        return Some((at..at, format!(" {key} = {value}{end}")));
    }
    let line = table
        .starts_with('[')
        .then(|| text[span.start..].find('\n'));
    let at = line?.map_or(text.len(), |end| span.start + end);
    Some((at..at, format!("\n{key} = {value}")))
}

/// The ways to take out the key at `span` with its value: up to the next comma, the end of the
/// line, or the next section.
fn removals(text: &str, span: &Range<usize>) -> Vec<(Range<usize>, String)> {
    let rest = &text[span.end..];
    let line = text[..span.start].rfind('\n').map_or(0, |at| at + 1);
    let is_header = text[line..span.start].trim_start().starts_with('[');
    let end = |pattern: &str| rest.find(pattern).map_or(text.len(), |at| span.end + at);
    let out = |part: Range<usize>| (part, String::new());
    if is_header {
        return vec![out(line..end("\n["))];
    }
    let comma = text[..span.start].trim_end().strip_suffix(',');
    let mut all = vec![out(span.start..end("\n"))];
    all.extend(
        rest.match_indices(',')
            .take(4)
            .map(|(at, _)| out(span.start..span.end + at + 1)),
    );
    for (at, _) in rest.match_indices('}').take(3) {
        all.push(out(comma.map_or(span.start, str::len)..span.end + at));
    }
    all
}

/// What a fault is about, and the word that puts it right: the number of a body, or the nearest
/// name; `None` where nothing is near.
fn word_for(text: &str, span: &Range<usize>, message: &str) -> Option<(Range<usize>, String)> {
    let shown = text.get(span.clone())?;
    let is_value = shown.starts_with(['"', '\'']);
    let meant = message.split_once("did you mean \"");
    if let (Some((word, _)), true) = (meant.and_then(|(_, end)| end.split_once("\"?")), is_value) {
        return Some((span.clone(), format!("{word:?}")));
    }
    if message.starts_with("no body is named") {
        return Some((span.clone(), "0".to_owned()));
    }
    let mut names = message.split('`').skip(1).step_by(2);
    let wrong = names.next().filter(|_| message.starts_with("unknown"))?;
    let known: Vec<&str> = names.collect();
    let start = span.start + shown.find(wrong)?;
    // any value will do, but the fields of a table go with its kind
    let any = known.first().filter(|_| is_value);
    let word = nearest(wrong, known.iter().copied()).or_else(|| any.map(|word| (*word).to_owned()));
    Some((start..start + wrong.len(), word?))
}

impl Fault {
    /// True if the fault is still `before`, or one of what has taken its place in `copy`, which is
    /// `changed`.
    fn persists(&self, before: &Self, copy: &str, changed: &Range<usize>) -> bool {
        let span = self.span_in(copy);
        let is_parsed = self.path.is_none();
        let is_same = match (&self.path, &before.path) {
            (None, None) => self.message == before.message && self.span == before.span,
            (Some(path), Some(old)) => {
                let list = |path: &str| {
                    path.rsplit_once('[')
                        .map_or("", |(list, _)| list)
                        .to_owned()
                };
                path == old || list(path) == list(old) && list(path).ends_with("moments")
            }
            // the reader builds a world of what it has parsed
            (Some(_), None) => false,
            (None, Some(_)) => true,
        };
        is_same
            || self.message.starts_with("duplicate key")
            || is_parsed && changed.contains(&span.start)
    }

    /// The key that is missing.
    fn missing_in(&self, text: &str) -> Option<String> {
        match &self.path {
            Some(path) => crate::message::span_of(text, path)?.missing,
            None => missing_key(&self.message).map(str::to_owned),
        }
    }

    /// The name that no body has.
    fn unknown_body(&self) -> Option<&str> {
        let name = self.message.strip_prefix("no body is named \"")?;
        name.split('"').next()
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::file::of_bytes;

    /// Places and reasons of the faults of a text.
    fn faults(text: &str) -> Vec<String> {
        let error = of_bytes(Path::new("a.toml"), text.as_bytes()).expect_err("faults");
        let shown = error.to_string();
        let lines = shown
            .lines()
            .filter_map(|line| line.strip_prefix("a.toml:"));
        lines.map(str::to_owned).collect()
    }

    #[test]
    fn a_text_with_several_faults_shows_all_of_them() {
        let text = "gravty = [0.0, -9.81, 0.0]\ncontacts = { law = \"dics\" }\n[[bodies]]\nname = \"a\"\nkind = \"xyz\"\npositon = [0, 1, 0]\n\
                    [[colliders]]\nbody = \"c\"\nshape = { sphere = { radus = 1.0 } }\n";
        let found = faults(text);
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|fault| {
                let (place, reason) = fault.split_once(": ").unwrap_or_default();
                (place, reason.split('"').nth(1).unwrap_or_default())
            })
            .collect();
        let expected = [
            ("1:1", "gravty"),
            ("2:20", "dics"),
            ("5:8", "xyz"),
            ("6:1", "positon"),
            ("8:8", "c"),
            ("9:22", "radus"),
        ];
        assert_eq!(found, expected);
    }

    /// Types, missing keys, numbers out of range and names, all in one reading.
    #[test]
    fn faults_of_types_and_of_the_world_are_shown_together() {
        let text = "gravity = [0.0, \"-9.81\", 0.0]\n\
                    [[bodies]]\nnmae = \"hip\"\nkind = \"dynamic\"\nposition = [0.0, 1.0]\n\
                    inertia = { mass = -1.0, moments = [0.1, 0.1, 0.1] }\n\
                    [[bodies]]\nname = \"torso\"\nkind = dynamic\nposition = [0.0, 2.0, 0.0]\n\
                    inertia = { mass = 1.0, moments = [0.1, 0.1, 5.0] }\n\
                    [[joints]]\nconstraint = { hinge = { bodies = [\"hip\", \"tors\"], \
                    anchors = [[0.0, 0.5, 0.0], [0.0, -0.5, 0.0]] } }\n\
                    [[colliders]]\nbody = \"torso\"\nshape = { sphere = {} }\n\
                    material = { friction = -0.5 }\ncolour = 3\n\
                    [[rods]]\nbodies = [\"hip\", \"torso\"]\n\
                    points = [[0.0, 1.0, 0.0], [0.0, 1.0, 0.0]]\n";
        let found = faults(text);
        let expected = [
            "1:17: gravity must be a number, not the text \"-9.81\"",
            "3:1: unknown field \"nmae\"; did you mean \"name\"?",
            "5:12: position has 2 elements; it must be 3 numbers",
            "6:20: bodies[0].inertia.mass = -1: ",
            "9:8: a text stands between quotation marks",
            "11:46: bodies[1].inertia.moments[2] = 5: ",
            "13:43: no body is named \"tors\"; did you mean \"torso\"?",
            "13:24: axes is missing; write axes = ",
            "16:20: radius is missing; write radius = 0.5",
            "17:25: colliders[0].material.friction = -0.5: ",
            "18:1: unknown field \"colour\"",
            "21:10: points: their distance is 0 m",
        ];
        assert_eq!(found.len(), expected.len(), "{found:#?}");
        for begin in expected {
            assert!(
                found.iter().any(|fault| fault.starts_with(begin)),
                "{begin}: {found:#?}"
            );
        }
    }
}
