//! Objects: groups of both styles, and datasets.

use std::borrow::Cow;

use super::{header, layout, message};
use crate::array::{Array, ArrayData, Type};
use crate::bytes::{ByteBudget, Cursor};
use crate::error::ReadError;
use crate::tree::{Attribute, Child, Dataset, Group, Node};

/// Attributes of one object; the format's own limit in an object header is not far above.
const ATTRIBUTES: usize = 64;

/// Numbers of the messages that are read.
mod kinds {
    pub(super) const SHAPE: u16 = 0x01;
    pub(super) const LINK_INFO: u16 = 0x02;
    pub(super) const TYPE: u16 = 0x03;
    pub(super) const OLD_FILL: u16 = 0x04;
    pub(super) const FILL: u16 = 0x05;
    pub(super) const LINK: u16 = 0x06;
    pub(super) const EXTERNAL: u16 = 0x07;
    pub(super) const LAYOUT: u16 = 0x08;
    pub(super) const FILTERS: u16 = 0x0b;
    pub(super) const ATTRIBUTE: u16 = 0x0c;
    pub(super) const SYMBOL_TABLE: u16 = 0x11;
    pub(super) const ATTRIBUTE_INFO: u16 = 0x15;
}

const NAMED_TYPE: &str = "a dataset of a named type";

/// What the header of an object says.
#[derive(Default)]
struct Parts<'a> {
    group: bool,
    children: Vec<Child<'a>>,
    attributes: Vec<Attribute<'a>>,
    table: Option<(u64, u64)>,
    shape: Option<Cursor<'a>>,
    kind: Option<Cursor<'a>>,
    layout: Option<Cursor<'a>>,
    filled: bool,
    unread: Option<&'static str>,
}

/// The object whose header lies at `address`, with at most `depth` groups inside each other.
pub(super) fn object<'a>(
    source: &ByteBudget<'a>,
    address: u64,
    depth: usize,
) -> Result<Node<'a>, ReadError> {
    let mut parts = Parts::default();
    header::messages(source, address, &mut |message| {
        parts.message(source, message, depth)
    })?;
    let offset = usize::try_from(address).unwrap_or(usize::MAX);
    if let Some((tree, heap)) = parts.table {
        parts.group = true;
        let heap = names(source, heap)?;
        let mut table = Table {
            source,
            heap,
            depth,
            children: &mut parts.children,
        };
        table.node(tree, None)?;
    }
    if parts.group {
        return Ok(Node::Group(Box::new(Group {
            children: parts.children,
            attributes: parts.attributes,
            offset,
        })));
    }
    let (Some(shape), Some(kind), Some(layout)) = (parts.shape, parts.kind, parts.layout) else {
        return Ok(Node::Other { offset });
    };
    let shape = message::shape(shape)?;
    let mut array = Array {
        shape: shape.unwrap_or_else(|| vec![0]),
        kind: Type::Other(0),
        content: ArrayData::Bytes(Cow::Borrowed(&[])),
        offset,
    };
    if parts.unread != Some(NAMED_TYPE) {
        array.kind = message::kind(kind)?;
    }
    array.content = match parts.unread {
        Some(feature) => ArrayData::Unsupported(feature),
        None => layout::content(source, &array, layout)?,
    };
    // zeros that were put together stand for elements that nobody wrote
    if parts.filled && matches!(array.content, ArrayData::Bytes(Cow::Owned(_))) {
        array.content = ArrayData::Unsupported(
            "a dataset that was not written whole and is filled with a number other than zero",
        );
    }
    let attributes = parts.attributes;
    Ok(Node::Dataset(Box::new(Dataset { array, attributes })))
}

impl<'a> Parts<'a> {
    fn message(
        &mut self,
        source: &ByteBudget<'a>,
        message: header::Message<'a>,
        depth: usize,
    ) -> Result<(), ReadError> {
        let mut body = message.body;
        match message.kind {
            kinds::TYPE | kinds::SHAPE if message.shared => {
                self.unread = Some(NAMED_TYPE);
                self.kind = Some(body);
            }
            kinds::SHAPE => self.shape = Some(body),
            kinds::TYPE => self.kind = Some(body),
            kinds::LAYOUT => self.layout = Some(body),
            kinds::OLD_FILL | kinds::FILL if !message.shared => {
                self.filled |= !layout::fills_with_zeros(body, message.kind == kinds::FILL)?;
            }
            kinds::EXTERNAL => self.unread = Some("a dataset that lies in other files"),
            kinds::FILTERS => {
                self.unread = Some("a dataset that is compressed or otherwise filtered");
            }
            kinds::SYMBOL_TABLE => self.table = Some((body.u64()?, body.u64()?)),
            kinds::LINK_INFO => {
                self.group = true;
                links_elsewhere(body)?;
            }
            kinds::LINK => {
                self.group = true;
                if let Some((name, address)) = link(body)? {
                    push(
                        &mut self.children,
                        child(source, name, address, body.base(), depth)?,
                    );
                }
            }
            kinds::ATTRIBUTE if message.shared => {
                let feature = "an attribute that several objects share";
                return Err(ReadError::unsupported(body.base(), feature));
            }
            kinds::ATTRIBUTE => {
                if self.attributes.len() == ATTRIBUTES {
                    let feature = "an object with more than 64 attributes";
                    return Err(ReadError::unsupported(body.base(), feature));
                }
                push(&mut self.attributes, message::attribute(source, body)?);
            }
            kinds::ATTRIBUTE_INFO => attributes_elsewhere(body)?,
            _ => {}
        }
        Ok(())
    }
}

/// Appends without the room that `Vec` would take in addition: a tree must stay below a multiple of
/// its file.
fn push<T>(list: &mut Vec<T>, item: T) {
    if list.len() == list.capacity() {
        list.reserve_exact(list.len() / 4 + 4);
    }
    list.push(item);
}

fn child<'a>(
    source: &ByteBudget<'a>,
    name: &'a str,
    address: u64,
    offset: usize,
    depth: usize,
) -> Result<Child<'a>, ReadError> {
    let Some(depth) = depth.checked_sub(1) else {
        let reason = "are nested too deeply, or in each other";
        return Err(ReadError::malformed(offset, "groups", reason));
    };
    Ok(Child {
        name: Cow::Borrowed(name),
        node: object(source, address, depth)?,
    })
}

/// Refuses links that do not stand in the header.
fn links_elsewhere(mut body: Cursor<'_>) -> Result<(), ReadError> {
    body.take(1)?;
    if body.u8()? & 1 > 0 {
        body.take(8)?;
    }
    if body.u64()? == u64::MAX {
        return Ok(());
    }
    let feature = "a group of new style with many objects";
    Err(ReadError::unsupported(body.base(), feature))
}

/// Refuses attributes that do not stand in the header.
fn attributes_elsewhere(mut body: Cursor<'_>) -> Result<(), ReadError> {
    body.take(1)?;
    if body.u8()? & 1 > 0 {
        body.take(2)?;
    }
    if body.u64()? == u64::MAX {
        return Ok(());
    }
    let feature = "an object of new style with many attributes";
    Err(ReadError::unsupported(body.base(), feature))
}

/// Name and address of a link of new style; `None` if it leads to a path instead of an object.
fn link(mut body: Cursor<'_>) -> Result<Option<(&str, u64)>, ReadError> {
    if body.u8()? != 1 {
        return Err(body.malformed("has a link of unknown version"));
    }
    let flags = body.u8()?;
    let kind = if flags & 8 > 0 { body.u8()? } else { 0 };
    if flags & 4 > 0 {
        body.take(8)?;
    }
    if flags & 16 > 0 {
        body.take(1)?;
    }
    let length = body.number(1 << (flags & 3))?;
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let name = std::str::from_utf8(body.take(length)?);
    let name = name.map_err(|_| body.malformed("has a name that is not UTF-8"))?;
    if kind != 0 {
        return Ok(None);
    }
    Ok(Some((name, body.u64()?)))
}

/// The names of an old-style group.
fn names<'a>(source: &ByteBudget<'a>, address: u64) -> Result<Cursor<'a>, ReadError> {
    let what = "a list of names";
    let mut head = source.part(address, 32, what)?;
    head.expect(b"HEAP")?;
    head.take(4)?;
    let length = head.u64()?;
    head.take(8)?;
    source.peek(head.u64()?, length, what)
}

/// An old-style group: a tree that leads to lists of objects.
struct Table<'s, 'a> {
    source: &'s ByteBudget<'a>,
    heap: Cursor<'a>,
    depth: usize,
    children: &'s mut Vec<Child<'a>>,
}

impl Table<'_, '_> {
    /// A node of the tree; its level is known for all but the root.
    fn node(&mut self, address: u64, level: Option<u8>) -> Result<(), ReadError> {
        let what = "the tree of a group";
        let mut head = self.source.part(address, 24, what)?;
        head.expect(b"TREE")?;
        let (kind, found, count) = (head.u8()?, head.u8()?, head.u16()?);
        if kind != 0 || level.is_some_and(|level| level != found) {
            return Err(head.malformed("is not of the kind or level that refers to it"));
        }
        let mut body = self
            .source
            .part(address + 24, 16 * u64::from(count), what)?;
        for _ in 0..count {
            body.take(8)?;
            let child = body.u64()?;
            match found.checked_sub(1) {
                Some(below) => self.node(child, Some(below))?,
                None => self.list(child)?,
            }
        }
        Ok(())
    }

    fn list(&mut self, address: u64) -> Result<(), ReadError> {
        let what = "a list of objects";
        let mut head = self.source.part(address, 8, what)?;
        head.expect(b"SNOD")?;
        head.take(2)?;
        let count = head.u16()?;
        let mut body = self.source.part(address + 8, 40 * u64::from(count), what)?;
        for _ in 0..count {
            let (name, object, cached) = (body.u64()?, body.u64()?, body.u32()?);
            body.take(20)?;
            // a link to a path, not to an object
            if cached == 2 {
                continue;
            }
            let mut at = self.heap;
            let before = usize::try_from(name).unwrap_or(usize::MAX);
            at.take(before)?;
            let start = at.offset();
            let name = at.name()?;
            self.source
                .part(start as u64, name.len() as u64 + 1, "a name")?;
            let child = child(self.source, name, object, body.offset(), self.depth)?;
            push(self.children, child);
        }
        Ok(())
    }
}
