//! What a program wrote to standard error before it ended, as one line of a message.

/// Lines in a message \[-\].
const LINES: usize = 3;

/// The end of `text` on one line; empty if the text says nothing.
///
/// Of a traceback of Python it keeps the exception with the file and line that raised it, and
/// leaves out the lines of the source and the marks below them.
pub(crate) fn last_words(text: &str) -> String {
    let mut lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.retain(|line| !line.trim().is_empty() && !is_marks(line));
    let kept = exception(&lines).unwrap_or_else(|| {
        let from = lines.len().saturating_sub(LINES);
        let last = lines[from..].iter().map(|line| line.trim());
        last.collect::<Vec<_>>().join(" | ")
    });
    kept.chars().filter(|letter| !letter.is_control()).collect()
}

/// True for a line that only points at the one above it.
fn is_marks(line: &str) -> bool {
    line.contains('^')
        && line
            .chars()
            .all(|c| c.is_whitespace() || matches!(c, '^' | '~'))
}

/// The exception that ends a traceback, with its place; `None` if the text ends otherwise.
fn exception(lines: &[&str]) -> Option<String> {
    let at = lines.iter().rposition(|line| frame(line).is_some())?;
    // below the place stands the line of the source, further in
    let said = lines[at + 1..].iter().filter(|line| !line.starts_with(' '));
    let said: Vec<&str> = said.copied().collect();
    let first = *said.first()?;
    // a program that went on has said something else last
    if said.len() > LINES {
        return None;
    }
    let text = said.join(" | ");
    // where a module was looked for says nothing about how to get it
    match first.starts_with("ModuleNotFoundError") {
        true => Some(text),
        false => frame(lines[at]).map(|place| format!("{text} ({place})")),
    }
}

/// `solver.py, line 12` of a line `  File "/home/solver.py", line 12, in solve`.
fn frame(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("File \"")?;
    let (path, rest) = rest.split_once("\", line ")?;
    let number: String = rest.chars().take_while(char::is_ascii_digit).collect();
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    (!number.is_empty()).then(|| format!("{name}, line {number}"))
}

#[cfg(test)]
mod tests {
    use super::last_words;

    #[test]
    fn a_traceback_is_its_exception_with_the_place() {
        let text = "Traceback (most recent call last):\n  File \"/a/b/run.py\", line 3, in <module>\n    \
                    go()\n    ~~^^\n  File \"/a/b/solver.py\", line 12, in go\n    x = 1 / 0\n        ~~^~~\n\
                    ZeroDivisionError: division by zero\n";
        let said = "ZeroDivisionError: division by zero (solver.py, line 12)";
        assert_eq!(last_words(text), said);
        let text = "  File \"solver.py\", line 1\n    def f(\n         ^\nSyntaxError: '(' was never closed\n";
        assert_eq!(
            last_words(text),
            "SyntaxError: '(' was never closed (solver.py, line 1)"
        );
    }

    #[test]
    fn a_missing_module_is_named_without_the_file_that_wants_it() {
        let text = "Traceback (most recent call last):\n  File \"/a/peer.py\", line 4, in <module>\n    \
                    import numpy as np\nModuleNotFoundError: No module named 'numpy'\n";
        assert_eq!(
            last_words(text),
            "ModuleNotFoundError: No module named 'numpy'"
        );
    }

    #[test]
    fn other_texts_are_their_last_lines() {
        assert_eq!(last_words("a\n\n b \nc\r\nd\u{1b}"), "b | c | d");
        assert_eq!(last_words(" ^^~\n\n"), "");
        // a traceback that was cut off, or that its program goes on after
        assert_eq!(
            last_words("  File \"x.py\", line 3, in f\n    g("),
            "File \"x.py\", line 3, in f | g("
        );
        assert_eq!(last_words("a ^ b"), "a ^ b");
        let went_on = "  File \"x.py\", line 3, in f\n    g(\nKeyError: 1\na\nb\nc\n";
        assert_eq!(last_words(went_on), "a | b | c");
    }
}
