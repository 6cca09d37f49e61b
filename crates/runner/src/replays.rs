//! Files of recorded motion beside the cells.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use delassus_replay::Replay;

use crate::key::of_bytes;
use crate::store;

/// The bytes of a replay; refuses one that is missing, not whole, or not that of `hash`, which
/// older records do not have.
pub(crate) fn check(dir: &Path, key: &str, hash: Option<&str>) -> Result<Vec<u8>, String> {
    let bytes = disk::read_in(dir, &store::replay_name(key))
        .map_err(|error| format!("its replay cannot be read: {error}"))?;
    if hash.is_some_and(|hash| of_bytes(&bytes) != hash) {
        return Err("its replay is not that which the record has the hash of".to_owned());
    }
    Replay::check(&bytes).map_err(|error| format!("its replay: {error}"))?;
    Ok(bytes)
}

/// The files that there are, by the keys of their cells.
pub(crate) fn files<'k>(
    dir: &Path,
    keys: impl Iterator<Item = &'k str>,
) -> BTreeMap<String, PathBuf> {
    let file = |key: &str| (key.to_owned(), store::replay_path(dir, key));
    keys.map(file).filter(|(_, path)| path.is_file()).collect()
}
