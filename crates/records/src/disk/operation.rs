//! The operations that a test can make fail.

/// What an operation does; tests count them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// Makes a folder.
    Folder,
    /// Makes a file.
    Create,
    /// Writes some bytes.
    Write,
    /// Forces a file to the disk.
    Sync,
    /// Gives a file its name.
    Rename,
    /// Reads a file.
    Read,
    /// Removes a file.
    Remove,
}
