//! An observable against time: one line per method, one panel per scene, closed forms as thin lines.

use delassus_core::Status;

use crate::analysis::motion::{Reference, references};
use crate::bundle::Bundle;
use crate::record::CellRecord;
use crate::view::{FigureSpec, Trajectory};

use super::canvas::clean;
use super::chart::{Axis, Chart, Curve, End, Entry, Form, Note, Panel, Symbol};
use super::convergence::{describe, legend, shown_problems, why_empty};
use super::grouping;
use super::quantities::{name_of, quantity, words};
use super::style::{SeriesStyle, plain};
use super::styles::{Look, Member, Styles};

/// Characters that the names of several observables may take beside an axis.
const LONG_NAME: usize = 80;
/// Points of a closed form.
const LINE_POINTS: u32 = 400;
/// A run that ends early may grow this much above the others before it leaves the frame.
const GROWTH: f64 = 10.0;

/// Builds the chart.
pub(crate) fn chart(
    bundle: &Bundle,
    spec: &FigureSpec,
    plot: &Trajectory,
    styles: &Styles,
) -> Chart {
    let (scenes, left_out) = shown_problems(bundle, &plot.scenes);
    let shows = |record: &CellRecord| plot.selection().shows(record);
    let methods = grouping::names(grouping::methods(bundle, shows));
    let mut panels: Vec<Panel> = scenes
        .iter()
        .map(|scene| panel(bundle, plot, scene, &methods, styles))
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
    let mut x = Axis::new("time [s]", plot.log_x);
    x.include = vec![0.0];
    let name = axis_name(plot);
    let label = if plot.absolute {
        format!("magnitude of {name}")
    } else {
        name.clone()
    };
    let mut y = Axis::new(label, plot.log_y);
    y.share = if plot.log_y { 4.0 } else { 3.0 };
    y.cap = calm_cap(&panels);
    y.floor = plot.floor;
    let mut chart = Chart {
        id: spec.id.clone(),
        title: format!("{name} against time"),
        description: describe(&panels, &methods),
        x,
        y,
        legend: entries(bundle, plot, (&scenes, &methods), styles),
        notes: Vec::new(),
        panels,
        points: super::POINTS,
    };
    chart.notes = notes(&chart, left_out);
    chart
}

/// Name and unit of the observable, or the unit of several.
fn axis_name(plot: &Trajectory) -> String {
    let names: Vec<String> = plot.y.iter().map(|y| quantity(y)).collect();
    match names.as_slice() {
        [only] => only.clone(),
        [first, ..] => {
            let unit = first.rsplit_once(" [").map_or("-]", |(_, unit)| unit);
            let names: Vec<String> = plot.y.iter().map(|y| name_of(y)).collect();
            let names = names.join("; ");
            // the legend names them as well
            match names.chars().nth(LONG_NAME) {
                None => format!("{names} [{unit}"),
                Some(_) => format!("{} quantities, see above [{unit}", plot.y.len()),
            }
        }
        [] => String::new(),
    }
}

/// Methods, each split into its observables where there are several, with the names of the series.
fn split(plot: &Trajectory, methods: &[String]) -> Vec<(String, String, String)> {
    let pairs = methods.iter().flat_map(|method| {
        let several = plot.y.iter();
        several.map(move |y| (series_name(plot, method, y), method.clone(), y.clone()))
    });
    pairs.collect()
}

/// Name of a line: the method, with the observable where there are several.
fn series_name(plot: &Trajectory, method: &str, y: &str) -> String {
    if plot.y.len() == 1 {
        method.to_owned()
    } else {
        format!("{method}: {y}")
    }
}

/// Series of the figure.
pub(super) fn members(bundle: &Bundle, plot: &Trajectory) -> Vec<Member> {
    let methods = grouping::methods(bundle, |record| plot.selection().shows(record));
    let lines = methods.iter().flat_map(|method| {
        plot.y.iter().map(|y| Member {
            name: series_name(plot, &method.name, y),
            family: method.family.clone(),
        })
    });
    lines.collect()
}

/// One entry per line.
fn entries(
    bundle: &Bundle,
    plot: &Trajectory,
    (scenes, methods): (&[String], &[String]),
    styles: &Styles,
) -> Vec<Entry> {
    let plain = legend(bundle, scenes, methods, "not run to the end", styles);
    if plot.y.len() == 1 {
        return plain;
    }
    // every method has run, or it would not be among them
    let texts = plain.into_iter().map(|entry| entry.text);
    let texts: Vec<String> = texts.collect();
    let lines = split(plot, methods).into_iter().enumerate();
    let entries = lines.map(|(i, (line, _, y))| {
        let name = quantity(&y);
        let name = name
            .rsplit_once(" [")
            .map_or(name.as_str(), |(name, _)| name);
        Entry {
            style: styles.style(&line),
            text: match (methods.len(), texts.get(i / plot.y.len())) {
                (1, _) | (_, None) => clean(name),
                (_, Some(method)) => format!("{method}: {}", clean(name)),
            },
            line: true,
        }
    });
    entries.collect()
}

fn panel(
    bundle: &Bundle,
    plot: &Trajectory,
    scene: &str,
    methods: &[String],
    styles: &Styles,
) -> Panel {
    let mut panel = Panel {
        title: words(scene),
        empty: why_empty(
            bundle,
            scene,
            methods,
            plot.y.first().map_or("", String::as_str),
        ),
        ..Panel::default()
    };
    let mut lines: Vec<Curve> = Vec::new();
    let mut drawn: Vec<String> = Vec::new();
    for (line, method, y) in split(plot, methods) {
        let look = styles.look(&line);
        let Some(record) = bundle.cell(scene, &method) else {
            continue;
        };
        for reference in references(record, &y) {
            // what does not depend on the method is drawn once
            let name = format!("{y}: {}", reference.name);
            if !drawn.contains(&name) {
                drawn.push(name);
                lines.push(closed_form(record, plot, (&reference, &y), look));
            }
        }
        let points = points(record, plot, &y);
        if points.is_empty() {
            continue;
        }
        let finished = record.outcome.status == Status::Solved;
        panel.curves.push(Curve {
            name: format!("{method}, {y}: {}", record.ending()),
            style: look.style,
            position: look.position,
            points,
            form: Form::Line,
            end: if finished { End::None } else { End::Hollow },
        });
    }
    lines.append(&mut panel.curves);
    panel.curves = lines;
    panel
}

/// Samples of one cell that the axes can show.
fn points(record: &CellRecord, plot: &Trajectory, y: &str) -> Vec<(f64, f64)> {
    let (times, values) = record.outcome.series(y);
    let values = values.into_iter().map(|y| magnitude(plot, y));
    let points = times.into_iter().zip(values);
    let shown = |(x, y): &(f64, f64)| y.is_finite() && (!plot.log_x || *x > 0.0);
    points.filter(shown).collect()
}

fn magnitude(plot: &Trajectory, y: f64) -> f64 {
    if plot.absolute { y.abs() } else { y }
}

fn closed_form(
    record: &CellRecord,
    plot: &Trajectory,
    (reference, y): (&Reference, &str),
    look: Look,
) -> Curve {
    let end = record.outcome.covered().unwrap_or(0.0);
    let times: Vec<f64> = if reference.discrete {
        record.outcome.series(y).0
    } else {
        let even = |i: u32| end * f64::from(i) / f64::from(LINE_POINTS);
        (0..=LINE_POINTS).map(even).collect()
    };
    let at = |t: f64| (t, magnitude(plot, (reference.at)(t)));
    let shown = |(x, y): &(f64, f64)| y.is_finite() && (!plot.log_x || *x > 0.0);
    let style: SeriesStyle = if reference.of_method {
        look.style
    } else {
        plain()
    };
    Curve {
        name: format!("closed form: {}", reference.name),
        style,
        position: look.position,
        points: times.into_iter().map(at).filter(shown).collect(),
        form: Form::Exact,
        end: End::None,
    }
}

/// Runs that end early because they blow up leave the frame instead of flattening everything else.
fn calm_cap(panels: &[Panel]) -> Option<f64> {
    let peak = |wild: bool| {
        let curves = panels.iter().flat_map(|p| &p.curves);
        let chosen = curves.filter(|c| (c.end == End::Hollow) == wild);
        let sizes = chosen.flat_map(|c| &c.points).map(|p| p.1.abs());
        sizes.max_by(f64::total_cmp).filter(|y| *y > 0.0)
    };
    let calm = peak(false)?;
    (peak(true)? > GROWTH * calm).then_some(GROWTH * calm)
}

fn notes(chart: &Chart, left_out: usize) -> Vec<Note> {
    let mut notes = Vec::new();
    let mut note = |symbol, text: String| notes.push(Note { symbol, text });
    let curves = || chart.panels.iter().flat_map(|p| &p.curves);
    let mut forms: Vec<&str> = Vec::new();
    for name in curves().filter_map(|c| c.name.strip_prefix("closed form: ")) {
        if !forms.contains(&name) {
            forms.push(name);
        }
    }
    match forms.as_slice() {
        [] => {}
        [only] => note(Symbol::Exact, clean(only)),
        [_, _] | [_, _, _] => note(Symbol::Exact, clean(&forms.join("; "))),
        _ => note(Symbol::Exact, "closed forms".to_owned()),
    }
    if curves().any(|c| c.end == End::Hollow) {
        note(Symbol::Hollow, "hollow end: not run to the end".to_owned());
    }
    let top = chart.y.cap.unwrap_or(f64::INFINITY);
    if curves().any(|c| c.points.iter().any(|p| p.1 > top)) {
        let text = "lines that leave at the top grow on";
        note(Symbol::None, text.to_owned());
    }
    if left_out > 0 {
        let text = crate::numbers::more(left_out, "scene");
        note(Symbol::None, text);
    }
    notes
}
