//! What the program says in addition to its data.

use std::io::{self, Write};

pub(crate) use delassus_runner::printable::printable;

/// Says something on standard error, line by line, without characters that move a terminal's
/// cursor. Nobody listening is no reason to stop.
pub(crate) fn print_diagnostic(message: &str) {
    let lines: Vec<String> = message.split('\n').map(printable).collect();
    let _ = writeln!(io::stderr(), "{}", lines.join("\n"));
}
