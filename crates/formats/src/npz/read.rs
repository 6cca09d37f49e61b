//! Reading NumPy archives: the arrays that a caller names, within a limit.

use std::borrow::Cow;
use std::io::{Cursor, Read};

use delassus_core::{MemoryError, MemoryLimit};
use thiserror::Error;
use zip::ZipArchive;

use super::array::{NamedArray, NpyValues};
use super::element::{elements, in_rows};
use super::header::Header;

/// Entries of an archive at most \[-\].
const MOST_ENTRIES: usize = 1024;
/// Bytes that a compressed byte stands for at most \[-\]: what deflate can do.
const MOST_RATIO: u64 = 1032;

/// Why an archive gives no arrays.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum NpzReadError {
    /// The container cannot be read.
    #[error("the NumPy archive cannot be read: {reason}")]
    Archive {
        /// What is wrong.
        reason: String,
    },
    /// An array cannot be read.
    #[error("the NumPy archive: array {array:?} {reason}")]
    Array {
        /// Its name.
        array: String,
        /// What is wrong with it, and what to do.
        reason: String,
    },
    /// The arrays would take more memory than they may.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl NpzReadError {
    /// An array that is not as it must be.
    pub fn array(array: &str, reason: impl Into<String>) -> Self {
        Self::Array {
            array: array.to_owned(),
            reason: reason.into(),
        }
    }

    fn archive(reason: impl ToString) -> Self {
        Self::Archive {
            reason: reason.to_string(),
        }
    }
}

/// True for the bytes of a ZIP archive, which is what NumPy archives are.
pub fn recognised(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// The arrays of an archive, stored or compressed, in the order of the archive. Numbers become
/// [`NpyValues::F64`] or [`NpyValues::I64`], and run with the last axis fastest.
///
/// # Errors
/// A damaged archive, one with overlapping entries or more of them than 1 024, an array that
/// `known` does not name, elements other than real and whole numbers and texts; arrays that take
/// more than `limit`, which does not count `bytes`.
pub fn read_archive(
    bytes: &[u8],
    known: &[&str],
    limit: MemoryLimit,
) -> Result<Vec<NamedArray>, NpzReadError> {
    // the directory takes more memory than it has bytes
    let entries = bytes.windows(4).filter(|four| *four == b"PK\x01\x02");
    if entries.count() > MOST_ENTRIES {
        return Err(NpzReadError::archive(format!(
            "it has more than {MOST_ENTRIES} entries"
        )));
    }
    let mut zip = ZipArchive::new(Cursor::new(bytes)).map_err(NpzReadError::archive)?;
    if zip.has_duplicate_names() {
        return Err(NpzReadError::archive("two entries have one name"));
    }
    if zip
        .has_overlapping_entries()
        .map_err(NpzReadError::archive)?
    {
        return Err(NpzReadError::archive("its entries overlap"));
    }
    let mut left = limit;
    let mut arrays = Vec::new();
    for index in 0..zip.len() {
        arrays.push(read_entry(&mut zip, index, known, &mut left)?);
    }
    Ok(arrays)
}

/// Reads an entry, and takes what its array needs from what is `left` of the limit.
fn read_entry(
    zip: &mut ZipArchive<Cursor<&[u8]>>,
    index: usize,
    known: &[&str],
    left: &mut MemoryLimit,
) -> Result<NamedArray, NpzReadError> {
    let file = zip.by_index(index).map_err(NpzReadError::archive)?;
    let entry = file.name().map_err(NpzReadError::archive)?.into_owned();
    let Some(name) = entry.strip_suffix(".npy") else {
        return Err(NpzReadError::archive(format!(
            "entry {entry:?} is no array, whose name would end in .npy"
        )));
    };
    if !known.contains(&name) {
        let reason = format!("is not known; known are {}", known.join(", "));
        return Err(NpzReadError::array(name, reason));
    }
    let (size, compressed) = (file.size(), file.compressed_size());
    if size > compressed.saturating_mul(MOST_RATIO) {
        let reason = format!("declares {size} bytes, which its {compressed} cannot hold");
        return Err(NpzReadError::array(name, reason));
    }
    left.admit("an array of the archive", size)?;
    let mut content = Vec::with_capacity(usize::try_from(size).unwrap_or(0));
    let read = file.take(size.saturating_add(1)).read_to_end(&mut content);
    read.map_err(|error| NpzReadError::array(name, format!("cannot be read: {error}")))?;
    if content.len() as u64 != size {
        let reason = format!("declares {size} bytes and has {}", content.len());
        return Err(NpzReadError::array(name, reason));
    }
    let (header, data) =
        Header::read(&content).map_err(|reason| NpzReadError::array(name, reason))?;
    let kept = header.memory();
    left.less(size).admit("an array of the archive", kept)?;
    *left = left.less(kept);
    let values = elements(&header.descr, data).map_err(|reason| NpzReadError::array(name, reason));
    let values = match (values?, header.fortran_order && header.shape.len() > 1) {
        (NpyValues::F64(values), true) => NpyValues::F64(in_rows(&values, &header.shape)),
        (NpyValues::I64(values), true) => NpyValues::I64(in_rows(&values, &header.shape)),
        (NpyValues::Text(values), true) => NpyValues::Text(in_rows(&values, &header.shape)),
        (values, false) => values,
    };
    Ok(NamedArray {
        name: Cow::Owned(name.to_owned()),
        shape: header.shape,
        values,
    })
}
