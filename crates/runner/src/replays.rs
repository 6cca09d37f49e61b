//! Files of recorded motion next to the cells.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use delassus_replay::Replay;

use crate::key::of_bytes;
use crate::record::{CellRecord, Payload};
use crate::{damage, store};

/// The bytes of a replay; refuses one that is missing, not whole, or not that of `hash`, which
/// older records do not have.
pub(crate) fn check(dir: &Path, key: &str, hash: Option<&str>) -> Result<Vec<u8>, String> {
    let bytes =
        disk::read_in(dir, &store::replay_name(key)).map_err(|error| damage::reason(&error))?;
    if hash.is_some_and(|hash| of_bytes(&bytes) != hash) {
        return Err("is not the motion of the record: its hash differs".to_owned());
    }
    Replay::check(&bytes).map_err(|error| format!("is no recorded motion: {error}"))?;
    Ok(bytes)
}

/// True if a replay next to `record` is its own: records of programs that leave no root of the
/// cells (`is_older`) have no hash of it.
pub(crate) fn belongs_to(record: &CellRecord, is_older: bool) -> bool {
    let moves = matches!(record.outcome.payload, Payload::Simulate(_));
    record.outcome.replay_hash().is_some() || (is_older && moves)
}

/// The files that there are, by the keys of their cells.
pub(crate) fn files<'k>(
    dir: &Path,
    keys: impl Iterator<Item = &'k str>,
) -> BTreeMap<String, PathBuf> {
    let file = |key: &str| (key.to_owned(), store::replay_path(dir, key));
    // what is no file is named by whoever reads it
    let is_there = |path: &PathBuf| fs::symlink_metadata(path).is_ok();
    keys.map(file).filter(|(_, path)| is_there(path)).collect()
}
