//! A strip as PNG.

use tiny_skia::{
    Color, FillRule, Mask, Paint, Path, PathBuilder, Pixmap, PremultipliedColorU8, Rect, Stroke,
    Transform,
};
use ttf_parser::{Face, OutlineBuilder};

use super::canvas::{Anchor, Canvas, INK, Mark, Pixel};
use crate::ReplayError;
use crate::colour::Rgb;

/// DejaVu Sans, the letters that names and units have.
const FONT: &[u8] = include_bytes!("../../assets/dejavu-sans-subset.ttf");
/// Pixels per unit of length.
const SCALE: f32 = 2.0;

/// The whole file.
pub(super) fn render(canvas: &Canvas) -> Result<Vec<u8>, ReplayError> {
    let draw = |reason: String| ReplayError::Draw(reason);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a picture of more pixels than 2^32 cannot be made"
    )]
    let [width, height] =
        [canvas.width, canvas.height].map(|x| (x * f64::from(SCALE)).round() as u32);
    let pixmap = Pixmap::new(width, height);
    let mut pixmap = pixmap.ok_or_else(|| draw(format!("{width} by {height} pixels")))?;
    pixmap.fill(Color::WHITE);
    let font = Face::parse(FONT, 0).map_err(|error| draw(error.to_string()))?;
    let mut painter = Painter {
        pixmap,
        clip: None,
        font,
    };
    for mark in &canvas.marks {
        painter.put(mark);
    }
    encode(&painter.pixmap).map_err(|error| draw(error.to_string()))
}

/// Without the transparency that no pixel has.
fn encode(pixmap: &Pixmap) -> Result<Vec<u8>, png::EncodingError> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, pixmap.width(), pixmap.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let rgb = |p: &PremultipliedColorU8| [p.red(), p.green(), p.blue()];
    let pixels: Vec<u8> = pixmap.pixels().iter().flat_map(rgb).collect();
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}

struct Painter {
    pixmap: Pixmap,
    clip: Option<Mask>,
    font: Face<'static>,
}

impl Painter {
    fn put(&mut self, mark: &Mark) {
        match mark {
            Mark::Polygon {
                corners,
                fill,
                edge,
            } => self.shape(outline(corners), *fill, *edge),
            Mark::Disc {
                centre,
                radius,
                fill,
                edge,
            } => {
                let mut path = PathBuilder::new();
                path.push_circle(narrow(centre[0]), narrow(centre[1]), narrow(*radius));
                self.shape(path.finish(), *fill, *edge);
            }
            Mark::Line {
                ends,
                colour,
                width,
            } => {
                let mut path = PathBuilder::new();
                path.move_to(narrow(ends[0][0]), narrow(ends[0][1]));
                path.line_to(narrow(ends[1][0]), narrow(ends[1][1]));
                self.stroke(path.finish(), *colour, *width);
            }
            Mark::Text {
                at,
                size,
                anchor,
                text,
            } => self.text(*at, *size, *anchor, text),
            Mark::Clip(to) => self.clip = to.and_then(|to| self.mask(to)),
        }
    }

    fn shape(&mut self, path: Option<Path>, fill: Rgb, edge: Option<(Rgb, f64)>) {
        let Some(path) = path else { return };
        self.fill(&path, fill);
        if let Some((colour, width)) = edge {
            self.stroke(Some(path), colour, width);
        }
    }

    fn fill(&mut self, path: &Path, colour: Rgb) {
        let (rule, scale) = (FillRule::Winding, Transform::from_scale(SCALE, SCALE));
        let clip = self.clip.as_ref();
        self.pixmap
            .fill_path(path, &paint(colour), rule, scale, clip);
    }

    fn stroke(&mut self, path: Option<Path>, colour: Rgb, width: f64) {
        let Some(path) = path else { return };
        let stroke = Stroke {
            width: narrow(width),
            line_join: tiny_skia::LineJoin::Round,
            ..Stroke::default()
        };
        let scale = Transform::from_scale(SCALE, SCALE);
        let clip = self.clip.as_ref();
        self.pixmap
            .stroke_path(&path, &paint(colour), &stroke, scale, clip);
    }

    fn mask(&self, [x, y, w, h]: [f64; 4]) -> Option<Mask> {
        let mut mask = Mask::new(self.pixmap.width(), self.pixmap.height())?;
        let [x, y, w, h] = [x, y, w, h].map(|v| narrow(v) * SCALE);
        let path = PathBuilder::from_rect(Rect::from_xywh(x, y, w, h)?);
        mask.fill_path(&path, FillRule::Winding, true, Transform::identity());
        Some(mask)
    }

    fn text(&mut self, [x, y]: Pixel, size: f64, anchor: Anchor, text: &str) {
        let scale = narrow(size) / f32::from(self.font.units_per_em());
        // a letter that the font lacks is its box
        let glyphs: Vec<_> = text
            .chars()
            .map(|c| self.font.glyph_index(c).unwrap_or_default())
            .collect();
        let advance = |glyph| f32::from(self.font.glyph_hor_advance(glyph).unwrap_or(0)) * scale;
        let width: f32 = glyphs.iter().map(|glyph| advance(*glyph)).sum();
        let mut left = narrow(x)
            - match anchor {
                Anchor::Start => 0.0,
                Anchor::Middle => 0.5 * width,
                Anchor::End => width,
            };
        let mut letters = Letters {
            path: PathBuilder::new(),
            left,
            base: narrow(y),
            scale,
        };
        for glyph in glyphs {
            letters.left = left;
            self.font.outline_glyph(glyph, &mut letters);
            left += advance(glyph);
        }
        if let Some(path) = letters.path.finish() {
            self.fill(&path, INK);
        }
    }
}

/// Outlines of letters in place.
struct Letters {
    path: PathBuilder,
    left: f32,
    base: f32,
    scale: f32,
}

impl Letters {
    fn at(&self, x: f32, y: f32) -> (f32, f32) {
        (self.left + self.scale * x, self.base - self.scale * y)
    }
}

impl OutlineBuilder for Letters {
    fn move_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let (x, y) = self.at(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ((x1, y1), (x, y)) = (self.at(x1, y1), self.at(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ((x1, y1), (x2, y2), (x, y)) = (self.at(x1, y1), self.at(x2, y2), self.at(x, y));
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}

fn outline(corners: &[Pixel]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (i, [x, y]) in corners.iter().enumerate() {
        match i {
            0 => path.move_to(narrow(*x), narrow(*y)),
            _ => path.line_to(narrow(*x), narrow(*y)),
        }
    }
    path.close();
    path.finish()
}

fn paint([r, g, b]: Rgb) -> Paint<'static> {
    let mut paint = Paint::default();
    paint.set_color_rgba8(r, g, b, 255);
    paint
}

#[expect(clippy::cast_possible_truncation, reason = "places in a picture")]
fn narrow(number: f64) -> f32 {
    number as f32
}
