//! An SVG canvas: plotters draws layers, layers become groups with dashes, clipping and titles.
//!
//! The canvas counts tenths of a point, because plotters' coordinates are integers. plotters' SVG
//! backend has neither dashes nor clipping nor groups, so each layer is drawn by its own backend
//! and wrapped in a `<g>`.

use std::fmt::Write as _;

use plotters::backend::SVGBackend;
use plotters::coord::Shift;
use plotters::drawing::{DrawingArea, DrawingAreaErrorKind, IntoDrawingArea};
use plotters::element::{PathElement, Polygon, Text};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{Color, FontFamily, FontStyle, FontTransform, RGBColor, ShapeStyle};
use plotters::style::{IntoTextStyle, TextStyle, WHITE};
use thiserror::Error;

use crate::text::escape;

/// Canvas units per point.
pub(crate) const UNITS: i32 = 10;
/// Text is set in the reader's own sans-serif; named once, on the root element.
const FAMILY: &str = "Helvetica, Arial, 'Liberation Sans', sans-serif";
/// plotters divides font sizes by this number before it writes them.
const FONT_SCALE: f64 = 1.24;
/// Private-use characters that enclose a superscript until the layer is finished.
const RAISE: char = '\u{e000}';
const LOWER: char = '\u{e001}';

/// Why a figure could not be drawn.
#[derive(Debug, Error)]
#[error("drawing failed: {reason}")]
pub struct DrawError {
    reason: String,
}

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for DrawError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self {
            reason: error.to_string(),
        }
    }
}

/// A position or size in tenths of a point.
pub(crate) type Pixel = (i32, i32);

/// A rectangle in tenths of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PlotFrame {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

impl PlotFrame {
    pub(crate) fn width(&self) -> i32 {
        self.right - self.left
    }
    pub(crate) fn height(&self) -> i32 {
        self.bottom - self.top
    }
}

/// An SVG picture under construction.
#[derive(Debug)]
pub(crate) struct Canvas {
    id: String,
    title: String,
    description: String,
    size: (u32, u32),
    /// Points of paper per point of the drawing \[-\].
    pub(crate) scale: f64,
    body: String,
    clips: usize,
}

impl Canvas {
    /// An empty white canvas. `id` must be unique on the page that shows it.
    pub(crate) fn new(id: &str, title: &str, description: &str, size: Pixel) -> Self {
        Self {
            id: identifier(id),
            title: title.to_owned(),
            description: description.to_owned(),
            size: (size.0.unsigned_abs(), size.1.unsigned_abs()),
            scale: 1.0,
            body: String::new(),
            clips: 0,
        }
    }

    /// Draws a layer inside `<g attributes>`; a title that is not empty becomes the group's
    /// tooltip.
    pub(crate) fn layer(
        &mut self,
        attributes: &str,
        title: &str,
        draw: impl FnOnce(&Layer<'_>) -> Result<(), DrawError>,
    ) -> Result<(), DrawError> {
        let mut text = String::new();
        {
            let backend = SVGBackend::with_string(&mut text, self.size);
            let layer = Layer {
                area: backend.into_drawing_area(),
            };
            draw(&layer)?;
            layer.area.present()?;
        }
        let inner = text.split_once(">\n").map_or("", |(_, rest)| rest);
        let inner = inner.trim_end().strip_suffix("</svg>").unwrap_or(inner);
        if inner.trim().is_empty() {
            return Ok(());
        }
        let blank = if attributes.is_empty() { "" } else { " " };
        let _ = writeln!(self.body, "<g{blank}{attributes}>");
        if !title.is_empty() {
            let _ = writeln!(self.body, "<title>{}</title>", escape(title));
        }
        self.body.push_str(&compact(inner));
        self.body.push_str("</g>\n");
        Ok(())
    }

    /// Defines a clipping rectangle; returns the attribute that applies it.
    pub(crate) fn clip(&mut self, frame: PlotFrame) -> String {
        let name = format!("{}-clip-{}", self.id, self.clips);
        self.clips += 1;
        let (x, y, w, h) = (frame.left, frame.top, frame.width(), frame.height());
        let _ = writeln!(
            self.body,
            "<clipPath id=\"{name}\"><rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{h}\"/></clipPath>"
        );
        format!("clip-path=\"url(#{name})\"")
    }

    /// The finished file.
    pub(crate) fn finish(self) -> String {
        let (width, height) = self.size;
        let point = self.scale * 25.4 / 72.0;
        let millimetres = |units: u32| f64::from(units) / f64::from(UNITS) * point;
        let (id, title) = (&self.id, escape(&self.title));
        let description = escape(&self.description);
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.2}mm\" height=\"{:.2}mm\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"{FAMILY}\" stroke-linejoin=\"round\" \
             role=\"img\" aria-labelledby=\"{id}-title {id}-desc\">\n\
             <title id=\"{id}-title\">{title}</title>\n<desc id=\"{id}-desc\">{description}</desc>\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#FFFFFF\"/>\n{}</svg>\n",
            millimetres(width),
            millimetres(height),
            self.body
        )
    }
}

/// One plotters drawing area; everything in it shares the attributes of its group.
pub(crate) struct Layer<'a> {
    area: DrawingArea<SVGBackend<'a>, Shift>,
}

/// How a text is set.
#[derive(Clone, Copy)]
pub(crate) struct TextFace {
    /// Size in points.
    pub(crate) size: f64,
    pub(crate) color: RGBColor,
    pub(crate) horizontal: HPos,
    pub(crate) vertical: VPos,
    pub(crate) bold: bool,
    /// Turned by a quarter, reading upwards.
    pub(crate) upright: bool,
}

impl Layer<'_> {
    /// A line through the points; width in tenths of a point.
    pub(crate) fn line(
        &self,
        points: Vec<Pixel>,
        color: RGBColor,
        width: u32,
    ) -> Result<(), DrawError> {
        if points.len() > 1 {
            let style = ShapeStyle::from(&color).stroke_width(width);
            self.area.draw(&PathElement::new(points, style))?;
        }
        Ok(())
    }

    /// A filled polygon.
    pub(crate) fn area(&self, points: Vec<Pixel>, color: RGBColor) -> Result<(), DrawError> {
        self.area.draw(&Polygon::new(points, color.filled()))?;
        Ok(())
    }

    /// A closed outline filled with white.
    pub(crate) fn outline(
        &self,
        mut points: Vec<Pixel>,
        color: RGBColor,
        width: u32,
    ) -> Result<(), DrawError> {
        self.area(points.clone(), WHITE)?;
        // two points more than needed: the join at the start is closed
        points.extend_from_within(..2.min(points.len()));
        self.line(points, color, width)
    }

    /// A text; superscripts are made with [`raised`].
    pub(crate) fn text(&self, text: &str, at: Pixel, face: TextFace) -> Result<(), DrawError> {
        let size = face.size * f64::from(UNITS) * FONT_SCALE;
        let style = if face.bold {
            FontStyle::Bold
        } else {
            FontStyle::Normal
        };
        let transform = if face.upright {
            FontTransform::Rotate270
        } else {
            FontTransform::None
        };
        let base: TextStyle<'_> = (FontFamily::SansSerif, size, style).into_text_style(&self.area);
        let style = base
            .color(&face.color)
            .transform(transform)
            .pos(Pos::new(face.horizontal, face.vertical));
        self.area.draw(&Text::new(text.to_owned(), at, style))?;
        Ok(())
    }
}

/// Marks `text` as a superscript.
pub(crate) fn raised(text: &str) -> String {
    format!("{RAISE}{text}{LOWER}")
}

/// Shortens what plotters repeats on every element, and turns superscript marks into spans.
fn compact(text: &str) -> String {
    let text = text
        .replace(" opacity=\"1\"", "")
        .replace(" font-family=\"sans-serif\"", "")
        .replace(" \"/>", "\"/>")
        .replace(" \">", "\">")
        .replace("\n</text>", "</text>");
    let mut out = String::with_capacity(text.len());
    for line in text.lines() {
        out.push_str(line);
        // the text itself stands on a line of its own: a blank would be drawn
        if !(line.starts_with("<text") && line.ends_with('>') && !line.ends_with("</text>")) {
            out.push('\n');
        }
    }
    out.replace(RAISE, "<tspan dy=\"-0.5em\" font-size=\"72%\">")
        .replace(&format!("{LOWER}</text>"), "</tspan></text>")
        .replace(LOWER, "</tspan><tspan dy=\"0.36em\">\u{200b}</tspan>")
}

/// An XML identifier.
fn identifier(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let kept = text.chars().map(|c| if plain(c) { c } else { '-' });
    format!("fig-{}", kept.collect::<String>())
}

/// Estimated width of a text in tenths of a point, for a sans-serif of `size` points.
pub(crate) fn text_width(text: &str, size: f64) -> i32 {
    let em: f64 = text.chars().map(advance).sum::<f64>() * WIDEST;
    #[expect(clippy::cast_possible_truncation, reason = "a few thousand units")]
    let width = (em * size * f64::from(UNITS)).round() as i32;
    width
}

/// How much wider than Helvetica the fonts are that stand in for it \[-\]: what fits here fits in
/// them.
const WIDEST: f64 = 1.13;

/// Advance of a character in em: Helvetica's widths, by class.
fn advance(c: char) -> f64 {
    match c {
        'i' | 'j' | 'l' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | ' ' | '\u{a0}' => 0.28,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | '-' | '/' | '\u{202f}' => 0.34,
        'm' | 'M' | 'W' | '%' | '@' => 0.88,
        'w' => 0.72,
        'A'..='Z' | '&' | '=' | '+' | '−' | '≤' | 'ω' => 0.68,
        'c' | 'k' | 's' | 'v' | 'x' | 'y' | 'z' => 0.5,
        RAISE | LOWER => 0.0,
        _ => 0.57,
    }
}

/// Lines that a text may have.
pub(crate) const MOST_LINES: usize = 6;

/// `text` in lines of at most `width` tenths of a point: broken at blanks, within a word where it
/// is too long for a line, and cut with an ellipsis only where it would take more than a few lines.
pub(crate) fn wrap(text: &str, size: f64, width: i32) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    // a parameter stays with its value, and a unit with its quantity
    let text = text.replace(" = ", "\u{a0}=\u{a0}");
    let unit = text.rsplit_once(" [").filter(|(name, unit)| {
        let last = name.rsplit(' ').next().unwrap_or_default();
        text_width(&format!("{last} [{unit}"), size) <= width
    });
    let text = match unit {
        Some((name, unit)) => format!("{name}\u{a0}[{unit}"),
        None => text,
    };
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        let gap = if line.is_empty() { "" } else { " " };
        if text_width(&format!("{line}{gap}{word}"), size) <= width {
            line = line + gap + word;
            continue;
        }
        if !line.is_empty() {
            lines.push(std::mem::take(&mut line));
        }
        for c in word.chars() {
            line.push(c);
            if text_width(&line, size) > width && line.chars().nth(1).is_some() {
                line.pop();
                let rest = behind_sign(&mut line);
                lines.push(std::mem::replace(&mut line, format!("{rest}{c}")));
            }
        }
    }
    lines.push(line);
    if lines.len() > MOST_LINES {
        lines.truncate(MOST_LINES);
        lines[MOST_LINES - 1].push('…');
    }
    lines
        .iter()
        .map(|line| line.replace('\u{a0}', " "))
        .collect()
}

/// Takes from a line what stands behind the last sign of its second half: a name breaks there, and
/// not within a word.
fn behind_sign(line: &mut String) -> String {
    let half = line.len() / 2;
    let sign = line.rfind(['-', '_', '/', '.']);
    sign.filter(|at| *at >= half)
        .map_or_else(String::new, |at| line.split_off(at + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_broken_and_not_cut() {
        let text = "angular momentum from nowhere (at the end) [N·m·s]";
        let width = text_width(text, 8.0);
        assert_eq!(wrap(text, 8.0, width), [text]);
        for part in [2, 3, 4] {
            let lines = wrap(text, 8.0, width / part);
            assert_eq!(lines.join(" "), text);
            assert!(
                lines
                    .iter()
                    .all(|line| text_width(line, 8.0) <= width / part)
            );
        }
        let width = text_width("random, frictionless, seed =", 8.0);
        let lines = wrap("random, frictionless, seed = 1", 8.0, width);
        assert_eq!(lines, ["random, frictionless,", "seed = 1"]);
        // one long word is broken as well
        let word = "x".repeat(30);
        let lines = wrap(&word, 8.0, text_width("xxxxxxxxxx", 8.0));
        assert_eq!((lines.len(), lines.concat()), (3, word));
        // and a name behind a sign
        let width = text_width("spheres-in-a-box-98-i100", 8.0);
        let lines = wrap("spheres-in-a-box-98-i10000-256-10", 8.0, width);
        assert_eq!(lines, ["spheres-in-a-box-98-", "i10000-256-10"]);
        assert_eq!(wrap("", 8.0, 100), [""]);
        let endless = wrap(&"word ".repeat(500), 8.0, 400);
        assert!(endless.len() == MOST_LINES && endless[MOST_LINES - 1].ends_with('…'));
    }
}
