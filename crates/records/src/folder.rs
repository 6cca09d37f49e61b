//! What tells that a folder holds the results of a run, and the folders in it.

use std::fs;
use std::path::Path;

use crate::outputs;
use crate::regular::irregular;
use crate::store::{CELLS, EXPERIMENT};

/// The list of the files of a bundle with their hashes, in the folder that was unpacked.
pub const BUNDLE: &str = "bundle.json";

/// Folder of a bundle with what the experiment was made from.
pub const SOURCES: &str = "sources";

/// Folders of views inside of a results folder, where a spec has figures and tables.
pub const VIEWS: [&str; 2] = ["figures", "tables"];

/// Folders inside of a results folder.
pub const INNER: [&str; 3] = [CELLS, VIEWS[0], VIEWS[1]];

/// What stands under the name `name` of an inner folder, as "a link"; `None` for a folder, and
/// where nothing stands.
pub fn in_place_of(dir: &Path, name: &str) -> Option<&'static str> {
    let there = fs::symlink_metadata(dir.join(name)).ok()?;
    match irregular(&there) {
        _ if there.is_symlink() => Some("a link"),
        _ if there.is_dir() => None,
        None => Some("a file"),
        kind => kind,
    }
}

/// True for the folder that a bundle was unpacked into, whose list may be damaged.
pub fn is_bundle(dir: &Path) -> bool {
    fs::symlink_metadata(dir.join(BUNDLE)).is_ok()
}

/// True for the folder of a run: a file says which experiment it holds, whole or not, or that file
/// is gone and records lie there, or a list of some.
pub fn is_results(dir: &Path) -> bool {
    let is_record = |name: &str| {
        let key = name.strip_suffix(".json").unwrap_or_default();
        key.len() == 64 && key.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let has_records = || {
        let cells = fs::read_dir(dir.join(CELLS)).into_iter().flatten();
        let mut names = cells.flatten().map(|entry| entry.file_name());
        names.any(|name| name.to_str().is_some_and(is_record))
    };
    let has_list = || outputs::listed(dir).is_ok_and(|list| !list.cells.is_empty());
    fs::symlink_metadata(dir.join(EXPERIMENT)).is_ok() || has_records() || has_list()
}
