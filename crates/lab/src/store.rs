//! Files of a results folder: each appears whole or not at all.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};
use tempfile::Builder;

use crate::record::CellRecord;

/// Folder of the cells inside a results folder.
pub const CELLS: &str = "cells";

/// A cell's file is this, 64 hexadecimal digits, [`MIDDLE`], the record, [`END`]: JSON whose record is checksummed.
const HEAD: &str = "{\"sha256\":\"";
const MIDDLE: &str = "\",\"record\":";
const END: &str = "}\n";

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
    fs::create_dir_all(folder)?;
    let mut builder = Builder::new();
    builder.prefix(".part-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // as for any new file: the umask takes away what it takes away
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Where the cell of this key is kept.
pub fn cell_path(dir: &Path, key: &str) -> PathBuf {
    dir.join(CELLS).join(format!("{key}.json"))
}

/// What is known of a cell's file.
#[derive(Debug, Clone, PartialEq)]
pub enum Kept {
    /// The finished cell.
    Cell(Box<CellRecord>),
    /// There is no file.
    Nothing,
    /// There is a file, but not a whole one; the text says why.
    Corrupt(String),
}

/// Reads the cell of this key.
pub fn read_cell(dir: &Path, key: &str) -> Kept {
    let bytes = match fs::read(cell_path(dir, key)) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Kept::Nothing,
        Err(error) => return Kept::Corrupt(error.to_string()),
    };
    match decode(&bytes) {
        Ok(record) if record.key == key => Kept::Cell(Box::new(record)),
        Ok(_) => Kept::Corrupt("it holds another cell".to_owned()),
        Err(reason) => Kept::Corrupt(reason),
    }
}

/// Writes a finished cell.
///
/// # Errors
/// The file cannot be written.
pub fn write_cell(dir: &Path, record: &CellRecord) -> io::Result<()> {
    let json = serde_json::to_string(record)?;
    let sum = hex(&Sha256::digest(json.as_bytes()));
    let text = [HEAD, &sum, MIDDLE, &json, END].concat();
    write_atomic(&cell_path(dir, &record.key), text.as_bytes())
}

fn decode(bytes: &[u8]) -> Result<CellRecord, String> {
    let cut = || "it is cut short".to_owned();
    let rest = bytes.strip_prefix(HEAD.as_bytes()).ok_or_else(cut)?;
    let (sum, rest) = rest.split_at_checked(64).ok_or_else(cut)?;
    let rest = rest.strip_prefix(MIDDLE.as_bytes()).ok_or_else(cut)?;
    let json = rest.strip_suffix(END.as_bytes()).ok_or_else(cut)?;
    if hex(&Sha256::digest(json)).as_bytes() != sum {
        return Err("its checksum is wrong".to_owned());
    }
    serde_json::from_slice(json).map_err(|error| format!("it is not a record: {error}"))
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(|nibble| char::from(DIGITS[usize::from(nibble)]));
    digits.collect()
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
                moment: None,
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
            scheme: None,
            solver: SolverLabel {
                label: "s".to_owned(),
                id: "s".to_owned(),
                parameters: Map::new(),
                device: None,
            },
            facts: ProblemFacts::default(),
            outcome,
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
    fn every_truncation_and_every_flipped_byte_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let record = record();
        write_cell(dir.path(), &record).unwrap();
        let path = cell_path(dir.path(), &record.key);
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            assert!(decode(&whole[..length]).is_err(), "length {length}");
        }
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            assert!(decode(&changed).is_err(), "byte {at}");
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
