//! From bytes to a tree.

mod group;
mod header;
mod layout;
mod message;
mod superblock;

use crate::SIGNATURE;
use crate::bytes::ByteBudget;
use crate::error::ReadError;
use crate::tree::{Group, Node};

/// Groups inside groups; deeper ones are refused.
const DEPTH: usize = 32;

/// Reads the tree of a file. The arrays lie in `bytes`, except chunked ones.
///
/// Takes time and memory in proportion to the length of `bytes`, whatever they are: no part of a
/// file is read twice. The tree and the arrays that are put together from chunks take at most eight
/// times `bytes` (or 32 KiB).
///
/// # Errors
/// What is damaged or not supported, and at which byte. An array that is stored in an unsupported
/// way is no error: its content says so.
pub fn read(bytes: &[u8]) -> Result<Group<'_>, ReadError> {
    if !bytes.starts_with(SIGNATURE) {
        return Err(ReadError::Signature);
    }
    let source = ByteBudget::new(bytes);
    let root = superblock::root(&source)?;
    match group::object(&source, root, DEPTH)? {
        Node::Group(group) => Ok(*group),
        _ => Err(ReadError::Malformed {
            offset: root,
            what: "the root object",
            reason: "is no group",
        }),
    }
}
