//! Reading problems of any known format.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use delassus_core::file_kind::check_readable;
use delassus_core::{ContactLaw, MemoryLimit};
use delassus_formats::{FieldFile, fclib, npz, text};

use crate::ends;
use crate::error::ProblemReadError;
use crate::field::problem_of;
use crate::named::NamedProblem;
use crate::npz::read_npz;
use crate::snapshot;

/// Reads a problem file: our snapshot, text of friction-contact and complementarity problems,
/// FCLIB, or a NumPy archive, told apart by content.
///
/// # Errors
/// What is wrong and where: line of a text file, array of an archive, byte offset of another binary
/// one.
pub fn read_file(path: impl AsRef<Path>) -> Result<NamedProblem, ProblemReadError> {
    read_file_with(path, ContactLaw::Coulomb)
}

/// Reads a problem file and gives the contacts of another program's file the friction law `law`.
///
/// Snapshots carry their own laws and keep them.
///
/// # Errors
/// What is wrong and where: line of a text file, byte offset of a binary one.
pub fn read_file_with(
    path: impl AsRef<Path>,
    law: ContactLaw,
) -> Result<NamedProblem, ProblemReadError> {
    read_file_within(path, law, MemoryLimit::default())
}

/// The same within `limit`: what the file and the problem in it take is estimated before it is
/// allocated.
///
/// # Errors
/// Those of [`read_file`]; [`ProblemReadError::Memory`] with what would take too much.
pub fn read_file_within(
    path: impl AsRef<Path>,
    law: ContactLaw,
    limit: MemoryLimit,
) -> Result<NamedProblem, ProblemReadError> {
    let path = path.as_ref();
    let bytes = bytes_within(path, limit)?;
    let length = bytes.len() as u64;
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    read_bytes_within(&file, &bytes, law, limit.less(length))
}

/// Bytes of a text that are read before the next look for a byte that no text has.
const PART: u64 = 1 << 20;

/// The bytes of a file, if they are within `limit`. Of what is neither text nor a binary problem
/// file, none are read after the first zero byte, which is why no reader takes it.
///
/// # Errors
/// It cannot be read, is no regular file, or larger than `limit`.
pub fn bytes_within(path: &Path, limit: MemoryLimit) -> Result<Vec<u8>, ProblemReadError> {
    let facts = fs::metadata(path)?;
    check_readable(&facts)?;
    let length = facts.len();
    let mut bytes = Vec::new();
    // a file without a length is empty, whatever reading it would give
    if facts.is_file() && length == 0 {
        return Ok(bytes);
    }
    let admit = |length| limit.admit("the text of the file", length);
    let mut file = File::open(path)?.take(limit.bytes().saturating_add(1));
    loop {
        let begin = bytes.len();
        file.by_ref().take(PART).read_to_end(&mut bytes)?;
        if begin == 0 && length > PART {
            ends::check(file.get_mut(), &bytes, length)?;
        }
        let is_text = !(snapshot::is_snapshot(&bytes)
            || npz::recognised(&bytes)
            || fclib::recognised(&bytes));
        let zero = bytes[begin..].iter().position(|byte| *byte == 0);
        if let Some(zero) = zero.filter(|_| is_text) {
            bytes.truncate(begin + zero + 1);
            return Ok(bytes);
        }
        admit(length.max(bytes.len() as u64))?;
        if bytes.len() == begin {
            return Ok(bytes);
        }
        let rest = length.saturating_sub(bytes.len() as u64);
        let rest = usize::try_from(rest).unwrap_or(usize::MAX);
        bytes.try_reserve_exact(rest).map_err(io::Error::from)?;
    }
}

/// Reads a problem from the content of the file `file`.
///
/// # Errors
/// What is wrong and where: line of a text file, byte offset of a binary one.
pub fn read_bytes(
    file: &str,
    bytes: &[u8],
    law: ContactLaw,
) -> Result<NamedProblem, ProblemReadError> {
    read_bytes_within(file, bytes, law, MemoryLimit::default())
}

/// The same within `limit`, which does not count `bytes`.
///
/// # Errors
/// Those of [`read_bytes`]; [`ProblemReadError::Memory`] with what would take too much.
pub fn read_bytes_within(
    file: &str,
    bytes: &[u8],
    law: ContactLaw,
    limit: MemoryLimit,
) -> Result<NamedProblem, ProblemReadError> {
    if snapshot::is_snapshot(bytes) {
        // its arrays, and a problem of the same size
        limit.admit("the problem of the snapshot", 2 * bytes.len() as u64)?;
        return snapshot::read(bytes);
    }
    if npz::recognised(bytes) {
        let mut named = read_npz(bytes, limit)?;
        stem(file).clone_into(&mut named.name);
        named.provenance = format!("NumPy archive {file}");
        return Ok(named);
    }
    let source = read_field(bytes)?;
    let kind = source.problem.kind().name();
    let container = if fclib::recognised(bytes) {
        "FCLIB"
    } else {
        "text"
    };
    let mut named = problem_of(&source, law, limit)?;
    named.name = stem(file).to_owned();
    let origin = format!("{kind} {container} file {file}");
    named.provenance = match named.provenance.is_empty() {
        true => origin,
        false => format!("{origin}; {}", named.provenance),
    };
    Ok(named)
}

/// First bytes of files that are no problems, what they are, and what to do.
const FOREIGN: &[(&[u8], &str, &str)] = &[
    (
        b"PK\x03\x04",
        "a NumPy archive",
        "it holds a frozen problem, not the data of another program",
    ),
    (
        b"\x93NUMPY",
        "a single NumPy array",
        "write all arrays of the problem to one .npz file with `numpy.savez`; docs/file-formats.md lists them",
    ),
    (b"\x1f\x8b", "a file that gzip has compressed", "unpack it"),
    (
        b"\xfd7zXZ\x00",
        "a file that xz has compressed",
        "unpack it",
    ),
    (
        b"\xef\xbb\xbf",
        "text that begins with a byte order mark",
        "save it as UTF-8 without one",
    ),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (b"\x89PNG", "a picture", "name a problem file"),
    (b"\x7fELF", "a program", "name a problem file"),
];

/// The length that a snapshot begins with may look like any of them: this is asked of what is no
/// snapshot.
fn refuse_foreign(bytes: &[u8]) -> Result<(), ProblemReadError> {
    match FOREIGN.iter().find(|(start, ..)| bytes.starts_with(start)) {
        None => Ok(()),
        Some((_, format, hint)) => Err(ProblemReadError::UnsupportedFormat {
            format,
            hint: (*hint).to_owned(),
        }),
    }
}

/// Reads what a file of another program holds, without making a problem of it.
///
/// # Errors
/// What is wrong and where: line of a text file, byte offset of a binary one; our own snapshots are
/// no such files.
pub fn read_field(bytes: &[u8]) -> Result<FieldFile, ProblemReadError> {
    if fclib::recognised(bytes) {
        return Ok(fclib::read(bytes)?);
    }
    refuse_foreign(bytes)?;
    if let Some(offset) = bytes.iter().position(|byte| *byte == 0) {
        return Err(ProblemReadError::UnknownFormat {
            reason: format!("byte {offset} is zero, so it is not text, and it is no snapshot"),
        });
    }
    Ok(text::read(bytes)?)
}

/// True for an ending that problem files have; what is read goes by the content of a file.
pub fn is_problem_ending(ending: &str) -> bool {
    matches!(ending, "dat" | "dls" | "hdf5" | "npz" | "txt")
}

/// The name without the endings that problem files have, of which there may be several.
fn stem(file: &str) -> &str {
    let mut name = file;
    while let Some((rest, ending)) = name.rsplit_once('.') {
        if !(is_problem_ending(ending) || ending == "local") || rest.is_empty() {
            break;
        }
        name = rest;
    }
    name
}
