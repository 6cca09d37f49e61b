//! How often a solver of another program claims to have converged, and how often that is true.

use delassus_core::Claim;

use crate::bundle::{Bundle, distinct};
use crate::columns::{Columns, Refusal, View, tolerances};
use crate::numbers::power;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::view::{CellFilter, headline};

use super::{Cell, Column, Table, TableKind, nothing};

/// The metric that says how far the velocities are off.
const VELOCITY: &str = "velocity_error";

settings! {
    /// Claims of solvers in processes of their own, and what the residual says about them.
    pub struct Claims {
        /// Metric that decides whether a claim is true.
        #[serde(default = "headline")]
        pub metric: String,
        /// Largest residual of a true claim \[-\]; that of the run if left out.
        #[serde(default)]
        pub tolerance: Option<f64>,
        /// Problems to count, by name or by what their names begin with; all if left out.
        problems,
        /// Solvers to count, by label or by what labels begin with.
        solvers,
    }
}

impl View for Claims {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("claims")?;
        columns.measured(&self.metric)?;
        self.tolerance.map_or(Ok(()), |one| tolerances(&[one]))
    }
}

impl TableKind for Claims {
    fn table(&self, bundle: &Bundle) -> Table {
        let shown = bundle.records.iter();
        let shown: Vec<&CellRecord> = shown
            .filter(|record| self.selection().shows(record) && record.outcome.peer().is_some())
            .collect();
        if shown.is_empty() {
            return nothing("no cell of a solver in a process of its own has finished");
        }
        let tolerance = self.tolerance.unwrap_or(bundle.tolerance);
        let columns = vec![
            Column::text("solver"),
            Column::text("peer"),
            Column::numeric("answers [-]"),
            Column::numeric("claimed converged [-]"),
            Column::numeric("of these true [-]"),
            Column::numeric("of these false [-]"),
            Column::numeric("largest residual of a false claim [-]"),
            Column::numeric("largest velocity error of a false claim [-]"),
            Column::numeric("solved without the claim [-]"),
        ];
        let labels = distinct(shown.iter().map(|record| record.method()));
        let rows = labels.into_iter().map(|label| {
            let own = shown.iter().copied().filter(|r| r.method() == label);
            self.row(label, &own.collect::<Vec<_>>(), tolerance)
        });
        let note = format!(
            "A claim is true where {} is within {} at the end. The velocity error is {VELOCITY}, where that is measured.",
            self.metric,
            power(tolerance)
        );
        Table::plain(columns, rows.collect(), [note])
    }
}

impl Claims {
    fn row(&self, label: &str, own: &[&CellRecord], tolerance: f64) -> Vec<Cell> {
        let claims = |record: &&&CellRecord| {
            let peer = record.outcome.peer();
            peer.is_some_and(|peer| peer.answer.claimed == Claim::Converged)
        };
        let is_solved = |record: &CellRecord| {
            let last = record.outcome.last(&self.metric);
            last.is_some_and(|residual| residual <= tolerance)
        };
        let claimed: Vec<&CellRecord> = own.iter().filter(claims).copied().collect();
        let wrong = claimed.iter().filter(|record| !is_solved(record));
        let wrong: Vec<&CellRecord> = wrong.copied().collect();
        let largest = |metric: &str| {
            let values = wrong
                .iter()
                .filter_map(|record| record.outcome.last(metric));
            values.reduce(f64::max)
        };
        let solved = own.iter().filter(|record| is_solved(record)).count();
        let right = claimed.len() - wrong.len();
        let peer = own.first().and_then(|record| record.solver.peer.as_ref());
        let peer = peer.map_or_else(String::new, |p| format!("{} {}", p.peer, p.version));
        vec![
            Cell::text(label),
            Cell::text(peer),
            Cell::size(own.len()),
            Cell::size(claimed.len()),
            Cell::size(right),
            Cell::size(wrong.len()),
            Cell::number(largest(&self.metric)),
            Cell::number(largest(VELOCITY)),
            Cell::size(solved - right),
        ]
    }
}
