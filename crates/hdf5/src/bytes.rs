//! The file's bytes: every access checked, and every byte paid for once.

use std::cell::Cell;

use crate::error::ReadError;

/// The bytes of a file and what may still be read of them.
///
/// A writer uses each byte of a file once. What is read may therefore not exceed the file's length:
/// that bounds work and memory, and ends cycles, without a list of what was visited.
#[derive(Debug)]
pub(crate) struct ByteBudget<'a> {
    bytes: &'a [u8],
    read_budget: Cell<usize>,
    assembly_budget: Cell<usize>,
}

impl<'a> ByteBudget<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            // collections of texts are walked once per text
            read_budget: Cell::new(bytes.len() + 4096),
            assembly_budget: Cell::new(bytes.len()),
        }
    }

    /// The bytes of a part of the file.
    pub(crate) fn part(
        &self,
        offset: u64,
        length: u64,
        what: &'static str,
    ) -> Result<Cursor<'a>, ReadError> {
        let data = self.peek(offset, length, what)?;
        let left = self.read_budget.get().checked_sub(data.data.len());
        self.read_budget
            .set(left.ok_or(ReadError::Overlap { offset, what })?);
        Ok(data)
    }

    /// The same without paying: for bytes of which [`part`](Self::part) takes some.
    pub(crate) fn peek(
        &self,
        offset: u64,
        length: u64,
        what: &'static str,
    ) -> Result<Cursor<'a>, ReadError> {
        let left = (self.bytes.len() as u64).saturating_sub(offset);
        let truncated = ReadError::Truncated {
            offset,
            what,
            needed: length,
            left,
        };
        let found = usize::try_from(offset)
            .ok()
            .zip(usize::try_from(length).ok());
        let range = found.and_then(|(from, length)| Some(from..from.checked_add(length)?));
        let data = range.clone().and_then(|range| self.bytes.get(range));
        match (data, range) {
            (Some(data), Some(range)) => Ok(Cursor {
                data,
                at: 0,
                base: range.start,
                what,
            }),
            _ => Err(truncated),
        }
    }

    /// Pays for memory that an array is put together in.
    pub(crate) fn charge_assembly(&self, offset: usize, bytes: u64) -> Result<usize, ReadError> {
        let overlap = ReadError::Overlap {
            offset: offset as u64,
            what: "a chunked array",
        };
        let bytes = usize::try_from(bytes).map_err(|_| overlap.clone())?;
        let left = self.assembly_budget.get().checked_sub(bytes);
        self.assembly_budget.set(left.ok_or(overlap)?);
        Ok(bytes)
    }
}

/// A part of the file that is read from its beginning.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cursor<'a> {
    data: &'a [u8],
    at: usize,
    base: usize,
    what: &'static str,
}

impl<'a> Cursor<'a> {
    /// Where the next byte lies in the file.
    pub(crate) fn offset(&self) -> usize {
        self.base + self.at
    }

    /// Where the part begins.
    pub(crate) fn base(&self) -> usize {
        self.base
    }

    /// What is left of the part.
    pub(crate) fn left(&self) -> usize {
        self.data.len() - self.at
    }

    /// The next `length` bytes.
    pub(crate) fn take(&mut self, length: usize) -> Result<&'a [u8], ReadError> {
        let end = self.at.checked_add(length);
        let bytes = end.and_then(|end| self.data.get(self.at..end));
        let bytes = bytes.ok_or(ReadError::Truncated {
            offset: self.offset() as u64,
            what: self.what,
            needed: length as u64,
            left: self.left() as u64,
        })?;
        self.at += length;
        Ok(bytes)
    }

    /// The next `length` bytes as a part of their own.
    pub(crate) fn split(&mut self, length: usize) -> Result<Self, ReadError> {
        let base = self.offset();
        let data = self.take(length)?;
        Ok(Self {
            data,
            at: 0,
            base,
            what: self.what,
        })
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ReadError> {
        let mut array = [0; N];
        array.copy_from_slice(self.take(N)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self) -> Result<u8, ReadError> {
        Ok(u8::from_le_bytes(self.array()?))
    }

    pub(crate) fn u16(&mut self) -> Result<u16, ReadError> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub(crate) fn u32(&mut self) -> Result<u32, ReadError> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub(crate) fn u64(&mut self) -> Result<u64, ReadError> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    /// An unsigned number of 1, 2, 4 or 8 bytes.
    pub(crate) fn number(&mut self, bytes: usize) -> Result<u64, ReadError> {
        Ok(match bytes {
            1 => self.u8()?.into(),
            2 => self.u16()?.into(),
            4 => self.u32()?.into(),
            _ => self.u64()?,
        })
    }

    /// The bytes before the next zero byte, which is passed.
    pub(crate) fn name(&mut self) -> Result<&'a str, ReadError> {
        let start = self.offset();
        let rest = &self.data[self.at..];
        let malformed = |reason| ReadError::malformed(start, "a name", reason);
        let length = rest.iter().position(|byte| *byte == 0);
        let length = length.ok_or(malformed("has no end"))?;
        let name =
            std::str::from_utf8(self.take(length)?).map_err(|_| malformed("is not UTF-8"))?;
        self.take(1)?;
        Ok(name)
    }

    /// Four letters that name a structure.
    pub(crate) fn expect(&mut self, letters: &[u8; 4]) -> Result<(), ReadError> {
        let offset = self.offset();
        if self.take(4)? == letters {
            return Ok(());
        }
        Err(ReadError::malformed(
            offset,
            self.what,
            "does not start with its four letters",
        ))
    }

    /// An error about what was just read.
    pub(crate) fn malformed(&self, reason: &'static str) -> ReadError {
        ReadError::malformed(self.offset(), self.what, reason)
    }
}

/// The address that stands for nothing.
pub(crate) const UNDEFINED: u64 = u64::MAX;
