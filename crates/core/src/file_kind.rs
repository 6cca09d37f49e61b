//! What stands under the name of a file, from what the system says of it.

use std::fs::Metadata;
use std::io;

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

/// Fails for a pipe, a device or a socket, before it is opened: a pipe without a writer is waited
/// for, and a device may have no end. The system refuses to read a folder.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`] with what stands there, and what to do.
pub fn check_readable(there: &Metadata) -> io::Result<()> {
    match irregular(there) {
        Some(kind) if !there.is_dir() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {kind}, not a file; write its content to a file and name that"),
        )),
        _ => Ok(()),
    }
}
