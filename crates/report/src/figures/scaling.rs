//! What a sweep or a step costs against the size of the problem, with marks where the caches end.

use std::collections::BTreeMap;

use delassus_core::Status;

use crate::analysis::{cost, count};
use crate::bundle::Bundle;
use crate::label::without;
use crate::record::CellRecord;
use crate::view::{Cost, FigureSpec, Knob, Scaling};

use super::chart::{Axis, Chart, Curve, End, Entry, Form, Note, Panel, Symbol};
use super::convergence::MOST_PANELS;
use super::grouping;
use super::quantities::{self, words};
use super::style::plain;
use super::styles::{Member, Styles};

/// Caches that are marked, with the half height of a stroke through a curve, as a factor \[-\].
const CACHES: [(&str, f64); 2] = [("L2", 1.12), ("L3", 1.3)];

/// Series of the figure.
pub(super) fn members(bundle: &Bundle, plot: &Scaling) -> Vec<Member> {
    grouping::members(bundle, &[Knob::parse(&plot.along)], |r| shows(r, plot))
}

/// Builds the chart.
pub(crate) fn chart(bundle: &Bundle, spec: &FigureSpec, plot: &Scaling, styles: &Styles) -> Chart {
    let knob = Knob::parse(&plot.along);
    let names = grouping::names(members(bundle, plot));
    let mut titles: Vec<String> = Vec::new();
    for record in bundle.records.iter().filter(|r| shows(r, plot)) {
        let title = family(record, &knob);
        if !titles.contains(&title) {
            titles.push(title);
        }
    }
    let left_out = titles.len().saturating_sub(MOST_PANELS);
    titles.truncate(MOST_PANELS);
    let mut panels: Vec<Panel> = titles
        .iter()
        .map(|title| panel(bundle, plot, &names, title, styles))
        .collect();
    if panels.is_empty() {
        panels.push(Panel {
            empty: "no finished cell matches this figure".to_owned(),
            ..Panel::default()
        });
    }
    if panels.len() == 1 {
        panels[0].title.clear();
    }
    let over_time = bundle.is_over_time();
    let [across, up] = [plot.x, plot.y].map(|what| quantities::cost(what, over_time));
    let mut x = Axis::new(across.clone(), true);
    x.share = 2.5;
    let mut y = Axis::new(up.clone(), true);
    y.share = 4.0;
    Chart {
        id: spec.id.clone(),
        title: format!("{up} against {across}"),
        description: format!("One mark per cell. Series: {}.", names.join(", ")),
        x,
        y,
        legend: legend(bundle, plot, &names, styles),
        notes: notes(bundle, plot, &panels, left_out),
        panels,
        points: super::POINTS,
    }
}

/// True if the figure shows this cell: what a machine cannot run, a vector level that it lacks, has no line.
fn shows(record: &CellRecord, plot: &Scaling) -> bool {
    record.outcome.status != Status::Unsupported && plot.selection().shows(record)
}

/// True if the figure would show this cell, were it not refused.
fn is_refused(record: &CellRecord, plot: &Scaling) -> bool {
    record.outcome.status == Status::Unsupported && plot.selection().shows(record)
}

/// The problem of a cell without its size: the panel.
fn family(record: &CellRecord, knob: &Knob<'_>) -> String {
    match record.scheme {
        Some(_) => grouping::panel(record, &[*knob]),
        None => without(&record.problem.name, &record.problem.parameters, knob.key),
    }
}

fn panel(bundle: &Bundle, plot: &Scaling, names: &[String], title: &str, styles: &Styles) -> Panel {
    let knob = Knob::parse(&plot.along);
    let mut groups: BTreeMap<usize, Vec<&CellRecord>> = BTreeMap::new();
    let shown = |r: &&CellRecord| shows(r, plot) && family(r, &knob) == title;
    for record in bundle.records.iter().filter(shown) {
        let name = grouping::series(record, &[knob]);
        if let Some(position) = names.iter().position(|n| *n == name) {
            groups.entry(position).or_default().push(record);
        }
    }
    let mut curves = Vec::new();
    let mut strokes = Vec::new();
    for (position, cells) in groups {
        let mut marks: Vec<Mark> = cells.iter().filter_map(|r| mark(r, plot)).collect();
        marks.sort_by(|a, b| a.x.total_cmp(&b.x));
        let look = styles.look(&names[position]);
        let curve = |points, form| Curve {
            name: names[position].clone(),
            style: look.style,
            position: look.position,
            points,
            form,
            end: End::None,
        };
        if plot.x != Cost::WorkingSet {
            let ends = CACHES.iter().filter_map(|(cache, height)| {
                let (x, y) = passes(&marks, count(bundle.cache(cache)?))?;
                Some(vec![(x, y / height), (x, y * height)])
            });
            strokes.extend(ends.map(|points| curve(points, Form::Stroke)));
        }
        let points: Vec<(f64, f64)> = marks.iter().map(|m| (m.x, m.y)).collect();
        if !points.is_empty() {
            curves.push(curve(points, Form::Joined));
        }
    }
    let mut all = guides(bundle, plot, &curves);
    all.extend(curves);
    all.extend(strokes);
    Panel {
        title: words(title),
        curves: all,
        empty: format!("no cell has a value of {} and {}", plot.x.id(), plot.y.id()),
        ..Panel::default()
    }
}

/// One cell in the figure.
#[derive(Debug, Clone, Copy)]
struct Mark {
    x: f64,
    y: f64,
    working_set: Option<f64>,
}

fn mark(record: &CellRecord, plot: &Scaling) -> Option<Mark> {
    Some(Mark {
        x: cost(record, plot.x)?,
        y: cost(record, plot.y)?,
        working_set: cost(record, Cost::WorkingSet),
    })
}

/// Where the working set of a series passes `bytes`: between two cells, on the straight line of the figure.
fn passes(marks: &[Mark], bytes: f64) -> Option<(f64, f64)> {
    marks.windows(2).find_map(|pair| {
        let (low, high) = (pair[0].working_set?, pair[1].working_set?);
        if !(low <= bytes && bytes < high) {
            return None;
        }
        let t = libm::log(bytes / low) / libm::log(high / low);
        let between = |a: f64, b: f64| libm::exp((1.0 - t) * libm::log(a) + t * libm::log(b));
        Some((between(pair[0].x, pair[1].x), between(pair[0].y, pair[1].y)))
    })
}

/// Vertical lines at the sizes of the caches, over the height of the curves, where the axis is the working set.
fn guides(bundle: &Bundle, plot: &Scaling, curves: &[Curve]) -> Vec<Curve> {
    if plot.x != Cost::WorkingSet {
        return Vec::new();
    }
    let points = || curves.iter().flat_map(|c| &c.points).copied();
    let extent = |of: fn(&(f64, f64)) -> f64| {
        let values = || points().map(|point| of(&point));
        (values().reduce(f64::min), values().reduce(f64::max))
    };
    let (Some(left), Some(right)) = extent(|p| p.0) else {
        return Vec::new();
    };
    let (Some(low), Some(high)) = extent(|p| p.1) else {
        return Vec::new();
    };
    let lines = CACHES.iter().filter_map(|(name, _)| {
        let x = count(bundle.cache(name)?);
        (left <= x && x <= right).then(|| Curve {
            name: format!("end of {name}"),
            style: plain(),
            position: 0,
            points: vec![(x, low), (x, high)],
            form: Form::Stroke,
            end: End::None,
        })
    });
    lines.collect()
}

fn legend(bundle: &Bundle, plot: &Scaling, names: &[String], styles: &Styles) -> Vec<Entry> {
    let knob = Knob::parse(&plot.along);
    let entries = names.iter().filter_map(|label| {
        let own = |r: &&CellRecord| shows(r, plot) && grouping::series(r, &[knob]) == *label;
        let values = || bundle.records.iter().filter(own);
        let without = values().filter(|r| mark(r, plot).is_none()).count();
        let total = values().count();
        let refused = bundle
            .records
            .iter()
            .filter(|r| is_refused(r, plot) && grouping::series(r, &[knob]) == *label);
        let mut text = words(label);
        if without > 0 {
            text += &format!(" ({without} of {total} without a value)");
        }
        match refused.count() {
            0 => {}
            refused => text += &format!(" ({refused} of {} not supported)", total + refused),
        }
        (total > 0).then(|| Entry {
            style: styles.style(label),
            text,
            line: true,
        })
    });
    entries.collect()
}

/// What strokes and lines mean, with the sizes of the caches of the machine.
fn notes(bundle: &Bundle, plot: &Scaling, panels: &[Panel], left_out: usize) -> Vec<Note> {
    let known = CACHES.iter().filter_map(|(name, _)| {
        let size = bundle.cache(name)?;
        Some(format!("{name} of {}", bytes(size)))
    });
    let known: Vec<String> = known.collect();
    let mut notes = Vec::new();
    let mut curves = panels.iter().flat_map(|panel| &panel.curves);
    if !known.is_empty() && curves.any(|curve| curve.form == Form::Stroke) {
        let text = match (plot.x, known.as_slice()) {
            (Cost::WorkingSet, known) => format!("vertical lines: {}", known.join(", ")),
            (_, [second, third]) => {
                format!("strokes: the working set passes {second} (short), {third} (long)")
            }
            (_, known) => format!("strokes: the working set passes {}", known.join(", ")),
        };
        notes.push(Note {
            symbol: Symbol::Line,
            text,
        });
    }
    if left_out > 0 {
        notes.push(Note {
            symbol: Symbol::None,
            text: crate::numbers::more(left_out, "panel"),
        });
    }
    notes
}

/// A size as people say it: caches are powers of two, or nearly.
fn bytes(size: u64) -> String {
    if size >= 1 << 20 {
        format!("{} MiB", size >> 20)
    } else {
        format!("{} KiB", size >> 10)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cache_is_passed_on_the_line_between_two_cells() {
        let mark = |x: f64, y: f64, bytes: Option<f64>| Mark {
            x,
            y,
            working_set: bytes,
        };
        let marks = [
            mark(1.0, 10.0, Some(100.0)),
            mark(100.0, 1000.0, Some(10_000.0)),
        ];
        let (x, y) = passes(&marks, 1000.0).expect("a crossing");
        // rounding of two logarithms and an exponential
        assert!(
            (x - 10.0).abs() < 1e-12 && (y - 100.0).abs() < 1e-11,
            "{x} {y}"
        );
        assert_eq!(passes(&marks, 99.0), None);
        assert_eq!(passes(&marks, 10_000.0), None);
        let unknown = [marks[0], mark(2.0, 2.0, None)];
        assert_eq!(passes(&unknown, 1000.0), None);
    }

    /// Three sizes of one problem with one solver, 10 ns per row in the smallest and twice as much in each of the others.
    fn run() -> Bundle {
        let records = [1_usize, 30, 900].map(|size| {
            let name = format!("wall base={size}");
            let mut record = crate::testing::cell(&name, "pgs", Status::Solved, 2, |_| None);
            record.problem.parameters =
                serde_json::Map::from_iter([("base".to_owned(), size.into())]);
            record.facts.rows = 1000 * size;
            let seconds = 1e-5 * count(size as u64) * if size > 1 { 2.0 } else { 1.0 };
            record.outcome.iterate_seconds = vec![2.0 * seconds];
            record.outcome.timing = Some(crate::record::Timing {
                short_sweeps: 1,
                short_seconds: vec![seconds],
                read_bytes: Some(100_000 * size as u64),
                written_bytes: Some(0),
                gathered_bytes: Some(0),
                working_set: Some(100_000 * size as u64),
            });
            record
        });
        let mut bundle = crate::testing::bundle(records.to_vec());
        bundle.manifest["caches"] = serde_json::json!({ "L2": 1 << 20, "L3": 32 << 20 });
        bundle
    }

    fn figure(x: Cost) -> (FigureSpec, Scaling) {
        let plot = Scaling {
            x,
            y: Cost::NsPerRow,
            along: "base".to_owned(),
            problems: Vec::new(),
            schemes: Vec::new(),
            solvers: Vec::new(),
        };
        let spec = FigureSpec {
            id: "s".to_owned(),
            caption: String::new(),
            plot: crate::view::Plot::Scaling(plot.clone()),
        };
        (spec, plot)
    }

    #[test]
    fn caches_are_strokes_on_curves_or_lines_on_the_axis_of_the_working_set() {
        let bundle = run();
        let (spec, plot) = figure(Cost::Rows);
        let drawn = chart(&bundle, &spec, &plot, &Styles::of(&bundle, &spec));
        assert_eq!((drawn.panels.len(), drawn.legend.len()), (1, 1));
        let plain = |chart: &Chart| -> Vec<f64> {
            let curves = chart.panels[0].curves.iter();
            let plain = curves.filter(|c| c.form == Form::Stroke);
            plain.map(|c| c.points[0].0).collect()
        };
        // 100 bytes per row
        let rows = plain(&drawn);
        assert_eq!(rows.len(), 2);
        for (at, cache) in rows.iter().zip([1_u64 << 20, 32 << 20]) {
            let expected = count(cache) / 100.0;
            // rounding of two logarithms and an exponential
            assert!((at - expected).abs() < 1e-12 * expected, "{at} {expected}");
        }
        let note = "strokes: the working set passes L2 of 1 MiB (short), L3 of 32 MiB (long)";
        assert!(drawn.notes.iter().any(|n| n.text == note));
        let (spec, plot) = figure(Cost::WorkingSet);
        let drawn = chart(&bundle, &spec, &plot, &Styles::of(&bundle, &spec));
        assert_eq!(plain(&drawn), [count(1 << 20), count(32 << 20)]);
        let svg = super::super::draw(&bundle, &spec).expect("a figure");
        assert!(svg.contains("end of L2") && svg.contains("end of L3"));
        // a machine that does not say has no marks
        let mut silent = bundle;
        silent.manifest["caches"] = serde_json::json!({});
        let drawn = chart(&silent, &spec, &plot, &Styles::of(&silent, &spec));
        assert!(plain(&drawn).is_empty() && drawn.notes.is_empty());
    }

    #[test]
    fn what_a_device_refuses_is_counted_in_the_legend() {
        let mut bundle = run();
        bundle.records[2].outcome.status = Status::Unsupported;
        let (spec, plot) = figure(Cost::Rows);
        let drawn = chart(&bundle, &spec, &plot, &Styles::of(&bundle, &spec));
        assert_eq!(drawn.legend[0].text, "pgs (1 of 3 not supported)");
        // 3 MB are the largest that is left: no line passes the third cache, one passes the second
        let strokes = drawn.panels[0].curves.iter();
        assert_eq!(strokes.filter(|c| c.form == Form::Stroke).count(), 1);
        bundle.records[1].outcome.status = Status::Unsupported;
        let drawn = chart(&bundle, &spec, &plot, &Styles::of(&bundle, &spec));
        assert!(
            drawn.notes.is_empty(),
            "no stroke, no note: {:?}",
            drawn.notes
        );
    }

    #[test]
    fn sizes_of_caches_are_short() {
        assert_eq!(
            [49_152, 1 << 20, 32 << 20].map(bytes),
            ["48 KiB", "1 MiB", "32 MiB"]
        );
    }
}
