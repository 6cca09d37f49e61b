//! Standard output and standard error: data on one, messages on the other, and a closed pipe on
//! neither.

use std::fmt;
use std::io::{self, Write};

use delassus_core::numbers::significant;
use serde::Serialize;
use serde_json::Value;
use textwrap::{Options, WordSplitter, fill};

pub(crate) use super::diagnostic::printable;
use super::failure::Failure;

/// The one writer of standard output.
///
/// A reader that goes away (`| head`) is [`Failure::ClosedPipe`], which ends the program quietly.
pub(crate) struct Output {
    sink: Box<dyn Write + Send>,
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Output")
    }
}

impl Output {
    /// Writes to standard output.
    pub(crate) fn stdout() -> Self {
        Self {
            sink: Box::new(io::stdout()),
        }
    }

    #[cfg(test)]
    pub(crate) fn into(sink: impl Write + Send + 'static) -> Self {
        Self {
            sink: Box::new(sink),
        }
    }

    /// Writes one line and flushes it: a reader sees each result when it exists.
    pub(crate) fn line(&mut self, text: &str) -> Result<(), Failure> {
        let mut line = String::with_capacity(text.len() + 1);
        line.push_str(text);
        line.push('\n');
        self.text(&line)
    }

    /// Writes text as it is and flushes it.
    pub(crate) fn text(&mut self, text: &str) -> Result<(), Failure> {
        self.bytes(text.as_bytes())
    }

    /// Writes bytes as they are and flushes them.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.copy(&mut &bytes[..])
    }

    /// Writes all that can be read from `from` and flushes it.
    pub(crate) fn copy(&mut self, from: &mut impl io::Read) -> Result<(), Failure> {
        let written = io::copy(from, &mut self.sink);
        written
            .and_then(|_| self.sink.flush())
            .map_err(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
                _ => Failure::Store(format!("cannot write to standard output: {error}")),
            })
    }

    /// Writes one JSON object on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        match serde_json::to_string(value) {
            Ok(text) => self.line(&text),
            Err(error) => Err(Failure::run(format!("cannot write JSON: {error}"))),
        }
    }

    /// Writes a table: columns as wide as their widest cell, two blanks between them.
    pub(crate) fn table(&mut self, rows: &[Vec<String>]) -> Result<(), Failure> {
        self.text(&aligned(rows))
    }
}

/// Rows of cells as lines with aligned columns; the last column is not padded.
pub(crate) fn aligned(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            // widths of the formatter end at 65 535
            let blanks = width - cell.chars().count();
            line.push_str(cell);
            line.push_str(&" ".repeat(blanks + 2));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Rows of cells as lines of at most `width` characters: columns that have no room stand below the
/// others, with the first `names` columns in front of them again.
pub(crate) fn aligned_within(rows: &[Vec<String>], names: usize, width: usize) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let own = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells
            .map(|cell| cell.chars().count() + 2)
            .max()
            .unwrap_or(0)
    };
    let fixed: usize = (0..names).map(own).sum();
    let (mut blocks, mut used) = (vec![Vec::new()], fixed);
    for column in names..columns {
        // the last column has no blanks behind it
        if used + own(column) > width + 2 && used > fixed {
            blocks.push(Vec::new());
            used = fixed;
        }
        used += own(column);
        if let Some(block) = blocks.last_mut() {
            block.push(column);
        }
    }
    let block = |block: Vec<usize>| {
        let cells = |row: &Vec<String>| -> Vec<String> {
            let shown = (0..names).chain(block.iter().copied());
            shown
                .filter_map(|column| row.get(column).cloned())
                .collect()
        };
        aligned(&rows.iter().map(cells).collect::<Vec<_>>())
    };
    blocks.into_iter().map(block).collect::<Vec<_>>().join("\n")
}

/// A number as JSON has it; null for what is infinite or missing.
pub(crate) fn finite(value: Option<f64>) -> Value {
    value
        .filter(|value| value.is_finite())
        .map_or(Value::Null, Value::from)
}

/// A number with its noun: "1 file", "2 files".
pub(crate) fn count(number: u64, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        many => format!("{many} {noun}s"),
    }
}

/// Seconds with three digits: as a plain number where that is short.
pub(crate) fn time(seconds: f64) -> String {
    match (1e-3..1e4).contains(&seconds) {
        true => significant(seconds, 3),
        false => format!("{seconds:.2e}"),
    }
}

/// Breaks text into lines of at most `width` characters at blanks, each after `indent` blanks, all
/// but the first two blanks further in.
pub(crate) fn wrapped(text: &str, indent: usize, width: usize) -> String {
    let [first, rest] = [indent, indent + 2].map(|blanks| " ".repeat(blanks));
    let options = Options::new(width)
        .initial_indent(&first)
        .subsequent_indent(&rest)
        .word_splitter(WordSplitter::NoHyphenation)
        .break_words(false);
    fill(text, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Broken(io::ErrorKind);

    impl Write for Broken {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::Error::from(self.0))
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_closed_pipe_is_told_from_a_full_disk() {
        let mut closed = Output::into(Broken(io::ErrorKind::BrokenPipe));
        assert!(matches!(closed.line("x"), Err(Failure::ClosedPipe)));
        let mut full = Output::into(Broken(io::ErrorKind::StorageFull));
        assert!(matches!(full.line("x"), Err(Failure::Store(_))));
    }

    #[test]
    fn tables_align_and_do_not_pad_their_end() {
        let rows = [vec!["a".to_owned(), "b".to_owned()], vec!["ωω".to_owned()]];
        assert_eq!(aligned(&rows), "a   b\nωω\n");
        let wide = "ω".repeat(70_000);
        let rows = [vec![wide.clone(), "b".to_owned()], vec![String::new(); 2]];
        assert_eq!(aligned(&rows), format!("{wide}  b\n\n"));
    }

    #[test]
    fn columns_without_room_stand_below() {
        let row = |cells: &[&str]| cells.iter().map(|cell| (*cell).to_owned()).collect();
        let rows: [Vec<String>; 2] = [row(&["a", "11", "22", "33"]), row(&["b", "1", "2", "3"])];
        assert_eq!(aligned_within(&rows, 1, 13), aligned(&rows));
        let below = "a  11  22\nb  1   2\n\na  33\nb  3\n";
        assert_eq!(aligned_within(&rows, 1, 12), below);
        // one column is never too many
        let alone = "a  11\nb  1\n\na  22\nb  2\n\na  33\nb  3\n";
        assert_eq!(aligned_within(&rows, 1, 2), alone);
    }

    #[test]
    fn one_is_singular() {
        assert_eq!(
            [0_u64, 1, 2].map(|n| count(n, "cell")),
            ["0 cells", "1 cell", "2 cells"]
        );
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\nc"), "a\\u{1b}[2Jb\\nc");
        assert_eq!(printable("a\u{202e}b"), "a\\u{202e}b");
        assert_eq!(printable("Größe μ"), "Größe μ");
    }

    #[test]
    fn wrapping_keeps_words_and_indent() {
        assert_eq!(wrapped("aa bb cc", 2, 7), "  aa bb\n    cc");
        assert_eq!(wrapped("", 2, 7), "");
    }
}
