//! Checks a results folder, and brings its files into the form of today.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use delassus_records::disk;
use serde::Serialize;

use crate::damage::{self, CLEAR, NAME, REPORT, RUN};
use crate::error::RunError;
use crate::folder::{Folder, RecordEvidence, cells_in};
use crate::impulses;
use crate::lock::LockPurpose;
use crate::record::{CellRecord, Payload};
use crate::replays;
use crate::run;
use crate::run_metadata::{self, is_key};
use crate::store::{self, EXPERIMENT, SCHEMA, StoredCell};
use crate::strays::{self, Strays};
use crate::unfit;
use crate::unlisted;

mod listed;
mod report;

pub use report::{Damage, FsckReport};

/// Checks every file of a results folder against its checksum. Changes nothing.
///
/// # Errors
/// Not a results folder; one that a run writes to; one that cannot be read.
pub fn check(dir: &Path) -> Result<FsckReport, RunError> {
    let folder = Folder::open(dir);
    let misplaced = unfit::misplaced(dir);
    let is_misplaced = misplaced.iter().any(|(name, _)| *name == store::CELLS);
    // a run that was killed before its first cell may have left a temporary file there
    let has_cells = is_misplaced || cells_in(dir)?.iter().any(|name| !store::is_part(name));
    // cells that this user may not read are not damaged
    let is_closed = matches!(
        &folder,
        Err(RunError::Unreadable { path, source })
            if *path == dir.join(store::CELLS) && run::is_read_only(source)
    );
    if (is_closed || !has_cells)
        && let Err(error) = folder
    {
        return Err(error);
    }
    let _lock = run::lock_to_read(dir)?;
    let in_place = misplaced
        .iter()
        .map(|(name, reason)| in_place(name, reason));
    let mut damages: Vec<Damage> = in_place.collect();
    let folder = match folder {
        Ok(folder) => Some(folder),
        Err(RunError::NotAsLeft { path, .. }) if path == dir.join(store::CELLS) => None,
        Err(RunError::NotAsLeft { path, reason, .. }) => {
            damages.push(unlisted_cells(
                path.strip_prefix(dir).unwrap_or(&path),
                reason,
            ));
            None
        }
        Err(error) => return Err(error),
    };
    let mut checked = FsckReport {
        cells: folder.as_ref().map_or(0, |folder| folder.saved.cells.len()),
        damages,
        ..FsckReport::default()
    };
    if !is_misplaced {
        checked.keys(dir, folder.as_ref())?;
    }
    if let Some(folder) = &folder {
        checked.flaws(dir, folder)?;
    }
    checked.outputs(dir)?;
    checked.bundle(dir)?;
    checked.unlisted(dir, folder.as_ref())?;
    // what stands in the place of their folder has been named
    let is_below = |damage: &Damage| unfit::is_below(&damage.file, &misplaced);
    checked.damages.retain(|damage| !is_below(damage));
    checked.advise(dir);
    checked.damages.sort();
    Ok(checked)
}

/// Something stands in the place of a folder.
fn in_place(name: &str, reason: &str) -> Damage {
    Damage {
        file: name.to_owned(),
        reason: reason.to_owned(),
        lost: format!("the files in the folder {name}, unless they lie elsewhere"),
        action: CLEAR,
    }
}

/// The file that lists the cells is not as the run left it.
fn unlisted_cells(file: &Path, reason: String) -> Damage {
    Damage {
        file: file.to_string_lossy().into_owned(),
        reason,
        lost: "the list of the cells of the experiment".to_owned(),
        action: RUN,
    }
}

/// What is lost with a file that nobody reads.
const NOTHING: &str = "nothing, as no run reads this file";

impl FsckReport {
    /// Says for each damage what repairs it in this folder, given the others: a report needs all
    /// records.
    fn advise(&mut self, dir: &Path) {
        let needs_run = self.damages.iter().any(|damage| damage.action == RUN);
        for damage in &mut self.damages {
            let usual = match damage.action {
                REPORT if needs_run => RUN,
                action => action,
            };
            damage.action = damage::advice(dir, &damage.file, usual);
        }
    }

    /// Looks at the files of cells: those of the experiment, and all others that lie there.
    fn keys(&mut self, dir: &Path, folder: Option<&Folder>) -> Result<(), RunError> {
        let keys = folder.iter().flat_map(|folder| &folder.saved.cells);
        let own: BTreeSet<&str> = keys.map(String::as_str).collect();
        let mut recorded = BTreeSet::new();
        for key in &own {
            match is_key(key) {
                false => self.damages.push(Damage {
                    file: EXPERIMENT.to_owned(),
                    reason: format!("{key:?} is no key of a cell"),
                    lost: "a cell".to_owned(),
                    action: RUN,
                }),
                true if store::cell_path(dir, key).exists() => {
                    unfit::require_readable_cell(dir, key)?;
                }
                true => {
                    self.missing += 1;
                    let gone = folder.and_then(|folder| folder.flaw(key, None));
                    self.not_as_left(key, gone);
                }
            }
        }
        for name in cells_in(dir)? {
            if store::is_part(&name) {
                self.left_over += 1;
            } else if let Some(key) = name.strip_suffix(".json") {
                let is_asked = folder.is_none() || own.contains(key) || !is_key(key);
                if is_asked && self.cell(dir, key, folder) {
                    recorded.insert(key.to_owned());
                }
            } else if let Some(key) = name.strip_suffix(".replay")
                && folder.is_none()
                && !recorded.contains(key)
            {
                self.replay(dir, key, None);
            }
        }
        if let Some(folder) = folder {
            let foreign = strays::foreign(dir, folder)?;
            self.strays += foreign.cells;
            self.older += foreign.older;
            self.add_strays(foreign);
        }
        Ok(())
    }

    /// Names files among the cells that no record of the experiment names.
    fn add_strays(&mut self, strays: Strays) {
        self.unlisted
            .extend(strays.idle.into_iter().map(|(file, _)| file));
        self.damages
            .extend(strays.faults.into_iter().map(|(file, reason)| Damage {
                file,
                reason,
                lost: NOTHING.to_owned(),
                action: NAME,
            }));
    }

    /// What is wrong with what vouches for the records, and with the mark of a folder that was made
    /// here.
    fn flaws(&mut self, dir: &Path, folder: &Folder) -> Result<(), RunError> {
        for (file, reason) in &folder.flaws {
            self.damages.push(Damage {
                file: file.clone(),
                reason: reason.clone(),
                lost: "the proof that no record was changed, added or taken away".to_owned(),
                action: RUN,
            });
        }
        let found = folder.origin_flaw(dir)?;
        self.damages.extend(found.map(|(file, reason)| Damage {
            file,
            reason,
            lost: "the proof that a run of the user made this folder".to_owned(),
            action: RUN,
        }));
        Ok(())
    }

    /// Names the files that no list does. Among the cells they are damage.
    fn unlisted(&mut self, dir: &Path, folder: Option<&Folder>) -> Result<(), RunError> {
        let found = unlisted::unlisted(dir, folder.map(|folder| &folder.saved))?;
        self.unlisted.extend(found.elsewhere);
        for file in found.among_cells {
            // a record whose name is no key has been named
            if !self.damages.iter().any(|damage| damage.file == file) {
                self.damages.push(Damage {
                    file,
                    reason: "lies among the cells, and no run leaves a file of this name there"
                        .to_owned(),
                    lost: NOTHING.to_owned(),
                    action: NAME,
                });
            }
        }
        Ok(())
    }

    fn not_as_left(&mut self, key: &str, reason: Option<&str>) {
        self.damages.extend(reason.map(|reason| Damage {
            file: format!("{}/{key}.json", store::CELLS),
            reason: reason.to_owned(),
            lost: "a cell".to_owned(),
            action: RUN,
        }));
    }

    /// Looks at the file of a cell, which is one of the experiment if its `folder` is told; true if
    /// its record has the hash of a replay, which is checked with it.
    fn cell(&mut self, dir: &Path, key: &str, folder: Option<&Folder>) -> bool {
        let file = format!("{}/{key}.json", store::CELLS);
        if !is_key(key) {
            self.damages.push(Damage {
                file,
                reason: "its name is no key of a cell".to_owned(),
                lost: NOTHING.to_owned(),
                action: NAME,
            });
            return false;
        }
        match store::read_summed(dir, key) {
            StoredCell::Cell((record, sum)) => {
                let damages = self.damages.len();
                self.not_as_left(key, folder.and_then(|folder| folder.flaw(key, Some(&sum))));
                self.impulses(dir, &record);
                let hash = record.outcome.replay_hash();
                let replay = dir.join(store::replay_name(key));
                let is_older = folder.is_some_and(|folder| folder.vouched == RecordEvidence::Older);
                // one without a hash may have none
                let is_left = hash.is_some() || fs::symlink_metadata(replay).is_ok();
                if replays::belongs_to(&record, is_older) && is_left {
                    self.replay(dir, key, hash);
                }
                // a record whose impulses or motion have changed is no whole cell
                if self.damages.len() == damages {
                    self.count_whole(dir, key, folder.is_some());
                }
                if let Some(folder) = folder {
                    self.add_strays(strays::of_record(dir, Some(folder), &record));
                }
                return hash.is_some();
            }
            StoredCell::Nothing => self.missing += usize::from(folder.is_some()),
            StoredCell::Corrupt(reason) => {
                let bytes = disk::read_in(dir, &store::cell_name(key)).unwrap_or_default();
                let lost = match store::names_in(&bytes) {
                    Some((problem, method)) => format!("the cell {problem} with {method}"),
                    None => "a cell; the file does not show which".to_owned(),
                };
                self.damages.push(Damage {
                    file,
                    reason,
                    lost,
                    action: RUN,
                });
            }
        }
        false
    }

    /// Counts a whole cell, which is one of the experiment or a stray.
    fn count_whole(&mut self, dir: &Path, key: &str, is_own: bool) {
        let bytes = disk::read_in(dir, &store::cell_name(key)).unwrap_or_default();
        self.older += usize::from(store::schema_of(&bytes) != Some(SCHEMA));
        match is_own {
            true => self.whole += 1,
            false => self.strays += 1,
        }
    }

    fn impulses(&mut self, dir: &Path, record: &CellRecord) {
        // of motion it is the hash of a state
        let solved = matches!(record.outcome.payload, Payload::Solve(_));
        let hash = &record.outcome.impulse_hash;
        let checked = impulses::check(dir, &record.key, hash);
        if solved && let Err(reason) = checked {
            self.damages.push(Damage {
                file: format!("{}/{}.impulses", store::CELLS, record.key),
                reason,
                lost: "the impulses of a cell".to_owned(),
                action: RUN,
            });
        }
    }

    fn replay(&mut self, dir: &Path, key: &str, hash: Option<&str>) {
        if let Err(reason) = replays::check(dir, key, hash) {
            self.damages.push(Damage {
                file: format!("{}/{key}.replay", store::CELLS),
                reason,
                lost: "the recorded motion of a cell".to_owned(),
                action: RUN,
            });
        }
    }
}

/// What came of bringing a folder into the form of today.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Migrated {
    /// Cells that were in an older form and are in that of today now \[-\].
    pub migrated: usize,
    /// Cells that were in it before \[-\].
    pub current: usize,
    /// Files that are no whole cells, or of a newer program: they stay as they are.
    pub left: Vec<Damage>,
}

/// Writes every whole cell of an older form in that of today; the record in it stays as it is, byte
/// for byte.
///
/// # Errors
/// Not a results folder; one that a run writes to; files that cannot be written.
pub fn migrate(dir: &Path) -> Result<Migrated, RunError> {
    let names = cells_in(dir)?;
    // cells without anything that says whose they are have their form all the same
    let is_said = names.is_empty() || fs::symlink_metadata(dir.join(EXPERIMENT)).is_ok();
    let own = is_said.then(|| run_metadata::read(dir)).transpose()?;
    let is_own = |key: &str| {
        let cells = own.as_ref().map(|own| &own.cells);
        cells.is_none_or(|cells| cells.iter().any(|own| own == key))
    };
    let _lock = run::lock(dir, LockPurpose::Whole)?;
    let mut migrated = Migrated::default();
    for name in names {
        let Some(key) = name.strip_suffix(".json").filter(|key| is_key(key)) else {
            continue;
        };
        let file = store::cell_name(key);
        unfit::require_readable(dir, &file)?;
        let answer = match disk::check_in(dir, &file) {
            Err(error) => Err(unfit::reason(&error)),
            Ok(()) => store::migrate(dir, key).map_err(|source| RunError::Write {
                path: store::cell_path(dir, key),
                source,
            })?,
        };
        let (lost, action) = match is_own(key) {
            true => ("a cell", damage::advice(dir, &file, RUN)),
            false => (NOTHING, NAME),
        };
        match answer {
            Ok(SCHEMA) => migrated.current += 1,
            Ok(_) => migrated.migrated += 1,
            Err(reason) => migrated.left.push(Damage {
                file,
                reason,
                lost: lost.to_owned(),
                action,
            }),
        }
    }
    Ok(migrated)
}
