//! What tells that a folder holds the results of a run.

use std::fs;
use std::path::Path;

use crate::outputs;
use crate::store::{CELLS, EXPERIMENT};

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
