//! A quantity against a parameter: marks per solver or method, closed forms of problems as lines.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::analysis::{achieved, closed_form_of, measured};
use crate::bundle::Bundle;
use crate::record::{CellRecord, ProblemLabel, SolverLabel};
use crate::view::{FigureSpec, Knob, Parameter, Part};

use super::chart::{Axis, Chart, Curve, End, Entry, Form, Note, Panel, Symbol};
use super::convergence::MOST_PANELS;
use super::grouping;
use super::quantities::{knob_label, knob_name, name_of, quantity, summarised, words};
use super::styles::{Member, Styles};

/// Points of a closed form over a continuous parameter.
const LINE_POINTS: u32 = 160;

/// Series that have the parameter.
pub(super) fn members(bundle: &Bundle, plot: &Parameter) -> Vec<Member> {
    let knob = Knob::parse(&plot.x);
    let shows = |r: &CellRecord| plot.shows(r) && knob.number(r).is_some();
    grouping::members(bundle, &[knob], shows)
}

/// Builds the chart.
pub(crate) fn chart(
    bundle: &Bundle,
    spec: &FigureSpec,
    plot: &Parameter,
    styles: &Styles,
) -> Chart {
    let mut generators = sources(bundle, plot);
    let left_out = generators.len().saturating_sub(MOST_PANELS);
    generators.truncate(MOST_PANELS);
    let names = grouping::names(members(bundle, plot));
    let mut panels: Vec<Panel> = generators
        .iter()
        .map(|g| panel(bundle, plot, &names, g, styles))
        .collect();
    if panels.is_empty() {
        panels.push(Panel {
            empty: format!("no finished cell has a parameter {}", knob_name(&plot.x)),
            ..Panel::default()
        });
    }
    if panels.len() == 1 {
        // one generator or scene needs no heading
        panels[0].title.clear();
    }
    let over_time = bundle.is_over_time();
    let label = if over_time {
        summarised(&plot.y, plot.over)
    } else {
        quantity(&plot.y)
    };
    let mut x = Axis::new(knob_label(bundle, &plot.x), plot.log_x);
    x.share = if plot.log_x { 2.5 } else { 5.0 };
    let mut y = Axis::new(label.clone(), plot.log_y);
    y.share = if plot.log_y { 4.0 } else { 3.0 };
    y.floor = plot.floor;
    let lines = panels
        .iter()
        .flat_map(|p| &p.curves)
        .any(|c| c.form == Form::Exact);
    let mut chart = Chart {
        id: spec.id.clone(),
        title: format!("{label} against {}", knob_name(&plot.x)),
        description: format!(
            "Marks: {}. Lines: closed forms, where one is known.",
            names.join(", ")
        ),
        x,
        y,
        legend: legend(bundle, plot, (&names, &generators), styles),
        notes: Vec::new(),
        panels,
        points: super::POINTS,
    };
    if lines {
        chart.notes.push(Note {
            symbol: Symbol::Exact,
            text: "closed form".to_owned(),
        });
    }
    if left_out > 0 {
        chart.notes.push(Note {
            symbol: Symbol::None,
            text: crate::numbers::more(left_out, if over_time { "scene" } else { "panel" }),
        });
    }
    chart
}

/// Panels that have the parameter, in the order of first appearance.
fn sources(bundle: &Bundle, plot: &Parameter) -> Vec<String> {
    let knob = Knob::parse(&plot.x);
    let mut found: Vec<String> = Vec::new();
    for record in &bundle.records {
        let source = grouping::panel(record, &[knob]);
        let wanted = plot.shows(record) && knob.number(record).is_some();
        if wanted && !found.contains(&source) {
            found.push(source);
        }
    }
    found
}

/// The value of a cell in the figure.
pub(crate) fn value(record: &CellRecord, plot: &Parameter) -> Option<f64> {
    match record.scheme {
        Some(_) => achieved(record, &plot.y, plot.over),
        None => measured(record, &plot.y),
    }
}

/// Cells of one panel that differ in nothing but the parameter, per series.
type Groups<'a> = BTreeMap<(usize, String), Vec<&'a CellRecord>>;

fn groups<'a>(bundle: &'a Bundle, plot: &Parameter, names: &[String], panel: &str) -> Groups<'a> {
    let knob = Knob::parse(&plot.x);
    let mut groups: Groups<'a> = BTreeMap::new();
    for record in &bundle.records {
        let wanted = plot.shows(record) && grouping::panel(record, &[knob]) == panel;
        if !wanted || knob.number(record).is_none() {
            continue;
        }
        let series = grouping::series(record, &[knob]);
        let Some(position) = names.iter().position(|name| *name == series) else {
            continue;
        };
        let mut others = record.problem.parameters.clone();
        if knob.part == Part::Problem {
            others.remove(knob.key);
        }
        let key = (position, Value::Object(others).to_string());
        groups.entry(key).or_default().push(record);
    }
    groups
}

fn panel(
    bundle: &Bundle,
    plot: &Parameter,
    names: &[String],
    title: &str,
    styles: &Styles,
) -> Panel {
    let knob = Knob::parse(&plot.x);
    let mut lines = Vec::new();
    let mut marks = Vec::new();
    for ((position, _), cells) in &groups(bundle, plot, names, title) {
        let label = &names[*position];
        let look = styles.look(label);
        let line = closed_form_line(plot, cells);
        let mut points: Vec<(f64, f64)> = cells
            .iter()
            .filter_map(|r| Some((knob.number(r)?, value(r, plot)?)))
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
            style: look.style,
            position: look.position,
            points,
            form,
            end: End::None,
        };
        if !line.is_empty() {
            lines.push(curve(format!("{label}: closed form"), line, Form::Exact));
        }
        if !points.is_empty() {
            marks.push(curve(label.clone(), points, form));
        }
    }
    lines.extend(marks);
    Panel {
        title: words(title),
        curves: lines,
        empty: format!("no cell has a value of {}", name_of(&plot.y)),
        ..Panel::default()
    }
}

/// The closed form over the range of the cells; at the cells alone where the solver's parameters change with them.
fn closed_form_line(plot: &Parameter, cells: &[&CellRecord]) -> Vec<(f64, f64)> {
    if cells[0].scheme.is_some() {
        // trajectories have closed forms over time
        return Vec::new();
    }
    let knob = Knob::parse(&plot.x);
    let mut solver = cells[0].solver.clone();
    let mut problem = cells[0].problem.clone();
    let value = |problem: &ProblemLabel, solver: &SolverLabel| {
        closed_form_of(problem, solver, &plot.y).filter(|y| y.is_finite())
    };
    let mut line: Vec<(f64, f64)> = Vec::new();
    let same_solver = cells.iter().all(|r| r.solver == solver);
    if same_solver || knob.part == Part::Solver {
        for (x, json) in abscissae(plot, cells) {
            let varied = match knob.part {
                Part::Solver => &mut solver.parameters,
                Part::Problem | Part::Scheme => &mut problem.parameters,
            };
            varied.insert(knob.key.to_owned(), json);
            line.extend(value(&problem, &solver).map(|y| (x, y)));
        }
    } else {
        let own = cells.iter().filter_map(|r| {
            let x = knob.number(r).filter(|x| !plot.log_x || *x > 0.0)?;
            Some((x, value(&r.problem, &r.solver)?))
        });
        line.extend(own);
        line.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    line
}

/// Values of the parameter between the smallest and the largest of the cells: whole numbers where theirs are.
fn abscissae(plot: &Parameter, cells: &[&CellRecord]) -> Vec<(f64, Value)> {
    let knob = Knob::parse(&plot.x);
    let own = cells.iter().filter_map(|r| knob.number(r));
    let values: Vec<f64> = own.filter(|x| !plot.log_x || *x > 0.0).collect();
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let integer = |r: &&CellRecord| {
        let value = knob.value(r);
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

fn legend(
    bundle: &Bundle,
    plot: &Parameter,
    (names, panels): (&[String], &[String]),
    styles: &Styles,
) -> Vec<Entry> {
    let knobs = [Knob::parse(&plot.x)];
    let entries = names.iter().filter_map(|label| {
        let cells = bundle.records.iter().filter(|r| {
            grouping::series(r, &knobs) == *label
                && panels.contains(&grouping::panel(r, &knobs))
                && plot.shows(r)
                && knobs[0].number(r).is_some()
        });
        let values: Vec<bool> = cells.map(|r| value(r, plot).is_some()).collect();
        let without = values.iter().filter(|has| !**has).count();
        if values.is_empty() {
            return None;
        }
        let mut text = words(label);
        if without > 0 {
            text += &format!(" ({without} of {} without a value)", values.len());
        }
        Some(Entry {
            style: styles.style(label),
            text,
            line: bundle.is_over_time(),
        })
    });
    entries.collect()
}
