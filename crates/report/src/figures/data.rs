//! Rows of the tables behind figures.

use crate::bundle::Bundle;
use crate::record::CellRecord;
use crate::tables::{Cell, CellValue, Column, Table};
use crate::view::Selection;

/// What stands under figures whose points are samples.
pub(crate) const SAMPLES: &str = "Every sample is in `records.csv`.";

/// One row per cell that is shown: problem or scene, method, status, and `numbers` with their
/// headings.
pub(crate) fn per_method<N: IntoIterator<Item: Into<Cell>>>(
    bundle: &Bundle,
    selection: Selection<'_>,
    headings: impl IntoIterator<Item = String>,
    numbers: impl Fn(&CellRecord) -> N,
) -> Table {
    let names = if bundle.is_over_time() {
        ["scene", "method", "status"]
    } else {
        ["problem", "solver", "status"]
    };
    let who = |record: &CellRecord| {
        let problem = Cell::text(&record.problem.name);
        vec![problem, Cell::text(record.method()), ending(record)]
    };
    table(bundle, selection, &names, who, headings, numbers)
}

/// The same with a column for the scheme and one for its solver, where there are schemes.
pub(crate) fn per_cell<N: IntoIterator<Item: Into<Cell>>>(
    bundle: &Bundle,
    selection: Selection<'_>,
    headings: impl IntoIterator<Item = String>,
    numbers: impl Fn(&CellRecord) -> N,
) -> Table {
    if !bundle.is_over_time() {
        return per_method(bundle, selection, headings, numbers);
    }
    let who = |record: &CellRecord| {
        let scheme = record.scheme().map_or("", |s| s.label.as_str());
        vec![
            Cell::text(&record.problem.name),
            Cell::text(scheme),
            Cell::text(&record.solver.label),
            ending(record),
        ]
    };
    let names = ["scene", "scheme", "solver", "status"];
    table(bundle, selection, &names, who, headings, numbers)
}

fn table<N: IntoIterator<Item: Into<Cell>>>(
    bundle: &Bundle,
    selection: Selection<'_>,
    names: &[&str],
    who: impl Fn(&CellRecord) -> Vec<Cell>,
    headings: impl IntoIterator<Item = String>,
    numbers: impl Fn(&CellRecord) -> N,
) -> Table {
    let mut columns: Vec<Column> = names.iter().map(|name| Column::text(*name)).collect();
    columns.extend(headings.into_iter().map(Column::numeric));
    let cells = bundle.records.iter().filter(|r| selection.shows(r));
    let rows = cells.map(|record| {
        let mut row = who(record);
        row.extend(numbers(record).into_iter().map(Into::into));
        row
    });
    Table::plain(columns, rows.collect(), [])
}

fn ending(record: &CellRecord) -> Cell {
    CellValue::Ending(record.ending()).into()
}
