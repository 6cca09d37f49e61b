//! What lies next to the cells of a results folder: what the run was, and the list of its files.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use delassus_records::{outputs, store};
use delassus_runner::{fsck, results};
use tempfile::TempDir;

use super::REGISTRY;

/// A folder per process: nothing but three files is ever written into it.
static FOLDER: LazyLock<TempDir> =
    LazyLock::new(|| tempfile::tempdir().expect("a folder for temporary files"));

/// The bytes up to the first zero are what the run was, those up to the next its manifest, the rest
/// the list of its files.
pub(crate) fn meet(bytes: &[u8]) {
    let dir = FOLDER.path();
    let mut parts = bytes.splitn(3, |byte| *byte == 0);
    for name in [store::EXPERIMENT, store::MANIFEST, outputs::LIST] {
        let content = parts.next().unwrap_or(b"{}");
        fs::write(dir.join(name), content).expect("a folder that can be written");
    }
    look(dir);
}

fn look(dir: &Path) {
    if let Err(error) = fsck::check(dir) {
        assert!(!error.to_string().is_empty());
    }
    let _ = outputs::listed(dir);
    let _ = outputs::are_current(dir, "");
    if let Ok(report) = results::load(dir, &REGISTRY) {
        assert!(report.bundle.records.is_empty(), "there are no cells");
    }
}
