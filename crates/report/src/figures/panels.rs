//! Panels, legends and notes that several kinds of figures share.

use delassus_core::Status;

use crate::bundle::{Bundle, distinct};
use crate::record::CellRecord;
use crate::view::named;

use super::chart::{Axis, ChartCurve, CurveEnd, CurveForm, LegendEntry, Note, Panel};
use super::styles::Styles;
use crate::quantities::{name_of, words};

/// Panels that a figure can hold.
pub(crate) const MOST_PANELS: usize = 12;

/// Titles of the panels, and how many more there would be.
pub(crate) fn first(titles: impl IntoIterator<Item = String>) -> (Vec<String>, usize) {
    let mut found = distinct(titles);
    let left_out = found.len().saturating_sub(MOST_PANELS);
    found.truncate(MOST_PANELS);
    (found, left_out)
}

/// The problems or scenes that are asked for, in that order; all if nothing is.
pub(crate) fn chosen(bundle: &Bundle, wanted: &[String]) -> Vec<String> {
    let all = bundle.problems();
    if wanted.is_empty() {
        return all.into_iter().map(str::to_owned).collect();
    }
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
    names
}

/// The panels, or one that says why there are none.
pub(crate) fn or_reason(panels: Vec<Panel>, reason: impl Into<String>) -> Vec<Panel> {
    if panels.is_empty() {
        vec![Panel::empty(reason)]
    } else {
        panels
    }
}

/// The same where a panel that stands alone needs no heading.
pub(crate) fn alone(panels: Vec<Panel>, reason: impl Into<String>) -> Vec<Panel> {
    let mut panels = or_reason(panels, reason);
    if let [only] = panels.as_mut_slice() {
        only.title.clear();
    }
    panels
}

/// One panel per title, as [`alone`] has them.
pub(crate) fn of_titles(titles: &[String], panel: impl FnMut(&String) -> Panel) -> Vec<Panel> {
    alone(titles.iter().map(panel).collect(), NO_CELL)
}

/// A horizontal axis that panels share if their ranges are alike.
pub(crate) fn x_axis(label: impl Into<String>, log: bool) -> Axis {
    Axis {
        share: if log { 2.5 } else { 5.0 },
        ..Axis::new(label, log)
    }
}

/// A vertical axis that panels share if their ranges are alike; values below `floor` are drawn
/// there.
pub(crate) fn y_axis(label: impl Into<String>, log: bool, floor: Option<f64>) -> Axis {
    Axis {
        share: if log { 4.0 } else { 3.0 },
        floor,
        ..Axis::new(label, log)
    }
}

/// Said where no cell is shown.
pub(crate) const NO_CELL: &str = "no finished cell matches this figure";

/// The note on panels that did not fit; none if all did.
pub(crate) fn left_out(number: usize, noun: &str) -> Option<Note> {
    (number > 0).then(|| Note::plain(crate::numbers::more(number, noun)))
}

/// Lines and panels by name, for the alternative text.
pub(crate) fn describe(panels: &[Panel], lines: &[String]) -> String {
    let titles: Vec<&str> = panels.iter().map(|p| p.title.as_str()).collect();
    format!(
        "Line chart. Lines: {}. Panels: {}.",
        lines.join(", "),
        titles.join(", ")
    )
}

/// How a curve ends that has reached its goal, or has not.
pub(crate) fn end(is_reached: bool) -> CurveEnd {
    match is_reached {
        true => CurveEnd::Filled,
        false => CurveEnd::Hollow,
    }
}

/// A curve of a series, in its look and under its name.
pub(crate) fn curve(
    styles: &Styles,
    series: &str,
    points: Vec<(f64, f64)>,
    form: CurveForm,
) -> ChartCurve {
    let look = styles.look(series);
    ChartCurve {
        name: series.to_owned(),
        style: look.style,
        position: look.position,
        points,
        form,
        end: CurveEnd::None,
    }
}

/// Why a panel of samples has no line.
pub(crate) fn why_empty(
    bundle: &Bundle,
    problem: &str,
    methods: &[String],
    metric: &str,
) -> String {
    let cells = methods.iter().filter_map(|s| bundle.cell(problem, s));
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

/// One entry per method, with the number of its problems that it did not solve, in the words of
/// `open_means`, or that it does not support.
pub(crate) fn by_status(
    bundle: &Bundle,
    problems: &[String],
    methods: &[String],
    open_means: &str,
    styles: &Styles,
) -> Vec<LegendEntry> {
    let entries = methods.iter().filter_map(|label| {
        let cells = problems.iter().filter_map(|p| bundle.cell(p, label));
        let statuses: Vec<Status> = cells.map(|c| c.outcome.status).collect();
        if statuses.is_empty() {
            return None;
        }
        let unsupported = count(&statuses, |s| s == Status::Unsupported);
        let open = count(&statuses, |s| s != Status::Solved) - unsupported;
        let mut text = words(label);
        let all = statuses.len();
        text += &match (open, unsupported) {
            (0, 0) => String::new(),
            (open, 0) => format!(" ({open} of {all} {open_means})"),
            (0, unsupported) => format!(" ({unsupported} of {all} unsupported)"),
            _ => format!(" (of {all}: {open} {open_means}, {unsupported} unsupported)"),
        };
        Some(styles.entry(label, text))
    });
    entries.collect()
}

fn count(statuses: &[Status], matches: impl Fn(Status) -> bool) -> usize {
    statuses.iter().filter(|s| matches(**s)).count()
}

/// One entry per series that has cells, with the number of its cells that have no value.
///
/// `is_own` says whether a cell belongs to a series, `has` whether it has a value.
pub(crate) fn by_value(
    bundle: &Bundle,
    names: &[String],
    styles: &Styles,
    is_own: impl Fn(&CellRecord, &str) -> bool,
    has: impl Fn(&CellRecord) -> bool,
) -> Vec<LegendEntry> {
    let entries = names.iter().filter_map(|series| {
        let own = bundle.records.iter().filter(|r| is_own(r, series));
        let values: Vec<bool> = own.map(&has).collect();
        let without = values.iter().filter(|has| !**has).count();
        let mut text = words(series);
        if without > 0 {
            text += &format!(" ({without} of {} without a value)", values.len());
        }
        (!values.is_empty()).then(|| styles.entry(series, text))
    });
    entries.collect()
}
