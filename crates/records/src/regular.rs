//! What may be replaced by a file: nothing that is there and is no file.

use std::fs::{self, Metadata};
use std::io;
use std::path::Path;

/// What stands at a place that holds no regular file, as "a device"; `None` for a regular file, and
/// for a link.
pub fn irregular(there: &Metadata) -> Option<&'static str> {
    let kind = there.file_type();
    if kind.is_file() || kind.is_symlink() {
        return None;
    }
    if kind.is_dir() {
        return Some("a folder");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;
        if kind.is_char_device() || kind.is_block_device() {
            return Some("a device");
        }
        if kind.is_fifo() {
            return Some("a pipe");
        }
        if kind.is_socket() {
            return Some("a socket");
        }
    }
    Some("no regular file")
}

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
            format!("{kind} has this name, and no file takes its place"),
        )),
    }
}
