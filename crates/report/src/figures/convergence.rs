//! A residual against work: one line per solver, one panel per problem.

use delassus_core::Status;

use crate::analysis::work_at;
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::record::{CellRecord, Outcome};
use crate::view::{Convergence, FigureSpec, Work, named};

use super::chart::{Axis, Chart, Curve, End, Entry, Form, Note, Panel, Symbol};
use super::grouping;
use super::quantities::{name_of, quantity, words, work, work_name};
use super::styles::{Member, Styles};

/// Panels that a figure can hold.
pub(crate) const MOST_PANELS: usize = 12;
/// A residual may grow this much above its start before the line leaves the frame.
const GROWTH: f64 = 1e3;

/// Builds the chart.
pub(crate) fn chart(
    bundle: &Bundle,
    spec: &FigureSpec,
    plot: &Convergence,
    styles: &Styles,
) -> Chart {
    let (problems, left_out) = shown_problems(bundle, &plot.problems);
    let solvers = grouping::names(members(bundle, plot));
    let (unit, factor) = time_unit(bundle, plot, &problems);
    let mut dropped_start = false;
    let mut panels = Vec::new();
    for name in &problems {
        let mut panel = Panel {
            title: words(name),
            guides: if is_criterion(bundle, &plot.y) {
                vec![bundle.tolerance]
            } else {
                Vec::new()
            },
            ..Panel::default()
        };
        for label in &solvers {
            let Some(record) = bundle.cell(name, label) else {
                continue;
            };
            let (points, dropped) = points(record, plot, factor);
            dropped_start |= dropped;
            if points.is_empty() {
                continue;
            }
            let solved = record.outcome.status == Status::Solved;
            let look = styles.look(label);
            panel.curves.push(Curve {
                name: format!("{label}: {}", record.ending()),
                style: look.style,
                position: look.position,
                points,
                form: Form::Line,
                end: if solved { End::Filled } else { End::Hollow },
            });
        }
        panel.empty = why_empty(bundle, name, &solvers, &plot.y);
        panels.push(panel);
    }
    if panels.is_empty() {
        panels.push(Panel {
            empty: "no finished cell matches this figure".to_owned(),
            ..Panel::default()
        });
    }
    let label = match unit {
        Some(unit) => format!("time [{unit}]"),
        None => work(plot.x).to_owned(),
    };
    let mut x = Axis::new(label, plot.log_x);
    x.share = if plot.log_x { 2.5 } else { 5.0 };
    // a linear axis of work starts at none
    x.include = vec![0.0];
    let mut y = Axis::new(quantity(&plot.y), true);
    y.cap = growth_cap(&panels);
    let mut chart = Chart {
        id: spec.id.clone(),
        title: format!("{} against {}", quantity(&plot.y), work_name(plot.x)),
        description: describe(&panels, &solvers),
        x,
        y,
        legend: legend(bundle, &problems, &solvers, "not solved", styles),
        notes: Vec::new(),
        panels,
        points: super::POINTS,
    };
    chart.notes = notes(&chart, bundle, dropped_start && plot.log_x, left_out);
    chart
}

/// Names of the panels, and how many more there would be.
pub(super) fn shown_problems(bundle: &Bundle, wanted: &[String]) -> (Vec<String>, usize) {
    let all = bundle.problems();
    let mut names: Vec<String> = Vec::new();
    for wanted in wanted {
        let before = names.len();
        let family = std::slice::from_ref(wanted);
        let fitting = all.iter().filter(|name| named(name, family));
        names.extend(fitting.map(|name| (*name).to_owned()));
        // nothing of it has run yet: the panel says so
        if names.len() == before {
            names.push(wanted.clone());
        }
    }
    if wanted.is_empty() {
        names = all.into_iter().map(str::to_owned).collect();
    }
    let left_out = names.len().saturating_sub(MOST_PANELS);
    names.truncate(MOST_PANELS);
    (names, left_out)
}

/// Solvers of the figure.
pub(super) fn members(bundle: &Bundle, plot: &Convergence) -> Vec<Member> {
    grouping::methods(bundle, |record| {
        let label = record.method();
        plot.solvers.is_empty() || plot.solvers.iter().any(|wanted| wanted == label)
    })
}

/// Samples of one cell; true if the start has no place on a logarithmic axis.
fn points(record: &CellRecord, plot: &Convergence, factor: f64) -> (Vec<(f64, f64)>, bool) {
    let outcome = &record.outcome;
    let Some(column) = outcome.column(&plot.y) else {
        return (Vec::new(), false);
    };
    let mut dropped = false;
    let mut points = Vec::with_capacity(outcome.samples.len());
    for sample in &outcome.samples {
        let value = sample.values.get(column).copied().flatten();
        let (Some(y), Some(x)) = (value, work_at(outcome, sample, plot.x)) else {
            continue;
        };
        if !y.is_finite() {
            continue;
        }
        if plot.log_x && x <= 0.0 {
            dropped = true;
            continue;
        }
        points.push((x * factor, y));
    }
    (points, dropped)
}

/// Unit of a time axis that gives numbers without many zeros: for the longest solve on a linear axis, for the
/// shortest time on a logarithmic one.
fn time_unit(
    bundle: &Bundle,
    plot: &Convergence,
    problems: &[String],
) -> (Option<&'static str>, f64) {
    if plot.x != Work::Seconds {
        return (None, 1.0);
    }
    let cells = bundle.records.iter();
    let shown = cells.filter(|r| problems.contains(&r.problem.name));
    let typical = if plot.log_x {
        let first = |o: &Outcome| o.samples.first().and_then(|s| o.seconds_at(s));
        let times = shown.filter_map(|r| first(&r.outcome));
        times.filter(|t| *t > 0.0).min_by(f64::total_cmp)
    } else {
        shown
            .filter_map(|r| r.outcome.seconds())
            .max_by(f64::total_cmp)
    };
    match typical {
        Some(seconds) if seconds > 0.0 && seconds < 1e-3 => (Some("µs"), 1e6),
        Some(seconds) if seconds > 0.0 && seconds < 1.0 => (Some("ms"), 1e3),
        _ => (Some("s"), 1.0),
    }
}

/// The tolerance is drawn where the metric is one of those that must reach it.
fn is_criterion(bundle: &Bundle, metric: &str) -> bool {
    bundle.tolerance > 0.0 && bundle.criteria.iter().any(|c| c == metric)
}

/// Diverging curves leave the frame at the top instead of flattening everything else.
fn growth_cap(panels: &[Panel]) -> Option<f64> {
    let curves = panels.iter().flat_map(|p| &p.curves);
    let starts = curves.filter_map(|c| c.points.first()).map(|p| p.1);
    let highest = starts.filter(|y| *y > 0.0).max_by(f64::total_cmp)?;
    Some(highest * GROWTH)
}

pub(super) fn why_empty(
    bundle: &Bundle,
    problem: &str,
    solvers: &[String],
    metric: &str,
) -> String {
    let cells = solvers.iter().filter_map(|s| bundle.cell(problem, s));
    let mut finished = 0;
    for cell in cells {
        finished += 1;
        let message = cell.outcome.message.as_ref();
        if let Some(message) = message.filter(|_| cell.outcome.samples.is_empty()) {
            return format!("no samples. {}: {message}", cell.method());
        }
    }
    if finished == 0 {
        "no finished cell".to_owned()
    } else {
        format!("{} was not measured here", name_of(metric))
    }
}

/// One entry per solver, with the number of its problems that it did not solve, in the words of `open_means`, or refused.
pub(super) fn legend(
    bundle: &Bundle,
    problems: &[String],
    solvers: &[String],
    open_means: &str,
    styles: &Styles,
) -> Vec<Entry> {
    let entries = solvers.iter().filter_map(|label| {
        let cells = problems.iter().filter_map(|p| bundle.cell(p, label));
        let statuses: Vec<Status> = cells.map(|c| c.outcome.status).collect();
        if statuses.is_empty() {
            return None;
        }
        let refused = count(&statuses, |s| s == Status::Unsupported);
        let open = count(&statuses, |s| s != Status::Solved) - refused;
        let mut text = words(label);
        let all = statuses.len();
        text += &match (open, refused) {
            (0, 0) => String::new(),
            (open, 0) => format!(" ({open} of {all} {open_means})"),
            (0, refused) => format!(" ({refused} of {all} not supported)"),
            _ => format!(" (of {all}: {open} {open_means}, {refused} not supported)"),
        };
        Some(Entry {
            style: styles.style(label),
            text,
            line: true,
        })
    });
    entries.collect()
}

fn count(statuses: &[Status], matches: impl Fn(Status) -> bool) -> usize {
    statuses.iter().filter(|s| matches(**s)).count()
}

fn notes(chart: &Chart, bundle: &Bundle, dropped: bool, left_out: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |symbol, text: String| notes.push(Note { symbol, text });
    let curves = || chart.panels.iter().flat_map(|p| &p.curves);
    if chart.panels.iter().any(|p| !p.guides.is_empty()) && curves().next().is_some() {
        note(
            Symbol::Guide,
            format!("tolerance {}", power(bundle.tolerance)),
        );
    }
    if curves().any(|c| c.end == End::Hollow) {
        note(Symbol::Hollow, "hollow end: not solved".to_owned());
    }
    let top = chart.y.cap.unwrap_or(f64::INFINITY);
    if curves().any(|c| c.points.iter().any(|p| p.1 > top)) {
        note(
            Symbol::None,
            "lines that leave at the top diverge".to_owned(),
        );
    }
    if dropped {
        note(
            Symbol::None,
            "the start at 0 is not on a logarithmic axis".to_owned(),
        );
    }
    if left_out > 0 {
        note(Symbol::None, crate::numbers::more(left_out, "problem"));
    }
    notes
}

pub(super) fn describe(panels: &[Panel], solvers: &[String]) -> String {
    let names: Vec<&str> = solvers.iter().map(String::as_str).collect();
    let titles: Vec<&str> = panels.iter().map(|p| p.title.as_str()).collect();
    format!(
        "Line chart. Lines: {}. Panels: {}.",
        names.join(", "),
        titles.join(", ")
    )
}
