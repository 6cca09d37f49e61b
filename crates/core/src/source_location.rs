//! Places in text files, as errors show them.

use std::fmt;
use std::ops::Range;

/// A place in a text file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLocation {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Number of characters to underline, at least 1.
    pub width: usize,
    /// Text of the line.
    pub text: String,
}

/// Longest part of a source line that an error shows, in characters.
const SHOWN: usize = 96;

impl SourceLocation {
    /// The place of a byte range of `text`; a range outside of it is moved to its end.
    pub fn of(text: &str, span: Range<usize>) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end).max(start);
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line_end = line_start + line.len();
        let width = if start < line_end {
            let shown = &text[start..end.min(line_end).max(start)];
            shown.chars().count()
        } else {
            1
        };
        Self {
            line: text[..start].matches('\n').count() + 1,
            column: text[line_start..start].chars().count() + 1,
            width: width.max(1),
            text: line.to_owned(),
        }
    }

    /// The place of a line and a byte in it, both counted from 1.
    pub fn at(text: &str, line: usize, byte: usize) -> Self {
        let before = line.saturating_sub(1);
        let mut starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
        let start = starts.nth(before).unwrap_or(text.len());
        let at = start + byte.saturating_sub(1);
        Self::of(text, at..at + 1)
    }

    /// Writes `FILE:LINE:COLUMN: MESSAGE` and, below it, the line with the place underlined.
    ///
    /// # Errors
    /// Those of the formatter.
    pub fn report(
        &self,
        f: &mut fmt::Formatter<'_>,
        file: &str,
        message: &dyn fmt::Display,
    ) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        // a window around the place, so that a line of a megabyte stays readable
        let first = (self.column - 1).saturating_sub(SHOWN / 2);
        let window = self.text.chars().skip(first).take(SHOWN);
        let line: String = window.map(printable).collect();
        let before = " ".repeat(self.column - 1 - first);
        let room = line.chars().count().saturating_sub(before.len()).max(1);
        let carets = "^".repeat(self.width.clamp(1, room));
        writeln!(f, "{file}:{}:{}: {message}", self.line, self.column)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {line}")?;
        write!(f, "{margin} | {before}{carets}")
    }
}

/// Returns a character that is safe to print: it replaces control characters, which would move the
/// cursor.
pub fn printable(c: char) -> char {
    match c {
        '\t' => ' ',
        c if c.is_control() => '\u{fffd}',
        c => c,
    }
}

/// The nearest character boundary at or before `at`.
pub fn floor(text: &str, at: usize) -> usize {
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
    fn lines_and_bytes_from_one() {
        let text = "{\n  \"μ\": x\n}";
        let place = SourceLocation::at(text, 2, 9);
        assert_eq!((place.line, place.column), (2, 8));
        assert_eq!(place.text, "  \"μ\": x");
        // beyond the end, and line 0
        assert_eq!(SourceLocation::at(text, 9, 9).line, 3);
        assert_eq!(SourceLocation::at(text, 0, 0).line, 1);
    }
}
