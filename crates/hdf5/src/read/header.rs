//! Object headers: messages one after the other, in one part of the file or several.

use crate::bytes::{ByteBudget, Cursor};
use crate::error::ReadError;

/// One message of an object header.
pub(super) struct Message<'a> {
    /// What it says, by number.
    pub(super) kind: u16,
    /// True if the header holds an address of it instead.
    pub(super) shared: bool,
    /// Its content.
    pub(super) body: Cursor<'a>,
}

/// What is done with a message.
type Visit<'v, 'a> = dyn FnMut(Message<'a>) -> Result<(), ReadError> + 'v;

/// The continuation of a header.
const CONTINUATION: u16 = 0x10;

/// Parts of one header; the format's writers make few.
const PARTS: usize = 64;

const WHAT: &str = "an object header";

/// Calls `visit` with each message of the object at `address`.
pub(super) fn messages<'a>(
    source: &ByteBudget<'a>,
    address: u64,
    visit: &mut Visit<'_, 'a>,
) -> Result<(), ReadError> {
    let mut start = source.peek(address, 4, WHAT)?;
    if start.u8()? == b'O' {
        return new(source, address, visit);
    }
    let mut start = source.part(address, 16, WHAT)?;
    if start.u8()? != 1 {
        return Err(start.malformed("has an unknown version"));
    }
    start.take(7)?;
    let length = start.u32()?;
    let mut parts = Parts::default();
    let mut part = source.part(address + 16, length.into(), WHAT)?;
    loop {
        // a rest that holds no message is left by writers
        while part.left() >= 8 {
            let kind = part.u16()?;
            let size = part.u16()?;
            let flags = part.u8()?;
            part.take(3)?;
            let body = part.split(size.into())?;
            parts.visit(kind, flags, body, visit)?;
        }
        let Some((address, length)) = parts.next() else {
            return Ok(());
        };
        part = source.part(address, length, WHAT)?;
    }
}

/// A header of version 2.
fn new<'a>(
    source: &ByteBudget<'a>,
    address: u64,
    visit: &mut Visit<'_, 'a>,
) -> Result<(), ReadError> {
    let mut start = source.peek(address, 6, WHAT)?;
    start.expect(b"OHDR")?;
    if start.u8()? != 2 {
        return Err(start.malformed("has an unknown version"));
    }
    let flags = start.u8()?;
    let times = if flags & 0x20 > 0 { 16u8 } else { 0 };
    let phases = if flags & 0x10 > 0 { 4u8 } else { 0 };
    let width = 1u8 << (flags & 3);
    let before = u64::from(6 + times + phases);
    let mut start = source.part(address, before + u64::from(width), WHAT)?;
    start.take(usize::from(6 + times + phases))?;
    let length = start.number(usize::from(width))?;
    let ordered = flags & 4 > 0;
    let mut parts = Parts::default();
    let mut part = source.part(address + before + u64::from(width), length, WHAT)?;
    loop {
        let prefix = if ordered { 6 } else { 4 };
        while part.left() >= prefix {
            let kind = part.u8()?;
            let size = part.u16()?;
            let flags = part.u8()?;
            part.take(prefix - 4)?;
            let body = part.split(size.into())?;
            parts.visit(kind.into(), flags, body, visit)?;
        }
        let Some((address, length)) = parts.next() else {
            return Ok(());
        };
        let mut whole = source.part(address, length, WHAT)?;
        whole.expect(b"OCHK")?;
        // four bytes of a checksum end it
        let Some(length) = whole.left().checked_sub(4) else {
            return Err(whole.malformed("is shorter than its checksum"));
        };
        part = whole.split(length)?;
    }
}

/// Parts of a header that are still to be read.
#[derive(Default)]
struct Parts {
    places: Vec<(u64, u64)>,
    read: usize,
}

impl Parts {
    fn visit<'a>(
        &mut self,
        kind: u16,
        flags: u8,
        mut body: Cursor<'a>,
        visit: &mut Visit<'_, 'a>,
    ) -> Result<(), ReadError> {
        if kind != CONTINUATION {
            let shared = flags & 2 > 0;
            return visit(Message { kind, shared, body });
        }
        if self.places.len() == PARTS {
            return Err(body.malformed("has too many parts"));
        }
        self.places.push((body.u64()?, body.u64()?));
        Ok(())
    }

    fn next(&mut self) -> Option<(u64, u64)> {
        let place = self.places.get(self.read).copied();
        self.read += 1;
        place
    }
}
