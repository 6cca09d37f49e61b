//! Tables, figures and page made again from the records, and the manifest with them.
//!
//! Equal records give equal bytes in one program. What another program drew, this one may draw
//! otherwise: such a view is named, and is no mismatch.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use delassus_records::build::Build;
use delassus_records::disk::ScratchFolder;
use serde_json::Value;

use super::report::{VerifyReport, about};
use crate::bundle::Bundle;
use crate::error::RunError;
use crate::figures::{FigureSpec, Width};
use crate::folder::{Folder, RecordEvidence};
use crate::key;
use crate::manifest::{self, BINARY, ROOT, root};
use crate::matrix::CellMatrix;
use crate::outputs::{self, FolderListing, LIST, Outputs, Work};
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::report::{self, Report, ReportError};
use crate::run_metadata::{self, RunMetadata};
use crate::spec::Spec;
use crate::store::{EXPERIMENT, MANIFEST};
use crate::{linked, results, slices, spec};

/// Hashes of files by their names.
type Hashes = BTreeMap<String, String>;

/// Makes them again in a folder of their own, and compares.
///
/// # Errors
/// Records that cannot be read; files that cannot be written.
pub(super) fn check(
    dir: &Path,
    folder: &Folder,
    matrix: Option<CellMatrix>,
    registry: &Registry,
    build: &Build,
    verdict: &mut VerifyReport,
) -> Result<(), RunError> {
    let (Ok(list), Ok(said)) = (outputs::listed(dir), run_metadata::manifest(dir)) else {
        return Ok(());
    };
    // a folder whose change has not ended has said so
    if folder.vouched == RecordEvidence::Unfinished || list.under_way.is_some() {
        return Ok(());
    }
    let Some(matrix) = matrix else {
        leave_all(&list, "cannot be made again without the spec", verdict);
        return Ok(());
    };
    let (spec, saved) = (&matrix.spec, &folder.saved);
    let records = results::records(dir, folder)?;
    let is_own = said[BINARY].as_str() == Some(key::build_id());
    if is_own && folder.vouched == RecordEvidence::Root {
        let mut own = manifest::manifest(build, &key::of_text(&spec.text), &records);
        own[ROOT] = root(&list.cells).into();
        linked::note(&mut own, registry);
        compare(&said, &own, verdict);
    }
    super::bundle::check_texts(dir, saved, spec, &said, registry, verdict);
    let results = ViewedResults {
        dir,
        folder,
        matrix: &matrix,
        manifest: said,
    };
    let bundle = results.bundle(records, registry);
    let experiment = run_metadata::bytes(dir)?;
    if is_own {
        check_source(&list, spec, saved, &experiment, verdict);
    }
    let tables = made(|outputs| results::write(outputs, &experiment, &bundle))?;
    let again = Again { list, tables };
    let mut unlike = match again.drawn(results::report(dir, spec, bundle, registry)) {
        Ok(unlike) => unlike,
        Err(error @ RunError::Report(ReportError::Write { .. })) => return Err(error),
        Err(error) => {
            let what = format!("cannot be made again: {}", error.on_one_line());
            leave_all(&again.list, &what, verdict);
            return Ok(());
        }
    };
    let has_changed = results.draw_otherwise(&again, registry, &mut unlike)?;
    if !is_own {
        // it may know fewer forms of a figure
        unlike.retain(|(file, _)| file != LIST);
    }
    verdict.made += views(&again.list).count().saturating_sub(unlike.len());
    note_unlike(unlike, is_own, results.excuse(has_changed), verdict);
    Ok(())
}

/// Leaves every view unchecked, for one reason.
fn leave_all(list: &FolderListing, what: &str, verdict: &mut VerifyReport) {
    for name in views(list) {
        verdict.leave(name, what);
    }
}

/// The results whose views are made again.
struct ViewedResults<'r> {
    dir: &'r Path,
    folder: &'r Folder,
    matrix: &'r CellMatrix,
    manifest: Value,
}

impl ViewedResults<'_> {
    /// Draws other reports that may be those of the folder, if views differ, and keeps what fewest
    /// differ from; true if the spec has changed since the run.
    fn draw_otherwise(
        &self,
        again: &Again,
        registry: &Registry,
        unlike: &mut Unlike,
    ) -> Result<bool, RunError> {
        let (dir, saved) = (self.dir, &self.folder.saved);
        if !unlike.is_empty() && self.matrix.has_processes() {
            // it may have been drawn where no peer was there to say what it declares
            let absent = registry.clone().without_processes();
            let bundle = self.bundle(results::records(dir, self.folder)?, &absent);
            let other = results::report(dir, &self.matrix.spec, bundle, &absent);
            take_fewer(unlike, again.drawn(other));
        }
        // `delassus report` draws what the spec asks for as it is now
        let has_changed = !unlike.is_empty() && has_changed(dir, saved, registry);
        if has_changed {
            let now = results::load_with_spec(dir, saved.named.as_deref(), registry);
            take_fewer(unlike, now.and_then(|report| again.drawn(report)));
        }
        Ok(has_changed)
    }

    /// Why a view of this program may differ from what it makes now.
    fn excuse(&self, has_changed: bool) -> Option<&'static str> {
        if has_changed {
            Some("the spec has changed since: `delassus report` draws it again")
        } else if reads_elsewhere(self.dir, &self.folder.saved, self.matrix) {
            Some("a table reads a file that is not at hand")
        } else if self.matrix.has_recorded() && self.matrix.has_processes() {
            Some("a peer is not here, and only it says what it declares")
        } else {
            None
        }
    }

    /// What the views are made from: the records and the manifest.
    fn bundle(&self, records: Vec<CellRecord>, registry: &Registry) -> Bundle {
        let (saved, spec) = (&self.folder.saved, &self.matrix.spec);
        let manifest = self.manifest.clone();
        let mut bundle = Bundle {
            missing: saved.cells.len() - records.len(),
            records,
            unstepped: self.matrix.unstepped(),
            readme: saved.readme.clone(),
            ..results::bundle(spec, saved.command.clone(), manifest, registry)
        };
        if slices::wanted(&spec.figures) {
            bundle.contacts = slices::contacts(self.dir, &bundle.records, Some(self.matrix));
        }
        bundle
    }
}

/// Notes the views that differ: as found if this program made them and there is no excuse.
fn note_unlike(unlike: Unlike, is_own: bool, excuse: Option<&str>, verdict: &mut VerifyReport) {
    for (name, what) in unlike {
        match excuse.filter(|_| is_own) {
            None if is_own && what == UNLIKE => verdict.find(&name, what + REDRAW),
            None if is_own => verdict.find(&name, what),
            None => verdict.redrawn.push(about(&name, what)),
            Some(excuse) => verdict.leave(&name, format!("{what}; {excuse}")),
        }
    }
}

/// Compares what the list says that its files were made from with experiment and records; a file
/// that a table reads may have changed since.
fn check_source(
    list: &FolderListing,
    spec: &Spec,
    saved: &RunMetadata,
    experiment: &[u8],
    verdict: &mut VerifyReport,
) {
    let reads = spec.tables.iter().any(|table| table.file().is_some());
    let sums = saved.cells.iter().map(|key| list.cells.get(key));
    let sums = sums.map(|sum| sum.map_or("", String::as_str));
    if !reads && !list.of.is_empty() && list.of != results::source(spec, experiment, sums) {
        let what = "its entry \"of\" is not the hash of experiment and records";
        verdict.find(LIST, what);
    }
}

/// What is said of a view that differs.
const UNLIKE: &str = "is not what the records and the spec give";
/// What is added where nothing excuses it. A view of a spec or a page that was edited and restored
/// since looks like a forged one: nothing of the edited text is left.
const REDRAW: &str =
    "; if it was drawn with another spec or README.md, `delassus report` draws it again";

/// The views that differ, each with what is said of it.
type Unlike = Vec<(String, String)>;

/// Takes `other` in the place of `unlike` where fewer views differ.
fn take_fewer(unlike: &mut Unlike, other: Result<Unlike, RunError>) {
    if let Ok(other) = other
        && other.len() < unlike.len()
    {
        *unlike = other;
    }
}

/// What is made again, and compared with the list.
struct Again {
    list: FolderListing,
    /// What a run writes from its records alone.
    tables: Hashes,
}

impl Again {
    /// What differs from the list if `report` is drawn.
    fn drawn(&self, mut report: Report) -> Result<Unlike, RunError> {
        report.widths = widths(&self.list, &report.figures);
        let mut all = made(|outputs| Ok(report::write_to(&report, outputs)?))?;
        all.extend(self.tables.clone());
        Ok(self.unlike(&all))
    }

    /// The files that differ, each with what is said of it.
    fn unlike(&self, made: &Hashes) -> Unlike {
        let listed = |name: &str| Some(self.list.files.get(name)?.1.as_str());
        let names: BTreeSet<&str> = made
            .keys()
            .map(String::as_str)
            .chain(views(&self.list))
            .collect();
        let mut found = Vec::new();
        // compared with what they are made from
        for name in names.into_iter().filter(|name| !is_source(name)) {
            let (file, what) = match (listed(name), made.get(name)) {
                (Some(listed), Some(made)) if listed == made => continue,
                (Some(_), Some(_)) => (name, UNLIKE.to_owned()),
                (Some(_), None) => (
                    name,
                    format!("is in {LIST}, but the records and the spec give no such file"),
                ),
                (None, _) => (
                    LIST,
                    format!("does not list {name}, which the records give"),
                ),
            };
            found.push((file.to_owned(), what));
        }
        found
    }
}

/// The files of a list that follow from others.
fn views(list: &FolderListing) -> impl Iterator<Item = &str> {
    let names = list.files.keys().map(String::as_str);
    names.filter(|name| !is_source(name))
}

fn is_source(name: &str) -> bool {
    name == MANIFEST || name == EXPERIMENT
}

/// The hashes of what `write` writes.
fn made(write: impl FnOnce(&mut Outputs<'_>) -> Result<(), RunError>) -> Result<Hashes, RunError> {
    let folder = ScratchFolder::new().map_err(|source| RunError::Write {
        path: std::env::temp_dir(),
        source,
    })?;
    let mut outputs = Outputs::begin(folder.path(), Work::Run);
    write(&mut outputs)?;
    let files = outputs.files();
    Ok(files
        .map(|(name, sha256)| (name.to_owned(), sha256.to_owned()))
        .collect())
}

/// The widths at which the report that a list is of was drawn once more.
fn widths(list: &FolderListing, figures: &[FigureSpec]) -> Vec<Width> {
    let is_drawn = |width: &Width| {
        figures.iter().any(|figure| {
            let name = report::file_name(&figure.id);
            let file = format!("figures/{name}-{:.0}mm.svg", width.millimetres());
            list.files.contains_key(&file)
        })
    };
    Width::ALL.into_iter().filter(is_drawn).collect()
}

/// True where the spec or its page is at hand and not as it was when it was run.
fn has_changed(dir: &Path, saved: &RunMetadata, registry: &Registry) -> bool {
    let now = run_metadata::spec_file(dir, saved).map(|file| spec::read(&file, registry));
    now.is_some_and(|now| {
        // one that cannot be read may have been another one when the views were drawn
        now.map_or(true, |now| {
            now.text != saved.spec || now.page() != saved.readme
        })
    })
}

/// True where a table reads a file, and the spec that says where that lies is not at hand.
fn reads_elsewhere(dir: &Path, saved: &RunMetadata, matrix: &CellMatrix) -> bool {
    let mut tables = matrix.spec.tables.iter();
    let reads = tables.any(|table| table.file().is_some());
    reads && run_metadata::spec_file(dir, saved).is_none()
}

/// Compares two manifests entry by entry.
fn compare(said: &Value, own: &Value, verdict: &mut VerifyReport) {
    let names = |value: &Value| -> Vec<String> {
        let entries = value.as_object().into_iter().flatten();
        entries.map(|(name, _)| name.clone()).collect()
    };
    let names: BTreeSet<String> = [names(said), names(own)].concat().into_iter().collect();
    for name in names.iter().filter(|name| said[*name] != own[*name]) {
        let what = format!("its {name} is not that of the program and the records");
        verdict.find(MANIFEST, what);
    }
}
