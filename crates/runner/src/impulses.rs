//! Files of final impulses beside the cells.

use std::fs;
use std::path::Path;

use delassus_records::disk;

use crate::{damage, store};

/// The impulses of a cell whose record has no hash of any, if they are there: a run that was killed
/// may leave them, and nothing reads them.
pub(crate) fn left_over(dir: &Path, key: &str, hash: &str) -> Option<String> {
    let name = store::impulses_name(key);
    let is_there = fs::symlink_metadata(dir.join(&name)).is_ok();
    (hash.is_empty() && is_there).then_some(name)
}

/// Refuses impulses that are missing, or not those of `hash`; an empty hash wants none.
pub(crate) fn check(dir: &Path, key: &str, hash: &str) -> Result<(), String> {
    if hash.is_empty() {
        return Ok(());
    }
    let hashed = disk::hash_in(dir, &store::impulses_name(key));
    let (_, found) = hashed.map_err(|error| damage::reason(&error))?;
    match found == hash {
        true => Ok(()),
        false => Err("are not the impulses of the record: their hash differs".to_owned()),
    }
}
