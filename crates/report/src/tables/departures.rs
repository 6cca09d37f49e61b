//! Scene × method: how far a run departs from that of another method, over the samples at common
//! times.

use delassus_core::Status;

use crate::analysis::departure;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::record::CellRecord;
use crate::settings::settings;

use super::crossed::Crossed;
use super::{Cell, Table, TableKind, nothing};

settings! {
    /// Largest distance of some observables from those of a reference method in the same scene
    /// (R.45).
    pub struct Departures {
        /// Observables of one unit, taken together as coordinates: their differences add up by
        /// squares.
        pub observables: Vec<String>,
        /// The reference: a method by its whole name, as the columns of the table show it.
        pub from: String,
        scenes, schemes, solvers,
    }
}

impl View for Departures {
    fn methods_named(&self) -> Vec<String> {
        vec![self.from.clone()]
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_time("departures")?;
        columns.coordinates(&self.observables)
    }
}

impl TableKind for Departures {
    fn table(&self, bundle: &Bundle) -> Table {
        let crossed = Crossed::of(bundle, self);
        if crossed.shown.is_empty() {
            return nothing("no cell has finished");
        }
        if !bundle.records.iter().any(|r| r.method() == self.from) {
            let methods = bundle.solvers().join("; ");
            return nothing(format!(
                "no method is called {}; the methods are {methods}",
                self.from
            ));
        }
        let rows = crossed.rows(true, |record| self.cell(bundle, record));
        Table::plain(crossed.columns("scene"), rows, []).noting(format!(
            "Largest distance of ({}) from that of {} at common times. Bold: smallest of a scene. A dash: the reference \
             does not step the scene to its end, or shares no time but the start.",
            self.observables.join(", "),
            self.from
        ))
    }
}

impl Departures {
    fn cell(&self, bundle: &Bundle, record: &CellRecord) -> Cell {
        if record.outcome.status != Status::Solved {
            return Cell::status(record);
        }
        let reference = bundle.cell(&record.problem.name, &self.from);
        let reference = reference.filter(|r| r.outcome.status == Status::Solved);
        let distance =
            reference.and_then(|reference| departure(record, reference, &self.observables));
        distance.map_or_else(|| Cell::text("–"), |distance| Cell::number(Some(distance)))
    }
}
