//! How people read a table: one unit per column, one notation per column and section.
//!
//! CSV keeps the unit of the heading and every digit.

use std::ops::Range;

use delassus_statistics::Interval;

use crate::analysis::interval;
use crate::numbers::{grouped, significant};
use crate::quantities::{DECIMAL, in_unit, second_unit};

use super::{Cell, CellValue, Table, whole};

/// Significant digits of a number, and of the ends of an interval; CSV has them all.
const DIGITS: [usize; 2] = [4, 3];

/// How the numbers of a column are printed in a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Notation {
    /// Whole numbers.
    Whole,
    /// Multiples of a half, which medians of counts are.
    Halves,
    /// Decimal numbers.
    Decimal,
    /// Powers of ten.
    Powers,
}

/// A column as it is printed.
#[derive(Debug)]
struct PrintedColumn {
    heading: String,
    /// What numbers are multiplied with.
    scale: f64,
    /// A notation per section.
    notations: Vec<Notation>,
}

/// A table as it is printed.
#[derive(Debug)]
pub(super) struct PrintedTable(Vec<PrintedColumn>);

impl PrintedTable {
    pub(super) fn of(table: &Table) -> Self {
        let mut columns: Vec<PrintedColumn> = Vec::with_capacity(table.columns.len());
        for (index, column) in table.columns.iter().enumerate() {
            let is_interval = |cell: &Cell| matches!(cell.content, CellValue::Interval(_));
            let mut cells = table.sections.iter().flat_map(|s| &s.rows);
            // a column of them may be empty
            let intervals = column.title == interval::HEADING
                || cells.any(|row| row.get(index).is_some_and(is_interval));
            let printed = match columns.last() {
                // an interval is that of the number before it
                Some(left) if intervals => PrintedColumn {
                    heading: without_one(&in_unit(&column.title, left.scale)),
                    scale: left.scale,
                    notations: left.notations.clone(),
                },
                _ => print_column(table, index),
            };
            columns.push(printed);
        }
        Self(columns)
    }

    /// Headings, with the units of the columns.
    pub(super) fn headings(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|column| column.heading.as_str())
    }

    pub(super) fn heading(&self, column: usize) -> &str {
        self.0.get(column).map_or("", |column| &column.heading)
    }

    /// What people read of a cell, with the count of failures.
    pub(super) fn cell(&self, section: usize, column: usize, cell: &Cell) -> String {
        let text = self.0.get(column).map_or_else(
            || content(&cell.content, 1.0, None),
            |column| {
                let notation = column.notations.get(section).copied();
                content(&cell.content, column.scale, notation)
            },
        );
        with_failures(text, cell.failed)
    }
}

/// A text with the count of the cells that have no value.
pub(super) fn with_failures(text: String, failed: u64) -> String {
    match (failed, text.is_empty()) {
        (0, _) => text,
        (failed, true) => format!("–({failed})"),
        (failed, false) => format!("{text} ({failed})"),
    }
}

/// A text without the unit of what has none.
pub(super) fn without_one(text: &str) -> String {
    text.replace(" [-]", "")
}

/// The columns that share unit and notation with this one.
fn joined(table: &Table, index: usize) -> Range<usize> {
    let columns = &table.columns;
    let first = (0..=index).rev().find(|at| !columns[*at].joined);
    let last = (index + 1..columns.len()).find(|at| !columns[*at].joined);
    first.unwrap_or(0)..last.unwrap_or(columns.len())
}

fn print_column(table: &Table, index: usize) -> PrintedColumn {
    let shared = joined(table, index);
    let magnitudes = |section: &super::Section| {
        let rows = section.rows.iter();
        let cells = rows.flat_map(|row| row.get(shared.clone()).unwrap_or_default());
        let numbers = cells.filter_map(|cell| match cell.content {
            CellValue::Number(x) if x.is_finite() && x != 0.0 => Some(x.abs()),
            _ => None,
        });
        numbers.collect::<Vec<f64>>()
    };
    let sections: Vec<Vec<f64>> = table.sections.iter().map(magnitudes).collect();
    let title = &table.columns[index].title;
    let scale = match title.ends_with("[s]") {
        true => second_unit(&sections.concat()),
        false => 1.0,
    };
    PrintedColumn {
        heading: without_one(&in_unit(title, scale)),
        scale,
        notations: sections.iter().map(|own| notation(own, scale)).collect(),
    }
}

fn extent(values: &[f64]) -> Option<(f64, f64)> {
    let least = values.iter().copied().min_by(f64::total_cmp)?;
    Some((least, values.iter().copied().max_by(f64::total_cmp)?))
}

fn notation(magnitudes: &[f64], scale: f64) -> Notation {
    let multiples = |of: f64| {
        let of = |x: &f64| *x < 1e15 && (x * scale / of).fract() == 0.0;
        scale == 1.0 && magnitudes.iter().all(of)
    };
    let Some((least, most)) = extent(magnitudes) else {
        return Notation::Decimal;
    };
    if multiples(1.0) {
        Notation::Whole
    } else if multiples(0.5) {
        Notation::Halves
    } else if DECIMAL.contains(&(scale * least)) && DECIMAL.contains(&(scale * most)) {
        Notation::Decimal
    } else {
        Notation::Powers
    }
}

/// What people read of a content, numbers multiplied with `scale`.
fn content(content: &CellValue, scale: f64, notation: Option<Notation>) -> String {
    match content {
        CellValue::Empty => String::new(),
        CellValue::Text(text) => text.clone(),
        CellValue::Count(value) => grouped(*value),
        CellValue::Number(value) => number(scale * value, notation, DIGITS[0]),
        CellValue::Interval(found) => ends(found, scale, notation),
        CellValue::Ending(ending) => ending.replace('_', " "),
    }
}

impl Cell {
    /// What people read of a cell that stands alone, with the count of failures.
    pub fn shown(&self) -> String {
        with_failures(content(&self.content, 1.0, None), self.failed)
    }
}

fn ends(found: &Interval, scale: f64, notation: Option<Notation>) -> String {
    // the ends of an interval around whole numbers are whole, those of halves need not be
    let [low, high] = [found.low, found.high].map(|end| number(scale * end, notation, DIGITS[1]));
    interval::with_coverage(format!("{low} – {high}"), found)
}

fn number(value: f64, notation: Option<Notation>, digits: usize) -> String {
    if value == 0.0 || !value.is_finite() {
        return significant(value, digits);
    }
    let text = match notation {
        Some(Notation::Whole) if value.fract() == 0.0 => {
            let sign = if value < 0.0 { "−" } else { "" };
            return format!("{sign}{}", grouped(whole(value.abs())));
        }
        Some(Notation::Halves) if (2.0 * value).fract() == 0.0 => format!("{value:.1}"),
        Some(Notation::Powers) => format!("{value:.*e}", digits.saturating_sub(1)),
        _ => return significant(value, digits),
    };
    text.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::super::Column;
    use super::*;

    fn column(title: &str, values: &[f64]) -> Vec<String> {
        let rows = values.iter().map(|x| vec![Cell::number(Some(*x))]);
        let table = Table::plain(vec![Column::numeric(title)], rows.collect(), []);
        let printed = PrintedTable::of(&table);
        let cells = table.sections[0]
            .rows
            .iter()
            .map(|row| printed.cell(0, 0, &row[0]));
        std::iter::once(printed.heading(0).to_owned())
            .chain(cells)
            .collect()
    }

    #[test]
    fn a_column_has_one_unit_and_one_notation() {
        assert_eq!(
            column("time [s]", &[1.5e-4, 0.25, 0.0]),
            ["time [ms]", "0.1500", "250.0", "0"]
        );
        assert_eq!(
            column("time [s]", &[2e-7, 0.3]),
            ["time [µs]", "0.2000", "300000"]
        );
        assert_eq!(column("time [s]", &[3.52]), ["time [s]", "3.520"]);
        assert_eq!(
            column("error [m]", &[0.5, 2e-9]),
            ["error [m]", "5.000e−1", "2.000e−9"]
        );
        assert_eq!(
            column("error [m]", &[0.5, -0.02]),
            ["error [m]", "0.5000", "−0.02000"]
        );
    }

    #[test]
    fn columns_that_are_compared_share_unit_and_notation() {
        let titles = ["a: time [s]", "b: time [s]", "c: time [s]"].map(Column::numeric);
        let [a, b, c] = titles;
        let row = [2e-3, 5e-7, 4.25].map(|x| Cell::number(Some(x))).to_vec();
        let table = Table::plain(vec![a, b.in_unit_of_left(), c], vec![row.clone()], []);
        let printed = PrintedTable::of(&table);
        let headings: Vec<&str> = printed.headings().collect();
        assert_eq!(headings, ["a: time [µs]", "b: time [µs]", "c: time [s]"]);
        let cells = [0, 1, 2].map(|column| printed.cell(0, column, &row[column]));
        assert_eq!(cells, ["2000", "0.5000", "4.250"]);
    }

    #[test]
    fn whole_numbers_stay_whole() {
        assert_eq!(
            column("sweeps [-]", &[12.0, -20_000.0]),
            ["sweeps", "12", "−20\u{202f}000"]
        );
        assert_eq!(
            column("sweeps [-]", &[12.0, 7.5]),
            ["sweeps", "12.0", "7.5"]
        );
        assert_eq!(column("sweeps [-]", &[]), ["sweeps"]);
    }

    #[test]
    fn an_interval_has_the_unit_of_its_number() {
        let found = Interval {
            low: 1e-6,
            high: 2e-3,
            coverage: 0.75,
        };
        let row = vec![Cell::number(Some(1e-3)), CellValue::Interval(found).into()];
        let titles = ["time [s]", interval::HEADING].map(Column::numeric);
        let table = Table::plain(titles.to_vec(), vec![row.clone()], []);
        let printed = PrintedTable::of(&table);
        assert_eq!(printed.heading(1), "its 95 % interval [ms]");
        assert_eq!(printed.cell(0, 0, &row[0]), "1.000");
        assert_eq!(printed.cell(0, 1, &row[1]), "0.00100 – 2.00 (75 %)");
        let row = vec![Cell::number(Some(1e-3)), Cell::text("")];
        let table = Table::plain(titles.to_vec(), vec![row], []);
        let printed = PrintedTable::of(&table);
        assert_eq!(printed.heading(1), "its 95 % interval [ms]");
    }
}
