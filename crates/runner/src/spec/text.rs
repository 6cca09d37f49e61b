//! The text of a spec with its positions, and the one kind of error that reading it gives.

use std::fmt;
use std::ops::Range;

use thiserror::Error;

/// What is wrong with a spec, and where.
///
/// Displays as `FILE:LINE:COLUMN: MESSAGE` and, below it, the line with the offending part underlined.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct SpecError {
    /// The spec, as named on the command line.
    pub file: String,
    /// Where, if it is about one place.
    pub place: Option<TextPlace>,
    /// What, with what to do.
    pub message: String,
}

/// A place in a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextPlace {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Number of characters to underline, at least 1.
    pub width: usize,
    /// The line.
    pub text: String,
}

/// Longest part of a source line that an error shows, in characters.
const SHOWN: usize = 96;

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(place) = &self.place else {
            return write!(f, "{}: {}", self.file, self.message);
        };
        let number = place.line.to_string();
        let margin = " ".repeat(number.len());
        // a window around the place, so that a line of a megabyte stays readable
        let first = (place.column - 1).saturating_sub(SHOWN / 2);
        let line: String = place
            .text
            .chars()
            .skip(first)
            .take(SHOWN)
            .map(printable)
            .collect();
        let before = " ".repeat(place.column - 1 - first);
        let room = line.chars().count().saturating_sub(before.len()).max(1);
        let carets = "^".repeat(place.width.clamp(1, room));
        writeln!(
            f,
            "{}:{}:{}: {}",
            self.file, place.line, place.column, self.message
        )?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {line}")?;
        write!(f, "{margin} | {before}{carets}")
    }
}

/// Control characters would move the cursor of a terminal.
fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// The text that positions refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Document<'a> {
    pub(crate) file: &'a str,
    pub(crate) text: &'a str,
}

impl<'a> Document<'a> {
    /// The error at a byte range of the text.
    pub(crate) fn error(&self, span: Range<usize>, message: impl Into<String>) -> SpecError {
        let start = floor(self.text, span.start);
        let end = floor(self.text, span.end).max(start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |at| at + 1);
        let rest = &self.text[line_start..];
        let line = rest.split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line_end = line_start + line.len();
        let width = if start < line_end {
            self.text[start..end.min(line_end).max(start)]
                .chars()
                .count()
        } else {
            1
        };
        SpecError {
            file: self.file.to_owned(),
            place: Some(TextPlace {
                line: self.text[..start].matches('\n').count() + 1,
                column: self.text[line_start..start].chars().count() + 1,
                width: width.max(1),
                text: line.to_owned(),
            }),
            message: message.into(),
        }
    }

    /// The text of a byte range, shortened for a message.
    pub(crate) fn excerpt(&self, span: Range<usize>) -> String {
        let start = floor(self.text, span.start);
        let end = floor(self.text, span.end).max(start);
        let text: String = self.text[start..end].chars().map(printable).collect();
        if text.chars().count() <= 40 {
            return text;
        }
        let head: String = text.chars().take(39).collect();
        format!("{head}…")
    }
}

/// The nearest character boundary at or before `at`.
fn floor(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_the_place() {
        let text = "a = 1\nμμ = \"x\" # c\n";
        let document = Document {
            file: "e.toml",
            text,
        };
        let at = text.find("\"x\"").unwrap();
        let error = document.error(at..at + 3, "wrong");
        assert_eq!(
            error.to_string(),
            "e.toml:2:6: wrong\n  |\n2 | μμ = \"x\" # c\n  |      ^^^"
        );
    }

    #[test]
    fn survives_any_range_and_hides_control_characters() {
        let text = "é\u{1b}[31m = 1";
        let document = Document { file: "e", text };
        for start in 0..text.len() + 3 {
            for end in 0..text.len() + 3 {
                let shown = document.error(start..end, "m").to_string();
                assert!(!shown.contains('\u{1b}'), "{shown:?}");
            }
        }
    }

    #[test]
    fn shortens_a_long_line() {
        let text = format!("x = \"{}\" y", "z".repeat(1_000_000));
        let document = Document {
            file: "e",
            text: &text,
        };
        let shown = document.error(text.len() - 1..text.len(), "m").to_string();
        assert!(shown.len() < 400, "{} bytes", shown.len());
        assert!(shown.ends_with("^"), "{shown}");
    }
}
