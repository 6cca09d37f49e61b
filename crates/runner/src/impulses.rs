//! Files of final impulses next to the cells.

use std::path::Path;

use delassus_records::disk;

use crate::{damage, store};

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
