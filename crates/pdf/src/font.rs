//! The two fonts of the program: which letters a picture uses, how wide they are, and how a PDF
//! holds them.

use std::collections::BTreeMap;
use std::io::Write as _;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Filter, Finish, Name, Pdf, Rect, Ref, Str};
use subsetter::GlyphRemapper;
use ttf_parser::{Face, GlyphId};

use super::PdfError;

/// Arimo, whose letters are as wide as Helvetica's: what a layout for one leaves room for fits the
/// other.
const REGULAR: &[u8] = include_bytes!("../assets/arimo-regular.ttf");
const BOLD: &[u8] = include_bytes!("../assets/arimo-bold.ttf");
/// Stands for what the font does not have.
const MISSING: char = '\u{fffd}';

const SYSTEM: SystemInfo<'static> = SystemInfo {
    registry: Str(b"Adobe"),
    ordering: Str(b"Identity"),
    supplement: 0,
};

/// A font with the letters that a picture uses of it.
pub(crate) struct Font {
    data: &'static [u8],
    face: Face<'static>,
    /// Name in the file, with the mark of a part of a font.
    name: &'static [u8],
    used: GlyphRemapper,
    /// What each letter in the file stands for.
    letters: BTreeMap<u16, char>,
}

/// Letters of a font in a file, two bytes each, and how wide they are together \[em\].
pub(crate) struct GlyphSet {
    pub(crate) bytes: Vec<u8>,
    pub(crate) width: f32,
}

impl Font {
    pub(crate) fn new(bold: bool) -> Result<Self, PdfError> {
        let (data, name): (_, &[u8]) = match bold {
            false => (REGULAR, b"DLSSUS+Arimo"),
            true => (BOLD, b"DLSSUS+Arimo-Bold"),
        };
        let face = Face::parse(data, 0).map_err(|error| PdfError::Font(error.to_string()))?;
        Ok(Self {
            data,
            face,
            name,
            used: GlyphRemapper::new(),
            letters: BTreeMap::new(),
        })
    }

    pub(crate) fn is_used(&self) -> bool {
        !self.letters.is_empty()
    }

    /// Sets a text; what the font does not have stands as �, what has no width and no shape is left
    /// out.
    pub(crate) fn set(&mut self, text: &str) -> GlyphSet {
        let (mut bytes, mut units) = (Vec::with_capacity(2 * text.len()), 0);
        for letter in text.chars().filter(|c| !is_invisible(*c)) {
            let found = self.face.glyph_index(letter);
            let glyph = found.or_else(|| self.face.glyph_index(MISSING));
            let glyph = glyph.unwrap_or_default();
            units += i32::from(self.face.glyph_hor_advance(glyph).unwrap_or(0));
            let own = self.used.remap(glyph.0);
            let shown = if found.is_some() { letter } else { MISSING };
            self.letters.entry(own).or_insert(shown);
            bytes.extend(own.to_be_bytes());
        }
        #[expect(clippy::cast_precision_loss, reason = "a line of text")]
        let width = units as f32 / f32::from(self.face.units_per_em());
        GlyphSet { bytes, width }
    }

    /// Writes the font into a file; `ids` are of the font, of what it is made of, of its letters
    /// and of their meaning.
    pub(crate) fn write(&self, pdf: &mut Pdf, ids: [Ref; 5]) -> Result<(), PdfError> {
        let [font, letters, descriptor, file, meaning] = ids;
        let name = Name(self.name);
        pdf.type0_font(font)
            .base_font(name)
            .encoding_predefined(Name(b"Identity-H"))
            .descendant_font(letters)
            .to_unicode(meaning);
        let em = |units: f32| units * 1000.0 / f32::from(self.face.units_per_em());
        let advance = |glyph| self.face.glyph_hor_advance(GlyphId(glyph)).unwrap_or(0);
        let widths = self
            .used
            .remapped_gids()
            .map(|old| em(f32::from(advance(old))));
        let mut part = pdf.cid_font(letters);
        part.subtype(CidFontType::Type2)
            .base_font(name)
            .system_info(SYSTEM)
            .font_descriptor(descriptor)
            .default_width(0.0)
            .cid_to_gid_map_predefined(Name(b"Identity"));
        part.widths().consecutive(0, widths);
        part.finish();
        let bounds = self.face.global_bounding_box();
        let bounds = [bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max];
        let [left, bottom, right, top] = bounds.map(|units| em(f32::from(units)));
        let capital = self.face.capital_height().unwrap_or(0);
        pdf.font_descriptor(descriptor)
            .name(name)
            .flags(FontFlags::NON_SYMBOLIC)
            .bbox(Rect::new(left, bottom, right, top))
            .italic_angle(0.0)
            .ascent(em(f32::from(self.face.ascender())))
            .descent(em(f32::from(self.face.descender())))
            .cap_height(em(f32::from(capital)))
            .stem_v(if self.data == BOLD { 140.0 } else { 80.0 })
            .font_file2(file);
        let subset = subsetter::subset(self.data, 0, &self.used);
        let subset = subset.map_err(|error| PdfError::Font(error.to_string()))?;
        let packed = packed(&subset);
        let mut stream = pdf.stream(file, &packed);
        stream.filter(Filter::FlateDecode);
        let length = i32::try_from(subset.len()).unwrap_or(i32::MAX);
        stream.pair(Name(b"Length1"), length);
        stream.finish();
        let mut map = UnicodeCmap::<u16>::new(Name(b"Letters"), SYSTEM);
        for (glyph, letter) in &self.letters {
            map.pair(*glyph, *letter);
        }
        pdf.cmap(meaning, &map.finish());
        Ok(())
    }
}

/// Characters without width and shape: joiners, marks of direction, controls.
fn is_invisible(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}

/// Bytes as zlib packs them.
pub(crate) fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    // writing to memory does not fail
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}
