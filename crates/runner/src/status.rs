//! How far a run is: its cells counted by what there is of them, in total and by parts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use delassus_records::folder::is_results;
use serde::Serialize;

use crate::error::{NOT_AS_LEFT, RunError};
use crate::folder::{Folder, cells_in};
use crate::outputs;
use crate::registry::Registry;
use crate::results::holds_results;
use crate::run::{self, RunArgs, Shard};
use crate::run_metadata::is_key;
use crate::spec::FILE_NAME;
use crate::store::{self, StoredCell};
use crate::unfit;

/// Cells by what there is of them \[-\].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Tally {
    /// All of them.
    pub cells: usize,
    /// Those that have ended, well or not, or were skipped.
    pub done: usize,
    /// Those that failed, or took their process down: kept, and not done.
    pub failed: usize,
    /// Those whose file is no whole one.
    pub damaged: usize,
    /// Those without a file.
    pub missing: usize,
}

/// How far a run is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunStatus {
    /// Folder of the results, which need not be there yet.
    pub folder: PathBuf,
    /// All cells.
    pub total: Tally,
    /// The cells of each part, where parts were asked for.
    pub shards: Vec<(Shard, Tally)>,
    /// Files of cells that belong to another program, or to the spec as it was \[-\].
    pub stale: usize,
}

impl RunStatus {
    /// 0 if every cell is done, [`NOT_AS_LEFT`] if a file is damaged, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        match self.total {
            Tally { damaged: 1.., .. } => NOT_AS_LEFT,
            Tally { cells, done, .. } if cells == done => 0,
            _ => 1,
        }
    }
}

/// What there is of a cell.
#[derive(Debug, Clone, Copy)]
enum CellReuse {
    Done,
    Failed,
    Damaged,
    Missing,
}

impl Tally {
    fn add(&mut self, standing: CellReuse) {
        self.cells += 1;
        *match standing {
            CellReuse::Done => &mut self.done,
            CellReuse::Failed => &mut self.failed,
            CellReuse::Damaged => &mut self.damaged,
            CellReuse::Missing => &mut self.missing,
        } += 1;
    }
}

/// Looks at the results folder `path`, or at those of the spec `args.spec` in `args.out`; by parts
/// where there are to be some. Changes nothing.
///
/// # Errors
/// A spec that is wrong; a results folder that cannot be read.
pub fn status(
    registry: &Registry,
    args: &RunArgs,
    parts: Option<usize>,
) -> Result<RunStatus, RunError> {
    let has_spec = args.spec.join(FILE_NAME).exists();
    if is_results(&args.spec) || (!has_spec && holds_results(&args.spec)) {
        let folder = Folder::open(&args.spec)?;
        folder.require(&args.spec)?;
        return of_cells(&args.spec, &folder.saved.cells, parts);
    }
    let (matrix, dir) = run::plan(registry, args)?;
    if is_results(&dir) {
        Folder::open(&dir)?.require(&dir)?;
    }
    let keys: Vec<String> = matrix.cells.into_iter().map(|cell| cell.key).collect();
    of_cells(&dir, &keys, parts)
}

/// Counts the cells of these keys, in the order of the matrix.
fn of_cells(dir: &Path, keys: &[String], parts: Option<usize>) -> Result<RunStatus, RunError> {
    let mut total = Tally::default();
    let shards = 1..=parts.unwrap_or(0);
    let of = parts.unwrap_or(1);
    let mut shards: Vec<(Shard, Tally)> = shards
        .map(|index| (Shard { index, of }, Tally::default()))
        .collect();
    let listed = outputs::listed(dir).unwrap_or_default();
    let left = listed.cells;
    for (place, key) in keys.iter().enumerate() {
        let standing = standing(dir, key, left.get(key));
        if matches!(standing, CellReuse::Damaged) && is_key(key) {
            unfit::require_readable_cell(dir, key)?;
        }
        total.add(standing);
        for (_, tally) in shards.iter_mut().filter(|(shard, _)| shard.has(place)) {
            tally.add(standing);
        }
    }
    let own: BTreeSet<&str> = keys.iter().map(String::as_str).collect();
    let stale = cells_in(dir)?.into_iter().filter(|name| {
        let key = name.strip_suffix(".json").filter(|key| is_key(key));
        key.is_some_and(|key| !own.contains(key))
    });
    Ok(RunStatus {
        folder: dir.to_owned(),
        total,
        shards,
        stale: stale.count(),
    })
}

/// What there is of a cell whose record the last run has `left` with this checksum, where that is
/// known.
fn standing(dir: &Path, key: &str, left: Option<&String>) -> CellReuse {
    // a key names a file: nothing that came from elsewhere may lead out of the folder
    if !is_key(key) {
        return CellReuse::Damaged;
    }
    match store::read_summed(dir, key) {
        // the last run left it
        StoredCell::Nothing if left.is_some() => CellReuse::Damaged,
        StoredCell::Nothing => CellReuse::Missing,
        StoredCell::Corrupt(_) => CellReuse::Damaged,
        StoredCell::Cell((_, sum)) if left.is_some_and(|left| *left != sum) => CellReuse::Damaged,
        StoredCell::Cell((record, _)) => match unfit::check_files(dir, &record) {
            Err(_) => CellReuse::Damaged,
            Ok(()) if record.outcome.status.is_failure() => CellReuse::Failed,
            Ok(()) => CellReuse::Done,
        },
    }
}
