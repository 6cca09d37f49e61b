//! Pages: the values of a column in one group of rows.

use std::collections::BTreeMap;
use std::io::Write;

use super::thrift::{Writer, varint};
use super::value::{ColumnKind, ColumnarError, Value};

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
    pub(crate) fn describe(&self, out: &mut Writer, column: &Filling) {
        let first = self.dictionary.unwrap_or(self.data);
        out.i64(2, first);
        out.structure(3, |out| {
            out.i32(1, column.kind.physical());
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

/// A column, with its values in the group of rows that is being filled.
#[derive(Debug)]
pub(crate) struct Filling {
    /// Name, unique in its table.
    pub(crate) name: String,
    pub(crate) kind: ColumnKind,
    /// Which rows have a value.
    there: Vec<bool>,
    /// Texts that occur, in their order.
    dictionary: Dictionary,
    /// Which of the texts each value is.
    indices: Vec<u32>,
    /// Numbers, encoded.
    numbers: Vec<u8>,
    flags: Vec<bool>,
}

/// The texts of a group, each once.
#[derive(Debug, Default)]
struct Dictionary {
    known: BTreeMap<String, u32>,
    /// The texts with their lengths, in the order of first appearance.
    page: Vec<u8>,
}

impl Dictionary {
    fn index(&mut self, text: &str) -> u32 {
        if let Some(index) = self.known.get(text) {
            return *index;
        }
        let next = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.insert(text.to_owned(), next);
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        self.page.extend_from_slice(&length.to_le_bytes());
        self.page.extend_from_slice(text.as_bytes());
        next
    }
}

impl Filling {
    /// A column without rows.
    pub(crate) fn new(name: &str, kind: ColumnKind) -> Self {
        Self {
            name: name.to_owned(),
            kind,
            there: Vec::new(),
            dictionary: Dictionary::default(),
            indices: Vec::new(),
            numbers: Vec::new(),
            flags: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn push(&mut self, value: Option<Value<'_>>) -> Result<(), ColumnarError> {
        self.there.push(value.is_some());
        match (self.kind, value) {
            (_, None) => {}
            (ColumnKind::Text, Some(Value::Text(text))) => {
                self.indices.push(self.dictionary.index(text));
            }
            (ColumnKind::Whole, Some(Value::Whole(whole))) => {
                self.numbers.extend_from_slice(&whole.to_le_bytes());
            }
            (ColumnKind::Real, Some(Value::Real(real))) => {
                self.numbers.extend_from_slice(&real.to_le_bytes());
            }
            (ColumnKind::Flag, Some(Value::Flag(flag))) => self.flags.push(flag),
            (_, Some(_)) => {
                let name = self.name.clone();
                return Err(ColumnarError::Type { name });
            }
        }
        Ok(())
    }

    /// Bytes that the values take here \[B\]; a text of the dictionary is held twice.
    pub(crate) fn bytes(&self) -> usize {
        let texts = 2 * self.dictionary.page.len() + size_of_val(self.indices.as_slice());
        self.there.len() + texts + self.numbers.len() + self.flags.len()
    }

    /// Writes the pages of the rows that are held, the first at `start`, and drops the rows.
    pub(crate) fn write(
        &mut self,
        file: &mut impl Write,
        start: u64,
    ) -> Result<Chunk, ColumnarError> {
        let rows = self.there.len();
        let mut data = start;
        let mut dictionary = None;
        let mut encoding = PLAIN;
        let values = match self.kind {
            ColumnKind::Text => {
                data += self.write_dictionary(file)?;
                dictionary = Some(start);
                encoding = DICTIONARY;
                self.runs()
            }
            ColumnKind::Whole | ColumnKind::Real => std::mem::take(&mut self.numbers),
            ColumnKind::Flag => packed(&self.flags),
        };
        let levels = levels(&self.there);
        let length = u32::try_from(levels.len()).unwrap_or(u32::MAX);
        let page: [&[u8]; 3] = [&length.to_le_bytes(), &levels, &values];
        let written = put(file, &self.name, &page, |out, bytes| {
            out.i32(1, 0);
            sizes(out, bytes);
            out.structure(5, |out| {
                out.i32(1, i32::try_from(rows).unwrap_or(i32::MAX));
                out.i32(2, encoding);
                out.i32(3, RLE);
                out.i32(4, RLE);
            });
        })?;
        *self = Self::new(&self.name, self.kind);
        Ok(Chunk {
            dictionary,
            data,
            bytes: data - start + written,
            rows,
        })
    }

    /// Writes the page of the texts that occur, and returns its bytes with its header.
    fn write_dictionary(&self, file: &mut impl Write) -> Result<u64, ColumnarError> {
        let count = i32::try_from(self.dictionary.known.len()).unwrap_or(i32::MAX);
        put(file, &self.name, &[&self.dictionary.page], |out, bytes| {
            out.i32(1, 2);
            sizes(out, bytes);
            out.structure(7, |out| {
                out.i32(1, count);
                out.i32(2, PLAIN);
            });
        })
    }

    /// Which of the texts each value is, in runs.
    fn runs(&self) -> Vec<u8> {
        let count = self.dictionary.known.len();
        let largest = u32::try_from(count.saturating_sub(1)).unwrap_or(u32::MAX);
        let width = (u32::BITS - largest.leading_zeros()).max(1);
        let [width, ..] = width.to_le_bytes();
        let mut bytes = vec![width];
        for run in self.indices.chunk_by(|a, b| a == b) {
            varint(&mut bytes, (run.len() as u64) << 1);
            let index = run[0].to_le_bytes();
            bytes.extend_from_slice(&index[..usize::from(width.div_ceil(8))]);
        }
        bytes
    }
}

/// Writes a header and a page in parts, and returns the bytes of both.
fn put(
    file: &mut impl Write,
    name: &str,
    page: &[&[u8]],
    header: impl FnOnce(&mut Writer, i32),
) -> Result<u64, ColumnarError> {
    let bytes = page.iter().map(|part| part.len()).sum::<usize>();
    let Ok(length) = i32::try_from(bytes) else {
        let name = name.to_owned();
        return Err(ColumnarError::Large { name });
    };
    let mut out = Writer::new();
    header(&mut out, length);
    out.end();
    let header = out.finish();
    file.write_all(&header)?;
    for part in page {
        file.write_all(part)?;
    }
    Ok((header.len() + bytes) as u64)
}

/// Bytes of a page before and after a compression that there is not.
fn sizes(out: &mut Writer, bytes: i32) {
    out.i32(2, bytes);
    out.i32(3, bytes);
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
