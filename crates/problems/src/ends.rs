//! Where a binary problem file ends, by its own words: what lies behind that is not read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use delassus_formats::{fclib, npz};
use serde_json::Value;

use crate::error::ProblemReadError;
use crate::snapshot;

/// Bytes at the end of a ZIP archive in which its directory ends \[B\]: the entry that says so, and
/// the longest remark behind it.
const TAIL: u64 = 22 + 0xffff;
/// How that entry begins.
const END: &[u8] = b"PK\x05\x06";

/// Refuses a file of `length` that begins with `begin` and, by what it says of itself, has ended
/// long before: a hole of any length may follow. The file is read from where it was before.
///
/// # Errors
/// [`ProblemReadError::Length`]; [`ProblemReadError::UnknownFormat`] for an archive without a
/// directory at its end.
pub(crate) fn check(file: &mut File, begin: &[u8], length: u64) -> Result<(), ProblemReadError> {
    let (said, by) = match begin {
        begin if snapshot::is_snapshot(begin) => (of_snapshot(begin), "the header of the snapshot"),
        begin if fclib::recognised(begin) => (of_hdf5(begin), "the superblock of the HDF5 file"),
        begin if npz::recognised(begin) && !has_directory(file, length)? => {
            let reason = "a NumPy archive, but its directory is not at its end";
            return Err(ProblemReadError::UnknownFormat {
                reason: reason.to_owned(),
            });
        }
        _ => return Ok(()),
    };
    match said {
        Some(said) if said < length => Err(ProblemReadError::Length { said, by, length }),
        _ => Ok(()),
    }
}

/// The length of a snapshot, if its header is among these bytes: that of the header, and the end of
/// the last tensor \[B\].
fn of_snapshot(begin: &[u8]) -> Option<u64> {
    let header = u64::from_le_bytes(*begin.first_chunk()?);
    let text = begin.get(8..)?.get(..usize::try_from(header).ok()?)?;
    let tensors: Value = serde_json::from_slice(text).ok()?;
    let ends = tensors.as_object()?.values();
    let ends = ends.filter_map(|tensor| tensor["data_offsets"][1].as_u64());
    ends.max().unwrap_or(0).checked_add(8)?.checked_add(header)
}

/// The end of an HDF5 file whose addresses have eight bytes \[B\].
fn of_hdf5(begin: &[u8]) -> Option<u64> {
    // version of the superblock: place of the size of addresses, place of the address of the end
    let (size, end) = match begin.get(8)? {
        0 => (13, 40),
        1 => (13, 44),
        2 | 3 => (9, 28),
        _ => return None,
    };
    let address = begin.get(end..)?.first_chunk()?;
    (*begin.get(size)? == 8).then(|| u64::from_le_bytes(*address))
}

/// True if the directory of a ZIP archive ends where the file does.
fn has_directory(file: &mut File, length: u64) -> io::Result<bool> {
    let place = file.stream_position()?;
    let mut tail = Vec::new();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    file.by_ref().take(TAIL).read_to_end(&mut tail)?;
    file.seek(SeekFrom::Start(place))?;
    Ok(tail.windows(END.len()).any(|window| window == END))
}
