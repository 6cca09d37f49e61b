//! What sweeps or steps cost: one row per cell, or problems × solvers.

use delassus_core::Status;

use crate::analysis::cost;
use crate::bundle::Bundle;
use crate::figures::quantities;
use crate::record::CellRecord;
use crate::view::{Cost, Costs};

use super::{Cell, Column, Content, Section, Table, mark_best, nothing};

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

/// One row per timed cell.
pub(super) fn cells(bundle: &Bundle) -> Table {
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
    columns.push(Column::numeric("natural map after the sweeps [-]"));
    columns.push(Column::text("remark"));
    let rows = bundle.records.iter().map(row);
    Table {
        columns,
        sections: vec![Section {
            title: String::new(),
            rows: rows.collect(),
        }],
        notes: vec![
            "Times are slopes between a short and a long run: the difference of the shortest of each, and the median of \
             the differences. Bytes are counted from the layout, where a solver does that."
                .to_owned(),
        ],
    }
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
        Content::Count(threads.unwrap_or(1)).into(),
        Cell::status(record),
    ];
    cells.extend(LISTED.map(|what| Cell::number(cost(record, what))));
    cells.push(Cell::number(outcome.last("natural_map")));
    cells.push(Cell::text(outcome.message.clone().unwrap_or_default()));
    cells
}

/// Problems × solvers.
pub(super) fn table(bundle: &Bundle, wanted: &Costs) -> Table {
    let shows = |r: &&CellRecord| wanted.selection().shows(r);
    let shown: Vec<&CellRecord> = bundle.records.iter().filter(shows).collect();
    if shown.is_empty() {
        return nothing("no cell has finished");
    }
    let holds = |name: &str, of: fn(&CellRecord) -> &str| shown.iter().any(|r| of(r) == name);
    let mut problems = bundle.problems();
    problems.retain(|name| holds(name, |r| &r.problem.name));
    let mut methods = bundle.solvers();
    methods.retain(|name| holds(name, CellRecord::method));
    // a vector level that the machine lacks would be a column of nothing
    let runs = |r: &&&CellRecord| r.outcome.status != Status::Unsupported;
    methods.retain(|name| shown.iter().filter(runs).any(|r| r.method() == *name));
    let over_time = bundle.is_over_time();
    let mut columns = vec![Column::text(if over_time { "scene" } else { "problem" })];
    columns.extend(methods.iter().map(|m| Column::numeric(*m)));
    let cell = |problem: &str, method: &str| -> Cell {
        let Some(record) = bundle.cell(problem, method).filter(shows) else {
            return Content::Empty.into();
        };
        match cost(record, wanted.quantity) {
            Some(value) => Cell::number(Some(value)),
            None if record.outcome.status == Status::Solved => Cell::text("–"),
            None => Cell::status(record),
        }
    };
    let rows = problems.iter().map(|problem| {
        let cells = methods.iter().map(|method| cell(problem, method));
        std::iter::once(Cell::text(*problem)).chain(cells).collect()
    });
    let mut rows: Vec<Vec<Cell>> = rows.collect();
    if !wanted.quantity.is_size() && wanted.quantity != Cost::Bandwidth {
        for row in 0..rows.len() {
            let candidates: Vec<(usize, usize)> = (1..=methods.len()).map(|c| (row, c)).collect();
            mark_best(&mut rows, &candidates);
        }
    }
    let heading = quantities::cost(wanted.quantity, over_time);
    Table {
        columns,
        sections: vec![Section {
            title: String::new(),
            rows,
        }],
        notes: vec![format!("Shown: {heading}. Bold: the least of a row.")],
    }
}
