//! Which finished cells a run keeps.

use std::path::Path;

use delassus_core::Status;
use delassus_records::machine::MachineInfo;

use super::cell::MatrixCell;
use crate::impulses;
use crate::isolate::CellLimits;
use crate::origin::Conditions;
use crate::replays;
use crate::store::{self, CellSummary, StoredCell};
use crate::view::Kind;

/// What a run makes of the file of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum CellReuse {
    /// It is kept.
    Kept(Box<CellSummary>),
    /// There is none.
    New,
    /// It is no whole cell, for this reason.
    Damaged(String),
    /// Nothing but its times counts, and they come from elsewhere.
    Timed(Conditions),
}

/// Looks at the file of a cell on the machine `here`.
///
/// Counts and residuals are the same everywhere, so their cells are kept wherever they ran. A cell
/// whose only result is a time is kept where a time of `here` would be the same measurement. A cell
/// whose motion is recorded is kept with its replay, one that solved a problem with its impulses.
/// One whose record lacks an entry is damaged, whatever its checksum says.
/// One whose checksum is not that which the last run has `left` runs again. One whose process ended
/// at a limit runs again where the limit is larger now.
pub(crate) fn standing(
    dir: &Path,
    cell: &MatrixCell,
    here: &MachineInfo,
    limits: &CellLimits,
    kind: Kind,
    left: Option<&String>,
) -> CellReuse {
    let summary = match store::read_whole_summary(dir, &cell.key) {
        StoredCell::Cell(summary) => summary,
        StoredCell::Nothing => return CellReuse::New,
        StoredCell::Corrupt(reason) => return CellReuse::Damaged(format!("kept file: {reason}")),
    };
    if left.is_some_and(|left| *left != summary.sum) {
        return CellReuse::Damaged("kept file: it is not the record that the run left".to_owned());
    }
    // a device that went away may be back, and a larger limit may do
    let more = summary.limit.is_some_and(|had| limits.allow_more_than(had));
    if more || summary.status == Status::DeviceLost {
        return CellReuse::New;
    }
    // a cell that failed may have left none, and would do so again
    let without = summary.status == Status::Failed || summary.status.is_killed();
    let recorded = cell.replay.is_some() && cell.skip.is_none() && !without;
    if recorded && let Err(reason) = replays::check(dir, &cell.key, summary.replay_hash.as_deref())
    {
        return CellReuse::Damaged(format!("{} {reason}", store::replay_name(&cell.key)));
    }
    if kind == Kind::Solves
        && let Err(reason) = impulses::check(dir, &cell.key, &summary.impulse_hash)
    {
        return CellReuse::Damaged(format!("{} {reason}", store::impulses_name(&cell.key)));
    }
    let counts = kind == Kind::Timings && summary.timed;
    match &summary.origin {
        Some(origin) if counts && !origin.machine.times_as(here) => {
            CellReuse::Timed(origin.conditions())
        }
        _ => CellReuse::Kept(summary),
    }
}
