//! Whether a spec is that of a results folder: a page drawn with another one would show the title,
//! the figures and the text of another experiment over these results.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use delassus_records::disk;

use crate::bundle_list;
use crate::error::RunError;
use crate::matrix::{self, CellMatrix};
use crate::passing;
use crate::registry::Registry;
use crate::run_metadata::{self, BUNDLE, RunMetadata};
use crate::spec::{self, Spec, SpecError};
use crate::store::{self, EXPERIMENT, StoredCell};
use crate::unfit;
use crate::unpacked::is_unpacked;

/// Why `now` is not the spec of the results in `dir`; `None` if it is, or if nothing tells.
///
/// The spec that the user names must give every cell of the run: the same problem, method and key.
/// It may give more. The spec that the folder names may have been edited since. It is still the
/// spec of the results if it gives a cell of the same name.
///
/// # Errors
/// A spec that the user names, of which no matrix can be made.
pub(crate) fn strange(
    dir: &Path,
    saved: &RunMetadata,
    now: &Spec,
    registry: &Registry,
) -> Result<Option<String>, RunError> {
    if now.text == saved.spec {
        return Ok(None);
    }
    let given = matrix::expand(now.clone(), registry);
    let given = match (saved.named.is_some(), given) {
        (true, given) => given?,
        (false, Ok(given)) => given,
        // whoever reads the spec says what is wrong with it
        (false, Err(_)) => return Ok(None),
    };
    Ok(
        match (as_run(dir, saved, registry), saved.named.is_some()) {
            (Some(run), true) => missing(&run, &given),
            (Some(run), false) => nothing_shared(&run, &given),
            (None, _) => first_missing(dir, saved, &given),
        },
    )
}

/// The matrix of the run. The files of its spec lie next to the one that the user names, or next to
/// the one that the folder does.
fn as_run(dir: &Path, saved: &RunMetadata, registry: &Registry) -> Option<CellMatrix> {
    let named = run_metadata::matrix_as_run(dir, saved, registry);
    let of_folder = |_| {
        let unnamed = RunMetadata {
            named: None,
            ..saved.clone()
        };
        run_metadata::matrix_as_run(dir, &unnamed, registry)
    };
    named.or_else(of_folder).ok()
}

/// Refuses a spec that the user names and that is of another experiment.
///
/// # Errors
/// [`RunError::OtherSpec`].
pub(crate) fn require(
    dir: &Path,
    saved: &RunMetadata,
    now: &Spec,
    registry: &Registry,
) -> Result<(), RunError> {
    match strange(dir, saved, now, registry)? {
        None => Ok(()),
        Some(reason) => Err(RunError::OtherSpec {
            spec: now.file.clone().into(),
            folder: dir.to_owned(),
            reason,
        }),
    }
}

/// What is said of a spec that is left aside as it is of another experiment.
fn left_aside(spec: &Spec, reason: &str) -> String {
    format!(
        "{} is the spec of another experiment now: {reason}; the text that the run has kept takes its place",
        spec.file
    )
}

/// The spec as it is now, if it is where it was and of the same experiment.
///
/// # Errors
/// It has become invalid, or names files that are not the results' own; the user has named one of
/// another experiment; a file of a bundle that is not as the bundle had it.
pub(crate) fn spec_now(
    dir: &Path,
    saved: &RunMetadata,
    registry: &Registry,
) -> Result<Option<Spec>, RunError> {
    if saved.named.is_none() {
        require_sources(dir, saved)?;
    }
    let Some(file) = run_metadata::spec_file(dir, saved) else {
        return Ok(None);
    };
    let spec = spec::read_for_views(&file, registry)?;
    run_metadata::confine(dir, saved, &spec, registry)?;
    if saved.named.is_some() {
        require(dir, saved, &spec, registry)?;
        return Ok(Some(spec));
    }
    let strange = strange(dir, saved, &spec, registry)?;
    Ok(strange.is_none().then_some(spec))
}

/// Refuses an unpacked bundle of which the spec, its page or a file that the spec names is not as
/// the bundle had it. What cannot be told, as the list of the bundle is damaged, passes.
///
/// # Errors
/// The first such file; one that the system does not read; a spec that is not in the bundle.
fn require_sources(dir: &Path, saved: &RunMetadata) -> Result<(), RunError> {
    let Some(Ok(list)) = bundle_list::listed(dir) else {
        return Ok(());
    };
    let sources = list.entries();
    for (name, bytes, sha256) in sources.filter(|(name, ..)| passing::is_source(name)) {
        if let Some(reason) = unfit::listed(dir, name, BUNDLE, bytes, sha256)? {
            return Err(unfit::not_as_left(dir, name, reason));
        }
    }
    let file = saved.spec_file.to_string_lossy();
    match disk::open_in(dir, &file) {
        Err(error) if unfit::is_damage(&error) => {
            let reason = not_in_bundle(&file, &unfit::reason(&error));
            Err(unfit::not_as_left(dir, EXPERIMENT, reason))
        }
        _ => Ok(()),
    }
}

/// What is said of a spec that the folder of a bundle does not have, for this reason.
pub(crate) fn not_in_bundle(file: &str, reason: &str) -> String {
    let reason = match reason.starts_with("its ") {
        true => reason.to_owned(),
        false => format!("it {reason}"),
    };
    format!("its spec {file} is not in the bundle: {reason}")
}

/// What is said of the spec that the folder names if it cannot be read as it is now, or is of
/// another experiment.
pub(crate) fn other_now(dir: &Path, saved: &RunMetadata, registry: &Registry) -> Option<String> {
    if saved.named.is_some() {
        return None;
    }
    let file = run_metadata::spec_file(dir, saved)?;
    // what is wrong with the text that the run has kept is said of that
    if disk::read_named(&file).is_ok_and(|text| text == saved.spec.as_bytes()) {
        return None;
    }
    let given = spec::read(&file, registry).and_then(|spec| matrix::expand(spec, registry));
    let spec = match given {
        Ok(given) => given.spec,
        Err(error) => return Some(unread(&error)),
    };
    let reason = strange(dir, saved, &spec, registry).ok()??;
    Some(left_aside(&spec, &reason))
}

/// What is said of a spec that cannot be read.
fn unread(error: &SpecError) -> String {
    format!(
        "the spec cannot be read as it is now, so nothing tells whether it is that of the results: {}; correct it, or name another one with --spec",
        error.on_one_line()
    )
}

/// Why no cells follow from the text of the spec that a run has kept, and what to do: most often a
/// file next to the spec is gone or damaged, or the spec itself has moved.
pub(crate) fn without_cells(dir: &Path, saved: &RunMetadata, error: &SpecError) -> String {
    let what = error.on_one_line();
    let words = |reason: &str, action: &str| {
        format!("no key was computed again, as {reason}: {what}; {action}")
    };
    match run_metadata::spec_file(dir, saved) {
        Some(_) if is_unpacked(dir) && saved.named.is_none() => {
            format!("the spec of the bundle gives no cells with the files of the bundle: {what}")
        }
        Some(file) => {
            let file = file.display();
            words(
                &format!(
                    "the spec of the run gives no cells with the files that lie next to {file} now"
                ),
                "restore that file, or name the spec next to its files with --spec",
            )
        }
        None => {
            let file = match saved.spec_file.as_os_str().is_empty() {
                true => "the spec".to_owned(),
                false => format!("the spec {}", dir.join(&saved.spec_file).display()),
            };
            words(
                &format!("{file} is not there or not read, and files lie next to it"),
                "restore it, or name it with --spec",
            )
        }
    }
}

type Keys<'m> = BTreeMap<(&'m str, &'m str), &'m str>;

/// The keys of the cells by the names of problem and method.
fn keys(matrix: &CellMatrix) -> Keys<'_> {
    let named = |cell| {
        let subject = matrix.experiment.subject(cell);
        (
            (subject.name.as_str(), matrix.method(cell)),
            cell.key.as_str(),
        )
    };
    matrix.cells.iter().map(named).collect()
}

/// Says which cells of the run `given` does not have.
fn missing(run: &CellMatrix, given: &CellMatrix) -> Option<String> {
    let (run, given) = (keys(run), keys(given));
    let known: BTreeSet<&str> = given.values().copied().collect();
    let lacks: Vec<_> = run
        .iter()
        .filter(|(_, key)| !known.contains(*key))
        .collect();
    let ((problem, method), _) = lacks.first()?;
    Some(format!(
        "of the {} cells of the run it lacks {}, as {problem} with {method}",
        run.len(),
        lacks.len()
    ))
}

/// Says so if `given` has no cell with the names of the first record: all that tells where the
/// matrix of the run cannot be made here.
fn first_missing(dir: &Path, saved: &RunMetadata, given: &CellMatrix) -> Option<String> {
    let read = |key: &String| match run_metadata::is_key(key).then(|| store::read_cell(dir, key)) {
        Some(StoredCell::Cell(record)) => Some(record),
        _ => None,
    };
    let record = saved.cells.iter().find_map(read)?;
    let name = (record.problem.name.as_str(), record.method());
    let has = keys(given).contains_key(&name);
    (!has).then(|| format!("it has no cell {} with {}", name.0, name.1))
}

/// Says so if no cell of the one has the name of a cell of the other.
fn nothing_shared(run: &CellMatrix, given: &CellMatrix) -> Option<String> {
    let (run, given) = (keys(run), keys(given));
    let shares = run.keys().any(|name| given.contains_key(name));
    (!shares).then(|| format!("it has none of the {} cells of the run", run.len()))
}
