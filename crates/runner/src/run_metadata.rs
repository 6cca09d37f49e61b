//! What a run says of itself in its results folder, and how it is read again.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

use delassus_records::disk;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::bundle::Bundle;
use crate::error::RunError;
use crate::figures::FigureSpec;
use crate::json_file;
use crate::key;
use crate::matrix::{self, CellMatrix};
use crate::ownership;
use crate::registry::Registry;
use crate::spec::{self, Spec, SpecError};
use crate::store::{EXPERIMENT, MANIFEST};
use crate::strips::StripSpec;
use crate::tables::TableSpec;
use crate::unfit;

pub(crate) use delassus_records::folder::BUNDLE;

/// Content of [`EXPERIMENT`].
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct RunMetadata {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) question: String,
    pub(crate) readme: Option<String>,
    pub(crate) spec: String,
    pub(crate) command: String,
    pub(crate) tolerance: f64,
    pub(crate) criteria: Vec<String>,
    /// The spec's file relative to the results folder; empty where that would tell where the user
    /// keeps things.
    pub(crate) spec_file: PathBuf,
    /// Hash of the spec's path in place of an empty `spec_file`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) spec_place: Option<String>,
    pub(crate) figures: Vec<FigureSpec>,
    pub(crate) tables: Vec<TableSpec>,
    /// Older folders have none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) strips: Vec<StripSpec>,
    /// Keys of the cells, in the order of the matrix.
    pub(crate) cells: Vec<String>,
    /// Scenes that no scheme steps; older folders do not say.
    #[serde(default)]
    pub(crate) unstepped: Vec<String>,
    /// True where the run leaves a root of its cells in the manifest; older programs leave none.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) has_root: bool,
    /// One hash over the bytes of all sources, in a bundle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) sources_sha256: Option<String>,
    /// The spec's file as the user names it now.
    #[serde(skip)]
    pub(crate) named: Option<PathBuf>,
}

impl RunMetadata {
    /// Takes the spec that the user names, a file or the folder of one, in the place of the one
    /// that the folder does.
    pub(crate) fn name_spec(&mut self, spec: Option<&Path>) {
        self.named = spec.map(|path| match path.is_dir() {
            true => path.join(spec::FILE_NAME),
            false => path.to_owned(),
        });
    }
}

/// Content of [`EXPERIMENT`] for a bundle.
pub(crate) fn experiment(
    dir: &Path,
    spec: &Spec,
    bundle: &Bundle,
    keys: Vec<String>,
) -> RunMetadata {
    let file = Path::new(&spec.file);
    let relative = relative(dir, file);
    RunMetadata {
        id: bundle.id.clone(),
        title: bundle.title.clone(),
        question: bundle.question.clone(),
        readme: bundle.readme.clone(),
        spec: bundle.spec.clone(),
        command: bundle.command.clone(),
        tolerance: bundle.tolerance,
        criteria: bundle.criteria.clone(),
        spec_place: relative.is_none().then(|| place(file)),
        spec_file: relative.unwrap_or_default(),
        figures: spec.figures.clone(),
        tables: spec.tables.clone(),
        strips: spec.strips.clone(),
        cells: keys,
        unstepped: bundle.unstepped.clone(),
        has_root: true,
        sources_sha256: None,
        named: None,
    }
}

/// The keys of the cells of a results folder, in the order of the matrix.
///
/// # Errors
/// Not a results folder, or one whose list is damaged.
pub(crate) fn keys(dir: &Path) -> Result<Vec<String>, RunError> {
    read(dir).map(|saved| saved.cells)
}

/// True for what may be a key, which names a file: nothing that came from elsewhere may lead out of
/// the folder.
pub(crate) fn is_key(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Hash of where a file is.
fn place(file: &Path) -> String {
    let path = located(file).unwrap_or_else(|_| file.to_owned());
    key::of_text(&path.to_string_lossy())
}

/// The absolute path of a file in its folder, which may be a link to another file: what a spec
/// names lies in the folder of the link.
fn located(file: &Path) -> io::Result<PathBuf> {
    let name = file.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let folder = match file.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    // there must be such a file
    file.metadata()?;
    Ok(folder.canonicalize()?.join(name))
}

/// True if both paths lead to one spec: to one file, or to links to it.
fn is_same(one: &Path, other: &Path) -> bool {
    let both = [one, other].map(Path::canonicalize);
    matches!(both, [Ok(one), Ok(other)] if one == other)
}

/// Whose results a folder holds, if they are not those of `spec`: the file of the other spec, or
/// what else is known of it.
///
/// A spec that is no longer where it was has moved, and takes its results along.
///
/// # Errors
/// The system does not read the file that says so. A damaged one is written anew.
pub(crate) fn other_owner(dir: &Path, spec: &Spec) -> Result<Option<String>, RunError> {
    let path = dir.join(EXPERIMENT);
    let bytes = match disk::read(&path) {
        Ok(bytes) => bytes,
        Err(error) => {
            return match unfit::unread(dir, EXPERIMENT, error) {
                unreadable @ RunError::Unreadable { .. } => Err(unreadable),
                _ => Ok(None),
            };
        }
    };
    let Ok(saved) = serde_json::from_slice::<RunMetadata>(&bytes) else {
        return Ok(None);
    };
    let own = Path::new(&spec.file);
    Ok(match saved.spec_place {
        Some(other) => {
            let real = own.canonicalize().unwrap_or_else(|_| own.to_owned());
            let is_own = [own, &real].into_iter().any(|own| other == place(own));
            (!is_own).then(|| format!("another spec, {:?}", saved.title))
        }
        None => {
            let other = dir.join(&saved.spec_file);
            let differs = other.is_file() && !is_same(&other, own);
            differs.then(|| saved.spec_file.display().to_string())
        }
    })
}

/// The bytes of [`EXPERIMENT`] in `dir`.
pub(crate) fn bytes(dir: &Path) -> Result<Vec<u8>, RunError> {
    disk::read_in(dir, EXPERIMENT).map_err(|source| unfit::unread(dir, EXPERIMENT, source))
}

/// What a run said of itself in `dir`.
pub(crate) fn read(dir: &Path) -> Result<RunMetadata, RunError> {
    read_json(dir, EXPERIMENT)
}

/// The manifest in `dir`.
pub(crate) fn manifest(dir: &Path) -> Result<Value, RunError> {
    read_json(dir, MANIFEST)
}

/// The file of the spec: the one that the user names, or where the folder says that it is.
///
/// Inside of the folder no link is followed to it. One outside is read where the folder was made
/// here by a run, to which the user had named it, and its name ends in `.toml`.
pub(crate) fn spec_file(dir: &Path, saved: &RunMetadata) -> Option<PathBuf> {
    if saved.named.is_some() {
        return saved.named.clone();
    }
    if leads_out(saved) {
        return spec_outside(dir, saved).filter(|_| ownership::is_own(dir));
    }
    let there = disk::open_in(dir, saved.spec_file.to_str()?).is_ok();
    there.then(|| dir.join(&saved.spec_file))
}

/// What stands where the folder says that its spec is, if that is no file to be read. Inside of the
/// folder no link is followed.
pub(crate) fn irregular_spec(dir: &Path, saved: &RunMetadata) -> Option<PathBuf> {
    let path = dir.join(&saved.spec_file);
    let found = match leads_out(saved) {
        true => fs::metadata(&path),
        false => fs::symlink_metadata(&path),
    };
    // the oldest folders do not say where their spec is
    let is_named = saved.named.is_none() && !saved.spec_file.as_os_str().is_empty();
    let irregular = is_named && found.is_ok_and(|found| !found.is_file());
    irregular.then_some(path)
}

/// The spec outside of the folder that is not read, as nothing says that the folder was made here.
pub(crate) fn unread_spec(dir: &Path, saved: &RunMetadata) -> Option<PathBuf> {
    let unread = saved.named.is_none() && !ownership::is_own(dir);
    spec_outside(dir, saved).filter(|_| unread)
}

/// Why a spec is not read.
pub(crate) fn not_read(spec: &Path) -> String {
    format!(
        "{} is not read, as these results were copied or come from elsewhere: if it is yours, name it with --spec",
        spec.display()
    )
}

/// The spec outside of the folder that the folder names, where there is one. What was unpacked from
/// a bundle names none.
fn spec_outside(dir: &Path, saved: &RunMetadata) -> Option<PathBuf> {
    let file = dir.join(&saved.spec_file);
    let is_toml = file.extension().is_some_and(|ending| ending == "toml");
    let there = leads_out(saved) && is_toml && file.is_file() && !dir.join(BUNDLE).exists();
    there.then_some(file)
}

/// True for a spec that lies outside of the results folder. No run writes an absolute path.
fn leads_out(saved: &RunMetadata) -> bool {
    let mut parts = saved.spec_file.components();
    parts.next() == Some(Component::ParentDir)
}

/// Fails if `spec` names a file that is neither in the results folder nor named by the user's own
/// spec as it is now: results may be somebody else's, and so may be what they say of their spec.
pub(crate) fn confine(
    dir: &Path,
    saved: &RunMetadata,
    spec: &Spec,
    registry: &Registry,
) -> Result<(), SpecError> {
    let root = dir.canonicalize().unwrap_or_else(|_| dir.to_owned());
    let inside = |path: &PathBuf| {
        path.canonicalize()
            .is_ok_and(|path| path.starts_with(&root))
    };
    let mut outside = spec.files();
    outside.retain(|path| !inside(path));
    if outside.is_empty() {
        return Ok(());
    }
    let real = |path: PathBuf| path.canonicalize().unwrap_or(path);
    let users = spec_file(dir, saved).filter(|_| saved.named.is_some() || leads_out(saved));
    let users = users.and_then(|file| spec::read_for_views(&file, registry).ok());
    let users = users.map_or_else(Vec::new, |spec| spec.files());
    let users: BTreeSet<PathBuf> = users.into_iter().map(real).collect();
    match outside
        .into_iter()
        .find(|path| !users.contains(&real(path.clone())))
    {
        None => Ok(()),
        Some(path) => Err(SpecError::of_file(
            &spec.file,
            format!(
                "it reads {}, which is not in the results folder; a file elsewhere is read only if your own spec names it: name your spec with --spec",
                path.display()
            ),
        )),
    }
}

/// Hash of what the file says of its run and nothing else in the folder gives: name, place of the
/// spec, command and page.
pub(crate) fn origin(saved: &RunMetadata) -> String {
    let file = saved.spec_file.to_string_lossy();
    let (command, page) = (&saved.command, &saved.readme);
    key::of_json(&json!([saved.id, file, saved.spec_place, command, page]))
}

/// True for the hash that [`origin`] gives, and for the one of older programs, which has neither
/// command nor page.
pub(crate) fn is_origin(hash: &str, saved: &RunMetadata) -> bool {
    let file = saved.spec_file.to_string_lossy();
    let older = key::of_json(&json!([saved.id, file, saved.spec_place]));
    hash == origin(saved) || hash == older
}

/// The matrix of the spec as it was when it was run; files that it names are those of now.
pub(crate) fn matrix_as_run(
    dir: &Path,
    saved: &RunMetadata,
    registry: &Registry,
) -> Result<CellMatrix, SpecError> {
    // a spec that is gone leaves no files either: paths are then relative to the results
    let file = spec_file(dir, saved).unwrap_or_else(|| dir.join(spec::FILE_NAME));
    let spec = spec::of_text(&file, saved.spec.clone(), registry)?;
    confine(dir, saved, &spec, registry)?;
    let id = saved.id.clone();
    matrix::expand(Spec { id, ..spec }, registry)
}

/// Content of [`EXPERIMENT`] for a folder in which the spec is the file `spec`, and whose sources
/// have this hash.
///
/// # Errors
/// None in practice: the writer is memory.
pub(crate) fn relocated(saved: RunMetadata, spec: &str, sources: String) -> io::Result<Vec<u8>> {
    json_file::pretty(&RunMetadata {
        spec_file: spec.into(),
        spec_place: None,
        sources_sha256: Some(sources),
        ..saved
    })
}

/// Content of [`EXPERIMENT`] for the same results in another folder, with the spec outside of them
/// if `from` is known to be made here.
pub(crate) fn moved(from: &Path, saved: RunMetadata, to: &Path, is_own: bool) -> RunMetadata {
    let file = match leads_out(&saved) {
        true => spec_outside(from, &saved).filter(|_| is_own),
        false => spec_file(from, &saved),
    };
    let file = file.and_then(|file| relative(to, &file));
    RunMetadata {
        spec_file: file.unwrap_or_default(),
        sources_sha256: None,
        ..saved
    }
}

/// What the file `name` of the results folder `dir` holds.
pub(crate) fn read_json<T: serde::de::DeserializeOwned>(
    dir: &Path,
    name: &str,
) -> Result<T, RunError> {
    let text = disk::read_in(dir, name).map_err(|source| unfit::unread(dir, name, source))?;
    serde_json::from_slice(&text).map_err(|error| {
        unfit::not_as_left(
            dir,
            name,
            format!("is damaged: {}", json_file::reason(&error)),
        )
    })
}

/// The file `to` as seen from the folder `from`; both must exist.
fn relative(from: &Path, to: &Path) -> Option<PathBuf> {
    let (from, to) = (from.canonicalize().ok()?, located(to).ok()?);
    let from: Vec<Component<'_>> = from.components().collect();
    let to: Vec<Component<'_>> = to.components().collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // nothing in common but the root: another place altogether, and an absolute path would tell
    // where
    if common <= 1 {
        return None;
    }
    let up = (common..from.len()).map(|_| Component::ParentDir);
    Some(up.chain(to[common..].iter().copied()).collect())
}

#[cfg(test)]
mod tests;
