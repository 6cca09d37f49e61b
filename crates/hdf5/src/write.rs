//! From a tree to bytes: superblock 0, symbol tables, contiguous arrays.

mod message;

use crate::SIGNATURE;
use crate::array::{Array, ArrayData, Type};
use crate::bytes::UNDEFINED;
use crate::error::WriteError;
use crate::tree::{Attribute, Child, Dataset, Group, Node};

/// Half the entries of a list of objects, and of a node of a tree of lists; both stand in the
/// superblock.
const LIST: usize = 4;
const TREE: usize = 16;

/// Objects of a group that one node of a tree leads to.
const OBJECTS: usize = 2 * LIST * 2 * TREE;

/// Bytes of the superblock with the entry of the root group.
const SUPERBLOCK: usize = 96;

/// The bytes of a file with this tree. Objects of a group are sorted by name, as the format asks
/// for.
///
/// Every version of the C library reads it. Objects that are no group or dataset are left out.
///
/// # Errors
/// Names that the format does not allow or that occur twice, arrays whose bytes do not fit their
/// shape and type, elements of types that are not written, groups of more than 256 objects,
/// attributes of more than 65 000 bytes.
pub fn write(root: &Group<'_>) -> Result<Vec<u8>, WriteError> {
    let mut file = File {
        bytes: vec![0; SUPERBLOCK],
    };
    let place = file.group("/", root)?;
    let end = file.bytes.len() as u64;
    let mut head = Vec::with_capacity(SUPERBLOCK);
    head.extend(SIGNATURE);
    // versions; sizes of offsets and lengths
    head.extend([0, 0, 0, 0, 0, 8, 8, 0]);
    head.extend(message::narrow(LIST).to_le_bytes());
    head.extend(message::narrow(TREE).to_le_bytes());
    head.extend([0; 4]);
    for address in [0, UNDEFINED, end, UNDEFINED] {
        head.extend(address.to_le_bytes());
    }
    // the root group has no name; its tree and names are repeated here
    head.extend(0u64.to_le_bytes());
    head.extend(place.header.to_le_bytes());
    head.extend(1u32.to_le_bytes());
    head.extend([0; 4]);
    head.extend(place.tree.to_le_bytes());
    head.extend(place.heap.to_le_bytes());
    file.bytes[..SUPERBLOCK].copy_from_slice(&head);
    Ok(file.bytes)
}

struct File {
    bytes: Vec<u8>,
}

/// Where a group lies.
struct GroupAddress {
    header: u64,
    tree: u64,
    heap: u64,
}

impl File {
    /// Appends `part` at a multiple of eight bytes and returns where it lies.
    fn append(&mut self, part: &[u8]) -> u64 {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        let address = self.bytes.len() as u64;
        self.bytes.extend_from_slice(part);
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        address
    }

    fn group(&mut self, name: &str, group: &Group<'_>) -> Result<GroupAddress, WriteError> {
        let mut children: Vec<&Child<'_>> = group.children.iter().collect();
        children.retain(|child| !matches!(child.node, Node::Other { .. }));
        children.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        check(&children, name)?;
        // the names, after the empty one
        let mut names = vec![0; 8];
        let mut objects = Vec::with_capacity(children.len());
        for child in children {
            let header = match &child.node {
                Node::Group(group) => self.group(&child.name, group)?.header,
                Node::Dataset(dataset) => self.dataset(&child.name, dataset)?,
                Node::Other { .. } => continue,
            };
            objects.push((names.len() as u64, header));
            names.extend(child.name.as_bytes());
            names.resize((names.len() + 1).next_multiple_of(8), 0);
        }
        let heap = self.names(&names);
        let tree = self.tree(&objects);
        let mut header = message::Header::default();
        let mut table = tree.to_le_bytes().to_vec();
        table.extend(heap.to_le_bytes());
        header.push(message::SYMBOL_TABLE, &table);
        attributes(&mut header, &group.attributes)?;
        let header = self.append(&header.finish());
        Ok(GroupAddress { header, tree, heap })
    }

    fn names(&mut self, names: &[u8]) -> u64 {
        let data = self.append(names);
        let mut head = b"HEAP\0\0\0\0".to_vec();
        // a list of free places that is empty is written as 1
        for number in [names.len() as u64, 1, data] {
            head.extend(number.to_le_bytes());
        }
        self.append(&head)
    }

    /// A tree of one node; its keys are the names between the lists.
    fn tree(&mut self, objects: &[(u64, u64)]) -> u64 {
        let lists: Vec<_> = objects.chunks(2 * LIST).collect();
        let mut node = b"TREE\0\0".to_vec();
        node.extend(message::narrow(lists.len()).to_le_bytes());
        node.extend(UNDEFINED.to_le_bytes());
        node.extend(UNDEFINED.to_le_bytes());
        node.extend(0u64.to_le_bytes());
        for list in lists {
            let last = list[list.len() - 1].0;
            node.extend(self.list(list).to_le_bytes());
            node.extend(last.to_le_bytes());
        }
        // readers take the whole node
        node.resize(24 + 8 * (2 * TREE + 1) + 8 * 2 * TREE, 0);
        self.append(&node)
    }

    fn list(&mut self, objects: &[(u64, u64)]) -> u64 {
        let mut list = b"SNOD\x01\0".to_vec();
        list.extend(message::narrow(objects.len()).to_le_bytes());
        for (name, header) in objects {
            list.extend(name.to_le_bytes());
            list.extend(header.to_le_bytes());
            list.extend([0; 24]);
        }
        list.resize(8 + 2 * LIST * 40, 0);
        self.append(&list)
    }

    fn dataset(&mut self, name: &str, dataset: &Dataset<'_>) -> Result<u64, WriteError> {
        let array = &dataset.array;
        let bytes = elements(name, array)?;
        let address = if bytes.is_empty() {
            UNDEFINED
        } else {
            self.append(bytes)
        };
        let mut header = message::Header::default();
        header.push(message::SHAPE, &message::shape(&array.shape));
        header.push(message::TYPE, &message::kind(array.kind));
        // the fill value is the default; space is taken late and written where nothing else is
        header.push(message::FILL, &[2, 2, 2, 1, 0, 0, 0, 0]);
        let mut layout = vec![3, 1];
        layout.extend(address.to_le_bytes());
        layout.extend((bytes.len() as u64).to_le_bytes());
        header.push(message::LAYOUT, &layout);
        attributes(&mut header, &dataset.attributes)?;
        Ok(self.append(&header.finish()))
    }
}

fn attributes(
    header: &mut message::Header,
    attributes: &[Attribute<'_>],
) -> Result<(), WriteError> {
    for (index, attribute) in attributes.iter().enumerate() {
        let name = &attribute.name;
        check_name(name)?;
        if attributes[..index].iter().any(|a| a.name == *name) {
            let name = name.to_string();
            return Err(WriteError::Twice { name });
        }
        let bytes = elements(name, &attribute.array)?;
        let body = message::attribute(name, &attribute.array, bytes);
        if body.len() > message::LIMIT {
            return Err(WriteError::Large {
                name: name.to_string(),
                bytes: body.len(),
                limit: message::LIMIT,
            });
        }
        header.push(message::ATTRIBUTE, &body);
    }
    Ok(())
}

/// The bytes of an array that can be written.
fn elements<'a>(name: &str, array: &'a Array<'_>) -> Result<&'a [u8], WriteError> {
    let kind = || WriteError::Type {
        name: name.to_owned(),
        kind: array.kind.to_string(),
    };
    let bytes = match &array.content {
        ArrayData::Bytes(bytes) => bytes,
        ArrayData::Unsupported(feature) => {
            let name = name.to_owned();
            return Err(WriteError::Unread { name, feature });
        }
    };
    let size = match array.kind {
        Type::Text { length: 0, .. } => return Err(kind()),
        other => other.size().ok_or_else(kind)?,
    };
    let expected = size.saturating_mul(array.count());
    if bytes.len() as u64 != expected || array.shape.len() > 32 {
        return Err(WriteError::Bytes {
            name: name.to_owned(),
            found: bytes.len() as u64,
            expected,
        });
    }
    Ok(bytes)
}

/// Refuses names that are none or occur twice; `children` are sorted.
fn check(children: &[&Child<'_>], group: &str) -> Result<(), WriteError> {
    for child in children {
        check_name(&child.name)?;
    }
    if let Some(pair) = children
        .windows(2)
        .find(|pair| pair[0].name == pair[1].name)
    {
        let name = pair[0].name.to_string();
        return Err(WriteError::Twice { name });
    }
    if children.len() > OBJECTS {
        return Err(WriteError::Crowded {
            name: group.to_owned(),
            count: children.len(),
            limit: OBJECTS,
        });
    }
    Ok(())
}

fn check_name(name: &str) -> Result<(), WriteError> {
    if name.is_empty() || name == "." || name.contains(['/', '\0']) {
        let name = name.to_owned();
        return Err(WriteError::Name { name });
    }
    Ok(())
}
