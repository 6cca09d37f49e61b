//! The numbers behind a figure, as a table: what stands under it in the report and beside it as CSV.

use crate::analysis::{closed_form, measured};
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::tables::{Cell, Column, Content, Section, Table};
use crate::view::{Convergence, FigureSpec, Parameter, Plot, Profile, named};

use super::parameter::abscissa;
use super::profile::profiles;
use super::quantities::{quantity, work};

/// The table of one figure.
pub(crate) fn table(bundle: &Bundle, spec: &FigureSpec) -> Table {
    match &spec.plot {
        Plot::Convergence(plot) => convergence(bundle, plot),
        Plot::Profile(plot) => profile(bundle, plot),
        Plot::Parameter(plot) => parameter(bundle, plot),
    }
}

/// One row per curve; the samples themselves are in records.csv.
fn convergence(bundle: &Bundle, plot: &Convergence) -> Table {
    let y = &plot.y;
    let columns = vec![
        Column::text("problem"),
        Column::text("solver"),
        Column::text("status"),
        Column::numeric("samples [-]"),
        Column::numeric(work(plot.x)),
        Column::numeric(format!("{y} at the start")),
        Column::numeric(format!("{y} at the end")),
        Column::numeric(format!("smallest {y}")),
    ];
    let solver = |label: &String| plot.solvers.is_empty() || plot.solvers.contains(label);
    let cells = bundle
        .records
        .iter()
        .filter(|r| named(&r.problem.name, &plot.problems) && solver(&r.solver.label));
    let rows = cells.map(|record| {
        let outcome = &record.outcome;
        let last = outcome.samples.last();
        let spent = last.and_then(|s| crate::analysis::work_at(outcome, s, plot.x));
        let value = |sample: Option<&crate::record::Sample>| {
            let column = outcome.column(y)?;
            sample?.values.get(column).copied().flatten()
        };
        vec![
            Cell::text(&record.problem.name),
            Cell::text(&record.solver.label),
            Content::Status(outcome.status).into(),
            Cell::size(outcome.samples.len()),
            Cell::work(spent, plot.x),
            Cell::number(value(outcome.samples.first())),
            Cell::number(value(last)),
            Cell::number(outcome.best(y)),
        ]
    });
    single(columns, rows.collect(), "Every sample is in `records.csv`.")
}

/// The cost of each solver on each problem, one section per tolerance.
fn profile(bundle: &Bundle, plot: &Profile) -> Table {
    let mut columns = vec![Column::text("problem")];
    let unit = work(plot.cost);
    for solver in bundle.solvers() {
        columns.push(Column::numeric(format!("{solver}: {unit}")));
    }
    let sections = profiles(bundle, plot).into_iter().map(|profile| {
        let rows = profile.problems.iter().enumerate().map(|(i, name)| {
            let costs = profile.curves.iter().map(|c| {
                let cost = c.costs[i];
                if cost.is_finite() {
                    Cell::work(Some(cost), plot.cost)
                } else {
                    Cell::text("–")
                }
            });
            std::iter::once(Cell::text(name)).chain(costs).collect()
        });
        Section {
            title: format!("{} ≤ {}", plot.metric, power(profile.tolerance)),
            rows: rows.collect(),
        }
    });
    Table {
        columns,
        sections: sections.collect(),
        notes: vec!["`–`: the tolerance was not reached.".to_owned()],
    }
}

/// One row per mark.
fn parameter(bundle: &Bundle, plot: &Parameter) -> Table {
    let columns = vec![
        Column::text("generator"),
        Column::text("problem"),
        Column::numeric(plot.x.clone()),
        Column::text("solver"),
        Column::numeric(quantity(&plot.y)),
        Column::numeric("closed form"),
    ];
    let mut rows = Vec::new();
    for record in &bundle.records {
        let source = &record.problem.source;
        let wanted = plot.shows(&record.problem);
        let Some(x) = abscissa(&record.problem, &plot.x).filter(|_| wanted) else {
            continue;
        };
        rows.push(vec![
            Cell::text(source),
            Cell::text(&record.problem.name),
            Cell::number(Some(x)),
            Cell::text(&record.solver.label),
            Cell::number(measured(record, &plot.y)),
            Cell::number(closed_form(record, &plot.y)),
        ]);
    }
    single(columns, rows, "")
}

fn single(columns: Vec<Column>, rows: Vec<Vec<Cell>>, note: &str) -> Table {
    let notes = (!note.is_empty()).then(|| note.to_owned());
    Table {
        columns,
        sections: vec![Section {
            title: String::new(),
            rows,
        }],
        notes: notes.into_iter().collect(),
    }
}
