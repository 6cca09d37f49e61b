//! Draws what is inside the frame of a panel: tiles, shapes, levels, curves and labels.

use plotters::style::text_anchor::{HPos, VPos};

use crate::text::clean;

use super::canvas::{Canvas, DrawError, Layer, Pixel, PlotFrame};
use super::chart::{
    ChartCurve, ChartShape, CurveEnd, CurveForm, Fill, Label, LabelSide, Panel, Tile,
};
use super::curve::{clip, marker_places, simplify, thin};
use super::layout::{EDGE, Placed};
use super::legend::{self, MARKER, SMALL, face};
use super::scale::Scale;
use super::style::{EXACT_WIDTH, GREY, GRID, Marker, pale};

/// Dashes of reference lines.
pub(crate) const GUIDE_DASH: &str = "stroke-dasharray=\"30 20\"";
/// Wide dashes of levels that no method passes.
pub(crate) const WALL_DASH: &str = "stroke-dasharray=\"80 20\"";
/// The lower end of an axis where values lie below it: dots, which no series has.
pub(crate) const FLOOR_DOTS: &str = "stroke-dasharray=\"1 22\" stroke-linecap=\"round\"";
/// Markers along a line, and the least distance between them.
const MARKERS: usize = 12;
const MARKER_SPACING: f64 = 190.0;

/// Maps values of one panel to the canvas.
struct Mapping<'a> {
    frame: PlotFrame,
    x: &'a Scale,
    y: &'a Scale,
}

impl Mapping<'_> {
    fn point(&self, x: f64, y: f64) -> Option<Pixel> {
        let frame = &self.frame;
        let right = self.x.place(x)? * f64::from(frame.width());
        let up = self.y.place(y)? * f64::from(frame.height());
        Some((frame.left + bounded(right), frame.bottom - bounded(up)))
    }

    /// The same of a corner of a shape.
    fn corner(&self, x: f64, y: f64) -> Option<Pixel> {
        let frame = &self.frame;
        let right = self.x.corner(x)? * f64::from(frame.width());
        let up = self.y.corner(y)? * f64::from(frame.height());
        Some((frame.left + bounded(right), frame.bottom - bounded(up)))
    }

    /// True if a marker at the point is within the frame.
    fn shows(&self, at: Pixel) -> bool {
        let frame = &self.frame;
        (frame.left - 2..=frame.right + 2).contains(&at.0)
            && (frame.top - 2..=frame.bottom + 2).contains(&at.1)
    }
}

/// A coordinate, kept small enough for any viewer.
#[expect(clippy::cast_possible_truncation, reason = "clamped")]
fn bounded(value: f64) -> i32 {
    value.round().clamp(-20_000.0, 20_000.0) as i32
}

pub(crate) fn along(from: i32, to: i32, t: f64) -> i32 {
    from + bounded(t * f64::from(to - from))
}

pub(crate) fn draw_panel(
    canvas: &mut Canvas,
    points: usize,
    panel: &Panel,
    placed: &Placed,
) -> Result<(), DrawError> {
    let Some((x, y)) = &placed.axes else {
        return Ok(());
    };
    let frame = placed.frame;
    let floor = panel.floor;
    let mapping = Mapping { frame, x, y };
    let clip = canvas.clip(frame);
    for tile in &panel.tiles {
        draw_tile(canvas, &clip, tile, &mapping)?;
    }
    for shape in &panel.shapes {
        draw_shape(canvas, &clip, shape, &mapping)?;
    }
    draw_levels(canvas, &clip, panel, &mapping)?;
    let most = budget(points, f64::from(frame.width()));
    let pieces = |curve| line_points(curve, &mapping, floor, most);
    let strokes = |stroke: bool| {
        let curves = panel.curves.iter();
        curves.filter(move |curve| (curve.form == CurveForm::Stroke) == stroke)
    };
    // lines first, so that no line crosses a marker; strokes last, which marks would cover
    for curve in strokes(false) {
        draw_line(canvas, &clip, curve, &pieces(curve))?;
    }
    for curve in &panel.curves {
        let line = pieces(curve).concat();
        canvas.layer("", &clean(&curve.name), |layer| {
            markers(layer, curve, &line, &mapping, floor)
        })?;
    }
    for curve in strokes(true) {
        draw_line(canvas, &clip, curve, &pieces(curve))?;
    }
    canvas.layer("", "", |layer| {
        let mut labels = panel.labels.iter();
        labels.try_for_each(|label| draw_label(layer, label, &mapping))
    })
}

/// Horizontal lines across a panel: its floor, guides and walls.
fn draw_levels(
    canvas: &mut Canvas,
    clip: &str,
    panel: &Panel,
    mapping: &Mapping<'_>,
) -> Result<(), DrawError> {
    let frame = mapping.frame;
    let shown = |levels: &[f64]| -> Vec<f64> {
        let levels = levels.iter();
        levels.filter_map(|level| mapping.y.place(*level)).collect()
    };
    let floor = shown(panel.floor.as_slice());
    for (levels, is_empty, dash, width) in [
        (&floor, floor.is_empty(), FLOOR_DOTS, 9),
        (
            &shown(&panel.guides),
            panel.guides.is_empty(),
            GUIDE_DASH,
            7,
        ),
        (&shown(&panel.walls), panel.walls.is_empty(), WALL_DASH, 14),
    ] {
        if is_empty {
            continue;
        }
        canvas.layer(&format!("{clip} {dash}"), "", |layer| {
            for up in levels {
                let at = along(frame.bottom, frame.top, *up);
                layer.line(vec![(frame.left, at), (frame.right, at)], GREY, width)?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

/// The line of a curve in pieces; nothing for forms that are marks alone.
fn draw_line(
    canvas: &mut Canvas,
    clip: &str,
    curve: &ChartCurve,
    pieces: &[Vec<Pixel>],
) -> Result<(), DrawError> {
    let (color, width, dash) = match curve.form {
        CurveForm::Marks | CurveForm::Hollow => return Ok(()),
        CurveForm::Exact => (pale(curve.style.color), EXACT_WIDTH, String::new()),
        CurveForm::Stroke => (curve.style.color, 16, String::new()),
        CurveForm::Line | CurveForm::Steps | CurveForm::Joined | CurveForm::Bare => {
            (curve.style.color, 12, curve.style.dash_attribute())
        }
    };
    if pieces.iter().map(Vec::len).sum::<usize>() < 2 {
        return Ok(());
    }
    let attributes = format!("{clip} {dash}");
    canvas.layer(attributes.trim_end(), &clean(&curve.name), |layer| {
        let mut pieces = pieces.iter();
        pieces.try_for_each(|piece| layer.line(piece.clone(), color, width))
    })
}

fn draw_shape(
    canvas: &mut Canvas,
    clip: &str,
    shape: &ChartShape,
    mapping: &Mapping<'_>,
) -> Result<(), DrawError> {
    let corners = shape.outline.iter();
    let corners: Option<Vec<Pixel>> = corners.map(|(x, y)| mapping.corner(*x, *y)).collect();
    let Some(mut corners) = corners.filter(|corners| corners.len() > 2) else {
        return Ok(());
    };
    let opacity = match shape.fill {
        Fill::Pale => " fill-opacity=\"0.22\"",
        Fill::None => "",
    };
    canvas.layer(&format!("{clip}{opacity}"), &clean(&shape.name), |layer| {
        if shape.fill != Fill::None {
            return layer.area(corners, shape.color);
        }
        corners.extend_from_within(..2);
        layer.line(corners, shape.color, 8)
    })
}

fn draw_label(layer: &Layer<'_>, label: &Label, mapping: &Mapping<'_>) -> Result<(), DrawError> {
    let at = mapping.point(label.at.0, label.at.1);
    let Some((x, y)) = at.filter(|at| mapping.shows(*at)) else {
        return Ok(());
    };
    let (at, horizontal, vertical) = match label.side {
        LabelSide::Right => ((x + 40, y), HPos::Left, VPos::Center),
        LabelSide::Below => ((x, y + 40), HPos::Center, VPos::Top),
    };
    layer.text(&clean(&label.text), at, face(SMALL, horizontal, vertical))
}

fn draw_tile(
    canvas: &mut Canvas,
    clip: &str,
    tile: &Tile,
    mapping: &Mapping<'_>,
) -> Result<(), DrawError> {
    let ends = (
        mapping.point(tile.x.0, tile.y.0),
        mapping.point(tile.x.1, tile.y.1),
    );
    let (Some((left, bottom)), Some((right, top))) = ends else {
        return Ok(());
    };
    canvas.layer(clip, &clean(&tile.name), |layer| {
        let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom)];
        match tile.color {
            Some(color) => layer.area(corners, color),
            None => {
                let centre = ((left + right) / 2, (top + bottom) / 2);
                let half = ((right - left).min(bottom - top) / 4).min(70);
                layer.outline(corners, GRID, 5)?;
                legend::cross(layer, centre, half, GREY)
            }
        }
    })
}

/// Points that a line of this panel may have: its share of the full width, and never fewer than
/// forty.
fn budget(points: usize, width: f64) -> usize {
    let share = crate::numbers::count(points as u64) * (width / 4500.0).min(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between 40 and a few hundred"
    )]
    let share = share.max(40.0) as usize;
    share
}

/// The pieces of a line on the canvas, broken where the axis has no place for a value.
fn line_points(
    curve: &ChartCurve,
    mapping: &Mapping<'_>,
    floor: Option<f64>,
    most: usize,
) -> Vec<Vec<Pixel>> {
    // a closed form leaves the frame where its axis ends
    let floor = floor.filter(|_| curve.form.is_data());
    let lifted: Vec<(f64, f64)> = curve
        .points
        .iter()
        .map(|(x, y)| (*x, floor.map_or(*y, |floor| y.max(floor))))
        .collect();
    let mut corners = Vec::with_capacity(lifted.len());
    match curve.form {
        CurveForm::Steps => {
            for (i, point) in lifted.iter().enumerate() {
                if i > 0 {
                    corners.push((point.0, lifted[i - 1].1));
                }
                corners.push(*point);
            }
        }
        CurveForm::Line => corners = thin_on_axis(&lifted, mapping.x, most),
        CurveForm::Marks
        | CurveForm::Hollow
        | CurveForm::Joined
        | CurveForm::Exact
        | CurveForm::Stroke
        | CurveForm::Bare => {
            corners = lifted;
        }
    }
    let mut pieces = vec![Vec::new()];
    for (x, y) in corners {
        match mapping.point(x, y) {
            Some(point) => {
                if let Some(piece) = pieces.last_mut() {
                    piece.push(point);
                }
            }
            None => pieces.push(Vec::new()),
        }
    }
    let tolerance = if curve.form == CurveForm::Steps { 0 } else { 1 };
    // beyond the frame, which clips, and within the canvas
    let (top, bottom) = (mapping.frame.top - EDGE, mapping.frame.bottom + EDGE);
    let pieces = pieces.iter().flat_map(|piece| clip(piece, top, bottom));
    pieces.map(|piece| simplify(&piece, tolerance)).collect()
}

/// Thins in the axis' own spacing, so that a logarithmic axis keeps its early samples.
pub(crate) fn thin_on_axis(points: &[(f64, f64)], axis: &Scale, most: usize) -> Vec<(f64, f64)> {
    if points.len() <= most {
        return points.to_vec();
    }
    let placed: Vec<(usize, f64, f64)> = points
        .iter()
        .enumerate()
        .filter_map(|(i, (x, y))| Some((i, axis.place(*x)?, *y)))
        .collect();
    let on_axis: Vec<(f64, f64)> = placed.iter().map(|(_, x, y)| (*x, *y)).collect();
    let kept = thin(&on_axis, most);
    // both lists are in the same order: find each kept point again
    let mut from = 0;
    let mut result = Vec::with_capacity(kept.len());
    for point in kept {
        let rest = &on_axis[from..];
        if let Some(offset) = rest.iter().position(|p| *p == point) {
            result.push(points[placed[from + offset].0]);
            from += offset + 1;
        }
    }
    result
}

fn markers(
    layer: &Layer<'_>,
    curve: &ChartCurve,
    line: &[Pixel],
    mapping: &Mapping<'_>,
    floor: Option<f64>,
) -> Result<(), DrawError> {
    let marker = curve.style.marker;
    let color = curve.style.color;
    let at = |point: &(f64, f64)| {
        let y = floor.map_or(point.1, |floor| point.1.max(floor));
        mapping.point(point.0, y).filter(|p| mapping.shows(*p))
    };
    let places: Vec<Pixel> = match curve.form {
        CurveForm::Exact | CurveForm::Stroke | CurveForm::Bare => return Ok(()),
        CurveForm::Marks | CurveForm::Hollow | CurveForm::Joined => {
            let shown = |p: &&(f64, f64)| floor.is_none_or(|floor| p.1 >= floor);
            curve.points.iter().filter(shown).filter_map(at).collect()
        }
        CurveForm::Line | CurveForm::Steps => {
            let phase = 0.3 + 0.17 * crate::numbers::count((curve.position % 5) as u64);
            marker_places(line, MARKERS, MARKER_SPACING, phase)
        }
    };
    for place in places {
        if mapping.shows(place) {
            let hollow = curve.form == CurveForm::Hollow;
            marker.draw(layer, place, MARKER, color, hollow)?;
        }
    }
    // values that the axis cannot show: the first and the last of each curve
    let below = |p: &&(f64, f64)| floor.is_some_and(|floor| p.1 < floor);
    if floor.is_some() {
        let mut zeros = curve.points.iter().filter(below).filter_map(at);
        let (first, last) = (zeros.next(), zeros.next_back());
        let all = matches!(
            curve.form,
            CurveForm::Marks | CurveForm::Hollow | CurveForm::Joined
        );
        let shown: Vec<Pixel> = if all {
            curve.points.iter().filter(below).filter_map(at).collect()
        } else {
            first.into_iter().chain(last).collect()
        };
        for place in shown {
            Marker::Arrow.draw(layer, place, 84, color, true)?;
        }
    }
    let ends_at_zero = curve.points.last().is_some_and(|p| below(&p));
    if let Some(last) = curve.points.last().and_then(at).filter(|_| !ends_at_zero) {
        match curve.end {
            CurveEnd::None => {}
            CurveEnd::Filled => marker.draw(layer, last, MARKER, color, false)?,
            CurveEnd::Hollow => marker.draw(layer, last, 76, color, true)?,
        }
    }
    Ok(())
}
