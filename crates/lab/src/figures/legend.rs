//! Legend and notes: flowing rows above the panels.

use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Canvas, DrawError, Layer, Point, TextFace, fit, text_width};
use super::chart::{Chart, Entry, Note, Symbol};
use super::style::{GREY, INK, Marker};

/// Sizes of text in points.
pub(crate) const TEXT: f64 = 8.0;
pub(crate) const SMALL: f64 = 7.5;

/// Height of one row of the legend.
const ROW: i32 = 125;
/// Length of the sample line, and the gap after it.
const SAMPLE: i32 = 270;
const SAMPLE_GAP: i32 = 50;
const ENTRY_GAP: i32 = 150;
/// Entries that flow one after the other; more of them stand in columns.
const MOST_FLOWING: usize = 12;

/// Where the entries and notes stand, relative to the top left corner of the figure's content.
#[derive(Debug)]
pub(crate) struct LegendLayout {
    entries: Vec<(Point, String)>,
    notes: Vec<(Point, String)>,
    /// Height of both together.
    pub(crate) height: i32,
}

/// Places legend and notes within `width`.
pub(crate) fn arrange(chart: &Chart, width: i32) -> LegendLayout {
    let fitted = |entry: &Entry| fit(&entry.text, TEXT, width / 2 - SAMPLE);
    let texts: Vec<String> = chart.legend.iter().map(fitted).collect();
    let widths: Vec<i32> = texts
        .iter()
        .map(|text| SAMPLE + SAMPLE_GAP + text_width(text, TEXT))
        .collect();
    let mut entries = Vec::new();
    let mut rows = 0;
    if widths.len() <= MOST_FLOWING {
        let mut x = 0;
        for (text, own) in texts.into_iter().zip(&widths) {
            if rows == 0 || x + own > width {
                x = 0;
                rows += 1;
            }
            entries.push(((x, (rows - 1) * ROW + ROW / 2), text));
            x += own + ENTRY_GAP;
        }
    } else {
        let column = widths.iter().copied().max().unwrap_or(1) + ENTRY_GAP;
        let columns = ((width + ENTRY_GAP) / column).max(1);
        for (i, text) in (0..).zip(texts) {
            let (row, place) = (i / columns, i % columns);
            entries.push(((place * column, row * ROW + ROW / 2), text));
            rows = row + 1;
        }
    }
    let mut height = rows * ROW;
    let mut notes = Vec::new();
    let mut x = 0;
    for note in &chart.notes {
        let lead = symbol_width(note.symbol);
        let text = fit(&note.text, SMALL, width - lead);
        let own = lead + text_width(&text, SMALL);
        if x > 0 && x + own > width {
            x = 0;
            height += ROW;
        }
        notes.push(((x, height + ROW / 2), text));
        x += own + ENTRY_GAP;
    }
    if !notes.is_empty() {
        height += ROW;
    }
    LegendLayout {
        entries,
        notes,
        height,
    }
}

fn symbol_width(symbol: Symbol) -> i32 {
    match symbol {
        Symbol::None => 0,
        Symbol::Hollow | Symbol::Zero | Symbol::Cross => 110,
        Symbol::Swatch(_) => 130,
        Symbol::Guide | Symbol::Line => 230,
    }
}

/// Draws legend and notes with their corner at `origin`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    chart: &Chart,
    layout: &LegendLayout,
    origin: Point,
) -> Result<(), DrawError> {
    let shift = |at: Point| (origin.0 + at.0, origin.1 + at.1);
    for (entry, (at, _)) in chart.legend.iter().zip(&layout.entries) {
        let (x, y) = shift(*at);
        if entry.line {
            let dash = entry.style.dash_attribute();
            canvas.layer(&dash, "", |layer| {
                layer.line(vec![(x, y), (x + SAMPLE, y)], entry.style.color, 12)
            })?;
        }
    }
    canvas.layer("", "", |layer| {
        for (entry, (at, text)) in chart.legend.iter().zip(&layout.entries) {
            let (x, y) = shift(*at);
            let centre = (x + SAMPLE / 2, y);
            entry
                .style
                .marker
                .draw(layer, centre, MARKER, entry.style.color, false)?;
            layer.text(text, (x + SAMPLE + SAMPLE_GAP, y), face(TEXT))?;
        }
        for (note, (at, text)) in chart.notes.iter().zip(&layout.notes) {
            draw_note(layer, note, text, shift(*at))?;
        }
        Ok(())
    })
}

/// Size of a marker in tenths of a point.
pub(crate) const MARKER: i32 = 58;

fn draw_note(layer: &Layer<'_>, note: &Note, text: &str, at: Point) -> Result<(), DrawError> {
    let (x, y) = at;
    match note.symbol {
        Symbol::None => {}
        Symbol::Hollow => Marker::Circle.draw(layer, (x + 40, y), 76, GREY, true)?,
        Symbol::Zero => Marker::Arrow.draw(layer, (x + 40, y), 84, GREY, true)?,
        Symbol::Guide => {
            for dash in 0..4 {
                let from = x + dash * 50;
                layer.line(vec![(from, y), (from + 30, y)], GREY, 7)?;
            }
        }
        Symbol::Line => layer.line(vec![(x, y), (x + 180, y)], GREY, 8)?,
        Symbol::Cross => cross(layer, (x + 40, y), 36, GREY)?,
        Symbol::Swatch(color) => {
            let (left, right, top, bottom) = (x, x + 100, y - 38, y + 38);
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            layer.area(corners.to_vec(), color)?;
        }
    }
    let mut face = face(SMALL);
    face.color = GREY;
    layer.text(text, (x + symbol_width(note.symbol), y), face)
}

/// A diagonal cross of the given half width.
pub(crate) fn cross(
    layer: &Layer<'_>,
    (x, y): Point,
    half: i32,
    color: RGBColor,
) -> Result<(), DrawError> {
    layer.line(vec![(x - half, y - half), (x + half, y + half)], color, 9)?;
    layer.line(vec![(x - half, y + half), (x + half, y - half)], color, 9)
}

fn face(size: f64) -> TextFace {
    TextFace {
        size,
        color: INK,
        horizontal: HPos::Left,
        vertical: VPos::Center,
        bold: false,
        upright: false,
    }
}
