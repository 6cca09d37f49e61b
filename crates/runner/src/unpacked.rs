//! Folders that a bundle was unpacked into.

use std::path::{Path, PathBuf};

use delassus_records::disk;
use delassus_records::folder::{SOURCES, is_bundle};
use serde::Deserialize;

use crate::ownership;
use crate::store::EXPERIMENT;

/// The entry of [`EXPERIMENT`] that says where the spec is.
#[derive(Deserialize)]
struct SpecPlace {
    spec_file: PathBuf,
}

/// True for the folder that a bundle was unpacked into, whose list may be damaged or gone.
pub(crate) fn is_unpacked(dir: &Path) -> bool {
    is_bundle(dir) || lost_list(dir)
}

/// True for a bundle without its list: no run has made the folder, and its spec lies where a bundle
/// has it. Where nothing can be read that says where the spec lies, the folder of the sources
/// tells.
pub(crate) fn lost_list(dir: &Path) -> bool {
    if is_bundle(dir) || ownership::is_own(dir) {
        return false;
    }
    let said = disk::read_in(dir, EXPERIMENT).ok();
    let place = said.and_then(|text| serde_json::from_slice::<SpecPlace>(&text).ok());
    match place {
        Some(place) => place.spec_file.starts_with(SOURCES),
        None => dir.join(SOURCES).is_dir(),
    }
}
