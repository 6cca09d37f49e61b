//! The text of a spec with its positions, and the one kind of error that reading it gives.

use std::fmt;
use std::ops::Range;

use delassus_core::source_location::{MARK, floor, printable};
use thiserror::Error;

pub use delassus_core::source_location::SourceLocation;

/// Most errors that one reading shows \[-\].
pub(crate) const MOST_ERRORS: usize = 20;

/// A parser's message without the code marks of Markdown: numbers as they are, names and signs
/// between quotation marks. Messages of the program have code marks around commands alone.
pub(crate) fn without_code_marks(message: &str) -> String {
    let mut parts = message.split('`');
    let mut text = parts.next().unwrap_or_default().to_owned();
    while let Some(marked) = parts.next() {
        match marked {
            "\"" => text.push_str("a double quotation mark"),
            number if number.parse::<f64>().is_ok() => text.push_str(number),
            name => text.push_str(&format!("\"{name}\"")),
        }
        text.push_str(parts.next().unwrap_or_default());
    }
    text
}

/// The values of all results, or all their errors as one.
pub(crate) fn all<T>(
    results: impl IntoIterator<Item = Result<T, SpecError>>,
) -> Result<Vec<T>, SpecError> {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(error) => errors.push(error),
        }
    }
    match SpecError::of_all(errors) {
        None => Ok(values),
        Some(error) => Err(error),
    }
}

/// How the list of all names begins at the end of a message.
const LISTS: [&str; 3] = [" There are ", "; there are ", " known: "];
/// Shortest list that is not repeated \[characters\].
const LONG_LIST: usize = 60;

/// Leaves out the lists of names that an error before has.
fn list_names_once(errors: &mut [SpecError]) {
    let mut seen: Vec<String> = Vec::new();
    for error in errors {
        let begin = |start: &&str| Some((error.message.rfind(*start)?, start.len()));
        let Some((at, start)) = LISTS.iter().find_map(begin) else {
            continue;
        };
        let names = error.message[at + start..].to_owned();
        if names.chars().count() < LONG_LIST {
            continue;
        }
        if !seen.contains(&names) {
            seen.push(names);
            continue;
        }
        error.message.truncate(at);
        let length = error.message.trim_end_matches([';', ' ']).len();
        error.message.truncate(length);
        if !error.message.ends_with('?') {
            error.message.push_str("; the names are listed above");
        }
    }
}

/// What is wrong with a spec, and where.
///
/// Displays as `FILE:LINE:COLUMN: MESSAGE` and, below it, the line with the offending part
/// underlined; then the other errors of the file and their number.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub struct SpecError {
    /// The spec, as named on the command line.
    pub file: String,
    /// Where, if it is about one place.
    pub place: Option<SourceLocation>,
    /// What, with what to do.
    pub message: String,
    /// The errors further down in the file.
    pub more: Box<[SpecError]>,
}

impl SpecError {
    /// An error about no place of its own.
    pub(crate) fn of_file(file: &str, message: impl Into<String>) -> Self {
        Self {
            file: file.to_owned(),
            place: None,
            message: message.into(),
            more: Box::default(),
        }
    }

    /// The errors of one file as one, in the order of their places, each once, at most
    /// [`MOST_ERRORS`]; `None` of none.
    pub(crate) fn of_all(errors: Vec<Self>) -> Option<Self> {
        let mut errors: Vec<Self> = errors.into_iter().flat_map(Self::apart).collect();
        errors.sort_by_key(|error| error.place.as_ref().map(|place| (place.line, place.column)));
        errors.dedup_by(|next, before| next == before);
        errors.truncate(MOST_ERRORS);
        list_names_once(&mut errors);
        let mut errors = errors.into_iter();
        let mut first = errors.next()?;
        first.more = errors.collect();
        Some(first)
    }

    /// The errors that are one here.
    pub(crate) fn apart(mut self) -> impl Iterator<Item = Self> {
        let more = std::mem::take(&mut self.more);
        std::iter::once(self).chain(more)
    }

    /// The same errors about a text that nobody has written, of which `name` is the name.
    pub(crate) fn without_places(self, name: &str) -> Self {
        let of = |error: Self| Self::of_file(name, error.message);
        let mut all = self.apart().map(of);
        let first = all.next();
        Self {
            more: all.collect(),
            ..first.unwrap_or_else(|| Self::of_file(name, "cannot be read"))
        }
    }

    /// The errors on one line: without the text that they underline.
    pub(crate) fn on_one_line(&self) -> String {
        let place = self.place.as_ref();
        let place = place.map_or(String::new(), |at| format!(":{}:{}", at.line, at.column));
        let message = self.message.split_whitespace();
        let message = message.collect::<Vec<_>>().join(" ");
        let others = match self.more.len() {
            0 => String::new(),
            1 => "; and one more error".to_owned(),
            others => format!("; and {others} more errors"),
        };
        format!("{}{place}: {message}{others}", self.file)
    }

    fn alone(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            None => write!(f, "{}: {}", self.file, self.message),
            Some(place) => place.report(f, &self.file, &self.message),
        }
    }
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.alone(f)?;
        for error in &self.more {
            f.write_str("\n")?;
            error.alone(f)?;
        }
        match self.more.len() {
            0 => Ok(()),
            others => write!(f, "\n{} errors in {}", others + 1, self.file),
        }
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
        SpecError {
            // an empty file has no line to show
            place: (!self.text.is_empty()).then(|| SourceLocation::of(self.text, span)),
            ..SpecError::of_file(self.file, message)
        }
    }

    /// The byte that an error points at; `None` if it is about the text as a whole.
    pub(crate) fn at(&self, error: &SpecError) -> Option<usize> {
        let place = error.place.as_ref()?;
        let lines = self.text.split_inclusive('\n');
        let before: usize = lines.take(place.line - 1).map(str::len).sum();
        let line = &self.text[before..];
        let mark = usize::from(before == 0 && self.text.starts_with(MARK));
        let column = line.char_indices().nth(place.column - 1 + mark);
        let at = before + column.map_or(line.len(), |(at, _)| at);
        // the header of a text is one letter at its beginning
        (at > 0 || place.width > 1).then_some(at)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_marks_of_parsers_become_words() {
        for (message, text) in [
            (
                "floating point `1e+23`, expected",
                "floating point 1e+23, expected",
            ),
            ("expected `,`, `]`", "expected \",\", \"]\""),
            ("expected `\"`", "expected a double quotation mark"),
            ("missing field `id`", "missing field \"id\""),
            ("an odd ` mark", "an odd \" mark\""),
            ("none", "none"),
        ] {
            assert_eq!(without_code_marks(message), text);
        }
    }

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
    fn all_errors_are_one_each_once_and_in_order() {
        let document = Document {
            file: "e",
            text: "a = 1\nb = 2\nc = 3\n",
        };
        let error = |at: usize| document.error(at..at + 1, format!("wrong {at}"));
        let results = [Err(error(12)), Ok(7), Err(error(0)), Err(error(12))];
        let found = all(results).unwrap_err();
        let both = all([Err(found), Ok(1), Err(error(6))]).unwrap_err();
        let messages: Vec<&str> = std::iter::once(&both)
            .chain(&both.more)
            .map(|error| error.message.as_str())
            .collect();
        assert_eq!(messages, ["wrong 0", "wrong 6", "wrong 12"]);
        assert!(both.to_string().ends_with("3 errors in e"));
        assert_eq!(all([Ok(1), Ok(2)]), Ok(vec![1, 2]));
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
