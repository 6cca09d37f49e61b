//! NumPy archives: arrays that `numpy.load` reads by name.

use std::borrow::Cow;
use std::io::{Cursor, Seek, Write};

use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

/// An array with its name.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedArray {
    /// Name, the key of the archive.
    pub name: Cow<'static, str>,
    /// Extent of each axis, the last one running fastest \[-\].
    pub shape: Vec<usize>,
    /// Numbers.
    pub values: NpyValues,
}

/// The numbers of an array, row by row.
#[derive(Debug, Clone, PartialEq)]
pub enum NpyValues {
    /// Numbers of 64 bits.
    F64(Vec<f64>),
    /// Whole numbers of 64 bits.
    I64(Vec<i64>),
    /// Texts.
    Text(Vec<String>),
}

/// Why an archive cannot be made.
#[derive(Debug, Error)]
#[error("the archive cannot be made: {0}")]
pub struct NpzError(#[from] zip::result::ZipError);

/// The bytes of an archive: one uncompressed file per array. Equal arrays give equal bytes.
///
/// # Errors
/// An archive of more entries or bytes than the format can count.
pub fn archive(arrays: &[NamedArray]) -> Result<Vec<u8>, NpzError> {
    let mut archive = ArchiveWriter::new(Cursor::new(Vec::new()));
    for array in arrays {
        archive.put(array)?;
    }
    Ok(archive.finish()?.into_inner())
}

/// Writes an archive array by array, for those that are not in memory together.
#[derive(Debug)]
pub struct ArchiveWriter<W: Write + Seek>(ZipWriter<W>);

impl<W: Write + Seek> ArchiveWriter<W> {
    /// An archive without arrays.
    pub fn new(file: W) -> Self {
        Self(ZipWriter::new(file))
    }

    /// Adds an array.
    ///
    /// # Errors
    /// The file cannot be written; more entries or bytes than the format can count.
    pub fn put(&mut self, array: &NamedArray) -> Result<(), NpzError> {
        let bytes = npy(array);
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(bytes.len() as u64 > u64::from(u32::MAX / 2));
        self.0.start_file(format!("{}.npy", array.name), options)?;
        let written = self.0.write_all(&bytes);
        Ok(written.map_err(zip::result::ZipError::from)?)
    }

    /// Writes the list of the arrays; what was written to.
    ///
    /// # Errors
    /// As [`ArchiveWriter::put`].
    pub fn finish(self) -> Result<W, NpzError> {
        Ok(self.0.finish()?)
    }
}

/// One array in NumPy's own format, version 1.0: a header of a multiple of 64 bytes, then the
/// numbers, little-endian.
fn npy(array: &NamedArray) -> Vec<u8> {
    let (kind, data) = match &array.values {
        NpyValues::F64(values) => {
            let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            ("<f8".to_owned(), bytes)
        }
        NpyValues::I64(values) => {
            let bytes: Vec<u8> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
            ("<i8".to_owned(), bytes)
        }
        NpyValues::Text(values) => texts(values),
    };
    let extents: Vec<String> = array
        .shape
        .iter()
        .map(|extent| format!("{extent},"))
        .collect();
    let shape = extents.join(" ");
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({shape}), }}");
    // magic, version and length take ten bytes, the line end one
    let padded = (header.len() + 11).next_multiple_of(64) - 11;
    header.push_str(&" ".repeat(padded - header.len()));
    header.push('\n');
    let length = u16::try_from(header.len()).unwrap_or(u16::MAX);
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.extend(data);
    bytes
}

/// Texts as NumPy stores them: four bytes a character, as many characters each as the longest has.
fn texts(values: &[String]) -> (String, Vec<u8>) {
    let width = values.iter().map(|text| text.chars().count()).max();
    let width = width.unwrap_or(0).max(1);
    let mut bytes = Vec::with_capacity(4 * width * values.len());
    for text in values {
        let characters = text.chars().map(u32::from);
        let padded = characters.chain(std::iter::repeat(0)).take(width);
        bytes.extend(padded.flat_map(u32::to_le_bytes));
    }
    (format!("<U{width}"), bytes)
}
