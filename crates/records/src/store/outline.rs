//! What tables must know of every cell before their first row.

use std::path::Path;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::{StoredCell, parse, read};
use crate::record::{CellRecord, Payload};

/// What the columns of tables depend on; the samples of the cell are not part of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Metrics or observables of the samples, in order.
    pub metrics: Vec<String>,
    /// True if the cell is a trajectory.
    pub over_time: bool,
    /// True if sweeps were timed.
    pub timed: bool,
    /// True if the solver counts factorizations.
    pub counted: bool,
    /// True if the method looked for all solutions.
    pub searched: bool,
    /// True if the problem is worlds of one structure.
    pub has_worlds: bool,
    /// True if the solver has a process of its own.
    pub claimed: bool,
    /// True if a budget has chosen the substeps.
    pub calibrated: bool,
}

impl Outline {
    /// That of a record.
    pub fn of(record: &CellRecord) -> Self {
        let outcome = &record.outcome;
        Self {
            metrics: outcome.metrics.clone(),
            over_time: matches!(outcome.payload, Payload::Simulate(_)),
            timed: matches!(outcome.payload, Payload::Time(_)),
            counted: outcome.factorizations.is_some(),
            searched: outcome.solutions().is_some(),
            has_worlds: !outcome.worlds().is_empty(),
            claimed: outcome.peer().is_some(),
            calibrated: outcome.calibration().is_some(),
        }
    }
}

/// Checks the file of this key, and reads it without its samples; the checksum of its record.
pub fn outline(dir: &Path, key: &str) -> StoredCell<(Outline, String)> {
    #[derive(Deserialize)]
    struct Head {
        key: String,
        scheme: Option<IgnoredAny>,
        outcome: Ended,
    }
    #[derive(Deserialize)]
    struct Ended {
        metrics: Vec<String>,
        factorizations: Option<IgnoredAny>,
        solutions: Option<IgnoredAny>,
        peer: Option<IgnoredAny>,
        #[serde(default)]
        worlds: Vec<IgnoredAny>,
        timing: Option<IgnoredAny>,
        calibration: Option<IgnoredAny>,
    }
    read(dir, key, |sum, json| {
        let Head {
            key,
            scheme,
            outcome,
        } = parse(json)?;
        let over_time = scheme.is_some();
        let timed = !over_time && outcome.timing.is_some();
        let outline = Outline {
            metrics: outcome.metrics,
            over_time,
            timed,
            counted: outcome.factorizations.is_some(),
            searched: !over_time && !timed && outcome.solutions.is_some(),
            has_worlds: !over_time && !timed && !outcome.worlds.is_empty(),
            claimed: !over_time && !timed && outcome.peer.is_some(),
            calibrated: over_time && outcome.calibration.is_some(),
        };
        Ok((key, (outline, sum.to_owned())))
    })
}
