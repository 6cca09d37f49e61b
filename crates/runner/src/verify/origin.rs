//! What a record says of where it was made and follows from something else: the threads from the
//! solver, the source of the program from the program.

use delassus_records::build::Build;
use delassus_records::origin::Origin;

use crate::key;
use crate::record::CellRecord;
use crate::run_metadata;

/// Everything in which the origin of a record differs from what follows from its solver and, if
/// this program has made it, from `build`.
pub(super) fn differences(record: &CellRecord, build: &Build) -> Vec<String> {
    let Some(origin) = &record.origin else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let threads = Origin::threads_of(&record.solver.parameters);
    if origin.threads != threads {
        found.push(format!(
            "it says {} threads, but its solver has {threads}",
            origin.threads
        ));
    }
    let is_group = |key: &String| run_metadata::is_key(key) && origin.jobs == 1;
    if origin
        .interleaved_with
        .as_ref()
        .is_some_and(|key| !is_group(key))
    {
        found.push("its passes took turns with no cell, or while others ran".to_owned());
    }
    let is_own = origin.binary_sha256 == key::build_id();
    let source = (build.commit, build.modified(), build.profile);
    if is_own && source != (&*origin.commit, origin.modified, &*origin.profile) {
        found.push("its commit and profile are not those of the program that it names".to_owned());
    }
    found
}
