//! Where the root group lies.

use crate::bytes::{ByteBudget, UNDEFINED};
use crate::error::ReadError;

/// Address of the root group's header.
pub(super) fn root(source: &ByteBudget<'_>) -> Result<u64, ReadError> {
    let mut start = source.part(0, 16, "the superblock")?;
    start.take(8)?;
    let version = start.u8()?;
    match version {
        0 | 1 => old(source, version),
        2 | 3 => new(source),
        _ => Err(ReadError::unsupported(8, "a superblock of this version")),
    }
}

fn old(source: &ByteBudget<'_>, version: u8) -> Result<u64, ReadError> {
    let length = if version == 0 { 96 } else { 100 };
    let mut block = source.peek(0, length, "the superblock")?;
    block.take(13)?;
    sizes(block.u8()?, block.u8()?)?;
    block.take(9)?;
    if version == 1 {
        block.take(4)?;
    }
    base(block.u64()?)?;
    // free space, end of file, drivers; then the entry of the root group begins with its name
    block.take(32)?;
    address(block.u64()?)
}

fn new(source: &ByteBudget<'_>) -> Result<u64, ReadError> {
    let mut block = source.peek(0, 48, "the superblock")?;
    block.take(9)?;
    sizes(block.u8()?, block.u8()?)?;
    block.take(1)?;
    base(block.u64()?)?;
    // extension, end of file
    block.take(16)?;
    address(block.u64()?)
}

fn sizes(offsets: u8, lengths: u8) -> Result<(), ReadError> {
    if (offsets, lengths) == (8, 8) {
        return Ok(());
    }
    let feature = "a file with offsets or lengths of other than 8 bytes";
    Err(ReadError::unsupported(13, feature))
}

fn base(base: u64) -> Result<(), ReadError> {
    if base == 0 {
        return Ok(());
    }
    Err(ReadError::unsupported(24, "a file inside another one"))
}

fn address(root: u64) -> Result<u64, ReadError> {
    if root == UNDEFINED {
        let reason = "has no root group";
        return Err(ReadError::malformed(0, "the superblock", reason));
    }
    Ok(root)
}
