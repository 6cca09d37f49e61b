//! What may be replaced by a file: nothing that is there and is no file.

use std::fs;
use std::io;
use std::path::Path;

pub use delassus_core::file_kind::irregular;

/// Checks that a file may take this name, which makes a link go and follows none.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] where a device, a pipe, a socket or a folder has the name.
pub(crate) fn check_replaceable(path: &Path) -> io::Result<()> {
    let there = fs::symlink_metadata(path).ok();
    match there.as_ref().and_then(irregular) {
        None => Ok(()),
        Some(kind) => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("{kind} has this name, and a file does not replace it; move it away"),
        )),
    }
}
