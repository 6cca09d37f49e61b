//! Which finished cells a run keeps.

use std::path::Path;

use delassus_records::machine::Machine;

use crate::origin::Conditions;
use crate::store::{self, Glance, Kept};

/// What a run makes of the file of a cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Standing {
    /// It is kept.
    Kept(Box<Glance>),
    /// There is none.
    New,
    /// It is no whole cell, for this reason.
    Damaged(String),
    /// Nothing but its times counts, and they come from elsewhere.
    Timed(Conditions),
}

/// Looks at the file of a cell on the machine `here`.
///
/// Counts and residuals are the same everywhere, so their cells are kept wherever they ran. A cell whose only result is a
/// time (`times_only`) is kept where a time of `here` would be the same measurement.
pub(crate) fn standing(dir: &Path, key: &str, here: &Machine, times_only: bool) -> Standing {
    let glance = match store::glance(dir, key) {
        Kept::Cell(glance) => glance,
        Kept::Nothing => return Standing::New,
        Kept::Corrupt(reason) => return Standing::Damaged(format!("kept file: {reason}")),
    };
    let counts = times_only && glance.timed;
    match &glance.origin {
        Some(origin) if counts && !origin.machine.times_as(here) => {
            Standing::Timed(origin.conditions())
        }
        _ => Standing::Kept(glance),
    }
}
