//! Operations on the files of a results folder. All of them go through here, so that tests can make each one fail.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

use crate::regular::check_replaceable;
use tempfile::{Builder, NamedTempFile};

pub mod fault;

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

/// Lets an operation be, unless a test wants it to fail.
fn meet(operation: Operation) -> io::Result<()> {
    fault::meet(operation)
}

/// The bytes of a file.
///
/// # Errors
/// It cannot be read.
pub fn read(path: &Path) -> io::Result<Vec<u8>> {
    meet(Operation::Read)?;
    fs::read(path)
}

/// Removes a file.
///
/// # Errors
/// It stays.
pub fn remove(path: &Path) -> io::Result<()> {
    meet(Operation::Remove)?;
    fs::remove_file(path)
}

/// Makes a folder with all that it lies in.
pub(crate) fn folder(path: &Path) -> io::Result<()> {
    meet(Operation::Folder)?;
    fs::create_dir_all(path)
}

/// Opens a file that is made if need be, for locks.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    meet(Operation::Create)?;
    let mut options = File::options();
    let options = options.read(true).write(true).create(true).truncate(false);
    options.open(path)
}

/// A temporary file in `folder`, named between `prefix` and `suffix`, which goes with the value.
pub(crate) fn temporary(
    folder: &Path,
    (prefix, suffix): (&str, &str),
) -> io::Result<NamedTempFile> {
    meet(Operation::Create)?;
    let mut builder = Builder::new();
    builder.prefix(prefix).suffix(suffix);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // as for any new file: the umask takes away what it takes away
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Writes all bytes, in as many pieces as the system takes.
pub(crate) fn write(file: &mut File, bytes: &[u8]) -> io::Result<()> {
    Pieces(file).write_all(bytes)
}

/// Forces a file to the disk, once: a system that reports an error may have thrown the bytes away, and would report success
/// when it is asked again.
pub(crate) fn sync(file: &File) -> io::Result<()> {
    meet(Operation::Sync)?;
    file.sync_all()
}

/// Gives a temporary file its name.
pub(crate) fn persist(file: NamedTempFile, path: &Path) -> io::Result<()> {
    meet(Operation::Rename)?;
    check_replaceable(path)?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

struct Pieces<'f>(&'f mut File);

impl Write for Pieces<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        meet(Operation::Write)?;
        self.0.write(fault::some_of(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
