//! What is wrong with a file of a results folder, in words, and what mends it. All verbs say the
//! same.

use std::fs;
use std::io::{Error, ErrorKind};
use std::path::Path;

use delassus_records::folder::{INNER, in_place_of};
use delassus_records::regular::irregular;

use crate::unpacked::is_unpacked;

pub(crate) const RUN: &str =
    "run the experiment again into this folder, which keeps all whole cells";
pub(crate) const REPORT: &str = "`delassus report` on this folder draws it again from the cells";
pub(crate) const NAME: &str = "move it away";
pub(crate) const UNPACK: &str = "unpack the archive again, into a new folder";
pub(crate) const CLEAR: &str = "move it away, then run the experiment again into this folder";
/// For a file of which nothing but the file is known.
pub(crate) const RESTORE: &str =
    "run the spec again into this folder, or restore the file from a copy";

/// What mends the file or folder `name` of the results folder `dir`, if `usual` does where nothing
/// is in the way: a bundle is unpacked again, and a run puts a file in the place of a file alone.
pub(crate) fn advice(dir: &Path, name: &str, usual: &'static str) -> &'static str {
    match usual {
        NAME => NAME,
        _ if is_unpacked(dir) => UNPACK,
        usual => in_way(dir, name).unwrap_or(usual),
    }
}

/// What is to be done first where a pipe, a device or a folder stands in the place of the file
/// `name`, or something else in that of a folder: a run replaces none of these.
pub(crate) fn in_way(dir: &Path, name: &str) -> Option<&'static str> {
    let found = match INNER.contains(&name) {
        true => in_place_of(dir, name),
        false => fs::symlink_metadata(dir.join(name))
            .ok()
            .and_then(|facts| irregular(&facts)),
    };
    found.map(|_| CLEAR)
}

/// True for what is wrong with a file itself, and not with the disk, the rights of the user or the
/// size up to which a file is read.
pub(crate) fn is_damage(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidData
            | ErrorKind::UnexpectedEof
    )
}

/// What is wrong with a file that cannot be read.
pub(crate) fn reason(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => MISSING.to_owned(),
        // the words of this program say what stands there
        ErrorKind::InvalidInput if error.raw_os_error().is_none() => error.to_string(),
        ErrorKind::InvalidData | ErrorKind::UnexpectedEof => format!("is damaged: {error}"),
        _ => format!("cannot be read: {error}"),
    }
}

/// How it begins what is said of a file that is not the one in a list.
pub(crate) const CHANGED: &str = "has changed since";

/// What is said of a file that is not there.
pub(crate) const MISSING: &str = "is missing";
