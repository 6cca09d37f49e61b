//! Files of a results folder that are missing, damaged or not as the run left them: which error,
//! and so which exit code, each of them has. All verbs ask here.

use std::io::{Error, ErrorKind};
use std::path::Path;

use delassus_records::disk;
use delassus_records::folder::{INNER, in_place_of, is_results};
use delassus_replay::Replay;

use crate::bundle_list;
use crate::damage::{self, RESTORE};
pub(crate) use crate::damage::{CHANGED, MISSING, is_damage, reason};
use crate::error::RunError;
use crate::impulses;
use crate::outputs::{self, LIST};
use crate::record::{CellRecord, Payload};
use crate::replays;
use crate::run_metadata::BUNDLE;
use crate::store::{self, StoredCell};

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
        true => not_as_left(dir, name, reason(&source)),
        false => match too_large(dir, name, &source) {
            Some(what) => not_as_left(dir, name, what),
            None => RunError::Unreadable { path, source },
        },
    }
}

/// What shows, of a file that is too large to be read, as this `error` says, that it is not the one
/// that the run left: neither a larger limit nor more memory would mend it.
fn too_large(dir: &Path, name: &str, error: &Error) -> Option<String> {
    use ErrorKind::{FileTooLarge, OutOfMemory};
    if !matches!(error.kind(), FileTooLarge | OutOfMemory) {
        return None;
    }
    let length = disk::length_in(dir, name).ok()?;
    if let Some((by, listed)) = listed_length(dir, name) {
        let how = || format!("{CHANGED} {by} was written, from {listed} to {length} bytes");
        return (listed != length).then(how);
    }
    if let Some(key) = name.strip_suffix(".impulses") {
        let wanted = impulses_of(dir, key).filter(|wanted| *wanted != length)?;
        return Some(format!(
            "has {length} bytes, and its record has {wanted} bytes of impulses"
        ));
    }
    let ends = disk::ends_of(dir, name).ok()??;
    let is_whole = match Path::new(name).extension()?.to_str()? {
        "json" => matches!(ends, [b'{', b'}' | b'\n']),
        "replay" => ends[0] == Replay::FIRST_BYTE,
        _ => true,
    };
    (!is_whole)
        .then(|| format!("has {length} bytes, and does not begin and end as a run leaves it"))
}

/// The list that has the length of a file, and that length \[B\].
fn listed_length(dir: &Path, name: &str) -> Option<(&'static str, u64)> {
    let list = outputs::listed(dir).ok();
    if let Some((bytes, _)) = list.as_ref().and_then(|list| list.files.get(name)) {
        return Some((LIST, *bytes));
    }
    let bundle = bundle_list::listed(dir)?.ok()?;
    Some((BUNDLE, *bundle.bytes.get(name)?))
}

/// Bytes of the impulses of a record; `None` where it cannot be read.
fn impulses_of(dir: &Path, name: &str) -> Option<u64> {
    let (_, key) = name.rsplit_once('/')?;
    match store::read_cell(dir, key) {
        StoredCell::Cell(record) => u64::try_from(size_of::<f64>() * record.facts.rows).ok(),
        _ => None,
    }
}

/// The error about the file or folder `name` of the results folder `dir` that is not as the run
/// left it, for this `reason`.
pub fn not_as_left(dir: &Path, name: &str, reason: impl Into<String>) -> RunError {
    RunError::NotAsLeft {
        path: dir.join(name),
        reason: reason.into(),
        advice: damage::advice(dir, name, RESTORE),
    }
}

/// The inner folders of `dir` in whose place something else stands, with what is wrong.
pub(crate) fn misplaced(dir: &Path) -> Vec<(&'static str, String)> {
    let found = INNER.into_iter().filter_map(|name| {
        let kind = in_place_of(dir, name)?;
        Some((
            name,
            format!("is {kind}, and a folder should have this name"),
        ))
    });
    found.collect()
}

/// Refuses to write into the folders `names` of `dir` if one of them is a link, which leads
/// elsewhere, or no folder.
///
/// # Errors
/// [`RunError::Write`] with the first of them.
pub(crate) fn check_ways(dir: &Path, names: &[&str]) -> Result<(), RunError> {
    let mut misplaced = misplaced(dir).into_iter();
    match misplaced.find(|(name, _)| names.contains(name)) {
        None => Ok(()),
        Some((name, reason)) => Err(RunError::Write {
            path: dir.join(name),
            source: Error::other(format!("it {reason}; move it away")),
        }),
    }
}

/// True for the name of a file in one of the folders that are [`misplaced`].
pub(crate) fn is_below(name: &str, misplaced: &[(&'static str, String)]) -> bool {
    misplaced.iter().any(|(folder, _)| {
        let rest = name.strip_prefix(folder);
        rest.is_some_and(|rest| rest.starts_with('/'))
    })
}

/// Compares the file `name` of the folder `dir` with what the list `by` says of it: its length,
/// where the list has it \[B\], and its hash. What is wrong with the file, if something is.
///
/// # Errors
/// The system does not read it, or it is larger than what may be read.
pub(crate) fn listed(
    dir: &Path,
    name: &str,
    by: &str,
    bytes: Option<u64>,
    sha256: &str,
) -> Result<Option<String>, RunError> {
    if !disk::is_inside(name) {
        return Ok(Some("its name leads out of the folder".to_owned()));
    }
    let found = disk::length_in(dir, name).and_then(|length| match bytes {
        Some(bytes) if bytes != length => Ok(Some(format!(", from {bytes} to {length} bytes"))),
        _ => {
            let (_, own) = disk::hash_in(dir, name)?;
            Ok((own != sha256).then(String::new))
        }
    });
    match found {
        Ok(None) => Ok(None),
        Ok(Some(how)) => Ok(Some(format!("{CHANGED} {by} was written{how}"))),
        Err(error) if is_damage(&error) => Ok(Some(reason(&error))),
        Err(error) => Err(unread(dir, name, error)),
    }
}

/// True for what is wrong with a file of a folder whose change was cut short: it has files of both
/// sides of it. What is no file stays damage.
pub(crate) fn is_half_changed(reason: &str) -> bool {
    reason == MISSING || reason.starts_with(CHANGED)
}

/// Fails for a file of the cell `key` that is there and that the system does not read.
///
/// # Errors
/// [`RunError::Unreadable`] with the first such file.
pub(crate) fn require_readable_cell(dir: &Path, key: &str) -> Result<(), RunError> {
    let names = [store::cell_name, store::impulses_name, store::replay_name];
    let mut names = names.into_iter().map(|name| name(key));
    names.try_for_each(|name| require_readable(dir, &name))
}

/// Fails for a file that is there and that the system does not read.
///
/// # Errors
/// [`RunError::Unreadable`].
pub(crate) fn require_readable(dir: &Path, name: &str) -> Result<(), RunError> {
    match disk::check_in(dir, name) {
        Err(source) if !is_damage(&source) => Err(unread(dir, name, source)),
        _ => Ok(()),
    }
}

/// True for a record of a problem that was solved, whose impulses lie next to it.
pub(crate) fn has_impulses(record: &CellRecord) -> bool {
    let outcome = &record.outcome;
    matches!(outcome.payload, Payload::Solve(_)) && !outcome.impulse_hash.is_empty()
}

/// Checks the files that lie next to the record of a cell: impulses and recorded motion. The name
/// of the first that is not as the record says, and what is wrong with it.
pub(crate) fn check_files(dir: &Path, record: &CellRecord) -> Result<(), (String, String)> {
    let (key, outcome) = (&record.key, &record.outcome);
    if has_impulses(record) {
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
pub fn check_files_of_record(dir: &Path, record: &CellRecord) -> Result<(), RunError> {
    check_files(dir, record).map_err(|(name, reason)| fault(dir, &name, reason))
}

/// The error about a file of which a check gave this `reason`, which may be that the system does
/// not read it.
pub(crate) fn fault(dir: &Path, name: &str, reason: String) -> RunError {
    match disk::check_in(dir, name) {
        Err(source) if source.kind() != ErrorKind::NotFound => unread(dir, name, source),
        _ => not_as_left(dir, name, reason),
    }
}
