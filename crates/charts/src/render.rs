//! Draws a chart.

use plotters::style::text_anchor::{HPos, VPos};

use crate::text::clean;

use super::canvas::{Canvas, DrawError, Layer, wrap};
use super::chart::{Chart, Panel};
use super::layout::{EDGE, LABEL_DROP, LABEL_GAP, LABEL_LINE, Layout, Placed, lay_out, small};
use super::legend::{self, SMALL, TEXT, face};
use super::panel::{along, draw_panel};
use super::size::Width;
use super::style::{GREY, GRID, INK};

/// Length of major and minor ticks.
const MAJOR: i32 = 32;
const MINOR: i32 = 17;

/// The chart as an SVG file; a line across the whole of a page has so many points at most.
///
/// # Errors
/// plotters' own errors; none are known to occur.
pub fn render(chart: &Chart, id: &str, width: Width, points: usize) -> Result<String, DrawError> {
    let layout = lay_out(chart, width);
    let mut canvas = Canvas::new(id, &chart.title, &chart.description, layout.size);
    canvas.scale = width.scale();
    canvas.layer("", "", |layer| {
        layout.panels.iter().try_for_each(|p| grid(layer, p))
    })?;
    for (panel, placed) in chart.panels.iter().zip(&layout.panels) {
        draw_panel(&mut canvas, points, panel, placed)?;
    }
    canvas.layer("", "", |layer| {
        for (panel, placed) in chart.panels.iter().zip(&layout.panels) {
            axes(layer, placed)?;
            panel_text(layer, panel, placed)?;
        }
        axis_labels(layer, &layout)
    })?;
    legend::draw(&mut canvas, chart, &layout.legend, (EDGE, EDGE))?;
    Ok(canvas.finish())
}

fn grid(layer: &Layer<'_>, placed: &Placed) -> Result<(), DrawError> {
    let frame = placed.frame;
    if let Some((x, y)) = &placed.axes {
        for tick in x.ticks.iter().filter(|t| t.major) {
            let at = along(frame.left, frame.right, tick.at);
            layer.line(vec![(at, frame.top), (at, frame.bottom)], GRID, 5)?;
        }
        for tick in y.ticks.iter().filter(|t| t.major) {
            let at = along(frame.bottom, frame.top, tick.at);
            layer.line(vec![(frame.left, at), (frame.right, at)], GRID, 5)?;
        }
    }
    Ok(())
}

/// Frame, ticks and tick labels.
fn axes(layer: &Layer<'_>, placed: &Placed) -> Result<(), DrawError> {
    let frame = placed.frame;
    let corners = [
        (frame.left, frame.top),
        (frame.right, frame.top),
        (frame.right, frame.bottom),
        (frame.left, frame.bottom),
        (frame.left, frame.top),
    ];
    layer.line(corners.to_vec(), INK, 6)?;
    let Some((x, y)) = &placed.axes else {
        return Ok(());
    };
    for tick in &x.ticks {
        let at = along(frame.left, frame.right, tick.at);
        let length = if tick.major { MAJOR } else { MINOR };
        layer.line(
            vec![(at, frame.bottom), (at, frame.bottom - length)],
            INK,
            5,
        )?;
        if let Some(label) = tick.label.as_ref().filter(|_| placed.x_labels) {
            let below = (at, frame.bottom + LABEL_DROP);
            layer.text(label, below, face(SMALL, HPos::Center, VPos::Top))?;
        }
    }
    for tick in &y.ticks {
        let at = along(frame.bottom, frame.top, tick.at);
        let length = if tick.major { MAJOR } else { MINOR };
        layer.line(vec![(frame.left, at), (frame.left + length, at)], INK, 5)?;
        if let Some(label) = tick.label.as_ref().filter(|_| placed.y_labels) {
            let lines: Vec<&str> = label.lines().collect();
            let first = at - (small(lines.len()) - 1) * LABEL_LINE / 2;
            for (i, line) in (0..).zip(lines) {
                let beside = (frame.left - LABEL_GAP, first + i * LABEL_LINE);
                layer.text(line, beside, face(SMALL, HPos::Right, VPos::Center))?;
            }
        }
    }
    Ok(())
}

/// Title of a panel, and why it is empty.
fn panel_text(layer: &Layer<'_>, panel: &Panel, placed: &Placed) -> Result<(), DrawError> {
    let frame = placed.frame;
    if !panel.title.is_empty() {
        let mut bold = face(TEXT, HPos::Left, VPos::Bottom);
        bold.bold = true;
        for (i, line) in (0..).zip(placed.title.iter().rev()) {
            layer.text(line, (frame.left, frame.top - 22 - i * LABEL_LINE), bold)?;
        }
    }
    if placed.axes.is_none() {
        let mut grey = face(SMALL, HPos::Center, VPos::Center);
        grey.color = GREY;
        let centre = (
            (frame.left + frame.right) / 2,
            (frame.top + frame.bottom) / 2,
        );
        let lines = wrap(&clean(&panel.empty), SMALL, frame.width() - 120);
        let top = centre.1 - 55 * (small(lines.len()) - 1);
        for (i, line) in (0..).zip(lines) {
            layer.text(&line, (centre.0, top + i * 110), grey)?;
        }
    }
    Ok(())
}

fn axis_labels(layer: &Layer<'_>, layout: &Layout) -> Result<(), DrawError> {
    if layout.panels.iter().all(|p| p.axes.is_none()) {
        return Ok(());
    }
    let grid = layout.grid;
    let below = ((grid.left + grid.right) / 2, layout.size.1 - EDGE);
    for (i, line) in (0..).zip(layout.x_label.iter().rev()) {
        let at = (below.0, below.1 - i * LABEL_LINE);
        layer.text(line, at, face(TEXT, HPos::Center, VPos::Bottom))?;
    }
    let mut upright = face(TEXT, HPos::Center, VPos::Top);
    upright.upright = true;
    let middle = (grid.top + grid.bottom) / 2;
    for (i, line) in (0..).zip(&layout.y_label) {
        layer.text(line, (EDGE + i * LABEL_LINE, middle), upright)?;
    }
    Ok(())
}
