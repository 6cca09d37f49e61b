//! What an experiment is made from: its spec, its page, and the files that the spec names.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use delassus_records::disk::{self, ScratchFolder};

use super::{Content, Files, PassError};
use crate::error::RunError;
use crate::matrix::{self, CellMatrix};
use crate::registry::Registry;
use crate::run_metadata::{self, RunMetadata};
use crate::spec::{self, FILE_NAME, PAGE, Spec, SpecError};

/// The sources, in the places that they have to each other.
pub(super) struct Sources {
    /// The spec, among the files.
    pub(super) spec: String,
    pub(super) files: Files,
}

/// Collects the sources of the results in `dir`.
pub(super) fn collect(
    dir: &Path,
    saved: &RunMetadata,
    registry: &Registry,
) -> Result<Sources, PassError> {
    let Some(path) = run_metadata::spec_file(dir, saved) else {
        return Ok(alone(saved));
    };
    let text = disk::read_named(&path).map_err(|source| PassError::Read {
        path: path.clone(),
        source,
    })?;
    if text != saved.spec.as_bytes() {
        return Err(PassError::Changed { path });
    }
    let spec = spec::read(&path, registry).map_err(RunError::Spec)?;
    run_metadata::confine(dir, saved, &spec, registry).map_err(RunError::Spec)?;
    let mut paths = spec.files();
    paths.push(path.clone());
    let page = spec.folder.join(PAGE);
    if spec.page().is_some() {
        paths.push(page);
    }
    placed(&path, &paths)
}

/// The spec as the run kept it, where its file is gone.
fn alone(saved: &RunMetadata) -> Sources {
    let folder = saved.id.clone();
    let spec = format!("{folder}/{FILE_NAME}");
    let made = |text: &str| Content::Made(text.to_owned().into_bytes());
    let mut files = Files::from([(spec.clone(), made(&saved.spec))]);
    if let Some(page) = &saved.readme {
        files.insert(format!("{folder}/{PAGE}"), made(page));
    }
    Sources { spec, files }
}

/// The path from the root, without `.` and `..`. No link is followed: the spec names a link by its
/// own place, and so does a copy of the spec.
fn plain(path: &Path) -> io::Result<PathBuf> {
    let mut plain = PathBuf::new();
    for part in std::path::absolute(path)?.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    Ok(plain)
}

/// The files below the last folder that all of them lie in; the spec's own folder stays, as its
/// name is the experiment's.
fn placed(spec: &Path, paths: &[PathBuf]) -> Result<Sources, PassError> {
    let real = |path: &Path| {
        plain(path).map_err(|source| PassError::Read {
            path: path.to_owned(),
            source,
        })
    };
    let spec = real(spec)?;
    let mut common = spec.ancestors().nth(2).unwrap_or(&spec).to_owned();
    let mut all = Vec::new();
    for path in paths {
        let path = real(path)?;
        while !path.starts_with(&common) {
            match common.parent() {
                Some(parent) => common = parent.to_owned(),
                None => {
                    return Err(PassError::Sources(format!(
                        "{} is elsewhere",
                        path.display()
                    )));
                }
            }
        }
        all.push(path);
    }
    let name = |path: &Path| {
        let rest = path.strip_prefix(&common).unwrap_or(path);
        let parts = rest.components().filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        });
        parts.collect::<Vec<_>>().join("/")
    };
    let mut files = Files::new();
    // a link in a folder on the way leads to another place than its plain path
    for (path, named) in all.iter().zip(paths) {
        files.insert(name(path), Content::Named(named.clone()));
    }
    Ok(Sources {
        spec: name(&spec),
        files,
    })
}

fn copy(content: &Content, path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let (mut from, _) = content.open()?;
    io::copy(&mut from, &mut fs::File::create(path)?)?;
    Ok(())
}

impl Sources {
    /// The page that stands next to the spec.
    pub(super) fn page(&self) -> Result<Option<String>, PassError> {
        let name = match self.spec.rsplit_once('/') {
            Some((folder, _)) => format!("{folder}/{PAGE}"),
            None => PAGE.to_owned(),
        };
        let Some(content) = self.files.get(&name) else {
            return Ok(None);
        };
        let mut bytes = Vec::new();
        let read = content
            .open()
            .and_then(|(mut from, _)| from.read_to_end(&mut bytes));
        read.map_err(|source| PassError::Read {
            path: name.into(),
            source,
        })?;
        Ok(String::from_utf8(bytes).ok())
    }

    /// Reads the experiment in a copy of the sources, which must be `original`; its spec.
    ///
    /// An absolute path would lead to the same file from any copy on this machine, and to none on
    /// another one.
    pub(super) fn check(
        &self,
        original: &CellMatrix,
        registry: &Registry,
    ) -> Result<Spec, PassError> {
        if let Some((path, span)) = original.spec.absolute_path() {
            let what = format!("{path:?} is an absolute path, which no copy of these results has");
            let named = SpecError {
                file: self.spec.clone(),
                ..original.spec.error(span, what)
            };
            return Err(PassError::Outside(named));
        }
        let refused = |error: &dyn std::fmt::Display| PassError::Sources(error.to_string());
        let folder = ScratchFolder::new().map_err(|error| refused(&error))?;
        for (name, content) in &self.files {
            copy(content, &folder.path().join(name)).map_err(|error| refused(&error))?;
        }
        let copy = spec::read(&folder.path().join(&self.spec), registry);
        let copy = copy.and_then(|spec| matrix::expand(spec, registry));
        // the copy has a name that nobody knows
        let named = |error: SpecError| SpecError {
            file: self.spec.clone(),
            ..error
        };
        let copy = copy.map_err(|error| refused(&named(error).on_one_line()))?;
        same(original, &copy).map_err(|reason| refused(&reason))?;
        Ok(copy.spec)
    }
}

/// The experiment in a copy of its sources; the reason why it is another one.
fn same(original: &CellMatrix, copy: &CellMatrix) -> Result<(), String> {
    let keys = |matrix: &CellMatrix| -> Vec<String> {
        matrix.cells.iter().map(|cell| cell.key.clone()).collect()
    };
    match keys(original) == keys(copy) {
        true => Ok(()),
        false => Err("its cells have other keys".to_owned()),
    }
}
