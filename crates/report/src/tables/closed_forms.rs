//! A measured quantity compared with its closed form.

use delassus_metrics::{ClosedForm, series};

use crate::analysis::measured;
use crate::bundle::Bundle;
use crate::closed_form::ClosedFormLookup;
use crate::columns::{Columns, Refusal, View};
use crate::quantities::{quantity as name, unit_of};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::view::CellFilter;

use super::{Cell, Column, Table, TableKind, nothing};

settings! {
    /// A measured quantity compared with its closed form, with the difference.
    pub struct ClosedForms {
        /// A metric's last value, "rate", the asymptotic factor per sweep, or an observable at all
        /// samples.
        pub quantity: String,
        problems | scenes,
    }
}

impl View for ClosedForms {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.quantity(&self.quantity)
    }
}

impl TableKind for ClosedForms {
    fn table(&self, bundle: &Bundle) -> Table {
        let cells = self.shown(&bundle.records).into_iter();
        if bundle.is_over_time() {
            over_time(cells, &self.quantity, bundle.closed_forms)
        } else {
            solves(cells, &self.quantity, bundle.closed_forms)
        }
    }
}

fn solves<'r>(
    cells: impl Iterator<Item = &'r CellRecord>,
    quantity: &str,
    known: &dyn ClosedFormLookup,
) -> Table {
    let mut rows = Vec::new();
    let mut without = Vec::new();
    for record in cells {
        let Some(exact) = known.of_quantity(&record.problem, &record.solver, quantity) else {
            without.push(record);
            continue;
        };
        let value = measured(record, quantity);
        let difference = value.map(|v| (v - exact).abs());
        let relative = difference.filter(|_| exact != 0.0).map(|d| d / exact.abs());
        let mut row = vec![
            Cell::text(&record.problem.name),
            Cell::text(record.method()),
            Cell::number(value),
            Cell::number(Some(exact)),
            Cell::number(difference),
            Cell::number(relative),
        ];
        if value.is_none() {
            row[2] = Cell::status(record);
        }
        rows.push(row);
    }
    if rows.is_empty() {
        return nothing(format!(
            "no closed form of {quantity} is known for these problems and solvers"
        ));
    }
    let unit = name(quantity);
    let columns = vec![
        Column::text("problem"),
        Column::text("solver"),
        Column::numeric(format!("measured: {unit}")),
        Column::numeric("closed form"),
        Column::numeric("difference"),
        Column::numeric("relative difference [-]"),
    ];
    let notes = std::iter::once(summary(&rows)).chain(left_out(&without, quantity));
    Table::plain(columns, rows, Vec::from_iter(notes))
}

/// Every closed form over time compared with the samples of every cell that it belongs to.
fn over_time<'r>(
    cells: impl Iterator<Item = &'r CellRecord>,
    observable: &str,
    known: &dyn ClosedFormLookup,
) -> Table {
    let mut rows = Vec::new();
    let mut without = Vec::new();
    for record in cells {
        let forms = known.over_time(record, observable);
        if forms.is_empty() || record.outcome.samples.is_empty() {
            without.push(record);
            continue;
        }
        rows.extend(forms.iter().map(|form| compared(record, observable, form)));
    }
    if rows.is_empty() {
        return nothing(format!(
            "no closed form of {observable} over time is known for these scenes and schemes"
        ));
    }
    let named = name(observable);
    let unit = unit_of(&named);
    let columns = vec![
        Column::text("scene"),
        Column::text("method"),
        Column::text("closed form"),
        Column::numeric("samples [-]"),
        Column::numeric(format!("largest magnitude of the closed form [{unit}")),
        Column::numeric(format!("largest difference [{unit}")),
        Column::numeric("relative difference [-]"),
        Column::numeric(format!("closed form at the end [{unit}")),
        Column::numeric(format!("difference at the end [{unit}")),
    ];
    let note = format!(
        "{named} at every sample. The relative difference is to the largest magnitude of the closed form; \
         differences at the end are measured − closed form."
    );
    let notes = std::iter::once(note).chain(left_out(&without, observable));
    Table::plain(columns, rows, notes)
}

/// A closed form and the samples of a cell.
fn compared(record: &CellRecord, observable: &str, form: &ClosedForm) -> Vec<Cell> {
    let (times, values) = record.outcome.series(observable);
    let exact: Vec<f64> = times.iter().map(|t| (form.at)(*t)).collect();
    let pairs = exact.iter().zip(&values);
    let differences: Vec<f64> = pairs.map(|(exact, value)| value - exact).collect();
    let largest = series::max(&differences);
    let size = series::max(&exact).filter(|size| *size > 0.0);
    let last = |all: &[f64]| all.last().copied().filter(|end| end.is_finite());
    vec![
        Cell::text(&record.problem.name),
        Cell::text(record.method()),
        Cell::text(&form.name),
        Cell::size(values.len()),
        Cell::number(size),
        Cell::number(largest),
        Cell::number(largest.zip(size).map(|(largest, size)| largest / size)),
        Cell::number(last(&exact)),
        Cell::number(last(&differences)),
    ]
}

/// Names of the cells that the note lists for each reason.
const MOST_NAMES: usize = 6;

/// Which cells have no row, and why.
fn left_out(records: &[&CellRecord], quantity: &str) -> Option<String> {
    if records.is_empty() {
        return None;
    }
    let (ran, open): (Vec<&CellRecord>, Vec<&CellRecord>) =
        records.iter().partition(|r| !r.outcome.samples.is_empty());
    let reasons = [
        (
            ran,
            format!("no closed form of {quantity} is known for them"),
        ),
        (
            open,
            "they are unsupported or failed before the start".to_owned(),
        ),
    ];
    let parts: Vec<String> = reasons
        .iter()
        .filter(|(cells, _)| !cells.is_empty())
        .map(|(cells, why)| {
            let cells_of = if cells.len() == 1 { "cell" } else { "cells" };
            format!("{} {cells_of} ({why}): {}", cells.len(), names(cells))
        })
        .collect();
    Some(format!("Left out: {}.", parts.join("; ")))
}

/// The first cells by name, and how many more.
fn names(cells: &[&CellRecord]) -> String {
    let shown = cells.iter().take(MOST_NAMES);
    let mut text: Vec<String> = shown
        .map(|r| format!("{} with {}", r.problem.name, r.method()))
        .collect();
    if cells.len() > MOST_NAMES {
        text.push(format!("and {} more", cells.len() - MOST_NAMES));
    }
    text.join(", ")
}

/// How well all rows agree, in one sentence.
fn summary(rows: &[Vec<Cell>]) -> String {
    let largest = |column: usize| {
        let values = rows.iter().filter_map(|row| row[column].value());
        let largest = values.max_by(f64::total_cmp);
        largest.map(|value| crate::numbers::significant(value, 2))
    };
    let without = rows.iter().filter(|row| row[4].value().is_none()).count();
    let mut text = match (largest(4), largest(5)) {
        (Some(absolute), Some(relative)) => format!(
            "Largest difference over {} rows: {absolute}; relative, where the closed form is not zero: {relative}.",
            rows.len() - without
        ),
        (Some(absolute), None) => format!(
            "Largest difference over {} rows: {absolute}.",
            rows.len() - without
        ),
        _ => "No row has a measured value.".to_owned(),
    };
    if without > 0 {
        text += &format!(" {without} rows have no measured value.");
    }
    text
}
