//! Positions in text files, and how errors show them.

use std::fmt;
use std::ops::{Range, RangeInclusive};

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

/// The byte order mark, which some UTF-8 files begin with. Editors do not show it.
pub const MARK: char = '\u{feff}';

/// Longest part of a source line that an error shows, in characters.
const SHOWN: usize = 96;

impl SourceLocation {
    /// Returns the position of a byte range of `text`. A range outside the text is moved to the end
    /// of the text. If it begins after the final line break, it is moved to the end of the last
    /// line.
    pub fn of(text: &str, span: Range<usize>) -> Self {
        let start = floor(text, span.start);
        let end = floor(text, span.end).max(start);
        let start = match text.strip_suffix('\n') {
            Some(lines) if start == text.len() => lines.len(),
            _ => start,
        };
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        // the mark of UTF-8 is no character of the line
        let line_start = match text.starts_with(MARK) && line_start == 0 {
            true => MARK.len_utf8(),
            false => line_start,
        };
        let line = text[line_start..].split('\n').next().unwrap_or_default();
        let line = line.strip_suffix('\r').unwrap_or(line);
        let line_end = line_start + line.len();
        let start = start.clamp(line_start, line_end);
        let end = end.max(start);
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

    /// Returns the position of byte `byte` of line `line`, both counted from 1.
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
        let before = self.column - 1 - first;
        let cells = |from: usize, count: usize| -> usize {
            let part = line.chars().skip(from).take(count);
            part.map(terminal_cells).sum()
        };
        let carets = "^".repeat(cells(before, self.width).max(1));
        let is_cut = self.text.chars().nth(first + SHOWN).is_some();
        let [left, right] = [first > 0, is_cut].map(|cut| if cut { "…" } else { "" });
        let before = " ".repeat(cells(0, before) + left.chars().count());
        writeln!(f, "{file}:{}:{}: {message}", self.line, self.column)?;
        writeln!(f, "{margin} |")?;
        writeln!(f, "{number} | {left}{line}{right}")?;
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

/// Number of terminal columns that a character takes: two for East Asian characters and
/// pictographs, none for combining marks, one otherwise.
fn terminal_cells(c: char) -> usize {
    const NONE: [RangeInclusive<char>; 8] = [
        '\u{300}'..='\u{36f}',
        '\u{483}'..='\u{489}',
        '\u{1ab0}'..='\u{1aff}',
        '\u{1dc0}'..='\u{1dff}',
        '\u{200b}'..='\u{200f}',
        '\u{20d0}'..='\u{20ff}',
        '\u{fe00}'..='\u{fe0f}',
        '\u{fe20}'..='\u{fe2f}',
    ];
    const TWO: [RangeInclusive<char>; 12] = [
        '\u{1100}'..='\u{115f}',
        '\u{2e80}'..='\u{303e}',
        '\u{3041}'..='\u{a4cf}',
        '\u{ac00}'..='\u{d7a3}',
        '\u{f900}'..='\u{faff}',
        '\u{fe30}'..='\u{fe6f}',
        '\u{ff00}'..='\u{ff60}',
        '\u{ffe0}'..='\u{ffe6}',
        '\u{1f300}'..='\u{1f64f}',
        '\u{1f680}'..='\u{1f6ff}',
        '\u{1f900}'..='\u{1f9ff}',
        '\u{20000}'..='\u{3fffd}',
    ];
    let is_in = |ranges: &[RangeInclusive<char>]| ranges.iter().any(|range| range.contains(&c));
    match (is_in(&NONE), is_in(&TWO)) {
        (true, _) => 0,
        (_, true) => 2,
        _ => 1,
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
        let ended = format!("{text}\n");
        assert_eq!(SourceLocation::at(&ended, 4, 1).line, 3);
        // beyond the end, and line 0
        assert_eq!(SourceLocation::at(text, 9, 9).line, 3);
        assert_eq!(SourceLocation::at(text, 0, 0).line, 1);
    }

    #[test]
    fn no_place_is_in_a_line_that_the_text_does_not_have() {
        for text in [
            "a = 1",
            "a = 1\n",
            "a = 1\r\n",
            "a\n\n",
            "\r\n\r\n",
            "\n",
            "μ\n\tμ\r\n",
        ] {
            let lines: Vec<&str> = text.lines().collect();
            for start in 0..=text.len() + 2 {
                for end in start..=text.len() + 2 {
                    let place = SourceLocation::of(text, start..end);
                    let line = lines.get(place.line - 1).copied();
                    assert_eq!(line, Some(place.text.as_str()), "{text:?} {start}..{end}");
                    // at most behind the last character
                    assert!(
                        place.column <= place.text.chars().count() + 1,
                        "{text:?} {start}"
                    );
                }
            }
            for line in 0..9 {
                let place = SourceLocation::at(text, line, 1);
                assert!(place.line <= lines.len(), "{text:?}, line {line}");
            }
        }
    }

    fn shown(text: &str, part: &str) -> String {
        struct Shown(SourceLocation);
        impl fmt::Display for Shown {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.report(f, "f", &"m")
            }
        }
        let at = text.find(part).unwrap();
        Shown(SourceLocation::of(text, at..at + part.len())).to_string()
    }

    #[test]
    fn carets_stand_below_what_is_meant() {
        for (line, carets) in [
            ("\ta = xx", "     ^^"),
            ("ä = xx", "    ^^"),
            ("力学 = xx", "       ^^"),
            ("e\u{301} = xx", "    ^^"),
            ("\u{feff}a = xx", "    ^^"),
            ("\u{feff}xx = 1", "^^"),
        ] {
            let text = shown(line, "xx");
            let below = text.lines().last().unwrap();
            assert_eq!(below, format!("  | {carets}"), "{line:?}");
        }
        // a long line is cut, which is seen
        let long = format!("{}xx{}", "a".repeat(60), "b".repeat(90));
        let text = shown(&long, "xx");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[2],
            format!("1 | …{}xx{}…", "a".repeat(48), "b".repeat(46))
        );
        assert_eq!(lines[3], format!("  | {}^^", " ".repeat(49)));
        assert!(!shown("a = xx", "xx").contains('…'));
        // what is meant is wide itself
        assert!(shown("a = 力学", "力学").ends_with("|     ^^^^"));
    }
}
