//! Files of a results folder: each appears whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use delassus_core::Status;
use serde::Deserialize;
use tempfile::{Builder, NamedTempFile};

use crate::key;
use crate::origin::Origin;
use crate::record::CellRecord;

/// File with everything of a run that is neither a cell nor the manifest.
pub const EXPERIMENT: &str = "experiment.json";
/// File with the manifest.
pub const MANIFEST: &str = "manifest.json";
/// Folder of the cells inside a results folder.
pub const CELLS: &str = "cells";

/// A cell's file is this, 64 hexadecimal digits, [`MIDDLE`], the record, [`END`]: JSON whose record is checksummed.
const HEAD: &str = "{\"sha256\":\"";
const MIDDLE: &str = "\",\"record\":";
const END: &str = "}\n";

/// A temporary file's name begins and ends so.
const PART: (&str, &str) = (".part-", ".tmp");

/// Writes `bytes` to `path` through a temporary file in the same folder, making the folder if need be.
///
/// A reader sees the old file or the new one, never a part of it. The bytes are not forced to the disk: after a
/// power failure a file may be empty, which a cell's checksum tells.
///
/// # Errors
/// The folder or the file cannot be written.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    let mut file = temporary(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Fails where no file can be made in `folder`, which is made if need be.
///
/// # Errors
/// What writing a file there would fail with.
pub fn probe(folder: &Path) -> io::Result<()> {
    temporary(folder)?.close()
}

fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    builder.prefix(PART.0).suffix(PART.1);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // as for any new file: the umask takes away what it takes away
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(folder)
}

/// Removes the temporary files that killed programs left in `folder`; nobody else may be writing there.
pub fn sweep(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let part = name.starts_with(PART.0) && name.ends_with(PART.1);
        if part && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            // one that stays does no harm
            let _ = fs::remove_file(entry.path());
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

/// Where the final impulses of the cell of this key are kept, if it solved a problem: little-endian f64, one per row, and
/// nothing else, so that the SHA-256 of the file is the `impulse_hash` of the record.
pub fn impulses_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(CELLS).join(format!("{key}.impulses"))
}

/// Writes the final impulses of a cell \[N·s\].
///
/// # Errors
/// The file cannot be written.
pub fn write_impulses(dir: &Path, key: &str, impulses: &[f64]) -> io::Result<()> {
    let bytes: Vec<u8> = impulses.iter().flat_map(|x| x.to_le_bytes()).collect();
    write_atomic(&impulses_path(dir, key), &bytes)
}

/// The impulses that a file of [`write_impulses`] holds \[N·s\]; `None` where it ends in the middle of a number.
pub fn impulses_of(bytes: &[u8]) -> Option<Vec<f64>> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let numbers = numbers.iter().map(|bytes| f64::from_le_bytes(*bytes));
    rest.is_empty().then(|| numbers.collect())
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
    /// True if the record has times.
    pub timed: bool,
    /// What the times depend on beside the key.
    pub origin: Option<Origin>,
    /// The checksum of the record.
    pub sum: String,
    /// True if the cell came to final impulses, or to a final state.
    pub final_state: bool,
}

/// Reads the cell of this key.
pub fn read_cell(dir: &Path, key: &str) -> Kept {
    read(dir, key, record)
}

/// The cell of this key in the bytes of its file.
pub fn cell_of(bytes: &[u8], key: &str) -> Kept {
    taken(bytes, key, record)
}

/// A whole record, with its key.
fn record(_: &str, json: &[u8]) -> Result<(String, Box<CellRecord>), String> {
    let record: CellRecord = parse(json)?;
    Ok((record.key.clone(), Box::new(record)))
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
        impulse_hash: String,
    }
    read(dir, key, |sum, json| {
        let head: Head = parse(json)?;
        let glance = Glance {
            status: head.outcome.status,
            timed: !head.outcome.iterate_seconds.is_empty(),
            origin: head.origin,
            sum: sum.to_owned(),
            final_state: !head.outcome.impulse_hash.is_empty(),
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
    let bytes = match fs::read(cell_path(dir, key)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Kept::Nothing,
        Err(error) => return Kept::Corrupt(error.to_string()),
    };
    taken(&bytes, key, take)
}

fn taken<T>(
    bytes: &[u8],
    key: &str,
    take: impl FnOnce(&str, &[u8]) -> Result<(String, T), String>,
) -> Kept<T> {
    match checked(bytes).and_then(|(sum, json)| take(&sum, json)) {
        Ok((found, answer)) if found == key => Kept::Cell(answer),
        Ok(_) => Kept::Corrupt("it holds another cell".to_owned()),
        Err(reason) => Kept::Corrupt(reason),
    }
}

/// Writes a finished cell and returns the checksum of its record.
///
/// # Errors
/// The file cannot be written.
pub fn write_cell(dir: &Path, record: &CellRecord) -> io::Result<String> {
    let json = serde_json::to_string(record)?;
    let sum = key::of_text(&json);
    let text = [HEAD, &sum, MIDDLE, &json, END].concat();
    write_atomic(&cell_path(dir, &record.key), text.as_bytes())?;
    Ok(sum)
}

/// The checksum and the record of a cell's file.
fn checked(bytes: &[u8]) -> Result<(String, &[u8]), String> {
    let cut = || "it is cut short".to_owned();
    let rest = bytes.strip_prefix(HEAD.as_bytes()).ok_or_else(cut)?;
    let (sum, rest) = rest.split_at_checked(64).ok_or_else(cut)?;
    let rest = rest.strip_prefix(MIDDLE.as_bytes()).ok_or_else(cut)?;
    let json = rest.strip_suffix(END.as_bytes()).ok_or_else(cut)?;
    let own = key::of_bytes(json);
    if own.as_bytes() != sum {
        return Err("its checksum is wrong".to_owned());
    }
    Ok((own, json))
}

#[cfg(test)]
mod tests {
    use super::*;
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
        assert!(!seen.final_state);
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
    fn impulses_come_back_bit_for_bit() {
        let dir = tempfile::tempdir().unwrap();
        let (key, impulses) = ("3".repeat(64), [0.1 + 0.2, -0.0, 5e-324]);
        write_impulses(dir.path(), &key, &impulses).unwrap();
        let bytes = fs::read(impulses_path(dir.path(), &key)).unwrap();
        let back = impulses_of(&bytes).unwrap();
        let bits = |all: &[f64]| all.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&back), bits(&impulses));
        assert_eq!(impulses_of(&bytes[..bytes.len() - 1]), None);
        assert_eq!(impulses_of(&[]), Some(Vec::new()));
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
