//! A results folder opened for reading: what its run said of it, and whether its records are those
//! that the run left.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::Path;

use delassus_records::disk;
use serde_json::Value;

use crate::error::{RunError, UnfinishedRun};
use crate::key;
use crate::manifest::{BINARY, ROOT, root};
use crate::memory;
use crate::outputs::{self, FolderListing, LIST, Work};
use crate::ownership;
use crate::run_metadata::{self, RunMetadata, is_key};
use crate::store::{self, CELLS, EXPERIMENT, MANIFEST};
use crate::unfit;
use crate::unpacked::is_unpacked;

/// What vouches for the records of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RecordEvidence {
    /// A list of their checksums, and its root in the manifest.
    Root,
    /// Nothing: a run was cut short before it had written them, or is under way.
    Unfinished,
    /// Nothing: the program that ran is older than roots.
    #[default]
    Older,
}

/// A file that is not as the run left it, and what is wrong with it.
pub(crate) type Flaw = (String, String);

/// What is wrong with a record.
pub(crate) const GONE: &str = "is gone: the run left it";
const REPLACED: &str = "is not the record that the run left";
const ADDED: &str = "is a record that the run did not leave";

/// What is wrong with what the run says of itself where its mark says otherwise.
const FOREIGN: &str = "its id, spec_file, command or readme is not what the run wrote there";

/// The manifest and, if it cannot be read as the run left it, what is wrong with it.
///
/// # Errors
/// The system does not read it.
fn manifest(dir: &Path) -> Result<(Value, Option<String>), RunError> {
    match run_metadata::manifest(dir) {
        Ok(manifest) => Ok((manifest, None)),
        Err(RunError::NotAsLeft { reason, .. }) => Ok((Value::Null, Some(reason))),
        Err(error) => Err(error),
    }
}

/// True for the manifest of a program that leaves a root: this one, or one whose keys have version
/// 2 or a later one.
fn leaves_root(manifest: &Value) -> bool {
    let schema = manifest["schema"].as_u64();
    schema.is_some_and(|schema| schema >= 2) || manifest[BINARY].as_str() == Some(key::build_id())
}

/// Refuses a folder in which something else stands in the place of the folder of the cells.
///
/// # Errors
/// What stands there.
pub(crate) fn require_cells(dir: &Path) -> Result<(), RunError> {
    let mut misplaced = unfit::misplaced(dir).into_iter();
    match misplaced.find(|(name, _)| *name == CELLS) {
        Some((name, reason)) => Err(unfit::not_as_left(dir, name, reason)),
        None => Ok(()),
    }
}

/// The names of the files among the cells, in order; none where there is no such folder.
pub(crate) fn cells_in(dir: &Path) -> Result<Vec<String>, RunError> {
    let unreadable = |source| unfit::unread(dir, CELLS, source);
    // what is no results folder says so where its experiment is asked for
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    require_cells(dir)?;
    let entries = match fs::read_dir(dir.join(CELLS)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(unreadable(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// A results folder.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) saved: RunMetadata,
    pub(crate) vouched: RecordEvidence,
    /// What is wrong with what vouches for the records.
    pub(crate) flaws: Vec<Flaw>,
    /// The checksums of the records that the run left; `None` where nothing says which.
    left: Option<BTreeMap<String, String>>,
}

impl Folder {
    /// Opens a results folder. Every verb that reads one goes through here, and shows each record
    /// to [`Folder::flaw`].
    ///
    /// # Errors
    /// Not a results folder; one of which a file is there and cannot be read.
    pub(crate) fn open(dir: &Path) -> Result<Self, RunError> {
        let saved = run_metadata::read(dir)?;
        let lists = memory::admit_cells(saved.cells.len());
        lists.map_err(|source| RunError::Unreadable {
            path: dir.to_owned(),
            source,
        })?;
        require_cells(dir)?;
        let cells = dir.join(CELLS);
        // records that this user may not read are not gone
        let looked = fs::read_dir(&cells).and_then(|_| fs::metadata(cells.join(".")));
        if let Err(source) = looked
            && source.kind() == io::ErrorKind::PermissionDenied
        {
            return Err(RunError::Unreadable {
                path: cells,
                source,
            });
        }
        let listed = outputs::listed(dir);
        let (manifest, flaw) = manifest(dir)?;
        let said = manifest[ROOT].as_str().map(str::to_owned);
        let promised = saved.has_root || said.is_some() || leaves_root(&manifest);
        let mut folder = Self {
            saved,
            vouched: RecordEvidence::Root,
            flaws: Vec::new(),
            left: None,
        };
        match listed {
            // the archive of a bundle has a list, whatever came of the run
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_unpacked(dir) => {
                folder.find(LIST, unfit::reason(&error));
            }
            Err(error) if promised && error.kind() == io::ErrorKind::NotFound => {
                folder.vouched = RecordEvidence::Unfinished;
            }
            Err(error) if promised && unfit::is_damage(&error) => {
                folder.find(LIST, unfit::reason(&error));
            }
            Err(source) if promised => match unfit::unread(dir, LIST, source) {
                RunError::NotAsLeft { reason, .. } => folder.find(LIST, reason),
                error => return Err(error),
            },
            Ok(list) if list.under_way == Some(Work::Run) => {
                folder.vouched = RecordEvidence::Unfinished;
            }
            Ok(list) if promised || !list.cells.is_empty() => {
                folder.judge(dir, list, said, flaw.is_none());
            }
            _ => folder.vouched = RecordEvidence::Older,
        }
        // a run that was ended before its end has written none
        let may_lack = folder.vouched == RecordEvidence::Unfinished;
        if let Some(reason) = flaw.filter(|reason| !may_lack || reason != unfit::MISSING) {
            folder.find(MANIFEST, reason);
        }
        Ok(folder)
    }

    /// The manifest of a folder without a flaw; null for a run that was ended before it had written
    /// one.
    ///
    /// # Errors
    /// The first flaw; a manifest that the system does not read.
    pub(crate) fn manifest(&self, dir: &Path) -> Result<Value, RunError> {
        self.require(dir)?;
        manifest(dir).map(|(manifest, _)| manifest)
    }

    /// How far the run is, if it has not come to its end.
    pub(crate) fn unfinished(&self, dir: &Path) -> Option<UnfinishedRun> {
        let cells = &self.saved.cells;
        let is_there = |key: &&String| is_key(key) && store::cell_path(dir, key).is_file();
        (self.vouched == RecordEvidence::Unfinished).then(|| UnfinishedRun {
            folder: dir.to_owned(),
            done: cells.iter().filter(is_there).count(),
            cells: cells.len(),
            command: self.saved.command.clone(),
        })
    }

    fn find(&mut self, file: &str, what: impl Into<String>) {
        self.flaws.push((file.to_owned(), what.into()));
    }

    /// Compares the list of a folder that has a root with the root that the manifest has `said`, if
    /// that can be read, and with what the folder is to hold.
    fn judge(&mut self, dir: &Path, list: FolderListing, said: Option<String>, is_readable: bool) {
        if !list.has_sum {
            self.find(LIST, "has no checksum of its own");
        }
        for file in [EXPERIMENT, MANIFEST] {
            match list.files.get(file) {
                None => self.find(LIST, format!("does not list {file}")),
                // what is gone or cannot be read has been met before
                Some((bytes, sha256)) => {
                    let listed = || unfit::listed(dir, file, LIST, Some(*bytes), sha256);
                    let compared = disk::check_in(dir, file).is_ok().then(listed);
                    if let Some(Ok(Some(what))) = compared {
                        self.find(file, what);
                    }
                }
            }
        }
        match said {
            None if !is_readable => {}
            None => self.find(
                MANIFEST,
                "has no root of the cells, which the run left there",
            ),
            Some(said) if said != root(&list.cells) => {
                self.find(
                    MANIFEST,
                    format!("its root is not that of the cells in {LIST}"),
                );
            }
            // without it the folder would pass for that of an older program
            Some(_) if !self.saved.has_root => {
                self.find(
                    EXPERIMENT,
                    "does not say that the run left a root of its cells",
                );
            }
            Some(_) => {}
        }
        let own: BTreeSet<&String> = self.saved.cells.iter().collect();
        let foreign = list.cells.keys().find(|key| !own.contains(key)).cloned();
        if let Some(key) = foreign {
            self.find(
                EXPERIMENT,
                format!("does not have the cell {key}, which {LIST} has"),
            );
        }
        self.left = Some(list.cells);
    }

    /// What is wrong with the mark that a run has left in a folder that was made here, or with what
    /// the folder says of its run otherwise than the mark.
    ///
    /// # Errors
    /// The system does not read the mark.
    pub(crate) fn origin_flaw(&self, dir: &Path) -> Result<Option<Flaw>, RunError> {
        let fault = match ownership::fault(dir) {
            Err(error) if unfit::is_damage(&error) => Some(unfit::reason(&error)),
            fault => fault
                .map_err(|source| unfit::unread(dir, ownership::FILE, source))?
                .map(str::to_owned),
        };
        if let Some(reason) = fault {
            return Ok(Some((ownership::FILE.to_owned(), reason)));
        }
        // a run that is under way changes both one after the other
        let left = ownership::origin(dir).filter(|_| self.vouched == RecordEvidence::Root);
        let differs = left.is_some_and(|left| !run_metadata::is_origin(&left, &self.saved));
        Ok(differs.then(|| (EXPERIMENT.to_owned(), FOREIGN.to_owned())))
    }

    /// What is wrong with the record of this key, which has this checksum, or is not there; nothing
    /// where nothing vouches for records.
    pub(crate) fn flaw(&self, key: &str, sum: Option<&str>) -> Option<&'static str> {
        match (self.left.as_ref()?.get(key), sum) {
            (Some(left), Some(sum)) => (left != sum).then_some(REPLACED),
            (Some(_), None) => Some(GONE),
            (None, Some(_)) => Some(ADDED),
            (None, None) => None,
        }
    }

    /// True where a list says which records the run left.
    pub(crate) fn has_list(&self) -> bool {
        self.left.is_some()
    }

    /// Refuses a folder whose records nothing vouches for any more although something did.
    ///
    /// # Errors
    /// The first flaw.
    pub(crate) fn require(&self, dir: &Path) -> Result<(), RunError> {
        match self.flaws.first() {
            None => Ok(()),
            Some((file, reason)) => Err(unfit::not_as_left(dir, file, reason)),
        }
    }
}
