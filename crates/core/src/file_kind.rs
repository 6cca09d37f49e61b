//! Recognises paths that are not regular files (pipes, devices, sockets, folders) by their
//! metadata.

use std::fs::Metadata;
use std::io;

/// Returns what a path names if it is not a regular file, for example "a device". Returns `None`
/// for a regular file or a link.
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

/// Fails for a pipe, a device or a socket. Call it before opening the path: opening a pipe without
/// a writer blocks, and reading a device may never end. A folder is accepted, because the system
/// itself refuses to read it.
///
/// # Errors
/// [`io::ErrorKind::InvalidInput`], which says what the path names, and what to do.
pub fn check_readable(there: &Metadata) -> io::Result<()> {
    match irregular(there) {
        Some(kind) if !there.is_dir() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("it is {kind}, not a file; write its content to a file and name that"),
        )),
        _ => Ok(()),
    }
}
