//! HDF5 files of plain arrays, read and written without the C library.
//!
//! [`read()`] gives the tree of a file: groups, datasets and attributes, whose numbers lie in the
//! file's own bytes. It reads what programs write when they ask for nothing special, old style
//! (superblock 0 and 1, symbol tables) and new (superblock 2 and 3, link messages): contiguous,
//! compact and chunked storage without filters, integers, IEEE numbers, booleans and texts.
//! Anything else is named where it is asked for ([`ArrayData::Unsupported`]).
//!
//! Input is not trusted. Every offset is checked; no byte of a file is read twice, so that work is
//! bounded by the file's length and cycles end; nothing is allocated that the file's bytes do not
//! pay for. [`write()`] makes old-style files, which every version of the C library reads.

mod array;
mod bytes;
mod error;
mod read;
mod tree;
mod write;

pub use array::{Array, ArrayData, ByteOrder, Charset, Padding, Type};
pub use error::{ReadError, ValueError, WriteError};
pub use read::read;
pub use tree::{Attribute, Child, Dataset, Group, Node};
pub use write::write;

/// The first bytes of a file.
pub const SIGNATURE: &[u8; 8] = b"\x89HDF\r\n\x1a\n";
