//! Files of a results folder that no list of it names: nobody vouches for them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use delassus_records::folder::INNER;

use crate::bundle_list;
use crate::error::RunError;
use crate::lock;
use crate::outputs::{self, LIST};
use crate::ownership;
use crate::run_metadata::{self, BUNDLE, RunMetadata};
use crate::store::{self, CELLS, EXPERIMENT, MANIFEST};

/// What is found where nothing of the kind was left.
#[derive(Debug, Default)]
pub(crate) struct UnlistedFiles {
    /// Files among the cells that no run leaves there, in order.
    pub(crate) among_cells: Vec<String>,
    /// Files elsewhere, in order; none where there is no list to ask.
    pub(crate) elsewhere: Vec<String>,
}

/// Looks at the names of all files of `dir`, of which its run says what is `saved`.
///
/// # Errors
/// A folder in it that cannot be looked into.
pub(crate) fn unlisted(dir: &Path, saved: Option<&RunMetadata>) -> Result<UnlistedFiles, RunError> {
    let listed = listed(dir);
    // it may lie among its results, and be changed there
    let spec = saved.and_then(|saved| saved.spec_file.to_str());
    let mut found = UnlistedFiles::default();
    for name in names(dir)? {
        let file = name
            .rsplit_once('/')
            .map_or(name.as_str(), |(_, file)| file);
        if store::is_part(file) {
            continue;
        }
        match name
            .strip_prefix(CELLS)
            .and_then(|rest| rest.strip_prefix('/'))
        {
            Some(file) if is_of_cell(file) => {}
            Some(_) => found.among_cells.push(name),
            // a link or a file in the place of an inner folder is named elsewhere
            None if is_marker(&name) || INNER.contains(&name.as_str()) => {}
            None if spec == Some(name.as_str()) => {}
            None => {
                let known = listed.as_ref().is_none_or(|listed| listed.contains(&name));
                found.elsewhere.extend((!known).then_some(name));
            }
        }
    }
    Ok(found)
}

/// The files that the lists name; `None` where there is no list, or the change of the folder has
/// not ended.
fn listed(dir: &Path) -> Option<BTreeSet<String>> {
    let list = outputs::listed(dir).ok()?;
    if list.under_way.is_some() {
        return None;
    }
    let bundle = bundle_list::listed(dir)
        .and_then(Result::ok)
        .unwrap_or_default();
    let bundle = bundle.files.into_keys();
    Some(list.files.into_keys().chain(bundle).collect())
}

/// True for files that tell of the folder, and that no list can name.
fn is_marker(name: &str) -> bool {
    let markers = [LIST, BUNDLE, EXPERIMENT, MANIFEST, ownership::FILE];
    markers.contains(&name) || name.starts_with(lock::FILE)
}

/// True for the name of a file that a run leaves among the cells.
fn is_of_cell(file: &str) -> bool {
    file.split_once('.').is_some_and(|(key, ending)| {
        let known = ["json", "impulses", "replay"].contains(&ending);
        known && run_metadata::is_key(key)
    })
}

/// The names, with `/`, of everything below `dir` that is no folder, in order. No link is followed.
fn names(dir: &Path) -> Result<Vec<String>, RunError> {
    let mut names = Vec::new();
    let mut open = vec![String::new()];
    while let Some(folder) = open.pop() {
        let path = match dir.join(&folder) {
            path if path.as_os_str().is_empty() => PathBuf::from("."),
            path => path,
        };
        let unreadable = |source| RunError::Unreadable {
            path: path.clone(),
            source,
        };
        for entry in fs::read_dir(&path).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let name = match folder.as_str() {
                "" => name,
                folder => format!("{folder}/{name}"),
            };
            match entry.file_type().map_err(unreadable)?.is_dir() {
                true => open.push(name),
                false => names.push(name),
            }
        }
    }
    names.sort();
    Ok(names)
}
