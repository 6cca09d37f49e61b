//! Figures and tables that a text names: `table "rates"`, `figures "work" and "drift"`.

use std::collections::BTreeSet;

/// A part of a text, and the place of the page that it names.
#[derive(Debug, PartialEq)]
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) to: Option<String>,
}

/// Reads a text from its begin to its end.
#[derive(Debug)]
pub(crate) struct Mentions<'t> {
    targets: &'t BTreeSet<String>,
    /// What the last name was of, and what stands behind it so far.
    kind: Option<&'static str>,
    behind: String,
    /// True where the text goes on in another line.
    goes_on: bool,
}

/// Words in front of a name, and what the identifiers of such places begin with.
const WORDS: [(&str, &str); 6] = [
    ("table", "table"),
    ("tables", "table"),
    ("figure", "figure"),
    ("figures", "figure"),
    ("strip", "strip"),
    ("strips", "strip"),
];

impl<'t> Mentions<'t> {
    /// A text of a page that has these places.
    pub(crate) fn new(targets: &'t BTreeSet<String>) -> Self {
        Self {
            targets,
            kind: None,
            behind: String::new(),
            goes_on: false,
        }
    }

    /// The next piece of text follows in the same paragraph.
    pub(crate) fn go_on(&mut self) {
        self.goes_on = true;
    }

    /// The text in pieces, those that are names with their places.
    pub(crate) fn pieces(&mut self, text: &str) -> Vec<Piece> {
        if !std::mem::take(&mut self.goes_on) {
            self.kind = None;
            self.behind.clear();
        }
        let mut pieces = Vec::new();
        let mut plain = String::new();
        let mut rest = text;
        while let Some((before, name, after)) = quoted(rest) {
            self.behind.push(' ');
            self.behind.push_str(before);
            self.kind = kind(&self.behind, self.kind);
            self.behind.clear();
            plain.push_str(before);
            let to = self
                .kind
                .map(|kind| format!("{kind}-{}", super::files::file_name(name)));
            let to = to.filter(|to| self.targets.contains(to));
            match to {
                Some(to) => {
                    plain.push('"');
                    pieces.push(Piece {
                        text: std::mem::take(&mut plain),
                        to: None,
                    });
                    pieces.push(Piece {
                        text: name.to_owned(),
                        to: Some(to),
                    });
                    plain.push('"');
                }
                None => {
                    plain.push('"');
                    plain.push_str(name);
                    plain.push('"');
                }
            }
            rest = after;
        }
        self.behind.push(' ');
        self.behind.push_str(rest);
        plain.push_str(rest);
        pieces.push(Piece {
            text: plain,
            to: None,
        });
        pieces
    }
}

/// What stands before, between and after the next two quotation marks.
fn quoted(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('"')?;
    let (name, after) = rest.split_once('"')?;
    Some((before, name, after))
}

/// What a name is of, behind these words; a list of names goes on with commas and conjunctions.
fn kind(before: &str, last: Option<&'static str>) -> Option<&'static str> {
    let words = before.trim().trim_start_matches(',').trim();
    if matches!(words, "" | "and" | "or") && last.is_some() {
        return last;
    }
    let word = words.rsplit(|c: char| !c.is_alphanumeric()).next()?;
    let named = WORDS
        .iter()
        .find(|(name, _)| word.eq_ignore_ascii_case(name));
    named.map(|(_, kind)| *kind)
}
