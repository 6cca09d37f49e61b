//! Problem × solver, or scene × method: what a sweep or a step costs.

use delassus_core::Status;

use crate::analysis::cost;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::quantities;
use crate::settings::settings;
use crate::view::Cost;

use super::crossed::Crossed;
use super::{Cell, Table, TableKind, nothing};

settings! {
    /// Problem × solver, or scene × method: what a sweep or a step costs.
    pub struct Costs {
        /// What is shown.
        pub quantity: Cost,
        problems | scenes, schemes, solvers,
    }
}

impl View for Costs {
    fn shows_times(&self) -> bool {
        self.quantity.is_of_the_clock()
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.cost("costs", self.quantity)
    }
}

impl TableKind for Costs {
    fn table(&self, bundle: &Bundle) -> Table {
        let mut crossed = Crossed::of(bundle, self);
        if crossed.shown.is_empty() {
            return nothing("no cell has finished");
        }
        // a vector level that the machine lacks would be a column of nothing
        let (methods, shown) = (&mut crossed.methods, &crossed.shown);
        methods.retain(|name| {
            let mut own = shown.iter().filter(|r| r.method() == *name);
            own.any(|r| r.outcome.status != Status::Unsupported)
        });
        let rivals = !self.quantity.is_size() && self.quantity != Cost::Bandwidth;
        let rows = crossed.rows(rivals, |record| match cost(record, self.quantity) {
            Some(value) => Cell::number(Some(value)),
            None if record.outcome.status == Status::Solved => Cell::text("–"),
            None => Cell::status(record),
        });
        let columns = crossed.columns(bundle.kind().subject());
        let heading = quantities::cost(self.quantity, bundle.is_over_time());
        Table::plain(columns, rows, [])
            .noting(format!("Shown: {heading}. Bold: the least of a row."))
    }
}
