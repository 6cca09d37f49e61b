//! A chart of panels with shared legend: what every kind of figure is reduced to before it is
//! drawn.

use plotters::style::RGBColor;

use super::style::{self, SeriesStyle};

/// A figure that is ready to be laid out.
#[derive(Debug, Clone)]
pub struct Chart {
    /// Alternative text: the first line.
    pub title: String,
    /// Alternative text: what is to be seen.
    pub description: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The small multiples, row by row.
    pub panels: Vec<Panel>,
    /// One line per series.
    pub legend: Vec<LegendEntry>,
    /// What stands below the legend.
    pub notes: Vec<Note>,
}

/// One axis of all panels.
#[derive(Debug, Clone)]
pub struct Axis {
    /// Quantity and unit.
    pub label: String,
    /// True for a logarithmic axis.
    pub log: bool,
    /// Range that must be covered, in addition to that of the data.
    pub include: Vec<f64>,
    /// Values above are outside the frame.
    pub cap: Option<f64>,
    /// Values below are drawn here on a logarithmic axis; found from the data if left out.
    pub floor: Option<f64>,
    /// Places that carry ticks in place of round numbers, with the values to write there.
    pub marks: Vec<(f64, f64)>,
    /// Ranges of the panels may differ by this factor (difference of logarithms on a logarithmic
    /// axis) and still share one axis.
    pub share: f64,
    /// Large values lie below or to the left.
    pub inverted: bool,
    /// Names of the places 0, 1, … in place of numbers: the axis counts them, on a vertical axis
    /// from the top.
    pub names: Vec<String>,
    /// Of the vertical axis: a unit is as long as on the horizontal one.
    pub square: bool,
}

impl Axis {
    /// An axis of numbers, linear or logarithmic, over the range of the data.
    pub fn new(label: impl Into<String>, log: bool) -> Self {
        Self {
            label: label.into(),
            log,
            include: Vec::new(),
            cap: None,
            floor: None,
            marks: Vec::new(),
            share: f64::INFINITY,
            inverted: false,
            names: Vec::new(),
            square: false,
        }
    }

    /// A vertical axis of names, the first at the top.
    pub fn named(names: Vec<String>) -> Self {
        Self {
            inverted: true,
            names,
            ..Self::new("", false)
        }
    }
}

/// One small multiple.
#[derive(Debug, Clone, Default)]
pub struct Panel {
    /// Heading; none if empty.
    pub title: String,
    /// Lines and marks, above everything else.
    pub curves: Vec<ChartCurve>,
    /// Coloured rectangles below the curves.
    pub tiles: Vec<Tile>,
    /// Areas and outlines below the curves.
    pub shapes: Vec<ChartShape>,
    /// Short texts at places of the axes, above the curves.
    pub labels: Vec<Label>,
    /// Horizontal reference lines.
    pub guides: Vec<f64>,
    /// Levels that no method passes, because the numbers end there.
    pub walls: Vec<f64>,
    /// Values below are drawn here on a logarithmic vertical axis; `None` where there are none.
    pub floor: Option<f64>,
    /// Why there is nothing to see, where there are no curves.
    pub empty: String,
}

impl Panel {
    /// A panel that says why there is nothing to see.
    pub fn empty(reason: impl Into<String>) -> Self {
        Self {
            empty: reason.into(),
            ..Self::default()
        }
    }
}

/// A rectangle of one colour, for a pair of parameters.
#[derive(Debug, Clone)]
pub struct Tile {
    /// What it stands for, for the tooltip.
    pub name: String,
    /// Ends along x; on a logarithmic axis > 0.
    pub x: (f64, f64),
    /// Ends along y; on a logarithmic axis > 0.
    pub y: (f64, f64),
    /// `None` where there is no value: drawn hollow with a cross.
    pub color: Option<RGBColor>,
}

/// A closed outline: a bar, a band, a violin, a box, a triangle.
#[derive(Debug, Clone)]
pub struct ChartShape {
    /// What it stands for, for the tooltip.
    pub name: String,
    /// Corners (x, y). [`LOW_END`] stands for the low end of its axis, and widens no range.
    pub outline: Vec<(f64, f64)>,
    /// Colour of the area or of the outline.
    pub color: RGBColor,
    /// How it is drawn.
    pub fill: Fill,
}

/// Where an axis begins, logarithmic or not, as a corner of a [`ChartShape`].
pub const LOW_END: f64 = f64::NEG_INFINITY;

/// How a shape is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fill {
    /// Light enough for others to shine through.
    Pale,
    /// A thin line alone.
    None,
}

/// A short text in a panel.
#[derive(Debug, Clone)]
pub struct Label {
    /// Where it stands (x, y).
    pub at: (f64, f64),
    /// What is written.
    pub text: String,
    /// On which side of its place it is written.
    pub side: LabelSide,
}

/// Where a label stands relative to its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LabelSide {
    /// To the right of its place.
    Right,
    /// Below its place.
    Below,
}

/// One line or set of marks.
#[derive(Debug, Clone)]
pub struct ChartCurve {
    /// Name, for the tooltip.
    pub name: String,
    /// Colour, dashes and marker.
    pub style: SeriesStyle,
    /// Position among the series: keeps the markers of curves that run together apart.
    pub position: usize,
    /// (x, y); every value finite. On logarithmic axes x > 0, and y ≤ 0 is drawn at the edge and
    /// marked.
    pub points: Vec<(f64, f64)>,
    /// How its points are drawn.
    pub form: CurveForm,
    /// How its last point is marked.
    pub end: CurveEnd,
}

impl ChartCurve {
    /// A dark curve that belongs to no series.
    pub fn apart(name: impl Into<String>, points: Vec<(f64, f64)>, form: CurveForm) -> Self {
        Self {
            name: name.into(),
            style: style::plain(),
            position: 0,
            points,
            form,
            end: CurveEnd::None,
        }
    }
}

/// How a curve is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveForm {
    /// A line with a few markers.
    Line,
    /// A right-continuous step function with a few markers.
    Steps,
    /// A marker at each point.
    Marks,
    /// A hollow marker at each point.
    Hollow,
    /// A line with a marker at each point.
    Joined,
    /// A closed form: a wide pale line below the data.
    Exact,
    /// A thin line without markers, above the data.
    Stroke,
    /// A line of the series through all of its points, without markers.
    Bare,
}

/// How the last point is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CurveEnd {
    /// As the others.
    None,
    /// A filled marker: the goal was reached.
    Filled,
    /// A hollow marker: it was not.
    Hollow,
}

/// One line of the legend.
#[derive(Debug, Clone)]
pub struct LegendEntry {
    /// Look of the sample.
    pub style: SeriesStyle,
    /// Name of the series.
    pub text: String,
    /// The sample shows a line.
    pub line: bool,
}

/// An explanation below the legend.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// What stands in front of it.
    pub symbol: Symbol,
    /// What it says.
    pub text: String,
}

impl Note {
    /// A note behind a symbol.
    pub fn new(symbol: Symbol, text: impl Into<String>) -> Self {
        Self {
            symbol,
            text: text.into(),
        }
    }

    /// A note without a symbol.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(Symbol::None, text)
    }
}

/// Symbol in front of a note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Symbol {
    /// No symbol.
    None,
    /// Hollow end marker.
    Hollow,
    /// Marker of values that a logarithmic axis cannot show.
    Zero,
    /// Horizontal reference line.
    Guide,
    /// Level that no method passes.
    Wall,
    /// Thin line.
    Line,
    /// Wide pale line of a closed form.
    Exact,
    /// Sample of a colour.
    Swatch(RGBColor),
    /// Cross of a tile without a value.
    Cross,
}

/// Finite range of the data, widened to what must be covered.
pub(crate) type Range = Option<(f64, f64)>;

/// The range with a value in it.
pub fn widen(range: Range, value: f64) -> Range {
    match range {
        Some((low, high)) => Some((low.min(value), high.max(value))),
        None => Some((value, value)),
    }
}

/// The range that holds all of these.
pub(crate) fn union(ranges: &[Range]) -> Range {
    let known = ranges.iter().copied().flatten();
    known.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

impl Axis {
    /// Range of one panel: of its data below the cap, and of what must be covered.
    pub(crate) fn range(&self, values: impl Iterator<Item = f64>) -> Range {
        let capped = values.map(|v| self.cap.map_or(v, |cap| v.min(cap)));
        let shown = capped.filter(|v| v.is_finite() && (!self.log || *v > 0.0));
        let data = shown.fold(None, widen);
        // an axis without data is not drawn for its reference values alone
        data.map(|range| {
            let include = self.include.iter().copied();
            let fits = include.filter(|v| !self.log || *v > 0.0);
            fits.fold(range, |(low, high), v| (low.min(v), high.max(v)))
        })
    }

    /// True if the panels can share one axis without one of them becoming unreadable.
    pub(crate) fn shares(&self, ranges: &[Range]) -> bool {
        let Some(union) = union(ranges) else {
            return true;
        };
        let span = |(low, high): (f64, f64)| {
            if self.log {
                libm::log10(high) - libm::log10(low)
            } else {
                high - low
            }
        };
        let widest = span(union);
        ranges.iter().flatten().all(|range| {
            let own = span(*range);
            own * self.share >= widest || widest == 0.0
        })
    }
}
