//! Which program has run the cells of a folder, and which one checks them.

use delassus_records::build::Build;
use serde_json::Value;

use crate::key;
use crate::manifest::BINARY;
use crate::record::CellRecord;

/// Two programs in words, as in `delassus 0.1.0 (commit 0123abc, program 89abcdef)`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Versions {
    /// The one that has run the cells.
    pub made_by: String,
    /// This one.
    pub here: String,
}

impl Versions {
    /// The program that `manifest` names and this one, which was built from `build`; `None` if they
    /// are the same, or the manifest names none.
    pub(super) fn of(manifest: &Value, build: &Build) -> Option<Self> {
        let binary = manifest[BINARY].as_str()?;
        let own = key::build_id();
        let said = |name: &str| manifest[name].as_str().unwrap_or("unknown");
        (binary != own).then(|| Self {
            made_by: words(said("delassus"), said("commit"), binary),
            here: words(build.version, build.commit, own),
        })
    }
}

fn words(version: &str, commit: &str, binary: &str) -> String {
    let start = |text: &str| text.chars().take(8).collect::<String>();
    let (commit, binary) = (start(commit), start(binary));
    format!("delassus {version} (commit {commit}, program {binary})")
}

/// True for a record of this program.
pub(super) fn is_own(record: &CellRecord) -> bool {
    let origin = record.origin.as_ref();
    origin.is_some_and(|origin| origin.binary_sha256 == key::build_id())
}
