//! Where panels, axes and labels of a chart stand.

use crate::text::clean;

use super::canvas::{MOST_LINES, PlotFrame, UNITS, text_width, wrap};
use super::chart::{Axis, Chart, Panel, Range, union};
use super::legend::{self, LegendLayout, SMALL, TEXT};
use super::scale::Scale;
use super::size::Width;

/// Space around everything.
pub(crate) const EDGE: i32 = 30;
/// Height of a panel's title, and of the gap between rows without tick labels.
const TITLE: i32 = 135;
const ROW_GAP: i32 = 50;
const COLUMN_GAP: i32 = 90;
/// Gaps between frame and tick labels, at the side and below; height of tick labels.
pub(crate) const LABEL_GAP: i32 = 30;
pub(crate) const LABEL_DROP: i32 = 45;
const TICK_LABEL: i32 = 100;
/// Width of an axis label, turned or not.
const AXIS_LABEL: i32 = 115;
/// Distance of the lines of an axis label.
pub(crate) const LABEL_LINE: i32 = 100;
/// Longest line of a name on a vertical axis, and room of a name between its neighbours.
const NAME_ROOM: i32 = 1150;
const NAME_GAP: i32 = 60;
/// The longest side of a panel whose axes have one unit.
const SQUARE: i32 = 2200;
/// Height that a tick label of a vertical axis needs, and room between those of a horizontal one
/// \[pt\].
const TICK_HEIGHT: f64 = 10.0;
const TICK_SPACE: f64 = 6.0;

/// The positions of everything in a drawing.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) size: (i32, i32),
    pub(crate) legend: LegendLayout,
    pub(crate) panels: Vec<Placed>,
    /// The box around all panels.
    pub(crate) grid: PlotFrame,
    /// Labels of the axes, in lines.
    pub(crate) x_label: Vec<String>,
    pub(crate) y_label: Vec<String>,
}

/// One panel with its place and axes.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) frame: PlotFrame,
    /// The panel's title, in lines.
    pub(crate) title: Vec<String>,
    /// `None` where there is no data.
    pub(crate) axes: Option<(Scale, Scale)>,
    pub(crate) x_labels: bool,
    pub(crate) y_labels: bool,
}

/// Lays a chart out.
pub(crate) fn lay_out(chart: &Chart, width: Width) -> Layout {
    let count = chart.panels.len().max(1);
    let (columns, aspect) = width.grid(count);
    let across = width.units();
    let rows = count.div_ceil(columns);
    let legend = legend::arrange(chart, across - 2 * EDGE, width.legend_text());
    let ranges = PanelRanges::of(chart);
    let rough = f64::from(across) / f64::from(UNITS) / crate::numbers::count(columns as u64) * 0.85;
    let axes = ranges.scales(chart, rough, rough * aspect);

    let y_widths = axes.iter().flatten().map(|(_, y)| widest(y));
    let y_width = y_widths.max().unwrap_or(0) + LABEL_GAP;
    let overhangs = axes.iter().flatten().map(|(x, _)| overhang(x));
    let x_overhang = overhangs.max().unwrap_or(0);
    let between = if ranges.shared_y { 0 } else { y_width };
    let sizes = Sizes {
        chart,
        columns,
        rows,
        aspect,
        right: across - EDGE - x_overhang.max(20),
        column_gap: COLUMN_GAP.max(2 * x_overhang + 40).max(between + 60),
        row_gap: if ranges.shared_x {
            ROW_GAP
        } else {
            ROW_GAP + TICK_LABEL
        },
        names: (!chart.y.names.is_empty()).then(|| height_of_names(&chart.y.names)),
    };
    let (left, y_label) = sizes.right_of_label(EDGE + AXIS_LABEL + y_width);
    let top = EDGE + legend.height + 20;
    let (right, bottom) = (sizes.right, top + sizes.total(left).0);
    let x_label = wrap(&clean(&chart.x.label), TEXT, right - left);
    let more = LABEL_LINE * (small(x_label.len()) - 1);
    Layout {
        size: (
            across,
            bottom + LABEL_DROP + TICK_LABEL + AXIS_LABEL + more + EDGE,
        ),
        legend,
        panels: sizes.place(axes, left, top, &ranges),
        grid: PlotFrame {
            left,
            top,
            right,
            bottom,
        },
        x_label,
        y_label,
    }
}

/// What the sizes of the panels follow from, but for their left edge.
struct Sizes<'c> {
    chart: &'c Chart,
    columns: usize,
    rows: usize,
    /// Height of a panel as a share of its width \[-\].
    aspect: f64,
    /// Right edge of the last column.
    right: i32,
    column_gap: i32,
    row_gap: i32,
    /// Height of the names along the vertical axis, if there are any.
    names: Option<i32>,
}

impl Sizes<'_> {
    /// Width and height of a panel.
    fn panel(&self, left: i32) -> (i32, i32) {
        let cells = i32::try_from(self.columns).unwrap_or(1);
        let width = (self.right - left - (cells - 1) * self.column_gap) / cells;
        #[expect(clippy::cast_possible_truncation, reason = "a few thousand units")]
        let height = (f64::from(width) * self.aspect) as i32;
        match self.names {
            Some(height) => (width, height),
            // one panel would be as high as a page
            None if self.chart.y.square => (width.min(SQUARE), width.min(SQUARE)),
            None => (width, height),
        }
    }

    /// Left edge of the panels and lines of the vertical label, whose first line ends at `left`.
    fn right_of_label(&self, mut left: i32) -> (i32, Vec<String>) {
        let label = clean(&self.chart.y.label);
        let mut text = wrap(&label, TEXT, self.total(left).0);
        // every line makes the panels narrower, and so lower: what had two may need three
        for lines in 2..=MOST_LINES {
            if text.len() < lines {
                break;
            }
            left += LABEL_LINE;
            text = wrap(&label, TEXT, self.total(left).0);
        }
        (left, text)
    }

    /// Lines of the titles.
    fn titles(&self, left: i32) -> Vec<Vec<String>> {
        // bold letters are wider than the estimate
        let room = self.panel(left).0 * 9 / 10;
        let titles = self.chart.panels.iter().map(|p| clean(&p.title));
        titles.map(|title| wrap(&title, TEXT, room)).collect()
    }

    /// Heights of all panels together and of a title.
    fn total(&self, left: i32) -> (i32, i32) {
        let title = if self.chart.panels.iter().any(|p| !p.title.is_empty()) {
            let lines = self.titles(left).iter().map(Vec::len).max().unwrap_or(1);
            TITLE + (small(lines) - 1) * LABEL_LINE
        } else {
            30
        };
        let rows = small(self.rows);
        let height = rows * (title + self.panel(left).1) + (rows - 1) * self.row_gap;
        (height, title)
    }

    /// The panels with their titles and axes; a shared axis has labels at the edge of the grid.
    fn place(
        &self,
        axes: Vec<Option<(Scale, Scale)>>,
        left: i32,
        top: i32,
        ranges: &PanelRanges,
    ) -> Vec<Placed> {
        let (width, height) = self.panel(left);
        let (title_height, count) = (self.total(left).1, self.chart.panels.len().max(1));
        let placed = axes.into_iter().zip(self.titles(left)).enumerate();
        let placed = placed.map(|(i, (axes, title))| {
            let (row, column) = (small(i / self.columns), small(i % self.columns));
            let frame_left = left + column * (width + self.column_gap);
            let frame_top = top + title_height + row * (height + title_height + self.row_gap);
            Placed {
                frame: PlotFrame {
                    left: frame_left,
                    top: frame_top,
                    right: frame_left + width,
                    bottom: frame_top + height,
                },
                title,
                axes,
                // the panel below is missing in the last row of some columns
                x_labels: !ranges.shared_x || i + self.columns >= count,
                y_labels: !ranges.shared_y || column == 0,
            }
        });
        placed.collect()
    }
}

pub(crate) fn small(value: usize) -> i32 {
    i32::try_from(value).unwrap_or(i32::MAX / 1000)
}

/// Ranges of the data of each panel, and which of them all panels share.
struct PanelRanges {
    x: Vec<Range>,
    y: Vec<Range>,
    shared_x: bool,
    shared_y: bool,
}

impl PanelRanges {
    fn of(chart: &Chart) -> Self {
        let (x, y): (Vec<Range>, Vec<Range>) = chart
            .panels
            .iter()
            .map(|panel| ranges(chart, panel))
            .unzip();
        Self {
            shared_x: chart.x.shares(&x),
            shared_y: chart.y.shares(&y),
            x,
            y,
        }
    }

    /// Axes of each panel, which has this size \[pt\].
    fn scales(&self, chart: &Chart, width: f64, height: f64) -> Vec<Option<(Scale, Scale)>> {
        let (all_x, all_y) = (union(&self.x), union(&self.y));
        let panels = self.x.iter().zip(&self.y);
        let scales = panels.map(|(x, y)| {
            let (x, y) = ((*x)?, (*y)?);
            let x = if self.shared_x { all_x.unwrap_or(x) } else { x };
            let y = if self.shared_y { all_y.unwrap_or(y) } else { y };
            let spacing = if chart.x.log { 26.0 } else { 40.0 };
            Some((
                scale(&chart.x, x.0, x.1, width, spacing, false),
                scale(&chart.y, y.0, y.1, height, 15.0, true),
            ))
        });
        scales.collect()
    }
}

/// Ranges of the data of one panel.
fn ranges(chart: &Chart, panel: &Panel) -> (Range, Range) {
    let floor = panel.floor;
    let corners = panel
        .tiles
        .iter()
        .flat_map(|t| [(t.x.0, t.y.0), (t.x.1, t.y.1)]);
    let corners: Vec<(f64, f64)> = corners.collect();
    let shapes = panel.shapes.iter().flat_map(|shape| &shape.outline);
    let corners: Vec<(f64, f64)> = corners.into_iter().chain(shapes.copied()).collect();
    let points = || panel.curves.iter().flat_map(|c| &c.points).chain(&corners);
    let x = chart.x.range(points().map(|p| p.0));
    let (low, high) = reach(chart, panel);
    let values = panel.curves.iter().flat_map(|c| {
        let (low, high) = if c.form.is_data() {
            (f64::NEG_INFINITY, f64::INFINITY)
        } else {
            (low, high)
        };
        c.points.iter().map(move |p| p.1.clamp(low, high))
    });
    let values = values.chain(corners.iter().map(|p| p.1));
    let lifted = values.map(|y| floor.map_or(y, |floor| y.max(floor)));
    let y = chart
        .y
        .range(lifted.chain(panel.guides.iter().chain(&panel.walls).copied()));
    // a panel of guides alone has no data
    if x.is_none() || points().next().is_none() {
        (None, None)
    } else {
        (x, y)
    }
}

/// How far a closed form may widen a logarithmic axis: a decade beyond the data, where there are
/// any.
fn reach(chart: &Chart, panel: &Panel) -> (f64, f64) {
    let data = panel.curves.iter().filter(|c| c.form.is_data());
    let values = data.flat_map(|c| &c.points).map(|p| p.1);
    let shown = values.filter(|y| chart.y.log && *y > 0.0);
    match shown.fold(None, super::chart::widen) {
        Some((low, high)) => (0.1 * low, 10.0 * high),
        None => (f64::NEG_INFINITY, f64::INFINITY),
    }
}

/// Room between the data and the frame, as a share of the axis: markers stand free.
const PAD: f64 = 0.03;

/// The axis over a range, with room at both ends; long logarithmic axes that stand upright go on to
/// whole decades first.
fn scale(axis: &Axis, low: f64, high: f64, length: f64, spacing: f64, upright: bool) -> Scale {
    if !axis.names.is_empty() {
        let room = if upright { NAME_ROOM } else { 1000 };
        let names = axis.names.iter();
        let scale = Scale::named(names.map(|name| wrap(&clean(name), SMALL, room).join("\n")));
        return if axis.inverted {
            scale.inverted()
        } else {
            scale
        };
    }
    if axis.inverted {
        let axis = Axis {
            inverted: false,
            ..axis.clone()
        };
        return scale(&axis, low, high, length, spacing, upright).inverted();
    }
    let room = |label: &str| {
        if upright {
            TICK_HEIGHT
        } else {
            f64::from(label_width(label)) / f64::from(UNITS) + TICK_SPACE
        }
    };
    if !axis.marks.is_empty() {
        // tiles reach to the frame
        let scale = if axis.log {
            Scale::log(libm::log10(low), libm::log10(high), length, spacing, room)
        } else {
            Scale::linear(low, high, length, spacing)
        };
        return scale.marked(&axis.marks, length, room);
    }
    if !axis.log {
        let pad = PAD * (high - low);
        return Scale::linear(low - pad, high + pad, length, spacing);
    }
    let (mut from, mut to) = (libm::log10(low), libm::log10(high));
    if upright && to - from > 2.0 {
        (from, to) = ((from + 1e-9).floor(), (to - 1e-9).ceil());
    }
    let pad = PAD * (to - from);
    // the ends of the floating-point range have no room beyond them
    let (from, to) = ((from - pad).max(-307.0), (to + pad).min(308.0));
    Scale::log(from, to, length, spacing, room)
}

/// Height of an axis of names: as many lines as they have.
fn height_of_names(names: &[String]) -> i32 {
    let lines = |name: &String| small(wrap(&clean(name), SMALL, NAME_ROOM).len());
    let most = names.iter().map(lines).max().unwrap_or(1);
    // rows are equally high, and a few do not fill a page
    small(names.len()) * (most * LABEL_LINE + NAME_GAP).max(160) + NAME_GAP
}

/// Width of the widest tick label.
fn widest(scale: &Scale) -> i32 {
    let labels = scale.ticks.iter().filter_map(|t| t.label.as_deref());
    labels.map(label_width).max().unwrap_or(0)
}

/// How far tick labels reach beyond the ends of a horizontal axis.
fn overhang(scale: &Scale) -> i32 {
    let near_end = scale.ticks.iter().filter(|t| t.at < 0.06 || t.at > 0.94);
    let labels = near_end.filter_map(|t| t.label.as_deref());
    labels.map(|l| label_width(l) / 2).max().unwrap_or(0)
}

fn label_width(label: &str) -> i32 {
    // superscripts are set smaller, which the estimate ignores: a little more room
    let lines = label.lines().map(|line| text_width(line, SMALL));
    lines.max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
