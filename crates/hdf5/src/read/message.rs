//! Messages of object headers: shapes, types, attributes.

use std::borrow::Cow;

use crate::array::{Array, ArrayData, ByteOrder, Charset, Padding, Type};
use crate::bytes::{ByteBudget, Cursor};
use crate::error::ReadError;
use crate::tree::Attribute;

/// The shape of an array; `None` if it has no elements at all.
pub(super) fn shape(mut body: Cursor<'_>) -> Result<Option<Vec<u64>>, ReadError> {
    let version = body.u8()?;
    let rank = body.u8()?;
    body.take(1)?;
    let null = match version {
        1 => {
            body.take(5)?;
            false
        }
        2 => body.u8()? == 2,
        _ => return Err(body.malformed("has a shape of unknown version")),
    };
    if null {
        return Ok(None);
    }
    if rank > 32 {
        return Err(body.malformed("has a shape of more than 32 extents"));
    }
    let extents = (0..rank).map(|_| body.u64());
    Ok(Some(extents.collect::<Result<_, _>>()?))
}

/// The type of elements.
pub(super) fn kind(mut body: Cursor<'_>) -> Result<Type, ReadError> {
    let first = body.u8()?;
    let (class, version) = (first & 15, first >> 4);
    let flags = body.take(3)?;
    let (low, high) = (flags[0], flags[1]);
    let size = body.u32()?;
    let order = if low & 1 > 0 {
        ByteOrder::Big
    } else {
        ByteOrder::Little
    };
    let charset = |bits: u8| {
        if bits & 15 == 1 {
            Charset::Utf8
        } else {
            Charset::Ascii
        }
    };
    Ok(match class {
        0 => integer(body, size, low & 8 > 0, order)?,
        1 if low & 0x40 == 0 => float(body, size, high, order)?,
        3 => Type::Text {
            length: size,
            padding: match low & 15 {
                0 => Padding::NullTerminated,
                1 => Padding::Null,
                _ => Padding::Space,
            },
            charset: charset(low >> 4),
        },
        8 if boolean(body, low, high, version).unwrap_or(false) => Type::Boolean,
        9 if low & 15 == 1 => Type::VariableText {
            charset: charset(high),
        },
        _ => Type::Other(class),
    })
}

fn integer(
    mut body: Cursor<'_>,
    size: u32,
    signed: bool,
    order: ByteOrder,
) -> Result<Type, ReadError> {
    let (offset, precision) = (body.u16()?, body.u16()?);
    let bytes = match size {
        1 => 1,
        2 => 2,
        4 => 4,
        8 => 8,
        _ => return Ok(Type::Other(0)),
    };
    if (offset, u32::from(precision)) != (0, 8 * size) {
        return Ok(Type::Other(0));
    }
    Ok(Type::Integer {
        bytes,
        signed,
        order,
    })
}

fn float(mut body: Cursor<'_>, size: u32, sign: u8, order: ByteOrder) -> Result<Type, ReadError> {
    let place = (body.u16()?, body.u16()?);
    let fields = body.take(4)?;
    let bias = body.u32()?;
    let bytes = match (size, sign, place, fields, bias) {
        (8, 63, (0, 64), [52, 11, 0, 52], 1023) => 8,
        (4, 31, (0, 32), [23, 8, 0, 23], 127) => 4,
        _ => return Ok(Type::Other(1)),
    };
    Ok(Type::Float { bytes, order })
}

/// True for the enumeration FALSE = 0, TRUE = 1 of single bytes.
fn boolean(mut body: Cursor<'_>, low: u8, high: u8, version: u8) -> Result<bool, ReadError> {
    let base = body.take(12)?;
    if (low, high) != (2, 0) || base[0] & 15 != 0 || base[4..8] != [1, 0, 0, 0] {
        return Ok(false);
    }
    let mut named = |name: &[u8]| {
        let padded = if version < 3 { 8 } else { name.len() };
        body.take(padded).is_ok_and(|found| found.starts_with(name))
    };
    let names = named(b"FALSE\0") && named(b"TRUE\0");
    Ok(names && body.take(2)? == [0, 1])
}

/// An attribute of an object.
pub(super) fn attribute<'a>(
    source: &ByteBudget<'a>,
    mut body: Cursor<'a>,
) -> Result<Attribute<'a>, ReadError> {
    let version = body.u8()?;
    let flags = body.u8()?;
    let lengths = [body.u16()?, body.u16()?, body.u16()?].map(usize::from);
    if !matches!(version, 1..=3) {
        return Err(body.malformed("has an attribute of unknown version"));
    }
    if version == 3 {
        body.take(1)?;
    }
    let mut field = |length: usize| {
        let padded = if version == 1 {
            length.next_multiple_of(8)
        } else {
            length
        };
        body.split(padded)
    };
    let name = field(lengths[0])?.name()?;
    let (kind_body, shape_body) = (field(lengths[1])?, field(lengths[2])?);
    let mut array = Array {
        shape: Vec::new(),
        kind: Type::Other(0),
        content: ArrayData::Unsupported("an attribute of a named type"),
        offset: body.offset(),
    };
    if version == 1 || flags & 3 == 0 {
        array.kind = kind(kind_body)?;
        match shape(shape_body)? {
            Some(shape) => array.shape = shape,
            None => array.shape = vec![0],
        }
        array.content = content(source, &array, body)?;
    }
    let name = Cow::Borrowed(name);
    Ok(Attribute { name, array })
}

/// The elements of `array` at the beginning of `data`.
pub(super) fn content<'a>(
    source: &ByteBudget<'a>,
    array: &Array<'_>,
    mut data: Cursor<'a>,
) -> Result<ArrayData<'a>, ReadError> {
    let Some(size) = array.kind.size() else {
        return variable(source, array, data);
    };
    let bytes = size.checked_mul(array.count());
    let bytes = bytes.and_then(|bytes| usize::try_from(bytes).ok());
    let Some(bytes) = bytes else {
        return Err(data.malformed("has a shape of more elements than bytes can be counted"));
    };
    Ok(ArrayData::Bytes(Cow::Borrowed(data.take(bytes)?)))
}

/// A text of variable length: its length, and its place in a collection of texts.
fn variable<'a>(
    source: &ByteBudget<'a>,
    array: &Array<'_>,
    mut data: Cursor<'a>,
) -> Result<ArrayData<'a>, ReadError> {
    if !matches!(array.kind, Type::VariableText { .. }) {
        return Ok(ArrayData::Unsupported("an array of this type"));
    }
    if array.count() != 1 {
        return Ok(ArrayData::Unsupported("a list of texts of variable length"));
    }
    let length = data.u32()?;
    let (address, index) = (data.u64()?, data.u32()?);
    if length == 0 {
        return Ok(ArrayData::Bytes(Cow::Borrowed(&[])));
    }
    let what = "a collection of texts";
    let mut head = source.peek(address, 16, what)?;
    head.expect(b"GCOL")?;
    head.take(4)?;
    let size = head.u64()?;
    let mut rest = source.peek(address, size, what)?;
    rest.take(16)?;
    loop {
        // each step pays for the entry that it passes
        let mut entry = source.part(rest.offset() as u64, 16, what)?;
        rest.take(16)?;
        let found = entry.u16()?;
        entry.take(6)?;
        let size = usize::try_from(entry.u64()?).map_err(|_| rest.malformed("is too large"))?;
        if u32::from(found) == index {
            let text = source.part(rest.offset() as u64, length.into(), "a text")?;
            let text = text.clone().take(text.left())?;
            return Ok(ArrayData::Bytes(Cow::Borrowed(text)));
        }
        let padded = size.checked_next_multiple_of(8);
        rest.take(padded.unwrap_or(usize::MAX))?;
    }
}
