//! Puts the cells of several results folders into one: the parts of a run that were made in
//! parallel.
//!
//! Cells are told by their keys, which are hashes of everything that determines them. Every file is
//! checked before the first one is written, so that a folder that was copied by half is refused as
//! a whole, and nothing is ever written over.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use serde::Serialize;

use crate::error::RunError;
use crate::folder::{Folder, RecordEvidence, cells_in};
use crate::json_file;
use crate::lock::LockPurpose;
use crate::outputs::{self, Work};
use crate::ownership;
use crate::record::{CellRecord, Payload};
use crate::run_metadata::{self, is_key};
use crate::store::{self, EXPERIMENT, StoredCell};
use crate::{replays, run, unfit};

/// What came of putting folders together.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct MergeReport {
    /// Cells of the experiment \[-\].
    pub cells: usize,
    /// Cells that were copied now \[-\].
    pub copied: usize,
    /// Cells that were there before \[-\].
    pub kept: usize,
    /// Cells that none of the folders has \[-\].
    pub missing: usize,
}

/// Copies the cells of `sources` that `to` does not have, with their impulses and replays.
///
/// All folders must be of one experiment: the same cells by the same program. A cell that several
/// have is taken from the first of them, `to` before all others; they may differ in nothing but
/// times. Doing it again changes nothing.
///
/// # Errors
/// A folder that is none of results or of other cells (exit code 2); one that a run writes to, a
/// file that the system does not read or write (3); a file that is not as its run left it, two
/// cells of one key that differ (6). In all cases but the writing nothing has changed.
pub fn merge(sources: &[PathBuf], to: &Path) -> Result<MergeReport, RunError> {
    let sources = different(sources, to);
    let mut locks = Vec::with_capacity(sources.len() + 1);
    let mut keys: Option<(PathBuf, Vec<String>)> = None;
    let there = to.join(EXPERIMENT).exists();
    // nothing else was named: it is refused unless it is a results folder
    let is_read = there || sources.is_empty();
    for dir in is_read
        .then_some(to)
        .into_iter()
        .chain(sources.iter().map(PathBuf::as_path))
    {
        let own = run_metadata::keys(dir)?;
        match &keys {
            None => keys = Some((dir.to_owned(), own)),
            Some((_, known)) if *known == own => {}
            Some((than, _)) => {
                return Err(RunError::OtherCells {
                    folder: dir.to_owned(),
                    than: than.clone(),
                });
            }
        }
        // cells that cannot be looked at are none that are missing
        cells_in(dir)?;
        if dir != to {
            locks.extend(run::lock_to_read(dir)?);
            as_left(dir)?;
        }
    }
    let keys = keys.map(|(_, keys)| keys).unwrap_or_default();
    // what is refused leaves no new folder behind
    choose(&keys, &sources)?;
    let _lock = run::lock(to, LockPurpose::Whole)?;
    if there {
        // a record that is gone comes from the others
        Folder::open(to)?.require(to)?;
    }
    let chosen = match there {
        true => choose(&keys, &[vec![to.to_owned()], sources.clone()].concat())?,
        false => choose(&keys, &sources)?,
    };
    if let (false, Some(first)) = (there, sources.first()) {
        claim(first, to)?;
    }
    copy_chosen(&keys, chosen, to)
}

/// Copies each cell from the folder that was chosen for it, if there is one.
fn copy_chosen(
    keys: &[String],
    chosen: Vec<Option<PathBuf>>,
    to: &Path,
) -> Result<MergeReport, RunError> {
    let mut merged = MergeReport {
        cells: keys.len(),
        ..MergeReport::default()
    };
    for (key, from) in keys.iter().zip(chosen) {
        match from {
            None => merged.missing += 1,
            Some(dir) if dir == to => merged.kept += 1,
            Some(dir) => {
                outputs::mark(to, Work::Run).map_err(|source| RunError::Write {
                    path: to.join(outputs::LIST),
                    source,
                })?;
                copy(&dir, to, key)?;
                merged.copied += 1;
            }
        }
    }
    Ok(merged)
}

/// The folders without those that are named twice, and without `to`.
fn different(sources: &[PathBuf], to: &Path) -> Vec<PathBuf> {
    let place = |dir: &Path| dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let mut seen = vec![place(to)];
    let mut kept = Vec::with_capacity(sources.len());
    for dir in sources {
        let own = place(dir);
        if !seen.contains(&own) {
            seen.push(own);
            kept.push(dir.clone());
        }
    }
    kept
}

/// Says in a new folder whose results it holds.
fn claim(from: &Path, to: &Path) -> Result<(), RunError> {
    let is_own = match ownership::check(from) {
        Err(error) if unfit::is_damage(&error) => false,
        checked => checked.map_err(|source| unfit::unread(from, ownership::FILE, source))?,
    };
    let moved = run_metadata::moved(from, run_metadata::read(from)?, to, is_own);
    // the spec of a folder that was made here is the user's for its copy as well; nothing says so
    // again once the experiment is there
    if is_own {
        let claimed = ownership::claim(to, &run_metadata::origin(&moved));
        claimed.map_err(|source| RunError::Write {
            path: to.join(ownership::FILE),
            source,
        })?;
    }
    let path = to.join(EXPERIMENT);
    let content = json_file::pretty(&moved);
    let written = content.and_then(|content| store::write_durable(&path, &content));
    written.map_err(|source| RunError::Write { path, source })
}

/// Refuses a folder whose records are not those that its run left.
fn as_left(dir: &Path) -> Result<(), RunError> {
    let folder = Folder::open(dir)?;
    folder.require(dir)?;
    for key in folder.saved.cells.iter().filter(|key| is_key(key)) {
        let flaw = match store::read_summary(dir, key) {
            StoredCell::Cell(summary) => folder.flaw(key, Some(&summary.sum)),
            // it is read again, and refused, where cells are chosen
            StoredCell::Corrupt(_) => None,
            StoredCell::Nothing => folder.flaw(key, None),
        };
        if let Some(reason) = flaw {
            return Err(unfit::not_as_left(dir, &store::cell_name(key), reason));
        }
    }
    Ok(())
}

/// The first of the folders that has each cell, with all of them checked.
fn choose(keys: &[String], folders: &[PathBuf]) -> Result<Vec<Option<PathBuf>>, RunError> {
    let choice = keys.iter().map(|key| {
        let mut first: Option<(&Path, Whole)> = None;
        for dir in folders {
            let Some(found) = whole(dir, key)? else {
                continue;
            };
            match &first {
                None => first = Some((dir, found)),
                Some((_, (bytes, _))) if *bytes == found.0 => {}
                Some((other, (_, known))) => alike(other, known, dir, &found.1)?,
            }
        }
        Ok(first.map(|(dir, ..)| dir.to_owned()))
    });
    choice.collect()
}

/// The bytes of a cell's file, and its record.
type Whole = (Vec<u8>, Box<CellRecord>);

/// The file of a cell with its record, if there is one; it is whole, and so is what lies next to
/// it.
fn whole(dir: &Path, key: &str) -> Result<Option<Whole>, RunError> {
    let damaged = |name: &str, reason: String| unfit::not_as_left(dir, name, reason);
    if !is_key(key) {
        let reason = format!("{key:?} is no key of a cell");
        return Err(damaged(EXPERIMENT, reason));
    }
    let name = store::cell_name(key);
    let bytes = match disk::read_in(dir, &name) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unfit::unread(dir, &name, error)),
    };
    let record = match store::cell_of(&bytes, key) {
        StoredCell::Cell(record) => record,
        StoredCell::Corrupt(reason) => return Err(damaged(&name, reason)),
        StoredCell::Nothing => return Ok(None),
    };
    unfit::check_files_of_record(dir, &record)?;
    // older records have no hash of it
    if let Some(replay) = replay_of(dir, &record)
        && record.outcome.replay_hash().is_none()
    {
        replays::check(dir, key, None).map_err(|reason| damaged(&replay, reason))?;
    }
    Ok(Some((bytes, record)))
}

/// The replay of a record, if there is one; what lies next to a record of a run that leaves a root,
/// and has no hash in it, is none.
fn replay_of(dir: &Path, record: &CellRecord) -> Option<String> {
    let name = store::replay_name(&record.key);
    let is_there = fs::symlink_metadata(dir.join(&name)).is_ok();
    let is_older = || Folder::open(dir).is_ok_and(|folder| folder.vouched == RecordEvidence::Older);
    (is_there && replays::belongs_to(record, is_older())).then_some(name)
}

/// Refuses two records of one key that differ in more than their times.
fn alike(
    one: &Path,
    first: &CellRecord,
    other: &Path,
    second: &CellRecord,
) -> Result<(), RunError> {
    // numbers that are none are equal in text alone
    let [a, b] = [first, second].map(|record| serde_json::to_vec(&timeless(record)).ok());
    match a.is_some() && a == b {
        true => Ok(()),
        false => Err(RunError::Different {
            one: store::cell_path(one, &first.key),
            other: store::cell_path(other, &second.key),
        }),
    }
}

/// A record without what belongs to the machine: times, and what a layout for its vectors takes.
fn timeless(record: &CellRecord) -> CellRecord {
    let mut record = record.clone();
    record.origin = None;
    record.outcome.prepare_seconds.clear();
    record.outcome.iterate_seconds.clear();
    if let Payload::Time(timing) = &mut record.outcome.payload {
        timing.short_seconds.clear();
        for bytes in [
            &mut timing.read_bytes,
            &mut timing.written_bytes,
            &mut timing.gathered_bytes,
            &mut timing.working_set,
        ] {
            *bytes = None;
        }
    }
    record
}

/// Copies the files of a cell, its record last: a cell that is there has its impulses and its
/// replay.
fn copy(from: &Path, to: &Path, key: &str) -> Result<(), RunError> {
    let Some((_, record)) = whole(from, key)? else {
        return Ok(());
    };
    let impulses = store::impulses_name(key);
    let has_impulses = unfit::has_impulses(&record);
    let replay = replay_of(from, &record).into_iter();
    let mut files = replay.chain(has_impulses.then_some(impulses));
    files.try_for_each(|name| copy_file(from, to, &name))?;
    copy_file(from, to, &store::cell_name(key))
}

fn copy_file(from: &Path, to: &Path, name: &str) -> Result<(), RunError> {
    let bytes = disk::read_in(from, name).map_err(|source| unfit::unread(from, name, source))?;
    let way = disk::check_way(to, name);
    let written = way.and_then(|()| store::write_durable(&to.join(name), &bytes));
    written.map_err(|source| RunError::Write {
        path: to.join(name),
        source,
    })
}
