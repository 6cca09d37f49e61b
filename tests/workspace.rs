//! Where the workspace lies, and how its files are listed.

use std::fs;
use std::path::{Path, PathBuf};

/// The root of the workspace.
pub(crate) fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
}

/// Every file below the folders with one of the endings, sorted.
pub(crate) fn files(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open: Vec<PathBuf> = folders.iter().map(|folder| root().join(folder)).collect();
    while let Some(path) = open.pop() {
        if path.is_dir() {
            let entries = fs::read_dir(&path).expect("a readable folder");
            let entries = entries.map(|entry| entry.expect("a readable entry").path());
            // packages outside of the workspace, such as the Python one, have builds of their own
            open.extend(entries.filter(|path| !path.ends_with("target")));
        } else if endings.iter().any(|e| path.to_string_lossy().ends_with(e)) {
            found.push(path);
        }
    }
    found.sort();
    assert!(!found.is_empty(), "no {endings:?} below {folders:?}");
    found
}

/// The text of a file.
pub(crate) fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
