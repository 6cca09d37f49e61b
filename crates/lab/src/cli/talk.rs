//! What the program says beside its data.

use std::io::{self, Write};

/// Says something on standard error, line by line, without characters that move a terminal's
/// cursor. Nobody listening is no reason to stop.
pub(crate) fn talk(message: &str) {
    let lines: Vec<String> = message.split('\n').map(printable).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}

/// Text from outside (file names, messages) without characters that move a terminal's cursor or
/// turn its text.
pub(crate) fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let turns = matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if c.is_control() || turns {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}
