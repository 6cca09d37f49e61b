//! Files of a results folder: each appears whole or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use delassus_core::Status;
use serde::Deserialize;
use tempfile::NamedTempFile;

use crate::disk;
use crate::key;
use crate::origin::Origin;
use crate::record::{CellRecord, Limit};

/// File with everything of a run that is neither a cell nor the manifest.
pub const EXPERIMENT: &str = "experiment.json";
/// File with the manifest.
pub const MANIFEST: &str = "manifest.json";
/// Folder of the cells inside a results folder.
pub const CELLS: &str = "cells";

/// Version of the form of a cell's file. The first one had no number; what it may hold beside that is in
/// `docs/experiments.md`.
pub const SCHEMA: u32 = 2;

/// A cell's file is this, the version, a comma, [`SUM`], 64 hexadecimal digits, [`MIDDLE`], the record, [`END`]: JSON whose
/// record is checksummed. In the first version, a brace and what follows the comma.
const HEAD: &str = "{\"schema\":";
const SUM: &str = "\"sha256\":\"";
const MIDDLE: &str = "\",\"record\":";
const END: &str = "}\n";

/// A temporary file's name begins and ends so.
const PART: (&str, &str) = (".part-", ".tmp");

/// Writes `bytes` to `path` through a temporary file in the same folder, making the folder if need be.
///
/// A reader sees the old file or the new one, never a part of it. The bytes are not forced to the disk: this is for what can
/// be made again from what is.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = temporary(folder_of(path))?;
    disk::write(file.as_file_mut(), bytes)?;
    disk::persist(file, path)
}

/// The same for what nothing can be made from but the work itself: the bytes are on the disk before the file has its name.
///
/// # Errors
/// The folder or the file cannot be written, or not be forced to the disk.
pub fn write_durable(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = temporary(folder_of(path))?;
    disk::write(file.as_file_mut(), bytes)?;
    disk::sync(file.as_file())?;
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
    temporary(folder)?.close()
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    disk::folder(folder)?;
    disk::temporary(folder, PART)
}

/// True for the name of a temporary file.
pub fn is_part(name: &str) -> bool {
    name.starts_with(PART.0) && name.ends_with(PART.1)
}

/// Removes the temporary files that killed programs left in `folder`; nobody else may be writing there.
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

/// Where the cell of this key is kept.
pub fn cell_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(CELLS).join(format!("{key}.json"))
}

/// Where the replay of the cell of this key is kept, if it has one.
pub fn replay_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(CELLS).join(format!("{key}.replay"))
}

/// What is known of a cell's file.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept<T = Box<CellRecord>> {
    /// The finished cell.
    Cell(T),
    /// There is no file.
    Nothing,
    /// There is a file, but not a whole one; the text says why.
    Corrupt(String),
}

/// What a run must know of a finished cell that it does not run: the rest of the record stays unread.
#[derive(Debug, Clone, PartialEq)]
pub struct Glance {
    /// How the cell ended.
    pub status: Status,
    /// The limit that its process ended at, where it did.
    pub limit: Option<Limit>,
    /// True if the record has times.
    pub timed: bool,
    /// What the times depend on beside the key.
    pub origin: Option<Origin>,
    /// The checksum of the record.
    pub sum: String,
}

/// Reads the cell of this key.
pub fn read_cell(dir: &Path, key: &str) -> Kept {
    read(dir, key, |_, json| {
        let record: CellRecord = parse(json)?;
        Ok((record.key.clone(), Box::new(record)))
    })
}

/// Checks the file of this key, and reads little of it.
pub fn glance(dir: &Path, key: &str) -> Kept<Box<Glance>> {
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
        limit: Option<Limit>,
    }
    read(dir, key, |sum, json| {
        let head: Head = parse(json)?;
        let glance = Glance {
            status: head.outcome.status,
            limit: head.outcome.limit,
            timed: !head.outcome.iterate_seconds.is_empty(),
            origin: head.origin,
            sum: sum.to_owned(),
        };
        Ok((head.key, Box::new(glance)))
    })
}

fn parse<'j, T: Deserialize<'j>>(json: &'j [u8]) -> Result<T, String> {
    serde_json::from_slice(json).map_err(|error| format!("it is not a record: {error}"))
}

/// Reads a cell's file and what `take` makes of its checksum and its record: the key, and the answer.
fn read<T>(
    dir: &Path,
    key: &str,
    take: impl FnOnce(&str, &[u8]) -> Result<(String, T), String>,
) -> Kept<T> {
    let bytes = match disk::read(&cell_path(dir, key)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Kept::Nothing,
        Err(error) => return Kept::Corrupt(error.to_string()),
    };
    match checked(&bytes).and_then(|(_, sum, json)| take(&sum, json)) {
        Ok((found, answer)) if found == key => Kept::Cell(answer),
        Ok(_) => Kept::Corrupt(ANOTHER.to_owned()),
        Err(reason) => Kept::Corrupt(reason),
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
    let sum = key::of_bytes(json);
    let head = format!("{HEAD}{SCHEMA},{SUM}{sum}{MIDDLE}");
    let bytes = [head.as_bytes(), json, END.as_bytes()].concat();
    write_durable(path, &bytes)?;
    Ok(sum)
}

/// Brings the file of this key into the form of today, without touching the record in it, and returns the version that it
/// had; the reason if it is no whole cell.
///
/// # Errors
/// The file cannot be written.
pub fn migrate(dir: &Path, key: &str) -> io::Result<Result<u32, String>> {
    let path = cell_path(dir, key);
    let bytes = disk::read(&path)?;
    let whole = checked(&bytes).and_then(|(schema, _, json)| {
        let record: CellRecord = parse(json)?;
        match record.key == key {
            true => Ok((schema, json)),
            false => Err(ANOTHER.to_owned()),
        }
    });
    Ok(match whole {
        Ok((schema, json)) => {
            if schema != SCHEMA {
                write_record(&path, json)?;
            }
            Ok(schema)
        }
        Err(reason) => Err(reason),
    })
}

/// Version of the form of a cell's file, if it says one that there is.
pub fn schema_of(bytes: &[u8]) -> Option<u32> {
    checked(bytes).ok().map(|(schema, ..)| schema)
}

/// The names of problem and solver in a file that may be damaged, if they can be read: what is lost with it.
pub fn names_in(bytes: &[u8]) -> Option<(String, String)> {
    #[derive(Deserialize)]
    struct Names {
        problem: Name,
        scheme: Option<Method>,
        solver: Label,
    }
    #[derive(Deserialize)]
    struct Name {
        name: String,
    }
    #[derive(Deserialize)]
    struct Method {
        method: String,
    }
    #[derive(Deserialize)]
    struct Label {
        label: String,
    }
    let middle = MIDDLE.as_bytes();
    let at = bytes
        .windows(middle.len())
        .position(|part| part == middle)?;
    let record = bytes[at + middle.len()..].strip_suffix(END.as_bytes())?;
    let names: Names = serde_json::from_slice(record).ok()?;
    let method = names
        .scheme
        .map_or(names.solver.label, |scheme| scheme.method);
    Some((names.problem.name, method))
}

/// What is wrong with a file that has the name of another cell.
const ANOTHER: &str = "it holds another cell";

/// The version, the checksum and the record of a cell's file.
fn checked(bytes: &[u8]) -> Result<(u32, String, &[u8]), String> {
    let cut = || "it is cut short, or no cell".to_owned();
    let (schema, rest) = match bytes.strip_prefix(HEAD.as_bytes()) {
        None => (1, bytes.strip_prefix(b"{").ok_or_else(cut)?),
        Some(rest) => {
            let end = rest.iter().position(|byte| *byte == b',').ok_or_else(cut)?;
            let version = std::str::from_utf8(&rest[..end]).unwrap_or_default();
            match version.parse() {
                Ok(SCHEMA) if version == SCHEMA.to_string() => (SCHEMA, &rest[end + 1..]),
                Ok(newer) if newer > SCHEMA => {
                    return Err(format!(
                        "it has schema {newer}, and this program reads schemas up to {SCHEMA}: take the program that wrote it"
                    ));
                }
                _ => return Err(cut()),
            }
        }
    };
    let rest = rest.strip_prefix(SUM.as_bytes()).ok_or_else(cut)?;
    let (sum, rest) = rest.split_at_checked(64).ok_or_else(cut)?;
    let rest = rest.strip_prefix(MIDDLE.as_bytes()).ok_or_else(cut)?;
    let json = rest.strip_suffix(END.as_bytes()).ok_or_else(cut)?;
    let own = key::of_bytes(json);
    if own.as_bytes() != sum {
        return Err("its checksum is wrong".to_owned());
    }
    Ok((schema, own, json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::disk::Operation;
    use crate::disk::fault::{self, Fault};
    use crate::record::{Outcome, ProblemFacts, ProblemLabel, Sample, SolverLabel};
    use delassus_core::Status;
    use serde_json::Map;

    fn record() -> CellRecord {
        let mut outcome = Outcome::without_samples(Status::Solved, "a message");
        outcome.metrics = vec!["natural_map".to_owned(), "siconos".to_owned()];
        // numbers whose shortest decimal form is long, and one that is subnormal
        for value in [0.1 + 0.2, 5e-324, 1.0 / 3.0] {
            outcome.samples.push(Sample {
                sweeps: 1,
                row_updates: 2,
                values: vec![Some(value), None],
            });
        }
        CellRecord {
            key: "0".repeat(64),
            problem: ProblemLabel {
                name: "p \"q\" μ".to_owned(),
                source: "file".to_owned(),
                parameters: Map::new(),
            },
            solver: SolverLabel {
                label: "s".to_owned(),
                id: "s".to_owned(),
                parameters: Map::new(),
                device: None,
            },
            facts: ProblemFacts::default(),
            outcome,
            origin: None,
        }
    }

    #[test]
    fn a_cell_comes_back_bit_for_bit() {
        let dir = tempfile::tempdir().unwrap();
        let record = record();
        assert_eq!(read_cell(dir.path(), &record.key), Kept::Nothing);
        write_cell(dir.path(), &record).unwrap();
        assert_eq!(
            read_cell(dir.path(), &record.key),
            Kept::Cell(Box::new(record.clone()))
        );
        // the file is JSON for every other reader
        let text = fs::read_to_string(cell_path(dir.path(), &record.key)).unwrap();
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["record"]["problem"]["name"], "p \"q\" μ");
    }

    #[test]
    fn a_glance_sees_what_the_record_says_and_the_same_damage() {
        let dir = tempfile::tempdir().unwrap();
        let mut record = record();
        record.outcome.iterate_seconds = vec![0.5];
        write_cell(dir.path(), &record).unwrap();
        let Kept::Cell(seen) = glance(dir.path(), &record.key) else {
            panic!("a whole cell");
        };
        assert_eq!((seen.status, seen.timed), (Status::Solved, true));
        assert_eq!((seen.origin, seen.sum.len()), (None, 64));
        let path = cell_path(dir.path(), &record.key);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, &whole[..whole.len() - 9]).unwrap();
        assert!(matches!(glance(dir.path(), &record.key), Kept::Corrupt(_)));
        let other = "1".repeat(64);
        fs::write(cell_path(dir.path(), &other), &whole).unwrap();
        assert!(matches!(glance(dir.path(), &other), Kept::Corrupt(_)));
        assert_eq!(glance(dir.path(), &"2".repeat(64)), Kept::Nothing);
    }

    #[test]
    fn a_record_without_its_origin_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let record = record();
        // the form of programs that kept no origin: the same without the entry
        let json = serde_json::to_string(&record).unwrap();
        assert!(!json.contains("origin"), "{json}");
        write_cell(dir.path(), &record).unwrap();
        assert_eq!(
            read_cell(dir.path(), &record.key),
            Kept::Cell(Box::new(record))
        );
    }

    #[test]
    fn only_temporary_files_are_swept_away() {
        let dir = tempfile::tempdir().unwrap();
        let names = [".part-a1.tmp", ".part-b", "part-c.tmp", "mine.tmp"];
        for name in names {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        fs::create_dir(dir.path().join(".part-folder.tmp")).unwrap();
        sweep(dir.path());
        sweep(&dir.path().join("nowhere"));
        let there = names.map(|name| dir.path().join(name).exists());
        assert_eq!(there, [false, true, true, true]);
        assert!(dir.path().join(".part-folder.tmp").is_dir());
    }

    #[test]
    fn every_truncation_and_every_flipped_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let record = record();
        write_cell(dir.path(), &record).unwrap();
        let path = cell_path(dir.path(), &record.key);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            assert!(checked(&whole[..length]).is_err(), "length {length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(checked(&changed).is_err(), "byte {at}");
        }
        fs::write(&path, &whole[..whole.len() / 2]).unwrap();
        assert!(matches!(
            read_cell(dir.path(), &record.key),
            Kept::Corrupt(_)
        ));
        // a whole record under the name of another cell
        let other = "1".repeat(64);
        fs::write(cell_path(dir.path(), &other), &whole).unwrap();
        assert!(matches!(read_cell(dir.path(), &other), Kept::Corrupt(_)));
    }

    /// The form of programs before there were versions.
    fn first_form(record: &CellRecord) -> String {
        let json = serde_json::to_string(record).unwrap();
        let sum = key::of_text(&json);
        format!("{{\"sha256\":\"{sum}\",\"record\":{json}}}\n")
    }

    #[test]
    fn the_first_form_is_read_and_migrated_and_a_newer_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let record = record();
        let path = cell_path(dir.path(), &record.key);
        let old = first_form(&record);
        write_atomic(&path, old.as_bytes()).unwrap();
        let kept = || read_cell(dir.path(), &record.key);
        assert_eq!(kept(), Kept::Cell(Box::new(record.clone())));
        for at in 0..old.len() {
            let mut changed = old.clone().into_bytes();
            changed[at] ^= 1;
            assert!(checked(&changed).is_err(), "byte {at}");
            assert!(checked(&old.as_bytes()[..at]).is_err(), "length {at}");
        }
        assert_eq!(migrate(dir.path(), &record.key).unwrap(), Ok(1));
        assert_eq!(migrate(dir.path(), &record.key).unwrap(), Ok(2));
        assert_eq!(kept(), Kept::Cell(Box::new(record.clone())));
        let whole = fs::read_to_string(&path).unwrap();
        assert!(whole.starts_with("{\"schema\":2,"), "{whole}");
        let newer = whole.replacen(":2,", ":12,", 1);
        fs::write(&path, &newer).unwrap();
        let refused = migrate(dir.path(), &record.key).unwrap().unwrap_err();
        assert!(refused.contains("schema 12"), "{refused}");
        assert_eq!(fs::read_to_string(&path).unwrap(), newer);
        assert!(matches!(kept(), Kept::Corrupt(_)));
        let padded = whole.replacen(":2,", ":02,", 1);
        assert!(checked(padded.as_bytes()).is_err());
    }

    #[test]
    fn a_damaged_file_may_still_tell_what_is_lost() {
        let dir = tempfile::tempdir().unwrap();
        let record = record();
        write_cell(dir.path(), &record).unwrap();
        let whole = fs::read_to_string(cell_path(dir.path(), &record.key)).unwrap();
        let damaged = whole.replacen("\"message\":\"a ", "\"message\":\"b ", 1);
        assert!(checked(damaged.as_bytes()).is_err());
        let names = ("p \"q\" μ".to_owned(), "s".to_owned());
        assert_eq!(names_in(damaged.as_bytes()), Some(names));
        assert_eq!(names_in(&whole.as_bytes()[..whole.len() / 2]), None);
    }

    #[test]
    fn a_disk_that_fails_to_keep_a_cell_is_asked_once() {
        let dir = tempfile::tempdir().unwrap();
        let record = record();
        fault::arm(None);
        write_cell(dir.path(), &record).unwrap();
        let operations = fault::disarm();
        let syncs = |all: &[Operation]| all.iter().filter(|o| **o == Operation::Sync).count();
        let at = operations.iter().position(|o| *o == Operation::Sync);
        fs::remove_file(cell_path(dir.path(), &record.key)).unwrap();
        fault::arm(at.map(|at| (at, Fault::Disk)));
        assert!(write_cell(dir.path(), &record).is_err());
        assert_eq!(syncs(&fault::disarm()), 1);
        assert_eq!(read_cell(dir.path(), &record.key), Kept::Nothing);
        assert_eq!(fs::read_dir(dir.path().join(CELLS)).unwrap().count(), 0);
    }

    #[test]
    fn a_write_replaces_the_file_and_leaves_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b/c.txt");
        write_atomic(&path, b"one").unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}
