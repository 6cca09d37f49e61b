//! Results folders read again: their reports, and what state they are in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use delassus_records::disk;
use delassus_records::folder::is_results;

use super::records::records;
use super::{check_replays, inside, parts, recorded, report, source};
use crate::bundle::Bundle;
use crate::citations;
use crate::closed_forms::KnownClosedForms;
use crate::error::{RunError, runs_in};
use crate::folder::Folder;
use crate::outputs;
use crate::own_spec;
use crate::ownership;
use crate::registry::Registry;
use crate::report::Report;
use crate::run_metadata;
use crate::slices;
use crate::spec;
use crate::store::{self, EXPERIMENT, StoredCell};

/// True if this program has written the report in `dir` from what is there now: nothing would be
/// drawn otherwise. The spec is where the folder says, unless the user names it. One cell is in
/// memory at a time.
pub fn is_current(dir: &Path, spec: Option<&Path>, registry: &Registry) -> bool {
    let Ok(mut saved) = run_metadata::read(dir) else {
        return false;
    };
    saved.name_spec(spec);
    let spec =
        run_metadata::spec_file(dir, &saved).and_then(|file| spec::read(&file, registry).ok());
    let Some(spec) = spec.filter(|spec| spec.text == saved.spec && spec.page() == saved.readme)
    else {
        return false;
    };
    let mut sums = Vec::with_capacity(saved.cells.len());
    for key in &saved.cells {
        sums.push(match store::read_summary(dir, key) {
            StoredCell::Cell(cell) => cell.sum,
            StoredCell::Nothing => String::new(),
            StoredCell::Corrupt(_) => return false,
        });
    }
    let sums = sums.iter().map(String::as_str);
    disk::read_in(dir, EXPERIMENT)
        .is_ok_and(|experiment| outputs::are_current(dir, &source(&spec, &experiment, sums)))
}

/// Reads a results folder, also one of a run that was ended before its report: its manifest is
/// null then.
///
/// Title, question, figures, tables and README are those of the spec as it is now, if it is still
/// there and its cells can be told by their names; otherwise those of the run.
///
/// # Errors
/// Not a results folder, files that cannot be read, a spec that has become invalid; records that
/// are not those that the run left.
pub fn load(dir: &Path, registry: &Registry) -> Result<Report, RunError> {
    load_with_spec(dir, None, registry)
}

/// The same with the spec that the user names in the place of the one that the folder does.
///
/// # Errors
/// As [`load`].
pub fn load_with_spec(
    dir: &Path,
    spec: Option<&Path>,
    registry: &Registry,
) -> Result<Report, RunError> {
    let mut folder = Folder::open(dir)?;
    folder.saved.name_spec(spec);
    let manifest = folder.manifest(dir)?;
    let records = records(dir, &folder)?;
    let saved = folder.saved;
    let missing = saved.cells.len() - records.len();
    let now = own_spec::spec_now(dir, &saved, registry)?;
    let used = records.iter().map(|record| record.solver.id.as_str());
    let over_time = records.iter().any(|record| record.scheme().is_some());
    let parts = parts(registry, over_time, used);
    let mut bundle = Bundle {
        id: saved.id,
        title: saved.title,
        question: saved.question,
        readme: saved.readme,
        spec: saved.spec,
        command: saved.command,
        tolerance: saved.tolerance,
        criteria: saved.criteria,
        manifest,
        records,
        missing,
        unstepped: saved.unstepped,
        parts,
        closed_forms: &KnownClosedForms,
        contacts: BTreeMap::new(),
    };
    check_replays(dir, &bundle)?;
    let figures = now.as_ref().map_or(&saved.figures, |spec| &spec.figures);
    slices::fill(dir, spec, &mut bundle, figures, registry);
    let Some(spec) = now else {
        let file = dir.join(spec::FILE_NAME);
        let as_run = spec::text_alone(&file, bundle.spec.clone(), registry).ok();
        let cited = as_run.and_then(|spec| citations::bibliography(&spec, registry).ok());
        return Ok(Report {
            replays: recorded(dir, &bundle),
            strips: saved.strips,
            references: cited.unwrap_or_default(),
            widths: Vec::new(),
            bundle,
            figures: saved.figures,
            tables: inside(&saved.tables, dir),
        });
    };
    bundle.title.clone_from(&spec.title);
    bundle.question.clone_from(&spec.question);
    bundle.readme = spec.page();
    Ok(report(dir, &spec, bundle, registry))
}

/// The spec of a results folder: the one that the user names, or where the folder says that it is.
pub fn spec_of(dir: &Path, spec: Option<&Path>) -> Option<PathBuf> {
    let mut saved = run_metadata::read(dir).ok()?;
    saved.name_spec(spec);
    run_metadata::spec_file(dir, &saved)
}

/// True for a results folder that a run has made or taken over where it is: its spec is the user's.
pub fn is_own(dir: &Path) -> bool {
    ownership::is_own(dir)
}

/// Says that the spec which a results folder names is not read, where that is so: nothing says that
/// the folder was made here, or the spec is of another experiment now.
pub fn unread_spec(dir: &Path, registry: &Registry) -> Option<String> {
    let saved = run_metadata::read(dir).ok()?;
    match run_metadata::unread_spec(dir, &saved) {
        Some(spec) => Some(run_metadata::not_read(&spec)),
        None => own_spec::other_now(dir, &saved, registry),
    }
}

/// Says that the page next to the spec of a results folder is left out of its report, where that is
/// so.
pub fn unread_page(dir: &Path, spec: Option<&Path>, registry: &Registry) -> Option<String> {
    let spec = spec::read_for_views(&spec_of(dir, spec)?, registry).ok()?;
    spec.unread_page()
}

/// Says that a run in `dir` was ended before it had come to its end, or goes on, how far it is and
/// what continues it; `None` for other folders.
pub fn unfinished(dir: &Path) -> Option<String> {
    let folder = Folder::open(dir).ok()?;
    folder.unfinished(dir).map(|run| run.to_string())
}

/// True for a folder that is no results folder and has some in it.
pub fn holds_results(dir: &Path) -> bool {
    !is_results(dir) && !runs_in(dir).is_empty()
}
