//! What the program says beside its data.

use std::io::{self, Write};

/// Says something on standard error. Nobody listening is no reason to stop.
pub(crate) fn talk(message: &str) {
    let _ = writeln!(io::stderr(), "{message}");
}
