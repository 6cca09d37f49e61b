//! Object headers and what stands in them.

use crate::array::{Array, ByteOrder, Charset, Padding, Type};

pub(super) const SHAPE: u16 = 0x01;
pub(super) const TYPE: u16 = 0x03;
pub(super) const FILL: u16 = 0x05;
pub(super) const LAYOUT: u16 = 0x08;
pub(super) const ATTRIBUTE: u16 = 0x0c;
pub(super) const SYMBOL_TABLE: u16 = 0x11;

/// Bytes of a message: a multiple of eight that 16 bits count.
pub(super) const LIMIT: usize = 65_000;

/// The messages of an object header of version 1.
#[derive(Debug, Default)]
pub(super) struct Header {
    count: u16,
    messages: Vec<u8>,
}

impl Header {
    pub(super) fn push(&mut self, kind: u16, body: &[u8]) {
        self.count += 1;
        let length = body.len().next_multiple_of(8);
        self.messages.extend(kind.to_le_bytes());
        self.messages.extend(narrow(length).to_le_bytes());
        self.messages.extend([0; 4]);
        self.messages.extend(padded(body));
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = vec![1, 0];
        bytes.extend(self.count.to_le_bytes());
        bytes.extend(1u32.to_le_bytes());
        bytes.extend(
            u32::try_from(self.messages.len())
                .unwrap_or(u32::MAX)
                .to_le_bytes(),
        );
        bytes.extend([0; 4]);
        bytes.extend(self.messages);
        bytes
    }
}

/// A count that the caller has held within 16 bits.
pub(super) fn narrow(count: usize) -> u16 {
    u16::try_from(count).unwrap_or(u16::MAX)
}

pub(super) fn shape(shape: &[u64]) -> Vec<u8> {
    let rank = u8::try_from(shape.len()).unwrap_or(u8::MAX);
    let mut body = vec![1, rank, 0, 0, 0, 0, 0, 0];
    for extent in shape {
        body.extend(extent.to_le_bytes());
    }
    body
}

pub(super) fn kind(kind: Type) -> Vec<u8> {
    let big = |order: ByteOrder| u8::from(order == ByteOrder::Big);
    match kind {
        Type::Integer {
            bytes,
            signed,
            order,
        } => {
            let mut body = head(0, [big(order) | u8::from(signed) << 3, 0, 0], bytes.into());
            body.extend([0, 0, 8 * bytes, 0]);
            body
        }
        Type::Float { bytes, order } => {
            let bits = 8 * bytes;
            let mut body = head(1, [big(order) | 0x20, bits - 1, 0], bytes.into());
            body.extend([0, 0, bits, 0]);
            let (fields, bias): ([u8; 4], u32) = if bytes == 8 {
                ([52, 11, 0, 52], 1023)
            } else {
                ([23, 8, 0, 23], 127)
            };
            body.extend(fields);
            body.extend(bias.to_le_bytes());
            body
        }
        Type::Boolean => {
            let mut body = head(8, [2, 0, 0], 1);
            body.extend(self::kind(Type::Integer {
                bytes: 1,
                signed: true,
                order: ByteOrder::Little,
            }));
            body.extend(b"FALSE\0\0\0TRUE\0\0\0\0\0\x01");
            body
        }
        Type::Text {
            length,
            padding,
            charset,
        } => head(3, [text(padding, charset), 0, 0], length),
        // refused before
        Type::VariableText { .. } | Type::Other(_) => Vec::new(),
    }
}

fn text(padding: Padding, charset: Charset) -> u8 {
    let padding = match padding {
        Padding::NullTerminated => 0,
        Padding::Null => 1,
        Padding::Space => 2,
    };
    padding | u8::from(charset == Charset::Utf8) << 4
}

/// Class, flags and size of a type.
fn head(class: u8, flags: [u8; 3], size: u32) -> Vec<u8> {
    let mut body = vec![1 << 4 | class];
    body.extend(flags);
    body.extend(size.to_le_bytes());
    body
}

pub(super) fn attribute(name: &str, array: &Array<'_>, bytes: &[u8]) -> Vec<u8> {
    let mut name = name.as_bytes().to_vec();
    name.push(0);
    let (kind, shape) = (kind(array.kind), shape(&array.shape));
    let mut body = vec![1, 0];
    for part in [&name, &kind, &shape] {
        body.extend(narrow(part.len()).to_le_bytes());
    }
    for part in [&name, &kind, &shape] {
        body.extend(padded(part));
    }
    body.extend(bytes);
    body
}

/// `part` with zeros up to a multiple of eight bytes.
fn padded(part: &[u8]) -> impl Iterator<Item = u8> {
    let zeros = part.len().next_multiple_of(8) - part.len();
    part.iter().copied().chain(std::iter::repeat_n(0, zeros))
}
