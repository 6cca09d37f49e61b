//! Solver × problem: sweeps to a tolerance, or how the solve ended.

use delassus_core::Status;

use crate::analysis::work_to;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View, tolerances};
use crate::numbers::power;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::view::{Work, headline};

use super::crossed::{chosen, mark_best};
use super::{Cell, CellValue, Column, REACHED, Section, Table, TableKind, nothing};

settings! {
    /// Solver × problem: sweeps to the tolerance, or the status.
    pub struct Matrix {
        /// Metric that must fall to the tolerance.
        #[serde(default = "headline")]
        pub metric: String,
        /// One table per tolerance \[-\].
        pub tolerances: Vec<f64>,
        /// The tolerances are multiples of what the metric is at the start of the cell.
        #[serde(default)]
        pub of_start: bool,
        problems, solvers,
    }
}

impl View for Matrix {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("matrix")?;
        columns.measured(&self.metric)?;
        tolerances(&self.tolerances)
    }
}

impl TableKind for Matrix {
    fn table(&self, bundle: &Bundle) -> Table {
        let [problems, solvers] = chosen(bundle, &self.problems, &self.solvers);
        if problems.is_empty() || solvers.is_empty() {
            return nothing("no cell has finished");
        }
        let mut columns = vec![Column::text("problem"), Column::numeric("rows [-]")];
        columns.extend(solvers.iter().map(|s| Column::numeric(*s)));
        let tolerances = self.tolerances.iter();
        let sections =
            tolerances.map(|tolerance| self.section(bundle, *tolerance, &problems, &solvers));
        Table {
            columns,
            sections: sections.collect(),
            notes: vec![format!(
                "Sweeps until {} is within the tolerance at a sample. Bold: fewest. Where it never is, how the solve ended.",
                self.metric
            )],
        }
    }
}

impl Matrix {
    fn section(
        &self,
        bundle: &Bundle,
        tolerance: f64,
        problems: &[&str],
        solvers: &[&str],
    ) -> Section {
        let mut rows = Vec::new();
        let mut reached = vec![0u64; solvers.len()];
        for problem in problems {
            let of_problem = bundle.records.iter().find(|r| r.problem.name == *problem);
            let size = of_problem.map_or(0, |r| r.facts.rows);
            let mut row = vec![Cell::text(*problem), Cell::size(size)];
            for (solver, reached) in solvers.iter().zip(&mut reached) {
                let record = bundle.cell(problem, solver);
                let sweeps = record.and_then(|r| self.sweeps_to(r, tolerance));
                if sweeps.is_some() {
                    *reached += 1;
                }
                row.push(match (sweeps, record) {
                    (Some(sweeps), _) => Cell::work(Some(sweeps), Work::Sweeps),
                    (None, Some(record)) => missed(record),
                    (None, None) => CellValue::Empty.into(),
                });
            }
            rows.push(row);
        }
        let columns = 2..2 + solvers.len();
        for row in 0..rows.len() {
            let candidates: Vec<(usize, usize)> = columns.clone().map(|c| (row, c)).collect();
            mark_best(&mut rows, &candidates);
        }
        let mut total = vec![
            Cell::text(REACHED),
            Cell::text(format!("of {}", problems.len())),
        ];
        total.extend(reached.into_iter().map(|n| Cell::from(CellValue::Count(n))));
        rows.push(total);
        let of_start = if self.of_start { " of the start" } else { "" };
        Section {
            title: format!("{} ≤ {}{of_start}", self.metric, power(tolerance)),
            rows,
        }
    }

    /// Sweeps to the tolerance, or to that share of what the metric was before the first sweep.
    fn sweeps_to(&self, record: &CellRecord, tolerance: f64) -> Option<f64> {
        let outcome = &record.outcome;
        let scale = if self.of_start {
            outcome.first(&self.metric)?
        } else {
            1.0
        };
        work_to(outcome, &self.metric, scale * tolerance, Work::Sweeps)
    }
}

/// A run that stopped as solved at a looser tolerance has not tried for this one.
fn missed(record: &CellRecord) -> Cell {
    match record.outcome.status {
        Status::Solved => Cell::text("not tried"),
        _ => Cell::status(record),
    }
}
