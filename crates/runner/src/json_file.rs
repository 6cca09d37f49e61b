//! JSON as a results folder has it.

use std::io;

use delassus_core::parameter::in_words;
use serde::Serialize;

/// JSON for a reader, with a line end.
pub(crate) fn pretty(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// What a parser says of a file.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    match error.is_eof() {
        true => "its end is missing".to_owned(),
        false => in_words(error),
    }
}
