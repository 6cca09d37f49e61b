//! Files that are written in pieces, several at a time.

use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::folder_of;
use crate::disk::{self, TemporaryFile};

/// A file that is being written: it has another name until it is whole, and goes with the value
/// unless it is finished.
#[derive(Debug)]
pub struct Part {
    file: TemporaryFile,
    path: PathBuf,
}

impl Part {
    /// Begins the file of `path`, making its folder if need be.
    ///
    /// # Errors
    /// The folder or the file cannot be made.
    pub fn begin(path: &Path) -> io::Result<Self> {
        Ok(Self {
            file: TemporaryFile::new(folder_of(path))?,
            path: path.to_owned(),
        })
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// It cannot have the name.
    pub fn finish(self) -> io::Result<()> {
        disk::persist(self.file, &self.path)
    }
}

impl Write for Part {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        disk::write(self.file.file_mut(), bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.file_mut().flush()
    }
}

impl Seek for Part {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.file_mut().seek(to)
    }
}
