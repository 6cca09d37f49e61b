//! The numbers behind a figure, as a table: what stands under it in the report and beside it as CSV.

use crate::analysis::{achieved, closed_form, cost, measured, over};
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::record::CellRecord;
use crate::tables::{Cell, Column, Content, Section, Table};
use crate::view::{
    Convergence, FigureSpec, Heat, Knob, Over, Parameter, Plot, Profile, Scaling, Selection,
    Trajectory, WorkPrecision, named,
};

use super::profile::profiles;
use super::quantities::{self, quantity, run_work, summarised, work};
use super::work_precision::spent;

/// The table of one figure.
pub(crate) fn table(bundle: &Bundle, spec: &FigureSpec) -> Table {
    match &spec.plot {
        Plot::Convergence(plot) => convergence(bundle, plot),
        Plot::Profile(plot) => profile(bundle, plot),
        Plot::Parameter(plot) if bundle.is_over_time() => parameter_over_time(bundle, plot),
        Plot::Parameter(plot) => parameter(bundle, plot),
        Plot::Trajectory(plot) => trajectory(bundle, plot),
        Plot::WorkPrecision(plot) => work_precision(bundle, plot),
        Plot::Heat(plot) => heat(bundle, plot),
        Plot::Scaling(plot) => scaling(bundle, plot),
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
    let solver = |label: &str| plot.solvers.is_empty() || plot.solvers.iter().any(|s| s == label);
    let cells = bundle
        .records
        .iter()
        .filter(|r| named(&r.problem.name, &plot.problems) && solver(r.method()));
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
            Cell::text(record.method()),
            Content::Ending(record.ending()).into(),
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
        let wanted = plot.shows(record);
        let Some(x) = Knob::parse(&plot.x).number(record).filter(|_| wanted) else {
            continue;
        };
        rows.push(vec![
            Cell::text(source),
            Cell::text(&record.problem.name),
            Cell::number(Some(x)),
            Cell::text(record.method()),
            Cell::number(measured(record, &plot.y)),
            Cell::number(closed_form(record, &plot.y)),
        ]);
    }
    single(columns, rows, "")
}

/// Columns and cells that say which cell a row is about.
const NAMES: [&str; 4] = ["scene", "scheme", "solver", "status"];

fn names(record: &CellRecord) -> Vec<Cell> {
    let scheme = record.scheme.as_ref().map_or("", |s| s.label.as_str());
    vec![
        Cell::text(&record.problem.name),
        Cell::text(scheme),
        Cell::text(&record.solver.label),
        Content::Ending(record.ending()).into(),
    ]
}

/// One row per cell: who it is, and `numbers` with their headings.
fn rows_of(
    bundle: &Bundle,
    selection: Selection<'_>,
    headings: Vec<String>,
    numbers: impl Fn(&CellRecord) -> Vec<Cell>,
    note: &str,
) -> Table {
    let mut columns = NAMES.map(Column::text).to_vec();
    columns.extend(headings.into_iter().map(Column::numeric));
    let cells = bundle.records.iter().filter(|r| selection.shows(r));
    let rows = cells.map(|record| {
        let mut row = names(record);
        row.extend(numbers(record));
        row
    });
    single(columns, rows.collect(), note)
}

/// One row per line; the samples themselves are in records.csv.
fn trajectory(bundle: &Bundle, plot: &Trajectory) -> Table {
    let mut headings = vec!["time covered [s]".to_owned()];
    for y in &plot.y {
        headings.extend(Over::LISTED.map(|what| summarised(y, what)));
    }
    let numbers = |record: &CellRecord| {
        let mut row = vec![Cell::number(record.outcome.covered())];
        for y in &plot.y {
            row.extend(Over::LISTED.map(|what| Cell::number(over(record, y, what))));
        }
        row
    };
    let note = "Every sample is in `records.csv`.";
    rows_of(bundle, plot.selection(), headings, numbers, note)
}

/// One row per mark.
fn parameter_over_time(bundle: &Bundle, plot: &Parameter) -> Table {
    let knob = Knob::parse(&plot.x);
    let headings = vec![plot.x.clone(), summarised(&plot.y, plot.over)];
    let numbers = |record: &CellRecord| {
        let y = achieved(record, &plot.y, plot.over);
        vec![Cell::number(knob.number(record)), Cell::number(y)]
    };
    rows_of(bundle, plot.selection(), headings, numbers, "")
}

/// One row per mark.
fn work_precision(bundle: &Bundle, plot: &WorkPrecision) -> Table {
    let knobs: Vec<Knob<'_>> = plot.along.iter().map(|along| Knob::parse(along)).collect();
    let mut headings = plot.along.clone();
    headings.push(run_work(plot.x).to_owned());
    headings.push(summarised(&plot.y, plot.over));
    let numbers = |record: &CellRecord| {
        let along = knobs.iter().map(|knob| Cell::number(knob.number(record)));
        let mut row: Vec<Cell> = along.collect();
        row.push(Cell::work(spent(record, plot.x), plot.x));
        row.push(Cell::number(achieved(record, &plot.y, plot.over)));
        row
    };
    rows_of(bundle, plot.selection(), headings, numbers, "")
}

/// One row per tile.
fn heat(bundle: &Bundle, plot: &Heat) -> Table {
    let knobs = [Knob::parse(&plot.x), Knob::parse(&plot.y)];
    let mut headings = vec![plot.x.clone(), plot.y.clone()];
    headings.push(summarised(&plot.value, plot.over));
    let numbers = |record: &CellRecord| {
        let mut row = knobs.map(|knob| Cell::number(knob.number(record))).to_vec();
        row.push(Cell::number(achieved(record, &plot.value, plot.over)));
        row
    };
    rows_of(bundle, plot.selection(), headings, numbers, "")
}

/// One row per mark.
fn scaling(bundle: &Bundle, plot: &Scaling) -> Table {
    let over_time = bundle.is_over_time();
    let mut columns = vec![
        Column::text(if over_time { "scene" } else { "problem" }),
        Column::text(if over_time { "method" } else { "solver" }),
        Column::text("status"),
    ];
    let shown = [plot.x, plot.y];
    columns.extend(shown.map(|what| Column::numeric(quantities::cost(what, over_time))));
    let cells = bundle.records.iter().filter(|r| plot.selection().shows(r));
    let rows = cells.map(|record| {
        let mut row = vec![
            Cell::text(&record.problem.name),
            Cell::text(record.method()),
            Content::Ending(record.ending()).into(),
        ];
        row.extend(shown.map(|what| Cell::number(cost(record, what))));
        row
    });
    single(columns, rows.collect(), "")
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
