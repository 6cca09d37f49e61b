//! A chart as numbers for the page: its curves can be zoomed and toggled where a script runs.
//!
//! The numbers are those of the still picture, in the same looks and with the same ends of the
//! axes. What a script cannot draw (tiles, shapes, labels, names for numbers, axes that are turned
//! round) has none, and stays a picture.

use plotters::style::RGBColor;
use serde_json::{Value, json};

use crate::text::clean;

use super::chart::{Axis, Chart, ChartCurve, CurveEnd, CurveForm, Panel};
use super::layout::{Placed, lay_out};
use super::panel::thin_on_axis;
use super::size::Width;
use super::style::{Marker, SeriesStyle, pale};

/// Points that all curves of a figure may have together; of more than these a picture alone is
/// shown.
const MOST_POINTS: usize = 40_000;

/// The chart as JSON; `None` where there are no curves, or things that are no curves.
///
/// `most` is the number of points that a line may have.
pub fn numbers(chart: &Chart, width: Width, most: usize) -> Option<String> {
    let curves = || chart.panels.iter().flat_map(|panel| &panel.curves);
    let plain = |axis: &Axis| !axis.inverted && axis.names.is_empty() && !axis.square;
    let beside = |panel: &Panel| {
        !(panel.tiles.is_empty() && panel.shapes.is_empty() && panel.labels.is_empty())
    };
    if curves().next().is_none()
        || curves().any(|curve| name_of(curve.form).is_none())
        || chart.panels.iter().any(beside)
        || !(plain(&chart.x) && plain(&chart.y))
    {
        return None;
    }
    let layout = lay_out(chart, width);
    let mut looks = Vec::new();
    for style in curves()
        .map(|curve| curve.style)
        .chain(chart.legend.iter().map(|entry| entry.style))
    {
        if !looks.contains(&style) {
            looks.push(style);
        }
    }
    let panels = chart.panels.iter().zip(&layout.panels);
    let panels: Vec<Value> = panels
        .map(|(panel, placed)| of_panel(panel, placed, &looks, most))
        .collect();
    let count: usize = panels.iter().map(points_in).sum();
    let legend = chart.legend.iter().map(|entry| {
        json!({ "text": clean(&entry.text), "look": place(&looks, entry.style), "line": entry.line })
    });
    let value = json!({
        "x": of_axis(&chart.x),
        "y": of_axis(&chart.y),
        "looks": looks.iter().map(of_look).collect::<Vec<_>>(),
        "arrow": Marker::Arrow.outline((0, 0), 100),
        "legend": legend.collect::<Vec<_>>(),
        "panels": panels,
    });
    (count <= MOST_POINTS).then(|| value.to_string())
}

fn of_axis(axis: &Axis) -> Value {
    json!({ "label": clean(&axis.label), "log": axis.log, "marks": axis.marks })
}

fn of_look(style: &SeriesStyle) -> Value {
    let dash: Vec<f64> = style
        .dash
        .split_whitespace()
        .filter_map(|length| length.parse::<f64>().ok())
        .map(|length| length / 10.0)
        .collect();
    json!({
        "color": hex(style.color),
        "pale": hex(pale(style.color)),
        "dash": dash,
        "marker": style.marker.outline((0, 0), 100),
    })
}

fn hex(color: RGBColor) -> String {
    format!("#{:02x}{:02x}{:02x}", color.0, color.1, color.2)
}

fn place(looks: &[SeriesStyle], style: SeriesStyle) -> Option<usize> {
    looks.iter().position(|look| *look == style)
}

fn of_panel(panel: &Panel, placed: &Placed, looks: &[SeriesStyle], most: usize) -> Value {
    let Some((x, y)) = &placed.axes else {
        return json!({ "title": clean(&panel.title), "empty": clean(&panel.empty) });
    };
    let curves = panel.curves.iter().map(|curve| {
        let points = match curve.form {
            CurveForm::Line => thin_on_axis(&curve.points, x, most),
            _ => curve.points.clone(),
        };
        of_curve(curve, &points, looks)
    });
    json!({
        "title": clean(&panel.title),
        "x": x.ends(),
        "y": y.ends(),
        "floor": panel.floor,
        "guides": panel.guides,
        "walls": panel.walls,
        "curves": curves.collect::<Vec<_>>(),
    })
}

fn of_curve(curve: &ChartCurve, points: &[(f64, f64)], looks: &[SeriesStyle]) -> Value {
    let end = match curve.end {
        CurveEnd::None => "none",
        CurveEnd::Filled => "filled",
        CurveEnd::Hollow => "hollow",
    };
    let of = |part: fn(&(f64, f64)) -> f64| -> Vec<f64> {
        points.iter().map(|point| short(part(point))).collect()
    };
    json!({
        "name": clean(&curve.name),
        "look": place(looks, curve.style),
        "form": name_of(curve.form),
        "end": end,
        "data": curve.form.is_data(),
        "x": of(|point| point.0),
        "y": of(|point| point.1),
    })
}

/// What the script calls a form; `None` of those that it does not draw.
fn name_of(form: CurveForm) -> Option<&'static str> {
    match form {
        CurveForm::Line => Some("line"),
        CurveForm::Steps => Some("steps"),
        CurveForm::Marks => Some("marks"),
        CurveForm::Joined => Some("joined"),
        CurveForm::Exact => Some("exact"),
        CurveForm::Stroke => Some("stroke"),
        CurveForm::Hollow | CurveForm::Bare => None,
    }
}

/// Six digits: more than a reader can zoom to, and a third of the bytes.
fn short(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

fn points_in(panel: &Value) -> usize {
    let curves = panel["curves"].as_array().map(Vec::as_slice);
    let lengths = curves.unwrap_or_default().iter();
    lengths
        .filter_map(|curve| curve["x"].as_array().map(Vec::len))
        .sum()
}
