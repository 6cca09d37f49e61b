//! Files of a results folder that are missing, damaged or not as the run left them: which error,
//! and so which exit code, each of them has. All verbs ask here.

use std::io::{Error, ErrorKind};
use std::path::Path;

use delassus_records::disk;
use delassus_records::folder::is_results;

use crate::error::RunError;
use crate::impulses;
use crate::record::{CellRecord, Payload};
use crate::replays;
use crate::store;

/// The error about the file `name` of the results folder `dir` that could not be read.
///
/// A folder without anything of a run is no results folder ([`RunError::Read`]). Otherwise the file
/// is not as the run left it ([`RunError::NotAsLeft`]), unless the disk or the rights of the user
/// are the reason, or the file is larger than what may be read ([`RunError::Unreadable`]).
pub fn unread(dir: &Path, name: &str, source: Error) -> RunError {
    let path = dir.join(name);
    let is_gone = matches!(
        source.kind(),
        ErrorKind::NotFound | ErrorKind::NotADirectory
    );
    if is_gone && !is_results(dir) {
        return RunError::Read { path, source };
    }
    match is_damage(&source) {
        true => RunError::NotAsLeft {
            path,
            reason: reason(&source),
        },
        false => RunError::Unreadable { path, source },
    }
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
        _ => format!("cannot be read: {error}"),
    }
}

/// What is said of a file that is not there.
pub(crate) const MISSING: &str = "is missing";

/// Checks the files that lie beside the record of a cell: impulses and recorded motion. The name of
/// the first that is not as the record says, and what is wrong with it.
pub(crate) fn beside(dir: &Path, record: &CellRecord) -> Result<(), (String, String)> {
    let (key, outcome) = (&record.key, &record.outcome);
    if matches!(outcome.payload, Payload::Solve(_)) {
        let checked = impulses::check(dir, key, &outcome.impulse_hash);
        checked.map_err(|reason| (store::impulses_name(key), reason))?;
    }
    if let Some(hash) = outcome.replay_hash() {
        let checked = replays::check(dir, key, Some(hash));
        checked.map_err(|reason| (store::replay_name(key), reason))?;
    }
    Ok(())
}

/// The same as an error.
///
/// # Errors
/// The first file that is not as the record says.
pub fn check_beside(dir: &Path, record: &CellRecord) -> Result<(), RunError> {
    beside(dir, record).map_err(|(name, reason)| fault(dir, &name, reason))
}

/// The error about a file of which a check gave this `reason`, which may be that the system does
/// not read it.
pub(crate) fn fault(dir: &Path, name: &str, reason: String) -> RunError {
    match disk::check_in(dir, name) {
        Err(source) if source.kind() != ErrorKind::NotFound => unread(dir, name, source),
        _ => RunError::NotAsLeft {
            path: dir.join(name),
            reason,
        },
    }
}
