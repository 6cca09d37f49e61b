//! Writing NumPy archives.

use std::io::{self, Cursor, Seek, Write};

use thiserror::Error;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::array::{NamedArray, NpyValues};
use crate::after_fault::AfterFault;

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

/// What the elements of an array are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// Numbers of 64 bits.
    F64,
    /// Whole numbers of 64 bits.
    I64,
    /// Texts of at most so many characters, at least one \[-\].
    Text(usize),
}

impl Element {
    /// Bytes of an element \[B\].
    fn bytes(self) -> usize {
        match self {
            Self::F64 | Self::I64 => 8,
            Self::Text(characters) => 4 * characters,
        }
    }

    /// As NumPy writes it.
    fn descr(self) -> String {
        match self {
            Self::F64 => "<f8".to_owned(),
            Self::I64 => "<i8".to_owned(),
            Self::Text(characters) => format!("<U{characters}"),
        }
    }
}

/// Writes an archive array by array, for those that are not in memory together.
#[derive(Debug)]
pub struct ArchiveWriter<W: Write + Seek>(ZipWriter<AfterFault<W>>);

impl<W: Write + Seek> ArchiveWriter<W> {
    /// An archive without arrays.
    pub fn new(file: W) -> Self {
        Self(ZipWriter::new(AfterFault::new(file)))
    }

    /// Adds an array.
    ///
    /// # Errors
    /// The file cannot be written; more entries or bytes than the format can count.
    pub fn put(&mut self, array: &NamedArray) -> Result<(), NpzError> {
        let (name, shape) = (&array.name, &array.shape);
        match &array.values {
            NpyValues::F64(values) => self.put_with(name, Element::F64, shape, |file| {
                pieces(file, values, f64::to_le_bytes)
            }),
            NpyValues::I64(values) => self.put_with(name, Element::I64, shape, |file| {
                pieces(file, values, i64::to_le_bytes)
            }),
            NpyValues::Text(values) => {
                let characters = values.iter().map(|text| text.chars().count()).max();
                let characters = characters.unwrap_or(0).max(1);
                self.put_with(name, Element::Text(characters), shape, |file| {
                    let mut texts = values.iter();
                    texts.try_for_each(|text| write_text(file, text, characters))
                })
            }
        }
    }

    /// Adds an array whose elements `fill` writes, little-endian, as many as `shape` has; texts
    /// with [`write_text`].
    ///
    /// # Errors
    /// As [`ArchiveWriter::put`], and what `fill` fails with.
    pub fn put_with(
        &mut self,
        name: &str,
        element: Element,
        shape: &[usize],
        fill: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), NpzError> {
        let header = header(element, shape);
        let elements = shape.iter().product::<usize>();
        let bytes = header.len() + element.bytes() * elements;
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(bytes as u64 > u64::from(u32::MAX / 2));
        self.0.start_file(format!("{name}.npy"), options)?;
        let written = self.0.write_all(&header).and_then(|()| fill(&mut self.0));
        Ok(written.map_err(zip::result::ZipError::from)?)
    }

    /// Writes the list of the arrays; what was written to.
    ///
    /// # Errors
    /// As [`ArchiveWriter::put`].
    pub fn finish(self) -> Result<W, NpzError> {
        Ok(self.0.finish()?.into_inner())
    }
}

/// The header of an array in NumPy's own format, version 1.0: a multiple of 64 bytes. The elements
/// follow, little-endian.
fn header(element: Element, shape: &[usize]) -> Vec<u8> {
    let kind = element.descr();
    let extents: Vec<String> = shape.iter().map(|extent| format!("{extent},")).collect();
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
    bytes
}

/// Numbers of a piece that is written at once \[-\].
const PIECE: usize = 1 << 13;

fn pieces<T: Copy>(
    file: &mut dyn Write,
    values: &[T],
    bytes: impl Fn(T) -> [u8; 8],
) -> io::Result<()> {
    values.chunks(PIECE).try_for_each(|piece| {
        let bytes: Vec<u8> = piece.iter().flat_map(|x| bytes(*x)).collect();
        file.write_all(&bytes)
    })
}

/// Writes a text as NumPy stores it: four bytes a character, as many `characters` as the longest
/// text of the array has.
///
/// # Errors
/// The file cannot be written.
pub fn write_text(file: &mut dyn Write, text: &str, characters: usize) -> io::Result<()> {
    let padded = text.chars().map(u32::from).chain(std::iter::repeat(0));
    let padded = padded.take(characters);
    let bytes: Vec<u8> = padded.flat_map(u32::to_le_bytes).collect();
    file.write_all(&bytes)
}
