//! Files among the cells that no record of the experiment names: those of other keys, and those
//! next to a record that has no impulses or no motion. No verb reads them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use delassus_records::disk;

use crate::error::RunError;
use crate::folder::{Flaw, Folder, RecordEvidence, cells_in};
use crate::record::CellRecord;
use crate::store::{self, SCHEMA, StoredCell};
use crate::{replays, run_metadata, unfit};

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Strays {
    /// Files that are not whole, or that no run leaves where they are, with what is wrong.
    pub(crate) faults: Vec<Flaw>,
    /// Files that harm nobody, with what is said of them.
    pub(crate) idle: Vec<(String, &'static str)>,
    /// Whole cells \[-\]: other programs and earlier specs leave some.
    pub(crate) cells: usize,
    /// Those of them in an older form \[-\].
    pub(crate) older: usize,
}

/// What is said of impulses without a use.
const UNUSED: &str = "its record has no impulses, so that nothing was compared";
/// The same without a record.
const ALONE: &str = "belongs to no record, so that nothing was compared";
/// The same of a record of a newer program.
const NEWER: &str = "is a cell of a newer program, which this one does not read";

/// The files next to `record` that it does not name.
pub(crate) fn of_record(dir: &Path, folder: Option<&Folder>, record: &CellRecord) -> Strays {
    let mut found = Strays::default();
    let file = store::impulses_name(&record.key);
    if !unfit::has_impulses(record) && is_there(dir, &file) {
        found.add_idle(dir, file, UNUSED);
    }
    let file = store::replay_name(&record.key);
    let is_older = folder.is_none_or(|folder| folder.vouched == RecordEvidence::Older);
    if !replays::belongs_to(record, is_older) && is_there(dir, &file) {
        let what = "is motion next to a record that has none, and no run leaves such a file";
        found.faults.push((file, what.to_owned()));
    }
    found
}

/// The files of cells that the experiment of `folder` does not have.
///
/// # Errors
/// A file that the system does not read.
pub(crate) fn foreign(dir: &Path, folder: &Folder) -> Result<Strays, RunError> {
    let own: BTreeSet<&str> = folder.saved.cells.iter().map(String::as_str).collect();
    let mut found = Strays::default();
    let names = cells_in(dir)?;
    let files = names.iter().filter_map(|name| name.split_once('.'));
    let files = files.filter(|(key, _)| run_metadata::is_key(key) && !own.contains(key));
    for (key, ending) in files {
        let file = format!("{}/{key}.{ending}", store::CELLS);
        match ending {
            "json" => found.add_cell(dir, key, file)?,
            "impulses" | "replay" if names.binary_search(&format!("{key}.json")).is_err() => {
                unfit::require_readable(dir, &file)?;
                found.add_idle(dir, file, ALONE);
            }
            // the record has been asked for it
            _ => {}
        }
    }
    Ok(found)
}

impl Strays {
    /// Takes in what else was found.
    fn append(&mut self, other: Self) {
        self.faults.extend(other.faults);
        self.idle.extend(other.idle);
    }

    /// Adds a file that is of no use, or what stands in its place.
    fn add_idle(&mut self, dir: &Path, file: String, what: &'static str) {
        match disk::check_in(dir, &file) {
            Err(error) if unfit::is_damage(&error) => {
                self.faults.push((file, unfit::reason(&error)));
            }
            _ => self.idle.push((file, what)),
        }
    }

    /// Adds the record `file` of a `key` of nobody, with what lies next to it.
    fn add_cell(&mut self, dir: &Path, key: &str, file: String) -> Result<(), RunError> {
        unfit::require_readable_cell(dir, key)?;
        let bytes = disk::read_in(dir, &file).unwrap_or_default();
        let schema = store::schema_of(&bytes);
        match store::read_cell(dir, key) {
            StoredCell::Nothing => {}
            StoredCell::Corrupt(_) if schema.is_some_and(|schema| schema > SCHEMA) => {
                self.idle.push((file, NEWER));
            }
            StoredCell::Corrupt(reason) => self.faults.push((file, reason)),
            StoredCell::Cell(record) => match unfit::check_files(dir, &record) {
                // moving away the other file would leave a record without it
                Err((other, reason)) => {
                    let what = format!("belongs to no cell, and its {other} {reason}");
                    self.faults.push((file, what));
                }
                Ok(()) => {
                    self.cells += 1;
                    self.older += usize::from(schema != Some(SCHEMA));
                    self.append(of_record(dir, None, &record));
                }
            },
        }
        Ok(())
    }
}

/// True where something has this name.
fn is_there(dir: &Path, name: &str) -> bool {
    fs::symlink_metadata(dir.join(name)).is_ok()
}
