//! One row per timed cell: what a sweep costs.

use crate::analysis::{cost, interval};
use crate::bundle::Bundle;
use crate::quantities;
use crate::record::CellRecord;
use crate::view::Cost;

use super::output::REMARK;
use super::{Cell, CellValue, Column, Table};

/// Columns of a row per cell, after those that name it.
const LISTED: [Cost; 8] = [
    Cost::Seconds,
    Cost::MedianSeconds,
    Cost::NsPerRow,
    Cost::NsPerConstraint,
    Cost::BytesPerRow,
    Cost::BytesPerConstraint,
    Cost::WorkingSet,
    Cost::Bandwidth,
];

/// Place of the interval of the median: behind it.
const INTERVAL: usize = 10;

/// One row per timed cell.
pub(super) fn table(bundle: &Bundle) -> Table {
    let mut columns = vec![
        Column::text("problem"),
        Column::numeric("rows [-]"),
        Column::numeric("constraints [-]"),
        Column::numeric("contact points [-]"),
        Column::text("solver"),
        Column::text("level"),
        Column::numeric("threads [-]"),
        Column::text("status"),
    ];
    columns.extend(LISTED.map(|what| Column::numeric(quantities::cost(what, false))));
    columns.insert(INTERVAL, Column::numeric(interval::HEADING));
    columns.push(Column::numeric("natural map after the sweeps [-]"));
    columns.push(Column::text(REMARK));
    let rows = bundle.records.iter().map(row);
    Table::plain(columns, rows.collect(), []).noting(
        "Times are slopes between a short and a long run: the difference of the shortest of each, and the median of \
         the differences with its interval. Bytes are counted from the layout, where a solver does that.",
    )
}

fn row(record: &CellRecord) -> Vec<Cell> {
    let (facts, outcome) = (&record.facts, &record.outcome);
    let parameter = |key: &str| record.solver.parameters.get(key);
    let level = parameter("level").and_then(|level| level.as_str());
    let threads = parameter("threads").and_then(|threads| threads.as_u64());
    let mut cells = vec![
        Cell::text(&record.problem.name),
        Cell::size(facts.rows),
        Cell::size(facts.blocks),
        Cell::size(facts.contacts),
        Cell::text(&record.solver.label),
        Cell::text(level.unwrap_or_default()),
        CellValue::Count(threads.unwrap_or(1)).into(),
        Cell::status(record),
    ];
    cells.extend(LISTED.map(|what| Cell::number(cost(record, what))));
    let median = interval::sweep_interval(outcome);
    cells.insert(INTERVAL, Cell::interval(median));
    cells.push(Cell::number(outcome.last("natural_map")));
    cells.push(Cell::text(outcome.message.clone().unwrap_or_default()));
    cells
}
