//! Marks on a page.

use std::collections::BTreeMap;

use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::writers::Resources;
use pdf_writer::{Content, Filter, Finish, Name, Pdf, Rect, Ref, Str, TextStr};

use super::PdfError;
use super::font::{Font, GlyphSet, packed};
use super::picture::{Mark, Part, Picture, Text};
use super::style::{Anchor, Style};

/// Names of the two fonts in the page.
const FONTS: [Name<'static>; 2] = [Name(b"F0"), Name(b"F1")];

/// The whole file.
pub(crate) fn write(picture: &Picture) -> Result<Vec<u8>, PdfError> {
    let mut pen = Pen {
        content: Content::new(),
        fonts: [Font::new(false)?, Font::new(true)?],
        opacities: BTreeMap::new(),
    };
    let [width, height] = picture.size.map(|units| units * picture.scale);
    let scale = picture.scale;
    // units of the picture, which grow downwards
    pen.content
        .transform([scale, 0.0, 0.0, -scale, 0.0, height]);
    pen.content.set_line_join(LineJoinStyle::RoundJoin);
    for mark in &picture.marks {
        pen.put(mark);
    }
    let mut next = 0;
    let mut id = || {
        next += 1;
        Ref::new(next)
    };
    let [catalog, pages, page, content, info] = [(); 5].map(|()| id());
    let mut pdf = Pdf::new();
    pdf.catalog(catalog)
        .pages(pages)
        .lang(TextStr("en"))
        .viewer_preferences()
        .display_doc_title(true);
    pdf.pages(pages).kids([page]).count(1);
    let mut info = pdf.document_info(info);
    info.title(TextStr(&picture.title));
    info.subject(TextStr(&picture.description));
    info.finish();
    let fonts = pen
        .fonts
        .each_ref()
        .map(|font| (font, [(); 5].map(|()| id())));
    let states: Vec<State> = pen
        .opacities
        .iter()
        .map(|(key, name)| (name.clone(), key.map(f32::from_bits), id()))
        .collect();
    let mut sheet = pdf.page(page);
    sheet.media_box(Rect::new(0.0, 0.0, width, height));
    sheet.parent(pages);
    sheet.contents(content);
    name_resources(&mut sheet.resources(), &fonts, &states);
    sheet.finish();
    for (_, [areas, lines], id) in states {
        let mut state = pdf.ext_graphics(id);
        state.non_stroking_alpha(areas).stroking_alpha(lines);
    }
    for (font, ids) in fonts {
        if font.is_used() {
            font.write(&mut pdf, ids)?;
        }
    }
    let drawn = packed(&pen.content.finish());
    pdf.stream(content, &drawn).filter(Filter::FlateDecode);
    Ok(pdf.finish())
}

/// Name, opacities of areas and lines, and place of a graphics state.
type State = (String, [f32; 2], Ref);

/// Names the fonts and the graphics states of a page.
fn name_resources(resources: &mut Resources<'_>, fonts: &[(&Font, [Ref; 5])], states: &[State]) {
    let mut names = resources.fonts();
    for ((font, ids), name) in fonts.iter().zip(FONTS) {
        if font.is_used() {
            names.pair(name, ids[0]);
        }
    }
    names.finish();
    let mut names = resources.ext_g_states();
    for (name, _, id) in states {
        names.pair(Name(name.as_bytes()), *id);
    }
}

/// What draws on a page.
struct Pen {
    content: Content,
    fonts: [Font; 2],
    /// Names of the opacities of areas and lines, by their bits.
    opacities: BTreeMap<[u32; 2], String>,
}

impl Pen {
    fn put(&mut self, mark: &Mark) {
        match mark {
            Mark::Clip([x, y, width, height]) => {
                self.content.save_state();
                self.content.rect(*x, *y, *width, *height);
                self.content.clip_nonzero().end_path();
            }
            Mark::Unclip => {
                self.content.restore_state();
            }
            Mark::Path { parts, style } => self.painted(style, |content| {
                parts.iter().for_each(|part| outline(content, part));
            }),
            Mark::Circle {
                centre,
                radius,
                style,
            } => self.painted(style, |content| circle(content, *centre, *radius)),
            Mark::Text(text) => self.text(text),
        }
    }

    /// Fills and strokes what is drawn.
    fn painted(&mut self, style: &Style, draw: impl FnOnce(&mut Content)) {
        if style.fill.is_none() && style.stroke.is_none() {
            return;
        }
        let faint = self.begin(style);
        let content = &mut self.content;
        if let Some([red, green, blue]) = style.fill {
            content.set_fill_rgb(red, green, blue);
        }
        if let Some([red, green, blue]) = style.stroke {
            content.set_stroke_rgb(red, green, blue);
            content.set_line_width(style.width);
            content.set_dash_pattern(style.dash.iter().copied(), 0.0);
            let cap = match style.round_caps {
                true => LineCapStyle::RoundCap,
                false => LineCapStyle::ButtCap,
            };
            content.set_line_cap(cap);
        }
        draw(content);
        match (style.fill, style.stroke) {
            (Some(_), Some(_)) => content.fill_nonzero_and_stroke(),
            (Some(_), None) => content.fill_nonzero(),
            (None, _) => content.stroke(),
        };
        self.end(faint);
    }

    /// Sets the opacity where it is not whole, and says so.
    fn begin(&mut self, style: &Style) -> bool {
        if style.opacity == [1.0; 2] {
            return false;
        }
        let count = self.opacities.len();
        let key = style.opacity.map(f32::to_bits);
        let name = self.opacities.entry(key).or_insert(format!("G{count}"));
        self.content.save_state();
        self.content.set_parameters(Name(name.as_bytes()));
        true
    }

    fn end(&mut self, faint: bool) {
        if faint {
            self.content.restore_state();
        }
    }

    fn text(&mut self, text: &Text) {
        let Some([red, green, blue]) = text.style.fill else {
            return;
        };
        let bold = usize::from(text.style.bold);
        let font = &mut self.fonts[bold];
        let runs: Vec<(GlyphSet, f32, f32)> = text
            .runs
            .iter()
            .map(|run| (font.set(&run.text), run.size, run.down))
            .collect();
        let width: f32 = runs.iter().map(|(set, size, _)| set.width * size).sum();
        let mut along = match text.style.anchor {
            Anchor::Start => 0.0,
            Anchor::Middle => -0.5 * width,
            Anchor::End => -width,
        };
        let faint = self.begin(&text.style);
        let content = &mut self.content;
        content.begin_text();
        content.set_fill_rgb(red, green, blue);
        let mut down = 0.0;
        for (set, size, lower) in &runs {
            down += lower;
            let [x, y] = text.at;
            // letters grow upwards, the picture downwards
            let place = match text.upright {
                false => [1.0, 0.0, 0.0, -1.0, x + along, y + down],
                true => [0.0, -1.0, -1.0, 0.0, x + down, y - along],
            };
            if !set.bytes.is_empty() {
                content.set_font(FONTS[bold], *size);
                content.set_text_matrix(place);
                content.show(Str(&set.bytes));
            }
            along += set.width * size;
        }
        content.end_text();
        self.end(faint);
    }
}

fn outline(content: &mut Content, part: &Part) {
    for (i, [x, y]) in part.corners.iter().enumerate() {
        match i {
            0 => content.move_to(*x, *y),
            _ => content.line_to(*x, *y),
        };
    }
    if part.closed && !part.corners.is_empty() {
        content.close_path();
    }
}

/// Four cubic curves whose middles are on the circle.
fn circle(content: &mut Content, [x, y]: [f32; 2], radius: f32) {
    let reach = 0.552_284_8 * radius;
    content.move_to(x + radius, y);
    content.cubic_to(x + radius, y + reach, x + reach, y + radius, x, y + radius);
    content.cubic_to(x - reach, y + radius, x - radius, y + reach, x - radius, y);
    content.cubic_to(x - radius, y - reach, x - reach, y - radius, x, y - radius);
    content.cubic_to(x + reach, y - radius, x + radius, y - reach, x + radius, y);
    content.close_path();
}
