//! Scene × method: what an observable comes to over the run, or how the run ended.

use delassus_core::Status;

use crate::analysis::achieved;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::quantities::summarised;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::unranked;
use crate::view::Over;

use super::crossed::Crossed;
use super::{Cell, Table, TableKind, nothing};

/// What the table can show besides observables: the time per frame, and the work of the run.
const COSTS: [&str; 2] = ["step_seconds", "total_row_updates"];

settings! {
    /// Scene × method: an observable over the run, or the status.
    pub struct Trajectories {
        /// Observable, or "`step_seconds`", or "`total_row_updates`".
        pub quantity: String,
        /// What is taken of it.
        #[serde(default)]
        pub over: Over,
        scenes, schemes, solvers,
    }
}

impl View for Trajectories {
    fn shows_times(&self) -> bool {
        self.quantity == COSTS[0]
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_time("trajectories")?;
        if COSTS.contains(&self.quantity.as_str()) {
            return Ok(());
        }
        columns.measured(&self.quantity)
    }
}

impl TableKind for Trajectories {
    fn table(&self, bundle: &Bundle) -> Table {
        let crossed = Crossed::of(bundle, self);
        if crossed.shown.is_empty() {
            return nothing("no cell has finished");
        }
        let rows = crossed.rows(true, |record| self.cell(bundle, record));
        let table = Table::plain(crossed.columns("scene"), rows, []).noting(format!(
            "{}. Bold: smallest magnitude of a scene. Where a run did not come to its end, how it ended.",
            self.heading()
        ));
        let missed = self.missed(&crossed.shown);
        let unranked = unranked::remark("Never bold", crossed.shown.iter().copied());
        let notes = missed.into_iter().chain(unranked);
        notes.fold(table, Table::noting)
    }
}

impl Trajectories {
    /// What the table shows, with its unit.
    fn heading(&self) -> String {
        match COSTS.iter().position(|cost| *cost == self.quantity) {
            Some(0) => "Median time per frame [s]".to_owned(),
            Some(_) => "Row updates of the run [-]".to_owned(),
            None => {
                let text = summarised(&self.quantity, self.over);
                let mut letters = text.chars();
                let first = letters.next().map(|c| c.to_uppercase().to_string());
                first.unwrap_or_default() + letters.as_str()
            }
        }
    }

    /// What a largest value leaves out: the frames between samples.
    fn missed(&self, shown: &[&CellRecord]) -> Option<String> {
        if self.over != Over::Max || COSTS.contains(&self.quantity.as_str()) {
            return None;
        }
        let apart = shown.iter().flat_map(|record| {
            let moments = record.outcome.moments().windows(2);
            moments.map(|pair| pair[1].frame.saturating_sub(pair[0].frame))
        });
        let apart = apart.max().filter(|frames| *frames > 1)?;
        Some(format!(
            "The maximum is over samples up to {apart} frames apart, not over all frames."
        ))
    }

    fn cell(&self, bundle: &Bundle, record: &CellRecord) -> Cell {
        let outcome = &record.outcome;
        let finished = outcome.status == Status::Solved;
        let value = match COSTS.iter().position(|cost| *cost == self.quantity) {
            _ if !finished => None,
            Some(0) => outcome.step_seconds(),
            Some(_) => return Cell::updates(record),
            None => achieved(record, &self.quantity, self.over, bundle.closed_forms),
        };
        match value {
            Some(value) => Cell::number(Some(value)),
            None if finished => Cell::text("–"),
            None => Cell::status(record),
        }
    }
}
