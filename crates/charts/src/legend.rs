//! Legend and notes: flowing rows above the panels.

use plotters::style::RGBColor;
use plotters::style::text_anchor::{HPos, VPos};

use super::canvas::{Canvas, DrawError, Layer, Pixel, TextFace, text_width, wrap};
use super::chart::{Chart, LegendEntry, Note, Symbol};
use super::style::{EXACT_WIDTH, GREY, INK, Marker, pale};

/// Sizes of text in points.
pub(crate) const TEXT: f64 = 8.0;
pub(crate) const SMALL: f64 = 7.5;

/// Lengths by the size of the text, in tenths of it.
///
/// Height of one row.
const ROW: f64 = 15.6;
/// Distance of the lines of one entry.
const LINE: f64 = 12.5;
/// Length of the sample line, and the gap after it.
const SAMPLE: f64 = 33.8;
const SAMPLE_GAP: f64 = 6.3;
const ENTRY_GAP: f64 = 13.8;
/// Entries that flow one after the other; more of them stand in columns.
const MOST_FLOWING: usize = 12;

/// Where the entries and notes stand, relative to the top left corner of the figure's content.
#[derive(Debug)]
pub(crate) struct LegendLayout {
    entries: Vec<(Pixel, Vec<String>)>,
    notes: Vec<(Pixel, Vec<String>)>,
    /// Size of the text of entries \[pt\].
    size: f64,
    /// Height of both together.
    pub(crate) height: i32,
}

/// A length of this many tenths of the size of the text.
#[expect(clippy::cast_possible_truncation, reason = "a few hundred units")]
fn length(tenths: f64, size: f64) -> i32 {
    (tenths * size).round() as i32
}

/// Places legend and notes within `width`; names of series have this size \[pt\].
pub(crate) fn arrange(chart: &Chart, width: i32, size: f64) -> LegendLayout {
    let lead = length(SAMPLE, size) + length(SAMPLE_GAP, size);
    let lines = |entry: &LegendEntry| wrap(&entry.text, size, width - lead);
    let texts: Vec<Vec<String>> = chart.legend.iter().map(lines).collect();
    let own = |lines: &Vec<String>| lead + widest(lines, size);
    let column = texts.iter().map(own).max().unwrap_or(1) + length(ENTRY_GAP, size);
    // many entries stand in columns
    let columns = (texts.len() > MOST_FLOWING).then_some(column);
    let (entries, above) = flow(texts, width, size, columns, own);
    let leads: Vec<i32> = chart.notes.iter().map(|n| symbol_width(n.symbol)).collect();
    let texts = chart.notes.iter().zip(&leads);
    let texts: Vec<Vec<String>> = texts
        .map(|(note, lead)| wrap(&note.text, SMALL, width - lead))
        .collect();
    let mut next = leads.iter();
    let (mut notes, below) = flow(texts, width, TEXT, None, |lines| {
        next.next().unwrap_or(&0) + widest(lines, SMALL)
    });
    for ((_, y), _) in &mut notes {
        *y += above;
    }
    LegendLayout {
        entries,
        notes,
        size,
        height: above + below,
    }
}

fn widest(lines: &[String], size: f64) -> i32 {
    let widths = lines.iter().map(|line| text_width(line, size));
    widths.max().unwrap_or(0)
}

/// Texts with their places, and the height of all.
type Flowed = (Vec<(Pixel, Vec<String>)>, i32);

/// Texts one after the other in rows, or in columns of equal width; a row is as high as its longest
/// text.
fn flow(
    texts: Vec<Vec<String>>,
    width: i32,
    size: f64,
    column: Option<i32>,
    mut own: impl FnMut(&Vec<String>) -> i32,
) -> Flowed {
    let mut placed = Vec::with_capacity(texts.len());
    let [first, line, gap] = [ROW, LINE, ENTRY_GAP].map(|tenths| length(tenths, size));
    let (mut x, mut y, mut row) = (0, 0, 0);
    for lines in texts {
        let need = own(&lines);
        if x > 0 && x + need > width {
            (x, y, row) = (0, y + row, 0);
        }
        let height = first + (i32::try_from(lines.len()).unwrap_or(1) - 1) * line;
        row = row.max(height);
        placed.push(((x, y + first / 2), lines));
        x += column.unwrap_or(need + gap);
    }
    (placed, y + row)
}

fn symbol_width(symbol: Symbol) -> i32 {
    match symbol {
        Symbol::None => 0,
        Symbol::Hollow | Symbol::Zero | Symbol::Cross => 110,
        Symbol::Swatch(_) => 130,
        Symbol::Guide | Symbol::Wall | Symbol::Line | Symbol::Exact => 230,
    }
}

/// Draws legend and notes with their corner at `origin`.
pub(crate) fn draw(
    canvas: &mut Canvas,
    chart: &Chart,
    layout: &LegendLayout,
    origin: Pixel,
) -> Result<(), DrawError> {
    let size = layout.size;
    let text = face(size, HPos::Left, VPos::Center);
    let [sample, gap, line] = [SAMPLE, SAMPLE_GAP, LINE].map(|tenths| length(tenths, size));
    let shift = |at: Pixel| (origin.0 + at.0, origin.1 + at.1);
    for (entry, (at, _)) in chart.legend.iter().zip(&layout.entries) {
        let (x, y) = shift(*at);
        if entry.line {
            let dash = entry.style.dash_attribute();
            canvas.layer(&dash, "", |layer| {
                layer.line(vec![(x, y), (x + sample, y)], entry.style.color, 12)
            })?;
        }
    }
    canvas.layer("", "", |layer| {
        for (entry, (at, lines)) in chart.legend.iter().zip(&layout.entries) {
            let (x, y) = shift(*at);
            let centre = (x + sample / 2, y);
            entry
                .style
                .marker
                .draw(layer, centre, MARKER, entry.style.color, false)?;
            for (i, words) in (0..).zip(lines) {
                layer.text(words, (x + sample + gap, y + i * line), text)?;
            }
        }
        for (note, (at, lines)) in chart.notes.iter().zip(&layout.notes) {
            draw_note(layer, note, lines, shift(*at))?;
        }
        Ok(())
    })
}

/// Size of a marker in tenths of a point.
pub(crate) const MARKER: i32 = 58;

fn draw_note(layer: &Layer<'_>, note: &Note, lines: &[String], at: Pixel) -> Result<(), DrawError> {
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
        Symbol::Wall => {
            for from in [x, x + 100] {
                layer.line(vec![(from, y), (from + 80, y)], GREY, 14)?;
            }
        }
        Symbol::Exact => layer.line(vec![(x, y), (x + 180, y)], pale(GREY), EXACT_WIDTH)?,
        Symbol::Line => layer.line(vec![(x, y), (x + 180, y)], GREY, 8)?,
        Symbol::Cross => cross(layer, (x + 40, y), 36, GREY)?,
        Symbol::Swatch(color) => {
            let (left, right, top, bottom) = (x, x + 100, y - 38, y + 38);
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            layer.area(corners.to_vec(), color)?;
        }
    }
    let mut face = face(SMALL, HPos::Left, VPos::Center);
    face.color = GREY;
    let line = length(LINE, TEXT);
    for (i, words) in (0..).zip(lines) {
        layer.text(words, (x + symbol_width(note.symbol), y + i * line), face)?;
    }
    Ok(())
}

/// A diagonal cross of the given half width.
pub(crate) fn cross(
    layer: &Layer<'_>,
    at: Pixel,
    half: i32,
    color: RGBColor,
) -> Result<(), DrawError> {
    let (x, y) = at;
    layer.line(vec![(x - half, y - half), (x + half, y + half)], color, 9)?;
    layer.line(vec![(x - half, y + half), (x + half, y - half)], color, 9)
}

/// Plain dark text.
pub(crate) fn face(size: f64, horizontal: HPos, vertical: VPos) -> TextFace {
    TextFace {
        size,
        color: INK,
        horizontal,
        vertical,
        bold: false,
        upright: false,
    }
}
