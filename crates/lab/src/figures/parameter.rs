//! A quantity against a problem parameter: marks per solver, closed forms as lines.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::analysis::{closed_form_of, measured};
use crate::bundle::Bundle;
use crate::record::{CellRecord, ProblemLabel, SolverLabel};
use crate::view::{FigureSpec, Parameter};

use super::canvas::clean;
use super::chart::{Axis, Chart, Curve, End, Entry, Form, Note, Panel, Symbol};
use super::convergence::MOST_PANELS;
use super::quantities::{parameter, quantity};
use super::style::series;

/// Points of a closed form over a continuous parameter.
const LINE_POINTS: u32 = 160;

/// Builds the chart.
pub(crate) fn chart(bundle: &Bundle, spec: &FigureSpec, plot: &Parameter) -> Chart {
    let mut generators = sources(bundle, plot);
    let left_out = generators.len().saturating_sub(MOST_PANELS);
    generators.truncate(MOST_PANELS);
    let mut panels: Vec<Panel> = generators.iter().map(|g| panel(bundle, plot, g)).collect();
    if panels.is_empty() {
        panels.push(Panel {
            empty: format!("no finished cell has a parameter {}", clean(&plot.x)),
            ..Panel::default()
        });
    }
    if panels.len() == 1 {
        // one generator needs no heading
        panels[0].title.clear();
    }
    let mut x = Axis::new(parameter(&plot.x, &generators), plot.log_x);
    x.share = if plot.log_x { 2.5 } else { 5.0 };
    let mut y = Axis::new(quantity(&plot.y), plot.log_y);
    y.share = if plot.log_y { 4.0 } else { 3.0 };
    let lines = panels
        .iter()
        .flat_map(|p| &p.curves)
        .any(|c| c.form == Form::Plain);
    let names = bundle.solvers().join(", ");
    let mut chart = Chart {
        id: spec.id.clone(),
        title: format!("{} against {}", quantity(&plot.y), clean(&plot.x)),
        description: format!("Marks: {names}. Lines: closed forms, where one is known."),
        x,
        y,
        legend: legend(bundle, plot, &generators),
        notes: Vec::new(),
        panels,
        points: super::POINTS,
    };
    if lines {
        chart.notes.push(Note {
            symbol: Symbol::Line,
            text: "closed form".to_owned(),
        });
    }
    if let Some(floor) = chart.floor() {
        chart.notes.push(Note {
            symbol: Symbol::Zero,
            text: format!(
                "zero or negative, drawn at {}",
                crate::numbers::power(floor)
            ),
        });
    }
    if left_out > 0 {
        chart.notes.push(Note {
            symbol: Symbol::None,
            text: format!("{left_out} more generators are in the data"),
        });
    }
    chart
}

/// Generators that have the parameter, in the order of first appearance.
fn sources(bundle: &Bundle, plot: &Parameter) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for record in &bundle.records {
        let source = &record.problem.source;
        let wanted = plot.shows(&record.problem);
        if wanted && abscissa(&record.problem, &plot.x).is_some() && !found.contains(source) {
            found.push(source.clone());
        }
    }
    found
}

/// The parameter's value, if it is a number.
pub(crate) fn abscissa(problem: &ProblemLabel, parameter: &str) -> Option<f64> {
    let value = problem.parameters.get(parameter)?.as_f64()?;
    value.is_finite().then_some(value)
}

/// Cells of one generator that differ in nothing but the parameter, per solver.
type Groups<'a> = BTreeMap<(usize, String), Vec<&'a CellRecord>>;

fn groups<'a>(bundle: &'a Bundle, plot: &Parameter, generator: &str) -> Groups<'a> {
    let solvers = bundle.solvers();
    let mut groups: Groups<'a> = BTreeMap::new();
    for record in bundle
        .records
        .iter()
        .filter(|r| r.problem.source == generator && plot.shows(&r.problem))
    {
        if abscissa(&record.problem, &plot.x).is_none() {
            continue;
        }
        let Some(position) = solvers.iter().position(|s| *s == record.solver.label) else {
            continue;
        };
        let mut others = record.problem.parameters.clone();
        others.remove(&plot.x);
        let key = (position, Value::Object(others).to_string());
        groups.entry(key).or_default().push(record);
    }
    groups
}

fn panel(bundle: &Bundle, plot: &Parameter, generator: &str) -> Panel {
    let groups = groups(bundle, plot, generator);
    let mut lines = Vec::new();
    let mut marks = Vec::new();
    for ((position, _), cells) in &groups {
        let label = &cells[0].solver.label;
        let style = series(*position);
        let line = closed_form_line(plot, cells);
        let mut points: Vec<(f64, f64)> = cells
            .iter()
            .filter_map(|r| Some((abscissa(&r.problem, &plot.x)?, measured(r, &plot.y)?)))
            .filter(|(x, y)| y.is_finite() && (!plot.log_x || *x > 0.0))
            .collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let form = if line.is_empty() {
            Form::Joined
        } else {
            Form::Marks
        };
        let curve = |name: String, points, form| Curve {
            name,
            style,
            position: *position,
            points,
            form,
            end: End::None,
        };
        if !line.is_empty() {
            lines.push(curve(format!("{label}: closed form"), line, Form::Plain));
        }
        if !points.is_empty() {
            marks.push(curve(label.clone(), points, form));
        }
    }
    lines.extend(marks);
    Panel {
        title: clean(generator),
        curves: lines,
        guides: Vec::new(),
        empty: format!("no cell has a value of {}", clean(&plot.y)),
    }
}

/// The closed form over the range of the cells; at the cells alone where the solver's parameters change with them.
fn closed_form_line(plot: &Parameter, cells: &[&CellRecord]) -> Vec<(f64, f64)> {
    let solver = &cells[0].solver;
    let mut problem = cells[0].problem.clone();
    let value = |problem: &ProblemLabel, solver: &SolverLabel| {
        closed_form_of(problem, solver, &plot.y).filter(|y| y.is_finite())
    };
    let mut line: Vec<(f64, f64)> = Vec::new();
    if cells.iter().all(|r| r.solver == *solver) {
        for (x, json) in abscissae(plot, cells) {
            problem.parameters.insert(plot.x.clone(), json);
            line.extend(value(&problem, solver).map(|y| (x, y)));
        }
    } else {
        let own = cells.iter().filter_map(|r| {
            let x = abscissa(&r.problem, &plot.x).filter(|x| !plot.log_x || *x > 0.0)?;
            Some((x, value(&r.problem, &r.solver)?))
        });
        line.extend(own);
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    line
}

/// Values of the parameter between the smallest and the largest of the cells: whole numbers where theirs are.
fn abscissae(plot: &Parameter, cells: &[&CellRecord]) -> Vec<(f64, Value)> {
    let own = cells.iter().filter_map(|r| abscissa(&r.problem, &plot.x));
    let values: Vec<f64> = own.filter(|x| !plot.log_x || *x > 0.0).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let integer = |r: &&CellRecord| {
        let value = r.problem.parameters.get(&plot.x);
        value.is_some_and(|v| v.is_u64() || v.is_i64())
    };
    let whole = cells.iter().all(integer);
    let mut steps: Vec<(f64, Value)> = Vec::new();
    for i in 0..=LINE_POINTS {
        let t = f64::from(i) / f64::from(LINE_POINTS);
        let mut x = if plot.log_x {
            libm::exp((1.0 - t) * libm::log(low) + t * libm::log(high))
        } else {
            low + t * (high - low)
        };
        if whole {
            x = x.round();
        }
        let previous = steps.last().map_or(f64::NEG_INFINITY, |step| step.0);
        if x.is_finite() && x > previous {
            steps.push((x, number(x, whole)));
        }
    }
    steps
}

fn number(x: f64, whole: bool) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded within the range of parameters that are integers"
    )]
    let integer = x as i64;
    if whole {
        Value::from(integer)
    } else {
        Value::from(x)
    }
}

fn legend(bundle: &Bundle, plot: &Parameter, generators: &[String]) -> Vec<Entry> {
    let solvers = bundle.solvers().into_iter().enumerate();
    let entries = solvers.filter_map(|(position, label)| {
        let cells = bundle.records.iter().filter(|r| {
            r.solver.label == label
                && generators.contains(&r.problem.source)
                && plot.shows(&r.problem)
                && abscissa(&r.problem, &plot.x).is_some()
        });
        let values: Vec<bool> = cells.map(|r| measured(r, &plot.y).is_some()).collect();
        let without = values.iter().filter(|has| !**has).count();
        if values.is_empty() {
            return None;
        }
        let mut text = clean(label);
        if without > 0 {
            text += &format!(" ({without} of {} without a value)", values.len());
        }
        Some(Entry {
            style: series(position),
            text,
            line: false,
        })
    });
    entries.collect()
}
