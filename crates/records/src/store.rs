//! Files of a results folder: each appears whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use delassus_core::Status;
use delassus_core::parameter::in_words;
use serde::Deserialize;

use crate::disk::{self, TemporaryFile};
use crate::origin::Origin;
use crate::record::{CellRecord, ResourceLimit};
use file::checked;

mod file;
mod outline;
mod part;

pub use file::{SCHEMA, cell_file, names_in, schema_of};
pub use outline::{Outline, outline};
pub use part::Part;

/// File with everything of a run that is neither a cell nor the manifest.
pub const EXPERIMENT: &str = "experiment.json";
/// File with the manifest.
pub const MANIFEST: &str = "manifest.json";
/// Folder of the cells inside a results folder.
pub const CELLS: &str = "cells";

/// Writes `bytes` to `path` through a temporary file in the same folder, making the folder if need
/// be.
///
/// A reader sees the old file or the new one, never a part of it. The bytes are not forced to the
/// disk: this is for what can be made again from what is.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = TemporaryFile::new(folder_of(path))?;
    disk::write(file.file_mut(), bytes)?;
    disk::persist(file, path)
}

/// The same in pieces, as `fill` writes them; what `fill` returns.
///
/// # Errors
/// The folder or the file cannot be written, or what `fill` fails with.
pub fn write_atomic_with<T>(
    path: &Path,
    fill: impl FnOnce(&mut File) -> io::Result<T>,
) -> io::Result<T> {
    let mut file = TemporaryFile::new(folder_of(path))?;
    let filled = fill(file.file_mut())?;
    disk::persist(file, path)?;
    Ok(filled)
}

/// The same for what nothing can be made from but the work itself: the bytes are on the disk before
/// the file has its name.
///
/// # Errors
/// The folder or the file cannot be written, or not be forced to the disk.
pub fn write_durable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = TemporaryFile::new(folder_of(path))?;
    disk::write(file.file_mut(), bytes)?;
    disk::sync(file.file())?;
    disk::persist(file, path)
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Fails where no file can be made in `folder`, which is made if need be.
///
/// # Errors
/// What writing a file there would fail with.
pub fn probe(folder: &Path) -> io::Result<()> {
    TemporaryFile::new(folder)?.close()
}

/// True for the name of a temporary file.
pub fn is_part(name: &str) -> bool {
    disk::is_part(name)
}

/// Removes the temporary files that killed programs left in `folder`; nobody else may be writing
/// there.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if is_part(&name) && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // one that stays does no harm
            let _ = disk::remove(&entry.path());
        }
    }
}

/// Name, with `/`, of the file of the cell of this key.
pub fn cell_name(key: &str) -> String {
    format!("{CELLS}/{key}.json")
}

/// Name of the replay of the cell of this key, if it has one.
pub fn replay_name(key: &str) -> String {
    format!("{CELLS}/{key}.replay")
}

/// Name of the final impulses of the cell of this key, if it solved a problem: little-endian f64,
/// one per row, and nothing else, so that the SHA-256 of the file is the `impulse_hash` of the
/// record.
pub fn impulses_name(key: &str) -> String {
    format!("{CELLS}/{key}.impulses")
}

/// Where the cell of this key is kept.
pub fn cell_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(cell_name(key))
}

/// Where the replay of the cell of this key is kept.
pub fn replay_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(replay_name(key))
}

/// Where the final impulses of the cell of this key are kept.
pub fn impulses_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(impulses_name(key))
}

/// Writes the final impulses of a cell \[N·s\].
///
/// # Errors
/// The file cannot be written.
pub fn write_impulses(dir: &Path, key: &str, impulses: &[f64]) -> io::Result<()> {
    write_durable(&impulses_path(dir, key), &impulses_file(impulses))
}

/// The bytes of a file of impulses.
pub fn impulses_file(impulses: &[f64]) -> Vec<u8> {
    impulses.iter().flat_map(|x| x.to_le_bytes()).collect()
}

/// The impulses that a file of [`write_impulses`] holds \[N·s\]; `None` where it ends in the middle
/// of a number.
pub fn impulses_of(bytes: &[u8]) -> Option<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes));
    rest.is_empty().then(|| numbers.collect())
}

/// What is known of a cell's file.
#[derive(Debug, Clone, PartialEq)]
pub enum StoredCell<T = Box<CellRecord>> {
    /// The finished cell.
    Cell(T),
    /// There is no file.
    Nothing,
    /// There is a file, but not a whole one; the text says why.
    Corrupt(String),
}

/// What a run must know of a finished cell that it does not run: the rest of the record stays
/// unread.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSummary {
    /// How the cell ended.
    pub status: Status,
    /// The limit that its process ended at, where it did.
    pub limit: Option<ResourceLimit>,
    /// True if the record has times.
    pub timed: bool,
    /// What the times depend on in addition to the key.
    pub origin: Option<Origin>,
    /// The checksum of the record.
    pub sum: String,
    /// Hash of the final impulses, or of the final state; empty if the cell came to none.
    pub impulse_hash: String,
    /// Hash of the replay, where the record has one.
    pub replay_hash: Option<String>,
}

/// Reads the cell of this key.
pub fn read_cell(dir: &Path, key: &str) -> StoredCell {
    read(dir, key, record)
}

/// Reads the cell of this key with the checksum of its record.
pub fn read_summed(dir: &Path, key: &str) -> StoredCell<(Box<CellRecord>, String)> {
    read(dir, key, |sum, json| {
        let (key, cell) = record(sum, json)?;
        Ok((key, (cell, sum.to_owned())))
    })
}

/// A record as it stands in its file.
#[derive(Debug, Clone, PartialEq)]
pub struct WrittenRecord {
    /// What it says.
    pub record: Box<CellRecord>,
    /// Its checksum.
    pub sum: String,
    /// Its text, JSON.
    pub text: Vec<u8>,
}

/// Reads the cell of this key with the text of its record.
pub fn read_written(dir: &Path, key: &str) -> StoredCell<WrittenRecord> {
    read(dir, key, |sum, json| {
        let (key, record) = record(sum, json)?;
        let written = WrittenRecord {
            record,
            sum: sum.to_owned(),
            text: json.to_vec(),
        };
        Ok((key, written))
    })
}

/// The cell of this key in the bytes of its file.
pub fn cell_of(bytes: &[u8], key: &str) -> StoredCell {
    taken(bytes, key, record)
}

/// A whole record, with its key.
fn record(_: &str, json: &[u8]) -> Result<(String, Box<CellRecord>), String> {
    let record: Box<CellRecord> = parse(json)?;
    Ok((record.key.clone(), record))
}

/// Checks the file of this key, and reads little of it.
pub fn read_summary(dir: &Path, key: &str) -> StoredCell<Box<CellSummary>> {
    read(dir, key, summary_of)
}

/// As [`read_summary`], but refuses a file that lacks an entry of a record.
pub fn read_whole_summary(dir: &Path, key: &str) -> StoredCell<Box<CellSummary>> {
    read(dir, key, |sum, json| {
        let CellRecord {
            key,
            outcome,
            origin,
            ..
        } = parse(json)?;
        let summary = CellSummary {
            status: outcome.status,
            limit: outcome.limit,
            timed: !outcome.iterate_seconds.is_empty(),
            origin,
            sum: sum.to_owned(),
            replay_hash: outcome.replay_hash().map(str::to_owned),
            impulse_hash: outcome.impulse_hash,
        };
        Ok((key, Box::new(summary)))
    })
}

fn summary_of(sum: &str, json: &[u8]) -> Result<(String, Box<CellSummary>), String> {
    #[derive(Deserialize)]
    struct Head {
        key: String,
        outcome: Ended,
        origin: Option<Origin>,
    }
    #[derive(Deserialize)]
    struct Ended {
        status: Status,
        iterate_seconds: Vec<f64>,
        limit: Option<ResourceLimit>,
        impulse_hash: String,
        replay_hash: Option<String>,
    }
    let head: Head = parse(json)?;
    let summary = CellSummary {
        status: head.outcome.status,
        limit: head.outcome.limit,
        timed: !head.outcome.iterate_seconds.is_empty(),
        origin: head.origin,
        sum: sum.to_owned(),
        impulse_hash: head.outcome.impulse_hash,
        replay_hash: head.outcome.replay_hash,
    };
    Ok((head.key, Box::new(summary)))
}

fn parse<'j, T: Deserialize<'j>>(json: &'j [u8]) -> Result<T, String> {
    serde_json::from_slice(json)
        .map_err(|error| format!("it is not a record: {}", in_words(&error)))
}

/// Reads a cell's file and what `take` makes of its checksum and its record: the key, and the
/// answer.
fn read<T>(
    dir: &Path,
    key: &str,
    take: impl FnOnce(&str, &[u8]) -> Result<(String, T), String>,
) -> StoredCell<T> {
    let bytes = match disk::read_in(dir, &cell_name(key)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return StoredCell::Nothing,
        Err(error) => return StoredCell::Corrupt(error.to_string()),
    };
    taken(&bytes, key, take)
}

fn taken<T>(
    bytes: &[u8],
    key: &str,
    take: impl FnOnce(&str, &[u8]) -> Result<(String, T), String>,
) -> StoredCell<T> {
    match checked(bytes).and_then(|file| take(&file.sum, file.json)) {
        Ok((found, answer)) if found == key => StoredCell::Cell(answer),
        Ok(_) => StoredCell::Corrupt(ANOTHER.to_owned()),
        Err(reason) => StoredCell::Corrupt(reason),
    }
}

/// Writes a finished cell and returns the checksum of its record.
///
/// # Errors
/// The file cannot be written.
pub fn write_cell(dir: &Path, record: &CellRecord) -> io::Result<String> {
    let json = serde_json::to_vec(record)?;
    write_record(&cell_path(dir, &record.key), &json)
}

fn write_record(path: &Path, json: &[u8]) -> io::Result<String> {
    let (bytes, sum) = cell_file(json);
    write_durable(path, &bytes)?;
    Ok(sum)
}

/// Brings the file of this key into the form of today, without touching the record in it, and
/// returns the version that it had; the reason if it is no whole cell.
///
/// # Errors
/// The file cannot be written.
pub fn migrate(dir: &Path, key: &str) -> io::Result<Result<u32, String>> {
    let path = cell_path(dir, key);
    let bytes = disk::read_in(dir, &cell_name(key))?;
    let whole = checked(&bytes).and_then(|file| {
        let record: CellRecord = parse(file.json)?;
        match record.key == key {
            true => Ok(file),
            false => Err(ANOTHER.to_owned()),
        }
    });
    Ok(match whole {
        Ok(file) => {
            if file.schema != SCHEMA {
                write_record(&path, file.json)?;
            }
            Ok(file.schema)
        }
        Err(reason) => Err(reason),
    })
}

/// What is wrong with a file that has the name of another cell.
const ANOTHER: &str = "it holds another cell";

#[cfg(test)]
mod tests;
