//! What `experiment.json` says beside the text of the spec, made again from that text.

use std::collections::BTreeSet;
use std::path::Path;

use delassus_records::disk;
use serde_json::{Value, json};

use super::report::VerifyReport;
use crate::bundle_list;
use crate::command;
use crate::error::RunError;
use crate::folder::{Folder, RecordEvidence};
use crate::json_file;
use crate::key::{self, Program};
use crate::manifest::BINARY;
use crate::matrix::CellMatrix;
use crate::outputs::{self, LIST};
use crate::own_spec;
use crate::passing::frozen;
use crate::registry::Registry;
use crate::run_metadata::{self, BUNDLE, RunMetadata};
use crate::spec;
use crate::store::{EXPERIMENT, MANIFEST};
use crate::unfit;

/// Hash of the program that the manifest of a folder names, empty if it names none; `None` of a
/// folder that is not whole, whose cells may be of several.
pub(super) fn binary(dir: &Path, folder: &Folder) -> Option<String> {
    let manifest = run_metadata::manifest(dir).ok()?;
    let named = manifest[BINARY].as_str().unwrap_or_default().to_owned();
    (folder.vouched == RecordEvidence::Root).then_some(named)
}

/// Compares the name of the experiment, the place of its spec, its command and its page with what
/// the run has left in the mark of the folder or in the list of a bundle, and looks whether the
/// spec there is of another experiment, or has changed.
///
/// # Errors
/// The system does not read the mark.
pub(super) fn origin(
    dir: &Path,
    folder: &Folder,
    registry: &Registry,
    verdict: &mut VerifyReport,
) -> Result<(), RunError> {
    let saved = &folder.saved;
    let is_whole = folder.vouched == RecordEvidence::Root;
    if let Some((file, what)) = folder.origin_flaw(dir)? {
        verdict.find(&file, what);
    }
    let manifest = run_metadata::manifest(dir).unwrap_or_default();
    let is_own = manifest[BINARY].as_str() == Some(key::build_id());
    if is_whole && is_own && !command::is_of(&saved.command, &saved.id, registry) {
        verdict.find(EXPERIMENT, "its command does not run its spec");
    }
    if bundle_list::id(dir).is_some_and(|id| id != saved.id) {
        verdict.find(EXPERIMENT, format!("its id is not that of {BUNDLE}"));
    }
    match own_spec::other_now(dir, saved, registry) {
        Some(what) => verdict.leave(EXPERIMENT, what),
        None => changed_sources(dir, saved, is_own, verdict),
    }
    Ok(())
}

/// Says that no cells follow from the spec. A bundle was made from a spec whose cells a copy of its
/// files gives: there the same program must find them.
pub(super) fn leave(dir: &Path, saved: &RunMetadata, what: String, verdict: &mut VerifyReport) {
    let manifest = run_metadata::manifest(dir).unwrap_or_default();
    let is_own = manifest[BINARY].as_str() == Some(key::build_id());
    match verdict.is_bundle && is_own && saved.named.is_none() {
        true => verdict.find(EXPERIMENT, what),
        false => verdict.leave(EXPERIMENT, what),
    }
}

/// Notes a spec and a page that are not those that the run has kept: both may be edited, and
/// `report` follows them. The page of a bundle is that of its results, if the same program checks
/// that ran (`is_own`).
fn changed_sources(dir: &Path, saved: &RunMetadata, is_own: bool, verdict: &mut VerifyReport) {
    let Some(file) = run_metadata::spec_file(dir, saved) else {
        return;
    };
    let is_bundle = dir.join(BUNDLE).exists() && saved.named.is_none();
    let text = disk::read_named(&file).ok();
    if !is_bundle && text.is_some_and(|text| text != saved.spec.as_bytes()) {
        let what = format!(
            "{} has changed since the run, of which {EXPERIMENT} keeps the text; \
             `delassus report` draws what it says now",
            file.display()
        );
        verdict.note(EXPERIMENT, what);
    }
    let page = file.with_file_name(spec::PAGE);
    let text = disk::read(&page).ok();
    let text = text.and_then(|bytes| String::from_utf8(bytes).ok());
    if text == saved.readme {
        return;
    }
    match is_bundle && is_own {
        true => verdict.find(
            EXPERIMENT,
            format!("its readme is not the text of {}", page.display()),
        ),
        false => verdict.note(
            EXPERIMENT,
            format!("its readme is not the text of {} now", page.display()),
        ),
    }
}

/// Compares the text of the spec with its hash in the manifest, and with the spec of a bundle.
pub(super) fn check_spec(dir: &Path, saved: &RunMetadata, verdict: &mut VerifyReport) {
    let manifest = run_metadata::manifest(dir).unwrap_or_default();
    let hash = manifest["spec_sha256"].as_str();
    if hash.is_some_and(|hash| hash != key::of_text(&saved.spec)) {
        verdict.find(
            EXPERIMENT,
            format!("the text of its spec does not have the hash that {MANIFEST} gives"),
        );
    }
    if let Some(file) = saved
        .spec_file
        .to_str()
        .filter(|_| dir.join(BUNDLE).exists())
    {
        match disk::read_in(dir, file) {
            Ok(own) if own == saved.spec.as_bytes() => {}
            Ok(_) => verdict.find(file, format!("is not the spec that {EXPERIMENT} holds")),
            Err(error) => {
                let what = unfit::reason(&error);
                // a file of the list has been named
                if verdict.findings.iter().all(|found| found.file != file) {
                    verdict.find(EXPERIMENT, own_spec::not_in_bundle(file, &what));
                }
            }
        }
    } else if let Some(file) = run_metadata::irregular_spec(dir, saved) {
        let what = "is a link, a folder or a pipe, so the spec as it is now was not read";
        verdict.leave(EXPERIMENT, format!("{} {what}", file.display()));
    }
}

/// Compares title, question, stop rule, views and cells with the spec.
pub(super) fn check(
    dir: &Path,
    saved: &RunMetadata,
    matrix: &CellMatrix,
    verdict: &mut VerifyReport,
) {
    let (spec, stop) = (&matrix.spec, matrix.spec.stop());
    let fields: [(&str, Value, Value); 8] = [
        ("title", json!(saved.title), json!(spec.title)),
        ("question", json!(saved.question), json!(spec.question)),
        (
            "tolerance",
            json!(saved.tolerance),
            json!(stop.rule.tolerance),
        ),
        ("criteria", json!(saved.criteria), json!(stop.criteria)),
        ("figures", json!(saved.figures), json!(spec.figures)),
        ("tables", json!(saved.tables), json!(spec.tables)),
        ("strips", json!(saved.strips), json!(spec.strips)),
        (
            "unstepped",
            json!(saved.unstepped),
            json!(matrix.unstepped()),
        ),
    ];
    for (name, recorded, own) in fields {
        if recorded != own {
            let what = format!("its {name} is not that of the spec that it holds");
            verdict.find(EXPERIMENT, what);
        }
    }
    check_cells(dir, saved, matrix, verdict);
}

/// Compares the list of cells with those that the spec gives.
fn check_cells(dir: &Path, saved: &RunMetadata, matrix: &CellMatrix, verdict: &mut VerifyReport) {
    let mut known = BTreeSet::new();
    if let Some(key) = saved.cells.iter().find(|key| !known.insert(*key)) {
        verdict.find(EXPERIMENT, format!("has the cell {key} twice"));
    }
    let Ok(manifest) = run_metadata::manifest(dir) else {
        return;
    };
    // another program has other keys; limits of memory belong to the machine
    let is_own = manifest[BINARY].as_str() == Some(key::build_id());
    if is_own {
        compare_entries(dir, saved, verdict);
        compare_texts(dir, saved, &manifest, verdict);
        if frozen::listed(dir).is_ok_and(|list| !frozen::is_list_of(matrix, &list)) {
            verdict.find(frozen::LIST, "lists other problems than the spec gives");
        }
    }
    if let (false, Some(build)) = (is_own, manifest[BINARY].as_str())
        && let Some(key) = missing(saved, matrix, Program::of(build))
    {
        let what = format!("does not have the cell {key}, which the spec gives");
        verdict.find(EXPERIMENT, what);
    }
    let mut cells = matrix.cells.iter();
    if is_own && cells.all(|cell| matrix.key(cell, Program::here()) == cell.key) {
        let pairs = matrix.cells.iter().zip(&saved.cells);
        // what memory refused to a program that is not here, its records alone say
        let mut same = pairs.map(|(cell, key)| cell.key == *key || matrix.is_recorded(cell.method));
        if matrix.cells.len() != saved.cells.len() || !same.all(|same| same) {
            verdict.find(
                EXPERIMENT,
                "its cells are not those of the spec that it holds",
            );
        }
    }
}

/// Names the entries of the file that this program does not write, and those that it would write:
/// an entry under another name counts as one that an older program did not leave.
fn compare_entries(dir: &Path, saved: &RunMetadata, verdict: &mut VerifyReport) {
    let said: Result<Value, _> = run_metadata::read_json(dir, EXPERIMENT);
    let (Ok(said), Ok(own)) = (said, serde_json::to_value(saved)) else {
        return;
    };
    let entries = [&said, &own].map(|value| value.as_object().into_iter().flatten());
    let names: BTreeSet<&String> = entries
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
        .collect();
    for name in names.into_iter().filter(|name| said[*name] != own[*name]) {
        let what = format!("its {name} is not in the form in which this program writes it");
        verdict.find(EXPERIMENT, what);
    }
}

/// Compares the files of this program with the texts that it writes for what they say: it leaves no
/// blanks of another kind, no entry twice, and none that it does not read.
fn compare_texts(dir: &Path, saved: &RunMetadata, manifest: &Value, verdict: &mut VerifyReport) {
    let list = disk::read_in(dir, LIST).and_then(|list| outputs::sealed(&list));
    let problems = frozen::listed(dir).unwrap_or_default();
    let texts = [
        (EXPERIMENT, json_file::pretty(saved)),
        (MANIFEST, json_file::pretty(manifest)),
        (LIST, list),
        (frozen::LIST, json_file::pretty(&problems)),
    ];
    for (file, own) in texts {
        let (Ok(own), Ok(said)) = (own, disk::read_in(dir, file)) else {
            continue;
        };
        if own != said && verdict.findings.iter().all(|found| found.file != file) {
            verdict.find(
                file,
                "has the right values, but not in the form in which this program writes them",
            );
        }
    }
}

/// The key of a cell of the spec that results of another program do not have, although they have
/// fewer cells than the spec and others under the keys of that program. A cell that memory refuses
/// has a key of its own machine.
fn missing(saved: &RunMetadata, matrix: &CellMatrix, program: Program<'_>) -> Option<String> {
    if saved.cells.len() >= matrix.cells.len() {
        return None;
    }
    let known: BTreeSet<&String> = saved.cells.iter().collect();
    let cells = matrix.cells.iter().filter(|cell| cell.skip.is_none());
    let keys: Vec<String> = cells.map(|cell| matrix.key(cell, program)).collect();
    let is_of_program = keys.iter().any(|key| known.contains(key));
    let mut gone = keys.into_iter().filter(|key| !known.contains(key));
    gone.next().filter(|_| is_of_program)
}
