//! Pages: the values of a column in one group of rows.

use std::collections::BTreeMap;
use std::ops::Range;

use super::thrift::{Writer, varint};
use super::{Column, ColumnValues, ColumnarError};

/// Encodings.
const PLAIN: i32 = 0;
const RLE: i32 = 3;
const DICTIONARY: i32 = 8;

/// Where the pages of a column in a group are.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// Offset of the dictionary, where there is one.
    dictionary: Option<u64>,
    /// Offset of the values.
    data: u64,
    /// Bytes of all pages.
    pub(crate) bytes: u64,
    /// Rows, with and without a value.
    rows: usize,
}

impl Chunk {
    /// The entry of the footer, without its end.
    pub(crate) fn describe(&self, out: &mut Writer, column: &Column) {
        let first = self.dictionary.unwrap_or(self.data);
        out.i64(2, first);
        out.structure(3, |out| {
            out.i32(1, column.values.physical());
            match self.dictionary {
                Some(_) => out.numbers(2, &[PLAIN, RLE, DICTIONARY]),
                None => out.numbers(2, &[PLAIN, RLE]),
            }
            out.texts(3, &column.name);
            out.i32(4, 0);
            out.i64(5, self.rows as u64);
            out.i64(6, self.bytes);
            out.i64(7, self.bytes);
            out.i64(9, self.data);
            if let Some(dictionary) = self.dictionary {
                out.i64(11, dictionary);
            }
        });
    }
}

/// Writes the pages of some rows of a column at the end of a file.
pub(crate) fn write(
    file: &mut Vec<u8>,
    column: &Column,
    rows: Range<usize>,
) -> Result<Chunk, ColumnarError> {
    let start = file.len();
    let (dictionary, encoding, there, values) = match &column.values {
        ColumnValues::Text(texts) => {
            let texts = &texts[rows.clone()];
            let (page, count, indices) = by_dictionary(texts);
            put(file, &column.name, &page, |out| {
                out.i32(1, 2);
                sizes(out, page.len());
                out.structure(7, |out| {
                    out.i32(1, count);
                    out.i32(2, PLAIN);
                });
            })?;
            (Some(start as u64), DICTIONARY, present(texts), indices)
        }
        ColumnValues::Whole(values) => {
            let values = &values[rows.clone()];
            let bytes = values.iter().flatten().flat_map(|v| v.to_le_bytes());
            (None, PLAIN, present(values), bytes.collect())
        }
        ColumnValues::Real(values) => {
            let values = &values[rows.clone()];
            let bytes = values.iter().flatten().flat_map(|v| v.to_le_bytes());
            (None, PLAIN, present(values), bytes.collect())
        }
        ColumnValues::Flag(values) => {
            let values = &values[rows.clone()];
            let flags: Vec<bool> = values.iter().flatten().copied().collect();
            (None, PLAIN, present(values), packed(&flags))
        }
    };
    let levels = levels(&there);
    let mut page = u32::try_from(levels.len())
        .unwrap_or(u32::MAX)
        .to_le_bytes()
        .to_vec();
    page.extend_from_slice(&levels);
    page.extend_from_slice(&values);
    let data = file.len() as u64;
    put(file, &column.name, &page, |out| {
        out.i32(1, 0);
        sizes(out, page.len());
        out.structure(5, |out| {
            out.i32(1, i32::try_from(rows.len()).unwrap_or(i32::MAX));
            out.i32(2, encoding);
            out.i32(3, RLE);
            out.i32(4, RLE);
        });
    })?;
    Ok(Chunk {
        dictionary,
        data,
        bytes: (file.len() - start) as u64,
        rows: rows.len(),
    })
}

fn present<V>(values: &[Option<V>]) -> Vec<bool> {
    values.iter().map(Option::is_some).collect()
}

/// A header and a page.
fn put(
    file: &mut Vec<u8>,
    name: &str,
    page: &[u8],
    header: impl FnOnce(&mut Writer),
) -> Result<(), ColumnarError> {
    if i32::try_from(page.len()).is_err() {
        let name = name.to_owned();
        return Err(ColumnarError::Large { name });
    }
    let mut out = Writer::new();
    header(&mut out);
    out.end();
    file.extend_from_slice(&out.finish());
    file.extend_from_slice(page);
    Ok(())
}

/// Bytes of a page before and after a compression that there is not.
fn sizes(out: &mut Writer, bytes: usize) {
    let bytes = i32::try_from(bytes).unwrap_or(i32::MAX);
    out.i32(2, bytes);
    out.i32(3, bytes);
}

/// The texts that occur, in their order; how many there are; and which of them each row has.
fn by_dictionary(texts: &[Option<String>]) -> (Vec<u8>, i32, Vec<u8>) {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    let mut page = Vec::new();
    let mut indices: Vec<u32> = Vec::new();
    for text in texts.iter().flatten() {
        let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
        let index = *known.entry(text).or_insert(next);
        if index == next {
            let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
            page.extend_from_slice(&length.to_le_bytes());
            page.extend_from_slice(text.as_bytes());
        }
        indices.push(index);
    }
    let count = i32::try_from(known.len()).unwrap_or(i32::MAX);
    let largest = u32::try_from(known.len().saturating_sub(1)).unwrap_or(u32::MAX);
    let width = (u32::BITS - largest.leading_zeros()).max(1);
    let [width, ..] = width.to_le_bytes();
    let mut bytes = vec![width];
    for run in indices.chunk_by(|a, b| a == b) {
        varint(&mut bytes, (run.len() as u64) << 1);
        let index = run[0].to_le_bytes();
        bytes.extend_from_slice(&index[..usize::from(width.div_ceil(8))]);
    }
    (page, count, bytes)
}

/// Which rows have a value: one run where all or none have, bits otherwise.
fn levels(there: &[bool]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let Some(first) = there.first() else {
        return bytes;
    };
    if there.iter().all(|one| one == first) {
        varint(&mut bytes, (there.len() as u64) << 1);
        bytes.push(u8::from(*first));
    } else {
        varint(&mut bytes, (there.len().div_ceil(8) as u64) << 1 | 1);
        bytes.extend(packed(there));
    }
    bytes
}

/// Eight flags per byte, the first in its lowest bit.
fn packed(flags: &[bool]) -> Vec<u8> {
    let byte = |eight: &[bool]| {
        let bits = (0..).zip(eight);
        bits.fold(0, |byte, (i, flag)| byte | u8::from(*flag) << i)
    };
    flags.chunks(8).map(byte).collect()
}
