//! Tables: one form in memory, CSV with every digit and HTML for people.
//!
//! A kind of table is one file: its settings, what it asks of an experiment, and what it makes of
//! the records; it is named once in the list below.

mod baseline;
mod cells;
mod claims;
mod closed_forms;
mod costs;
mod crossed;
mod departures;
mod equal_budget;
mod latex;
mod layouts;
mod machine;
mod matrix;
mod notation;
mod output;
mod pairwise;
mod properties;
mod quality;
mod solved;
mod test_set;
mod thresholds;
mod timed;
mod trajectories;
mod worlds;

pub use baseline::Baseline;
pub use cells::Cells;
pub use claims::Claims;
pub use closed_forms::ClosedForms;
pub use costs::Costs;
pub use departures::Departures;
pub use equal_budget::EqualBudget;
pub(crate) use equal_budget::{BY_CLOCK, meaning, unsteady};
pub use latex::to_latex;
pub use layouts::Layouts;
pub use machine::Machine;
pub use matrix::Matrix;
pub use output::{OnPage, to_csv, to_html, to_text};
pub(crate) use output::{coded, is_good};
pub use pairwise::Pairwise;
pub use properties::Properties;
pub use quality::Quality;
pub use solved::Solved;
pub use test_set::TestSet;
pub use thresholds::Thresholds;
pub use trajectories::Trajectories;
pub use worlds::Worlds;

use std::path::{Path, PathBuf};

use delassus_statistics::Interval;

use crate::bundle::Bundle;
use crate::columns::{View, kinds};
use crate::disclosure;
use crate::record::{CellRecord, NO_ADAPTER};
use crate::settings::settings;
use crate::view::Work;

kinds! {
    /// Kinds of tables, with their settings.
    Show: TableKind,
    Cells, ClosedForms, Matrix, Solved, Trajectories, Departures, Thresholds, EqualBudget, Costs,
    Layouts, Baseline, Quality, TestSet, Pairwise, Properties, Machine, Claims,
    Worlds,
}

/// What a kind of table makes of the records of a run.
pub(crate) trait TableKind: View {
    /// The table.
    fn table(&self, bundle: &Bundle) -> Table;

    /// A file that it reads in addition to the records, relative to the spec.
    fn file(&self) -> Option<&Path> {
        None
    }

    /// The same, to be named from elsewhere.
    fn file_mut(&mut self) -> Option<&mut PathBuf> {
        None
    }
}

settings! {
    /// One `[[table]]` of a spec.
    pub struct TableSpec {
        /// Anchor in the report and name of its CSV file; unique in the spec.
        pub id: String,
        /// What the table shows.
        #[serde(default)]
        pub caption: String,
        /// The kind of table with its settings.
        pub show: Show,
    }
}

impl TableSpec {
    /// The file that the table reads in addition to the records, relative to the spec.
    pub fn file(&self) -> Option<&Path> {
        self.show.kind().file()
    }

    /// Names that file by what `place` makes of its name in the spec.
    pub fn locate(&mut self, place: impl Fn(&Path) -> PathBuf) {
        if let Some(file) = self.show.kind_mut().file_mut() {
            *file = place(file);
        }
    }
}

/// First cell of a row that counts how many of the rows above got there.
pub(crate) const REACHED: &str = "reached";

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
    /// True where readers compare the numbers with those of the column to the left: both are
    /// printed in one unit and one notation.
    pub joined: bool,
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
    pub content: CellValue,
    /// The best value among those that it is compared with: set in bold.
    pub best: bool,
    /// How many cells of the experiment have no value and take no part in this one \[-\]: printed
    /// behind it as "(3)", and as "–(3)" where no cell has one.
    pub failed: u64,
}

/// Contents of a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum CellValue {
    /// Nothing to say.
    Empty,
    /// A name or remark.
    Text(String),
    /// A count \[-\].
    Count(u64),
    /// A number.
    Number(f64),
    /// An interval of the number before it, in its unit.
    Interval(Interval),
    /// How a cell ended, as [`CellRecord::ending`] calls it.
    Ending(String),
}

impl From<CellValue> for Cell {
    fn from(content: CellValue) -> Self {
        Self {
            content,
            best: false,
            failed: 0,
        }
    }
}

impl From<Option<f64>> for Cell {
    fn from(value: Option<f64>) -> Self {
        value.map_or(CellValue::Empty, CellValue::Number).into()
    }
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        CellValue::Text(text.into()).into()
    }

    /// How a cell of the experiment ended.
    pub(crate) fn status(record: &CellRecord) -> Self {
        if record.lacks_device() {
            return Self::text(NO_ADAPTER);
        }
        CellValue::Ending(record.ending()).into()
    }

    /// An interval of the number before it; empty where there is none.
    pub(crate) fn interval(found: Option<Interval>) -> Self {
        let found = found.filter(|i| i.low.is_finite() && i.high.is_finite());
        found.map_or(CellValue::Empty, CellValue::Interval).into()
    }

    pub(crate) fn number(value: Option<f64>) -> Self {
        value.into()
    }

    /// Work in a unit: counts stay counts.
    pub(crate) fn work(value: Option<f64>, unit: Work) -> Self {
        match value {
            Some(value) if unit != Work::Seconds => CellValue::Count(whole(value)).into(),
            other => Self::number(other),
        }
    }

    /// The row updates of a cell; a dash of an engine, which counts none.
    pub(crate) fn updates(record: &CellRecord) -> Self {
        match record.counts_work() {
            true => Self::count(record.outcome.row_updates),
            false => Self::text("–"),
        }
    }

    pub(crate) fn count(value: u64) -> Self {
        CellValue::Count(value).into()
    }

    /// As [`Self::count`].
    pub(crate) fn size(value: usize) -> Self {
        CellValue::Count(u64::try_from(value).unwrap_or(u64::MAX)).into()
    }

    /// The cell with a count of those that failed.
    pub(crate) fn failing(mut self, failed: usize) -> Self {
        self.failed = u64::try_from(failed).unwrap_or(u64::MAX);
        self
    }

    /// The value, if it is a number.
    fn value(&self) -> Option<f64> {
        match self.content {
            CellValue::Count(value) => Some(crate::analysis::count(value)),
            CellValue::Number(value) => Some(value),
            _ => None,
        }
    }
}

impl Column {
    pub(crate) fn text(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            numeric: false,
            joined: false,
        }
    }

    pub(crate) fn numeric(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            numeric: true,
            joined: false,
        }
    }

    /// The column, printed in the unit and notation of the one to its left.
    pub(crate) fn in_unit_of_left(self) -> Self {
        Self {
            joined: true,
            ..self
        }
    }
}

impl Table {
    /// A table whose rows need no sections.
    pub(crate) fn plain(
        columns: Vec<Column>,
        rows: Vec<Vec<Cell>>,
        notes: impl IntoIterator<Item = String>,
    ) -> Self {
        let section = Section {
            title: String::new(),
            rows,
        };
        Self {
            columns,
            sections: vec![section],
            notes: notes.into_iter().collect(),
        }
    }

    /// How many of these rows stand for themselves, and do not count others.
    fn counted_rows<'r>(rows: impl IntoIterator<Item = &'r Vec<Cell>>) -> usize {
        let counts = |row: &&Vec<Cell>| {
            let first = row.first().map(|cell| &cell.content);
            !matches!(first, Some(CellValue::Text(text)) if text == REACHED)
        };
        rows.into_iter().filter(counts).count()
    }

    /// The table with a remark below it.
    pub(crate) fn noting(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }
}

/// Makes one table of a run.
pub fn build(bundle: &Bundle, spec: &TableSpec) -> Table {
    let table = spec.show.kind().table(bundle);
    let work = disclosure::of_view(bundle, &*spec.show);
    work.into_iter().fold(table, Table::noting)
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
    let rows = vec![vec![Cell::text(reason)]];
    Table::plain(vec![Column::text("remark")], rows, [])
}

#[cfg(test)]
mod tests;
