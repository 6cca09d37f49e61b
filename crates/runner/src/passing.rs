//! Passing results on: everything of a results folder, with what it was made from, as files of one
//! archive.
//!
//! The files stand in an order and have bytes that depend on the results alone, so that a bundle
//! made twice is the same bundle. What it holds is enough to draw every figure again, to judge
//! every answer again and to run every cell again.

mod content;
mod error;
pub mod frozen;
mod refusal;
mod sources;
mod texts;

pub use content::{Content, Files};
pub(crate) use delassus_records::folder::SOURCES;
pub use error::PassError;
pub use refusal::check;
pub use texts::METHOD;
pub(crate) use texts::{BundleTexts, NAMES as TEXTS, texts};

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use crate::bundle_list::BundleList;
use crate::error::RunError;
use crate::folder::Folder;
use crate::manifest;
use crate::outputs;
use crate::registry::Registry;
use crate::run_metadata::{self, BUNDLE, RunMetadata};
use crate::spec::Spec;
use crate::store::{self, CELLS, EXPERIMENT, MANIFEST, StoredCell};
use crate::unfit;

/// A results folder, taken together.
#[derive(Debug)]
pub struct ResultsArchive {
    /// Identifier of the experiment.
    pub id: String,
    /// Title of the experiment.
    pub title: String,
    /// The spec inside the bundle, with `/`.
    pub spec_file: String,
    /// The spec, as it stands in the bundle.
    pub spec: Spec,
    /// What the run says of program and machine.
    pub manifest: serde_json::Value,
    /// Cells with a record \[-\].
    pub cells: usize,
    /// Cells without one \[-\].
    pub missing: usize,
    /// Everything but `bundle.json`.
    pub files: Files,
}

/// Takes a results folder together, which [`check`] has looked at. Tables, figures and page are
/// those in the folder `drawn` where it has them.
///
/// # Errors
/// Not a results folder; records that are damaged; a spec that has changed since, or whose copy
/// reads otherwise.
pub fn collect(
    dir: &Path,
    drawn: Option<&Path>,
    spec: Option<&Path>,
    registry: &Registry,
) -> Result<ResultsArchive, PassError> {
    let folder = Folder::open(dir)?;
    let run = folder.unfinished(dir);
    // what it is to hold is written with the manifest
    if let Some(run) = run.filter(|_| !dir.join(MANIFEST).exists()) {
        return Err(RunError::Unfinished(run).into());
    }
    let mut saved = folder.saved;
    saved.name_spec(spec);
    let mut files = Files::new();
    let (cells, missing) = records(dir, &saved, &mut files)?;
    let sources = sources::collect(dir, &saved, registry)?;
    let matrix = run_metadata::matrix_as_run(dir, &saved, registry).map_err(RunError::Spec)?;
    // the page may have been edited since the run: the archive has it once
    saved.readme = sources.page()?;
    frozen::add(&matrix, &mut files)?;
    let spec = sources.check(&matrix, registry)?;
    let spec_file = format!("{SOURCES}/{}", sources.spec);
    let under = |(name, bytes)| (format!("{SOURCES}/{name}"), bytes);
    files.extend(sources.files.into_iter().map(under));
    let sources = files.iter().filter(|(name, _)| is_source(name));
    let experiment = hashes(sources)
        .and_then(|hashes| run_metadata::relocated(saved, &spec_file, sources_root(&hashes)));
    let experiment = experiment.map_err(|source| PassError::Read {
        path: dir.join(EXPERIMENT),
        source,
    })?;
    views(dir, drawn, &experiment, &mut files)?;
    let manifest = run_metadata::manifest(dir)?;
    Ok(ResultsArchive {
        id: matrix.spec.id.clone(),
        title: matrix.spec.title.clone(),
        spec_file,
        spec,
        manifest,
        cells,
        missing,
        files,
    })
}

/// The cells with what lies next to them; how many there are, and how many the run has not done.
fn records(
    dir: &Path,
    saved: &RunMetadata,
    files: &mut Files,
) -> Result<(usize, usize), PassError> {
    let (mut there, mut missing) = (0, 0);
    for key in &saved.cells {
        let file = format!("{CELLS}/{key}.json");
        let damaged = |what: String| PassError::damaged(dir, &file, what);
        let record = match run_metadata::is_key(key) {
            false => return Err(damaged("its name is no key".to_owned())),
            true => store::read_cell(dir, key),
        };
        let has_impulses = match record {
            StoredCell::Nothing => {
                missing += 1;
                continue;
            }
            StoredCell::Corrupt(what) => return Err(damaged(what)),
            StoredCell::Cell(record) => {
                there += 1;
                unfit::has_impulses(&record)
            }
        };
        let stored = |name: &str| {
            let content = Content::stored(dir, name);
            content.map_err(|error| unfit::unread(dir, name, error))
        };
        files.insert(file.clone(), stored(&file)?);
        // impulses that a killed run has left belong to no record
        let impulses = has_impulses.then(|| store::impulses_name(key));
        for name in impulses.into_iter().chain([store::replay_name(key)]) {
            if fs::symlink_metadata(dir.join(&name)).is_ok() {
                let content = stored(&name)?;
                files.insert(name, content);
            }
        }
    }
    Ok((there, missing))
}

/// What the report wrote, into `drawn` or into the folder itself, with `experiment` in the place of
/// the file of that name.
fn views(
    dir: &Path,
    drawn: Option<&Path>,
    experiment: &[u8],
    files: &mut Files,
) -> Result<(), PassError> {
    let damaged = |file: &str, what: String| PassError::damaged(dir, file, what);
    let of_list = drawn.unwrap_or(dir);
    let listed = outputs::listed(of_list);
    let listed = listed.map_err(|what| damaged(outputs::LIST, what.to_string()))?;
    for (name, (bytes, sha256)) in listed.files {
        if name == EXPERIMENT {
            continue;
        }
        let drawn = drawn.filter(|drawn| drawn.join(&name).is_file());
        let dir = drawn.unwrap_or(dir);
        if let Some(what) = unfit::listed(dir, &name, outputs::LIST, Some(bytes), &sha256)? {
            return Err(damaged(&name, what));
        }
        let content = Content::Stored(dir.to_owned(), name.clone());
        files.insert(name, content);
    }
    let list = outputs::with_other(of_list, EXPERIMENT, experiment);
    let list = list.map_err(|error| damaged(outputs::LIST, error.to_string()))?;
    files.insert(outputs::LIST.to_owned(), Content::Made(list));
    let experiment = Content::Made(experiment.to_vec());
    files.insert(EXPERIMENT.to_owned(), experiment);
    Ok(())
}

/// Adds licences, citations and how to go on, with the package of a method or not, and the list of
/// all files: nothing is to be added after it.
///
/// # Errors
/// A spec that names something that this program does not have; a file that cannot be read any
/// more.
pub fn complete(
    parcel: &mut ResultsArchive,
    has_method: bool,
    registry: &Registry,
) -> Result<(), PassError> {
    let of = BundleTexts {
        id: &parcel.id,
        title: &parcel.title,
        spec: &parcel.spec,
        spec_file: &parcel.spec_file,
        manifest: &parcel.manifest,
        has_method,
    };
    for (name, text) in texts(&of, registry)? {
        parcel.files.insert(name, Content::Made(text.into()));
    }
    seal(&parcel.id, &mut parcel.files).map_err(|source| PassError::Read {
        path: BUNDLE.into(),
        source,
    })
}

/// The hashes of files.
fn hashes<'f>(
    files: impl IntoIterator<Item = (&'f String, &'f Content)>,
) -> io::Result<BTreeMap<String, String>> {
    let hash = |(name, content): (&String, &Content)| Ok((name.clone(), content.sha256()?));
    files.into_iter().map(hash).collect()
}

/// True for the name of a file of a bundle that is a source of the experiment.
pub(crate) fn is_source(name: &str) -> bool {
    let rest = name.strip_prefix(SOURCES);
    rest.is_some_and(|rest| rest.starts_with('/'))
}

/// One hash over the bytes of the sources among the files of a bundle, which have these hashes: as
/// [`manifest::root`], with names in the place of keys.
pub(crate) fn sources_root(hashes: &BTreeMap<String, String>) -> String {
    let sources = hashes.iter().filter(|(name, _)| is_source(name));
    let sources = sources.map(|(name, sha256)| (name.clone(), sha256.clone()));
    manifest::root(&sources.collect())
}

/// Adds the list of all files.
fn seal(id: &str, files: &mut Files) -> io::Result<()> {
    let length = |(name, content): (&String, &Content)| Ok((name.clone(), content.open()?.1));
    let list = BundleList {
        files: hashes(&*files)?,
        bytes: files.iter().map(length).collect::<io::Result<_>>()?,
    };
    files.insert(BUNDLE.to_owned(), Content::Made(list.content(id)?));
    Ok(())
}
