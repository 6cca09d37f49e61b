//! Checks a results folder from its own files: every residual again from the stored impulses, every
//! hash again.
//!
//! No solver runs. The problems come from frozen copies in the folder, if there are some, or from
//! the text of the spec that the run kept; the metrics see problem and impulses alone. What a
//! record says of problem, method and status is made again from spec, problem and impulses, and so
//! are tables, figures and the page.

mod bundle;
mod check;
mod entries;
mod evidence;
mod experiment;
mod files;
mod judge;
mod origin;
mod recorded;
mod redundant;
mod report;
mod schedule;
mod start;
mod status;
mod subjects;
mod texts;
mod unverified;
mod versions;
mod views;
mod words;
mod worlds;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use delassus_records::build::Build;

use crate::error::RunError;
use crate::folder::Folder;
use crate::own_spec;
use crate::registry::Registry;
use crate::run;
use crate::run_metadata;
use crate::spec;
use crate::store::{self, CELLS};
use crate::unpacked::is_unpacked;
use check::Check;

pub use crate::folder::RecordEvidence;
pub use report::{Finding, VerifyReport};
pub(crate) use subjects::Subjects;
pub use unverified::{FieldCheck, UNVERIFIED_FIELDS, UnverifiedField};
pub use versions::Versions;

/// Checks the results folder `dir`, and makes its tables, figures and page again, with the spec
/// that the user names or the one that the folder does. Setting `cancel` ends it at the next cell.
/// `build` is what this program was built from.
///
/// # Errors
/// Not a results folder; one that is damaged; a spec of another experiment; tables that cannot be
/// written for comparison.
pub fn verify(
    dir: &Path,
    spec: Option<&Path>,
    registry: &Registry,
    build: &Build,
    cancel: &AtomicBool,
) -> Result<VerifyReport, RunError> {
    let mut verdict = VerifyReport {
        is_bundle: is_unpacked(dir),
        ..VerifyReport::default()
    };
    let mut folder = Folder::open(dir)?;
    run::check_lock(dir)?;
    folder.saved.name_spec(spec);
    if let Some(file) = &folder.saved.named {
        let named = spec::read_for_views(file, registry)?;
        own_spec::require(dir, &folder.saved, &named, registry)?;
    }
    verdict.vouched = folder.vouched;
    let manifest = run_metadata::manifest(dir).ok();
    verdict.versions = manifest.and_then(|manifest| Versions::of(&manifest, build));
    for (file, what) in &folder.flaws {
        verdict.find(file, what.clone());
    }
    if let Some(spec) = run_metadata::unread_spec(dir, &folder.saved) {
        verdict.note(store::EXPERIMENT, run_metadata::not_read(&spec));
    }
    experiment::origin(dir, &folder, registry, &mut verdict)?;
    files::check(dir, &folder, &mut verdict)?;
    experiment::check_spec(dir, &folder.saved, &mut verdict);
    let mut matrix = run_metadata::matrix_as_run(dir, &folder.saved, registry);
    if let Ok(matrix) = &mut matrix {
        for what in matrix.take_recorded(dir, &folder.saved.cells) {
            verdict.leave(CELLS, what);
        }
    }
    match &matrix {
        Ok(matrix) => experiment::check(dir, &folder.saved, matrix, &mut verdict),
        Err(error) => {
            let what = own_spec::without_cells(dir, &folder.saved, error);
            experiment::leave(dir, &folder.saved, what, &mut verdict);
        }
    }
    let own = matrix.as_ref().ok();
    let spec = own.map(|matrix| &matrix.spec);
    bundle::check_members(dir, &folder.saved, spec, &mut verdict);
    let check = Check::new(dir, &folder, own, registry, build, verdict);
    let mut verdict = check.run(cancel);
    if verdict.cancelled {
        return Ok(verdict);
    }
    if verdict.findings.is_empty() {
        views::check(dir, &folder, matrix.ok(), registry, build, &mut verdict)?;
    }
    verdict.advise(dir);
    Ok(verdict)
}
