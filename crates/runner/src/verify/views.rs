//! Tables, figures and page made again from the records, and the manifest with them.
//!
//! Equal records give equal bytes in one program, so this is for the program that wrote them; the
//! views of another one are vouched for by their hashes alone.

use std::collections::BTreeSet;
use std::path::Path;

use delassus_records::build::Build;
use serde_json::Value;

use super::Verdict;
use crate::bundle::Bundle;
use crate::error::RunError;
use crate::folder::{Folder, Vouched};
use crate::key;
use crate::manifest::{self, BINARY, ROOT, root};
use crate::matrix::CellMatrix;
use crate::outputs::{self, LIST, Listed, Outputs, Work};
use crate::registry::Registry;
use crate::store::{EXPERIMENT, MANIFEST};
use crate::{report, results, saved, slices};

/// Makes them again in a folder of their own, and compares.
///
/// # Errors
/// Records that cannot be read; files that cannot be written.
pub(super) fn check(
    dir: &Path,
    folder: &Folder,
    matrix: &CellMatrix,
    (registry, build): (&Registry, &Build),
    verdict: &mut Verdict,
) -> Result<(), RunError> {
    let (Ok(list), Ok(said)) = (outputs::listed(dir), saved::manifest(dir)) else {
        return Ok(());
    };
    if folder.vouched != Vouched::Root || said[BINARY].as_str() != Some(key::build_id()) {
        return Ok(());
    }
    let records = results::records(dir, folder)?;
    let spec = key::of_text(&matrix.spec.text);
    let mut own = manifest::manifest(build, &spec, &records);
    own[ROOT] = root(&list.cells).into();
    compare(&said, &own, verdict);
    let saved = &folder.saved;
    let mut bundle = Bundle {
        missing: saved.cells.len() - records.len(),
        records,
        unstepped: matrix.unstepped(),
        readme: saved.readme.clone(),
        ..results::bundle(&matrix.spec, saved.command.clone(), said, registry)
    };
    if slices::wanted(&matrix.spec.figures) {
        bundle.contacts = slices::contacts(dir, &bundle.records, Some(matrix));
    }
    let experiment = saved::bytes(dir)?;
    // what `delassus report` drew may be of a later spec
    let by_run = list.of == results::source(&matrix.spec, &experiment, sums(saved, &list));
    if !by_run && !list.of.is_empty() {
        verdict.leave(LIST, "its files were made from other files than those that are here now, so they were not made again");
        return Ok(());
    }
    let again = tempfile::tempdir().map_err(|source| RunError::Write {
        path: std::env::temp_dir(),
        source,
    })?;
    let mut outputs = Outputs::begin(again.path(), Work::Run);
    results::write(&mut outputs, &experiment, &bundle)?;
    if by_run {
        let report = results::report(dir, &matrix.spec, bundle, registry);
        report::write_to(&report, &mut outputs)?;
    }
    for (name, own) in outputs.files() {
        verdict.made += 1;
        match list.files.get(name) {
            // compared above
            _ if name == MANIFEST || name == EXPERIMENT => {}
            Some((_, sha256)) if sha256 == own => {}
            Some(_) => verdict.find(name, "is not what the records and the spec give"),
            None => verdict.find(
                LIST,
                format!("does not list {name}, which the records give"),
            ),
        }
    }
    Ok(())
}

/// The checksums of the records in the order of the cells, empty where there is none.
fn sums<'l>(saved: &'l saved::Saved, list: &'l Listed) -> impl Iterator<Item = &'l str> {
    let sum = |key| list.cells.get(key).map_or("", String::as_str);
    saved.cells.iter().map(sum)
}

/// Compares two manifests entry by entry.
fn compare(said: &Value, own: &Value, verdict: &mut Verdict) {
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
