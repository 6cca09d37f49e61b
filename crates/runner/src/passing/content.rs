//! What a file of a bundle holds: bytes that were made for it, or a file that is read in pieces
//! when it is needed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use delassus_records::disk;

use crate::key;

/// Files by their names, which are paths with `/` inside the bundle.
pub type Files = BTreeMap<String, Content>;

/// The content of a file.
#[derive(Debug, Clone)]
pub enum Content {
    /// Bytes that were made for the bundle.
    Made(Vec<u8>),
    /// The file of this name in a results folder.
    Stored(PathBuf, String),
    /// A file that the spec of the user names.
    Named(PathBuf),
}

impl Content {
    /// The file `name` of the results folder `dir`.
    ///
    /// # Errors
    /// It cannot be opened, is no regular file, or larger than what may be read.
    pub(super) fn stored(dir: &Path, name: &str) -> io::Result<Self> {
        disk::check_in(dir, name)?;
        Ok(Self::Stored(dir.to_owned(), name.to_owned()))
    }

    /// The content from its beginning, and its length \[B\].
    ///
    /// # Errors
    /// The file cannot be opened any more.
    pub fn open(&self) -> io::Result<(Box<dyn Read + '_>, u64)> {
        let whole = |file: File| -> io::Result<(Box<dyn Read>, u64)> {
            let length = file.metadata()?.len();
            Ok((Box::new(file), length))
        };
        match self {
            Self::Made(bytes) => Ok((Box::new(&bytes[..]), bytes.len() as u64)),
            Self::Stored(dir, name) => whole(disk::open_in(dir, name)?),
            Self::Named(path) => whole(disk::open_named(path)?),
        }
    }

    /// Its SHA-256, hexadecimal.
    ///
    /// # Errors
    /// The file cannot be read any more.
    pub(super) fn sha256(&self) -> io::Result<String> {
        key::of_reader(self.open()?.0)
    }
}
