//! The records of a results folder, which need not be in memory together.

use std::fs;
use std::path::{Path, PathBuf};

use delassus_records::disk;

use crate::error::RunError;
use crate::export::TableShape;
use crate::folder::Folder;
use crate::memory;
use crate::own_spec;
use crate::record::CellRecord;
use crate::registry::Registry;
use crate::run_metadata;
use crate::store::{self, StoredCell};
use crate::unfit;

/// A results folder whose records are read one after the other.
#[derive(Debug)]
pub struct RecordFolder {
    dir: PathBuf,
    folder: Folder,
}

impl RecordFolder {
    /// Opens a results folder.
    ///
    /// # Errors
    /// Not a results folder, files that cannot be read, a spec that has become invalid.
    pub fn open(dir: &Path, registry: &Registry) -> Result<Self, RunError> {
        let folder = Folder::open(dir)?;
        folder.require(dir)?;
        own_spec::spec_now(dir, &folder.saved, registry)?;
        let dir = dir.to_owned();
        Ok(Self { dir, folder })
    }

    /// Identifier of the experiment.
    pub fn id(&self) -> &str {
        &self.folder.saved.id
    }

    /// The columns of the tables of all records; their samples stay unread.
    ///
    /// # Errors
    /// A record that is not the one that the run left.
    pub fn shape(&self) -> Result<TableShape, RunError> {
        let mut shape = TableShape::default();
        for key in keys(&self.folder) {
            let read = store::outline(&self.dir, key);
            if let Some(outline) = vouched(&self.dir, &self.folder, key, read)? {
                shape.add(outline);
            }
        }
        Ok(shape)
    }

    /// The records, in the order of the matrix; each is read when it is asked for. Where nothing
    /// vouches for them, what cannot be read is left out.
    pub fn records(&self) -> impl Iterator<Item = Result<CellRecord, RunError>> + '_ {
        all(&self.dir, &self.folder)
    }
}

/// The records of a folder, in the order of the matrix.
///
/// # Errors
/// A record, impulses or recorded motion that are not those that the run left, or no memory for all
/// records. Where nothing vouches for them, what cannot be read counts as missing.
pub(crate) fn records(dir: &Path, folder: &Folder) -> Result<Vec<CellRecord>, RunError> {
    let lengths = keys(folder).filter_map(|key| {
        let facts = fs::symlink_metadata(store::cell_path(dir, key));
        facts.ok().map(|facts| facts.len())
    });
    // one that is too large by itself is named when it is read
    let lengths = lengths.filter(|length| disk::is_admitted(*length));
    memory::admit_records(lengths).map_err(|source| RunError::Unreadable {
        path: dir.to_owned(),
        source,
    })?;
    all(dir, folder).collect()
}

fn all<'f>(
    dir: &'f Path,
    folder: &'f Folder,
) -> impl Iterator<Item = Result<CellRecord, RunError>> + 'f {
    keys(folder).filter_map(move |key| {
        let read = store::read_summed(dir, key);
        let record = vouched(dir, folder, key, read).transpose()?;
        Some(record.and_then(|record| {
            // a cell is whole with its impulses and its recorded motion
            if folder.has_list() {
                unfit::check_files_of_record(dir, &record)?;
            }
            Ok(*record)
        }))
    })
}

fn keys(folder: &Folder) -> impl Iterator<Item = &String> {
    let keys = folder.saved.cells.iter();
    keys.filter(|key| run_metadata::is_key(key))
}

/// What was read of the record of this key, and nothing where there is no whole one.
fn vouched<T>(
    dir: &Path,
    folder: &Folder,
    key: &str,
    read: StoredCell<(T, String)>,
) -> Result<Option<T>, RunError> {
    let (found, flaw) = match read {
        StoredCell::Cell((found, sum)) => (Some(found), folder.flaw(key, Some(&sum))),
        StoredCell::Nothing | StoredCell::Corrupt(_) => (None, folder.flaw(key, None)),
    };
    let Some(reason) = flaw else {
        return Ok(found);
    };
    let path = store::cell_path(dir, key);
    let reason = match path.exists() && found.is_none() {
        true => "is damaged: it is no whole record",
        false => reason,
    };
    Err(unfit::fault(dir, &store::cell_name(key), reason.to_owned()))
}
