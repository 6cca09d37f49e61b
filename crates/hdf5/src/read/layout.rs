//! Where the elements of a dataset lie.

use std::borrow::Cow;

use super::message;
use crate::array::{Array, ArrayData};
use crate::bytes::{ByteBudget, Cursor, UNDEFINED};
use crate::error::ReadError;

/// The elements of `array` as the message `body` places them; those that were never written are
/// zeros.
pub(super) fn content<'a>(
    source: &ByteBudget<'a>,
    array: &Array<'_>,
    mut body: Cursor<'a>,
) -> Result<ArrayData<'a>, ReadError> {
    let version = body.u8()?;
    if !matches!(version, 3 | 4) {
        return Ok(ArrayData::Unsupported("a dataset's layout of this version"));
    }
    match (body.u8()?, version) {
        (0, _) => {
            let size = body.u16()?;
            let data = body.split(size.into())?;
            message::content(source, array, data)
        }
        (1, _) => contiguous(source, array, body),
        (2, 3) => chunked(source, array, body),
        (2, _) => Ok(ArrayData::Unsupported(
            "a chunked dataset with an index of new style",
        )),
        _ => Ok(ArrayData::Unsupported("a dataset that lies in other ones")),
    }
}

fn contiguous<'a>(
    source: &ByteBudget<'a>,
    array: &Array<'_>,
    mut body: Cursor<'a>,
) -> Result<ArrayData<'a>, ReadError> {
    let (address, length) = (body.u64()?, body.u64()?);
    if address == UNDEFINED {
        return Ok(unwritten(source, array));
    }
    let data = source.part(address, length, "a dataset")?;
    message::content(source, array, data)
}

/// The content of a dataset that has no place in the file because nobody wrote it: zeros.
///
/// Programs leave such datasets behind. Their zeros are paid for like chunks, so a small file
/// cannot ask for many.
fn unwritten<'a>(source: &ByteBudget<'a>, array: &Array<'_>) -> ArrayData<'a> {
    let bytes = array
        .kind
        .size()
        .and_then(|size| size.checked_mul(array.count()));
    match bytes.map(|bytes| source.charge_assembly(array.offset, bytes)) {
        Some(Ok(bytes)) => ArrayData::Bytes(Cow::Owned(vec![0; bytes])),
        Some(Err(_)) => {
            ArrayData::Unsupported("a dataset that was never written and is larger than its file")
        }
        None => ArrayData::Unsupported("a dataset of this type that was never written"),
    }
}

/// True if elements that were never written are zeros; the message that says so has no version in
/// the oldest files.
pub(super) fn fills_with_zeros(mut body: Cursor<'_>, has_version: bool) -> Result<bool, ReadError> {
    if has_version {
        let (version, flags) = (body.u8()?, body.u8()?);
        let has_value = if version < 3 {
            let defined = body.take(2)?[1];
            version == 1 || defined > 0
        } else {
            flags & 0x20 > 0
        };
        if !has_value {
            return Ok(true);
        }
    }
    let size = usize::try_from(body.u32()?).unwrap_or(usize::MAX);
    Ok(body
        .take(size.min(body.left()))?
        .iter()
        .all(|byte| *byte == 0))
}

/// A dataset in pieces of equal shape, which a tree finds.
fn chunked<'a>(
    source: &ByteBudget<'a>,
    array: &Array<'_>,
    mut body: Cursor<'a>,
) -> Result<ArrayData<'a>, ReadError> {
    let extents = body.u8()?;
    let address = body.u64()?;
    let Some(size) = array.kind.size().filter(|size| *size > 0) else {
        return Ok(ArrayData::Unsupported("a chunked dataset of this type"));
    };
    let rank = array.shape.len();
    if usize::from(extents) != rank + 1 || rank == 0 {
        return Err(body.malformed("has chunks of another number of extents than its shape"));
    }
    let chunk = (0..rank).map(|_| body.u32().map(u64::from));
    let chunk = chunk.collect::<Result<Vec<_>, _>>()?;
    if u64::from(body.u32()?) != size || chunk.contains(&0) {
        return Err(body.malformed("has chunks that do not fit its type"));
    }
    if address == UNDEFINED {
        return Ok(unwritten(source, array));
    }
    let bytes = size.saturating_mul(array.count());
    let bytes = source.charge_assembly(body.base(), bytes)?;
    let mut chunks = Chunks {
        source,
        shape: &array.shape,
        chunk: &chunk,
        size,
        bytes: vec![0; bytes],
        corner: vec![0; rank],
    };
    chunks.node(address, None)?;
    Ok(ArrayData::Bytes(Cow::Owned(chunks.bytes)))
}

struct Chunks<'s, 'a> {
    source: &'s ByteBudget<'a>,
    shape: &'s [u64],
    chunk: &'s [u64],
    size: u64,
    bytes: Vec<u8>,
    corner: Vec<u64>,
}

impl Chunks<'_, '_> {
    /// A node of the tree; its level is known for all but the root.
    fn node(&mut self, address: u64, level: Option<u8>) -> Result<(), ReadError> {
        let what = "a tree of chunks";
        let mut head = self.source.part(address, 24, what)?;
        head.expect(b"TREE")?;
        let (kind, found, count) = (head.u8()?, head.u8()?, head.u16()?);
        if kind != 1 || level.is_some_and(|level| level != found) {
            return Err(head.malformed("is not of the kind or level that refers to it"));
        }
        let rank = self.chunk.len() as u64;
        let entry = 8 + 8 * (rank + 1) + 8;
        let mut body = self
            .source
            .part(address + 24, entry * u64::from(count), what)?;
        for _ in 0..count {
            let (length, _mask) = (body.u32()?, body.u32()?);
            for axis in 0..self.chunk.len() {
                self.corner[axis] = body.u64()?;
            }
            body.u64()?;
            let child = body.u64()?;
            match found.checked_sub(1) {
                Some(below) => self.node(child, Some(below))?,
                None => self.leaf(child, length)?,
            }
        }
        Ok(())
    }

    /// Copies the rows of a chunk to their places, as far as they lie in the array.
    fn leaf(&mut self, address: u64, length: u32) -> Result<(), ReadError> {
        let what = "a chunk";
        let mut data = self.source.part(address, length.into(), what)?;
        let volume = self
            .chunk
            .iter()
            .try_fold(self.size, |a, b| a.checked_mul(*b));
        if volume != Some(length.into()) {
            return Err(data.malformed("has another size than its dataset says"));
        }
        let last = self.chunk.len() - 1;
        let outside = |axis: usize, at: u64| at >= self.shape[axis];
        if (0..=last).any(|axis| outside(axis, self.corner[axis])) {
            return Err(data.malformed("lies outside of its dataset"));
        }
        let row = self.chunk[last] * self.size;
        let inside = (self.shape[last] - self.corner[last]).min(self.chunk[last]) * self.size;
        let mut place = vec![0; last];
        for _ in 0..u64::from(length) / row {
            let bytes = data.take(index(row))?;
            if let Some(start) = self.start(&place) {
                let (start, inside) = (index(start), index(inside));
                self.bytes[start..start + inside].copy_from_slice(&bytes[..inside]);
            }
            self.advance(&mut place);
        }
        Ok(())
    }

    /// Where the row `place` of a chunk goes \[bytes\]; `None` if it lies outside.
    fn start(&self, place: &[u64]) -> Option<u64> {
        let mut index = 0;
        for (axis, extent) in self.shape.iter().enumerate() {
            let within = place.get(axis).copied().unwrap_or(0);
            let at = self.corner[axis].checked_add(within)?;
            if at >= *extent {
                return None;
            }
            index = index * extent + at;
        }
        Some(index * self.size)
    }

    /// The next row of a chunk, all axes but the last.
    fn advance(&self, place: &mut [u64]) {
        for axis in (0..place.len()).rev() {
            place[axis] += 1;
            if place[axis] < self.chunk[axis] {
                return;
            }
            place[axis] = 0;
        }
    }
}

/// A number of bytes that are in memory, or that no memory holds.
fn index(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}
