//! One row per cell: status, work, time, the named metrics or observables.

use delassus_core::{Solutions, Status};

use crate::analysis::{interval, over};
use crate::bundle::{Bundle, distinct};
use crate::columns::{Columns, Refusal, View};
use crate::quantities::{quantity, summarised};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::view::{CellFilter, Kind, Over, headline};

use super::crossed::mark_best;
use super::output::REMARK;
use super::{Cell, CellValue, Column, Table, TableKind, nothing, timed};

/// Columns before the metrics.
const SWEEPS: usize = 5;
const ROW_UPDATES: usize = 6;
const SECONDS: usize = 7;

settings! {
    /// One row per cell: status, work, time, the named metrics or observables.
    pub struct Cells {
        /// Metrics to print, the headline if empty; or observables, all if empty.
        #[serde(default, alias = "observables")]
        pub metrics: Vec<String>,
        /// What is taken of the observables.
        #[serde(default)]
        pub over: Over,
    }
}

impl CellFilter for Cells {}

impl View for Cells {
    fn shows_times(&self) -> bool {
        true
    }

    fn shows_work(&self) -> bool {
        true
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.summary(self.over)?;
        let mut metrics = self.metrics.iter();
        metrics.try_for_each(|name| columns.quantity(name))
    }
}

impl TableKind for Cells {
    fn table(&self, bundle: &Bundle) -> Table {
        match bundle.kind() {
            Kind::Solves => solves(bundle, &self.metrics),
            Kind::Timings => timed::table(bundle),
            Kind::Trajectories => trajectories(bundle, &self.metrics, self.over),
        }
    }
}

fn solves(bundle: &Bundle, metrics: &[String]) -> Table {
    if bundle.records.is_empty() {
        return nothing("no cell has finished");
    }
    let headline = vec![headline()];
    let metrics = if metrics.is_empty() {
        &headline
    } else {
        metrics
    };
    let mut columns = vec![
        Column::text("problem"),
        Column::numeric("rows [-]"),
        Column::numeric("contacts [-]"),
        Column::text("solver"),
        Column::text("status"),
        Column::numeric("sweeps [-]"),
        Column::numeric("row updates [-]"),
        Column::numeric("time [s]"),
        Column::numeric(interval::HEADING),
    ];
    columns.extend(metrics.iter().map(|m| Column::numeric(heading(m))));
    columns.push(Column::text(REMARK));
    let mut rows: Vec<Vec<Cell>> = bundle.records.iter().map(|r| row(r, metrics)).collect();
    for problem in bundle.problems() {
        let solved: Vec<usize> = (0..rows.len())
            .filter(|i| {
                let record = &bundle.records[*i];
                record.problem.name == problem && record.outcome.status == Status::Solved
            })
            .collect();
        for column in [SWEEPS, ROW_UPDATES, SECONDS] {
            let candidates: Vec<(usize, usize)> = solved.iter().map(|i| (*i, column)).collect();
            mark_best(&mut rows, &candidates);
        }
    }
    Table::plain(columns, rows, []).noting(
        "Time is the median of the untraced passes, prepare and iterate together; an interval needs two, and one of 95 % six \
         (a share in brackets says how often the range of fewer holds the median). Bold: least work among the solvers \
         that solved the problem. Metrics are those of the last sample.",
    )
}

/// The same of trajectories: frames, time per frame, what the observables come to.
fn trajectories(bundle: &Bundle, observables: &[String], what: Over) -> Table {
    let measured = bundle.records.iter().flat_map(|r| &r.outcome.metrics);
    let measured = distinct(measured.cloned());
    let observables = if observables.is_empty() {
        &measured
    } else {
        observables
    };
    let mut columns = vec![
        Column::text("scene"),
        Column::text("scheme"),
        Column::text("solver"),
        Column::text("status"),
        Column::numeric("time covered [s]"),
        Column::numeric("frames [-]"),
        Column::numeric("row updates [-]"),
        Column::numeric("time per frame [s]"),
        Column::numeric(interval::HEADING),
    ];
    columns.extend(
        observables
            .iter()
            .map(|o| Column::numeric(summarised(o, what))),
    );
    columns.push(Column::text(REMARK));
    let rows = bundle.records.iter().map(|record| {
        let outcome = &record.outcome;
        let scheme = record.scheme().map_or("", |s| s.label.as_str());
        let mut row = vec![
            Cell::text(&record.problem.name),
            Cell::text(scheme),
            Cell::text(&record.solver.label),
            Cell::status(record),
            Cell::number(outcome.covered()),
            CellValue::Count(outcome.frames()).into(),
            Cell::updates(record),
            Cell::number(outcome.step_seconds()),
            Cell::interval(interval::seconds_interval(record)),
        ];
        let values = observables.iter();
        let values = values.map(|o| over(record, o, what, bundle.closed_forms));
        row.extend(values.map(Cell::number));
        row.push(Cell::text(outcome.message.clone().unwrap_or_default()));
        row
    });
    Table::plain(columns, rows.collect(), []).noting(
        "Time per frame is the median of the untraced passes. A run that ended early is summed up over the time that \
         it covered.",
    )
}

fn heading(metric: &str) -> String {
    if metric == crate::analysis::RATE {
        return quantity(metric);
    }
    // the identifier is what specs and records call it; the unit comes from the metric
    let named = quantity(metric);
    let unit = named.rsplit_once(" [").map_or("", |(_, unit)| unit);
    if unit.is_empty() {
        metric.to_owned()
    } else {
        format!("{metric} [{unit}")
    }
}

fn row(record: &CellRecord, metrics: &[String]) -> Vec<Cell> {
    let (facts, outcome) = (&record.facts, &record.outcome);
    let ran = !outcome.samples.is_empty();
    let count = |value: u64| {
        let content = if ran {
            CellValue::Count(value)
        } else {
            CellValue::Empty
        };
        Cell::from(content)
    };
    let mut cells = vec![
        Cell::text(&record.problem.name),
        Cell::size(facts.rows),
        Cell::size(facts.contacts),
        Cell::text(record.method()),
        Cell::status(record),
        count(outcome.sweeps),
        count(outcome.row_updates),
        Cell::number(outcome.seconds()),
        Cell::interval(interval::seconds_interval(record)),
    ];
    for metric in metrics {
        cells.push(Cell::number(crate::analysis::measured(record, metric)));
    }
    let mut remarks: Vec<String> = outcome.solutions().into_iter().map(solutions).collect();
    remarks.extend(outcome.message.iter().cloned());
    remarks.extend(outcome.approximations.iter().cloned());
    cells.push(Cell::text(remarks.join("; ")));
    cells
}

/// How many solutions a method found that looks for all of them.
fn solutions(found: &Solutions) -> String {
    let least = if found.complete { "" } else { "at least " };
    match found.list.len() {
        1 => format!("{least}1 solution"),
        many => format!("{least}{many} solutions"),
    }
}
