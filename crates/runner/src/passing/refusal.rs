//! Which results are not passed on.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;

use super::PassError;
use crate::registry::Registry;
use crate::verify::verify;

/// Refuses a folder in which [`verify`] finds something that is not as the run left it;
/// `spec` is its spec where the user names it.
///
/// # Errors
/// Not a results folder; the first file that has changed.
pub fn check(
    dir: &Path,
    spec: Option<&Path>,
    registry: &Registry,
    build: &Build,
) -> Result<(), PassError> {
    let verdict = verify(dir, spec, registry, build, &AtomicBool::new(false))?;
    match verdict.findings.into_iter().next() {
        Some(found) => Err(PassError::found(dir, found)),
        None => Ok(()),
    }
}
