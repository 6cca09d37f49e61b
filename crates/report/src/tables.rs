//! Tables: one form in memory, CSV with every digit and HTML for people.

mod baseline;
mod cells;
mod closed_forms;
mod costs;
mod layouts;
mod matrix;
mod output;
mod trajectories;

pub use output::{to_csv, to_html};

use crate::bundle::Bundle;
use crate::record::{CellRecord, SKIPPED};
use crate::view::{Show, TableSpec, Work};

/// What a table of trajectories can show besides observables: the time per frame, and the work of the run.
pub const COSTS: [&str; 2] = ["step_seconds", "total_row_updates"];

/// A table with headed columns; its rows stand in sections.
#[derive(Debug, Clone, PartialEq)]
pub struct Table {
    /// Headings.
    pub columns: Vec<Column>,
    /// Groups of rows; a single group without a title if there is nothing to tell apart.
    pub sections: Vec<Section>,
    /// Remarks that belong below the table.
    pub notes: Vec<String>,
}

/// Heading of one column.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// What the column holds, with its unit in brackets.
    pub title: String,
    /// True where the cells are numbers or stand in for them: aligned to the right.
    pub numeric: bool,
}

/// Rows under one heading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Section {
    /// Heading; empty if there is none. In CSV it is the first column.
    pub title: String,
    /// The rows.
    pub rows: Vec<Vec<Cell>>,
}

/// One cell of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Cell {
    /// What it holds.
    pub content: Content,
    /// The best value among those that it is compared with.
    pub best: bool,
}

/// Contents of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// Nothing to say.
    Empty,
    /// A name or remark.
    Text(String),
    /// A count \[-\].
    Count(u64),
    /// A number.
    Number(f64),
    /// How a cell ended, as [`CellRecord::ending`] calls it.
    Ending(String),
}

impl From<Content> for Cell {
    fn from(content: Content) -> Self {
        Self {
            content,
            best: false,
        }
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Content::Text(text.into()).into()
    }

    /// How a cell of the experiment ended.
    pub(crate) fn status(record: &CellRecord) -> Self {
        if record.lacks_device() {
            return Self::text(SKIPPED);
        }
        Content::Ending(record.ending()).into()
    }

    pub(crate) fn number(value: Option<f64>) -> Self {
        value.map_or(Content::Empty, Content::Number).into()
    }

    /// Work in a unit: counts stay counts.
    pub(crate) fn work(value: Option<f64>, unit: Work) -> Self {
        match value {
            Some(value) if unit != Work::Seconds => Content::Count(whole(value)).into(),
            other => Self::number(other),
        }
    }

    pub(crate) fn size(value: usize) -> Self {
        Content::Count(u64::try_from(value).unwrap_or(u64::MAX)).into()
    }

    /// The value, if it is a number.
    fn value(&self) -> Option<f64> {
        match self.content {
            Content::Count(value) => Some(crate::analysis::count(value)),
            Content::Number(value) => Some(value),
            _ => None,
        }
    }
}

impl Column {
    pub(crate) fn text(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            numeric: false,
        }
    }

    pub(crate) fn numeric(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            numeric: true,
        }
    }
}

/// Makes one table of a run.
pub fn build(bundle: &Bundle, spec: &TableSpec) -> Table {
    match &spec.show {
        Show::Cells { metrics, over } if bundle.is_over_time() => {
            cells::over_time(bundle, metrics, *over)
        }
        Show::Cells { .. } if bundle.is_timed() => costs::cells(bundle),
        Show::Cells { metrics, .. } => cells::table(bundle, metrics),
        Show::Costs(wanted) => costs::table(bundle, wanted),
        Show::Layouts {} => layouts::table(bundle),
        Show::ClosedForms { quantity, problems } if bundle.is_over_time() => {
            closed_forms::over_time(bundle, quantity, problems)
        }
        Show::ClosedForms { quantity, problems } => closed_forms::table(bundle, quantity, problems),
        Show::Trajectories(wanted) => trajectories::table(bundle, wanted),
        Show::Matrix(wanted) => matrix::table(bundle, wanted),
        Show::Baseline {
            file,
            solvers,
            tolerances,
        } => baseline::table(bundle, file, solvers, tolerances),
    }
}

/// Marks the smallest magnitude of the candidates (row, column) in one column; nothing if only one can win.
fn mark_best(rows: &mut [Vec<Cell>], candidates: &[(usize, usize)]) {
    let values: Vec<(usize, usize, f64)> = candidates
        .iter()
        .filter_map(|(row, column)| Some((*row, *column, rows[*row][*column].value()?)))
        .filter(|(_, _, value)| value.is_finite())
        .collect();
    if values.len() < 2 {
        return;
    }
    let Some(best) = values.iter().map(|v| v.2.abs()).min_by(f64::total_cmp) else {
        return;
    };
    for (row, column, value) in values {
        // three digits are printed: a tie in print is a tie
        rows[row][column].best = value.abs() <= best * (1.0 + 5e-4);
    }
}

/// A count that was handed on as a float.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "made from a count, and saturating"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// A table that says in one row why it has no content.
fn nothing(reason: impl Into<String>) -> Table {
    Table {
        columns: vec![Column::text("remark")],
        sections: vec![Section {
            title: String::new(),
            rows: vec![vec![Cell::text(reason)]],
        }],
        notes: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
