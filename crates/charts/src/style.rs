//! Colours, markers and dashes: one combination per method.

use plotters::style::RGBColor;

use super::canvas::{DrawError, Layer, Pixel};

/// Width of a closed form, in tenths of a point.
pub(crate) const EXACT_WIDTH: u32 = 34;
/// Colours that colour-blind readers tell apart on white \[OkabeIto2008\]; the set's yellow is too
/// light for lines.
const COLORS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(0, 0, 0),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
];

/// Series that differ in colour \[-\].
pub const COLOURS: usize = COLORS.len();

/// Dash patterns in tenths of a point; the first is solid. They come in sets of [`SET`]: the series
/// of one set differ in colour or dashes, and those of another set have other dashes.
const DASHES: [&str; 3 * SET] = [
    "",
    "50 20",
    "15 18",
    "70 20 15 20",
    "80 15 15 15 15 15",
    "130 25",
    "25 45",
    "50 15 50 15 15 15",
    "100 20 30 20",
    "15 12 15 45",
    "100 20 30 20 30 20",
    "15 12 15 12 15 45",
    "50 15 15 15 15 15 15 15",
    "60 60",
    "130 20 15 20",
];
const SET: usize = 5;

/// Looks that differ in colour or dashes \[-\].
pub const LOOKS: usize = COLOURS * DASHES.len();

/// Text and axes.
pub(crate) const INK: RGBColor = RGBColor(26, 26, 26);
/// Secondary text, minor ticks.
pub const GREY: RGBColor = RGBColor(96, 96, 96);
/// Grid lines.
pub(crate) const GRID: RGBColor = RGBColor(228, 228, 228);

/// Look of one series.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SeriesStyle {
    /// Colour of line and markers.
    pub color: RGBColor,
    /// Dashes and gaps in tenths of a point; a solid line if empty.
    pub dash: &'static str,
    /// Marker of its points.
    pub marker: Marker,
}

/// Look of the series that is the `turn`th of a colour. The first [`LOOKS`] differ in colour or
/// dashes, and the first five of a colour in dashes and markers.
pub fn series(color: usize, turn: usize) -> SeriesStyle {
    // 7 colours and 5 dashes of a set have no common factor, and neither have 7 colours and 8
    // markers
    let position = color + COLORS.len() * turn;
    let set = position / (COLORS.len() * SET) % (DASHES.len() / SET);
    SeriesStyle {
        color: COLORS[position % COLORS.len()],
        dash: DASHES[SET * set + position % SET],
        marker: Marker::ALL[position % Marker::ALL.len()],
    }
}

/// Look of a line that belongs to no series.
pub fn plain() -> SeriesStyle {
    SeriesStyle {
        color: INK,
        dash: "",
        marker: Marker::Circle,
    }
}

/// A scale of colours that grows evenly in lightness, from dark blue to yellow: viridis
/// \[VanDerWaltSmith2015\].
const VIRIDIS: [RGBColor; 11] = [
    RGBColor(68, 1, 84),
    RGBColor(72, 36, 117),
    RGBColor(65, 68, 135),
    RGBColor(53, 95, 141),
    RGBColor(42, 120, 142),
    RGBColor(33, 145, 140),
    RGBColor(34, 168, 132),
    RGBColor(68, 191, 112),
    RGBColor(122, 209, 81),
    RGBColor(189, 223, 38),
    RGBColor(253, 231, 37),
];

/// Colour at a place of the scale, 0 to 1.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between 0 and 255, and between 0 and the number of colours"
)]
pub fn viridis(place: f64) -> RGBColor {
    let at = place.clamp(0.0, 1.0) * 10.0;
    let below = (at.floor() as usize).min(9);
    let (a, b, t) = (VIRIDIS[below], VIRIDIS[below + 1], at - at.floor().min(9.0));
    let mix = |a: u8, b: u8| (f64::from(a) + t * (f64::from(b) - f64::from(a))).round() as u8;
    RGBColor(mix(a.0, b.0), mix(a.1, b.1), mix(a.2, b.2))
}

/// A colour on its way to white: what lies under data.
pub fn pale(color: RGBColor) -> RGBColor {
    let mix = |c: u8| 255 - (255 - c) / 10 * 4;
    RGBColor(mix(color.0), mix(color.1), mix(color.2))
}

impl SeriesStyle {
    /// Attributes of the group that draws the line.
    pub(crate) fn dash_attribute(&self) -> String {
        if self.dash.is_empty() {
            String::new()
        } else {
            format!("stroke-dasharray=\"{}\"", self.dash)
        }
    }
}

/// Shapes of markers, all of about the same area.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// A circle.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    TriangleDown,
    /// A hexagon.
    Hexagon,
    /// A star of five points.
    Star,
    /// An upright cross.
    Plus,
    /// Not a series: points at a value that the axis cannot show.
    Arrow,
}

impl Marker {
    const ALL: [Self; 8] = [
        Self::Circle,
        Self::Square,
        Self::Triangle,
        Self::Diamond,
        Self::TriangleDown,
        Self::Hexagon,
        Self::Star,
        Self::Plus,
    ];

    /// The outline about `centre`, `size` tenths of a point across.
    pub(crate) fn outline(self, centre: Pixel, size: i32) -> Vec<Pixel> {
        let vertices: &[(i32, i32)] = match self {
            Self::Circle => &CIRCLE,
            Self::Square => &[(-42, -42), (42, -42), (42, 42), (-42, 42)],
            Self::Triangle => &[(0, -58), (54, 40), (-54, 40)],
            Self::Diamond => &[(0, -62), (50, 0), (0, 62), (-50, 0)],
            Self::TriangleDown => &[(0, 58), (54, -40), (-54, -40)],
            Self::Hexagon => &[
                (-50, 0),
                (-25, -46),
                (25, -46),
                (50, 0),
                (25, 46),
                (-25, 46),
            ],
            Self::Star => &STAR,
            Self::Plus => &PLUS,
            Self::Arrow => &ARROW,
        };
        let place = |(x, y): &(i32, i32)| (centre.0 + x * size / 100, centre.1 + y * size / 100);
        vertices.iter().map(place).collect()
    }

    /// Draws the marker, filled or hollow.
    pub(crate) fn draw(
        self,
        layer: &Layer<'_>,
        centre: Pixel,
        size: i32,
        color: RGBColor,
        hollow: bool,
    ) -> Result<(), DrawError> {
        let outline = self.outline(centre, size);
        if hollow {
            layer.outline(outline, color, 10)
        } else {
            layer.area(outline, color)
        }
    }
}

/// A regular 16-gon of radius 47.
const CIRCLE: [(i32, i32); 16] = [
    (47, 0),
    (43, 18),
    (33, 33),
    (18, 43),
    (0, 47),
    (-18, 43),
    (-33, 33),
    (-43, 18),
    (-47, 0),
    (-43, -18),
    (-33, -33),
    (-18, -43),
    (0, -47),
    (18, -43),
    (33, -33),
    (43, -18),
];
/// Five points, outer radius 66, inner radius 27.
const STAR: [(i32, i32); 10] = [
    (0, -66),
    (16, -22),
    (63, -20),
    (26, 8),
    (39, 53),
    (0, 27),
    (-39, 53),
    (-26, 8),
    (-63, -20),
    (-16, -22),
];
const PLUS: [(i32, i32); 12] = [
    (-16, -56),
    (16, -56),
    (16, -16),
    (56, -16),
    (56, 16),
    (16, 16),
    (16, 56),
    (-16, 56),
    (-16, 16),
    (-56, 16),
    (-56, -16),
    (-16, -16),
];
/// Points down; its tip is at the centre's height minus a little.
const ARROW: [(i32, i32); 7] = [
    (-14, -70),
    (14, -70),
    (14, -6),
    (48, -6),
    (0, 60),
    (-48, -6),
    (-14, -6),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::panel::{FLOOR_DOTS, GUIDE_DASH, WALL_DASH};

    #[test]
    fn no_series_has_the_dashes_of_floors_guides_and_walls() {
        for place in 0..LOOKS {
            let dash = series(place % COLOURS, place / COLOURS).dash_attribute();
            assert!(dash.is_empty() || !FLOOR_DOTS.contains(&dash));
            assert_ne!(dash, GUIDE_DASH);
            assert_ne!(dash, WALL_DASH);
        }
    }

    #[test]
    fn all_looks_differ_in_colour_or_dashes() {
        let look = |place: usize| series(place % COLOURS, place / COLOURS);
        let looks: Vec<SeriesStyle> = (0..LOOKS).map(look).collect();
        for (place, own) in looks.iter().enumerate() {
            let same = |other: &SeriesStyle| (other.color, other.dash) == (own.color, own.dash);
            assert!(!looks[..place].iter().any(same), "{place}");
        }
    }
}
