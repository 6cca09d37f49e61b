//! What a sweep or a step costs against the size of the problem, with marks where the caches end.

use delassus_core::Status;

use crate::analysis::{cost, count};
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::Table;
use crate::view::{CellFilter, Cost, ParameterPath};

use super::chart::{Chart, ChartCurve, CurveForm, LegendEntry, Note, Panel, Symbol};
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};
use crate::quantities::{self, words};

/// Caches that are marked, with the half height of a stroke through a curve, as a factor \[-\].
const CACHES: [(&str, f64); 2] = [("L2", 1.12), ("L3", 1.3)];

settings! {
    /// What a sweep or a step costs against the size of the problem.
    pub struct Scaling {
        /// Size of the horizontal axis.
        pub x: Cost,
        /// Cost of the vertical axis.
        pub y: Cost,
        /// Parameter that changes the size: cells that differ in it alone are joined, and share a
        /// panel.
        pub along: String,
        problems | scenes, schemes, solvers,
    }
}

impl View for Scaling {
    fn shows_times(&self) -> bool {
        self.x.is_of_the_clock() || self.y.is_of_the_clock()
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.cost("scaling", self.x)?;
        columns.cost("scaling", self.y)?;
        if !self.x.is_size() {
            let message =
                "x of scaling is a size: working_set, rows, constraints, contacts or bodies";
            return Err(Refusal::of_value(self.x.id(), message));
        }
        columns.parameter(&mut self.along, &self.solvers)
    }
}

impl FigureKind for Scaling {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::members(bundle, &[self.path()], |r| self.shows(r))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let names = grouping::names(self.members(bundle));
        let cells = bundle.records.iter().filter(|r| self.shows(r));
        let (titles, left_out) = panels::first(cells.map(|r| self.panel_of(r)));
        let shown = panels::of_titles(&titles, |t| self.panel(bundle, &names, t, styles));
        let [across, up] = self.labels(bundle);
        let caches = self.note(bundle, &shown).into_iter();
        Chart {
            title: format!("{up} against {across}"),
            description: format!("One mark per cell. Series: {}.", names.join(", ")),
            x: panels::x_axis(across, true),
            y: panels::y_axis(up, true, None),
            legend: self.legend(bundle, &names, styles),
            notes: caches.chain(panels::left_out(left_out, "panel")).collect(),
            panels: shown,
        }
    }

    /// One row per mark.
    fn data(&self, bundle: &Bundle) -> Table {
        let headings = self.labels(bundle);
        data::per_method(bundle, self.selection(), headings, |record| {
            [self.x, self.y].map(|what| cost(record, what))
        })
    }
}

impl Scaling {
    fn path(&self) -> ParameterPath<'_> {
        ParameterPath::parse(&self.along)
    }

    /// Names and units of the axes.
    fn labels(&self, bundle: &Bundle) -> [String; 2] {
        [self.x, self.y].map(|what| quantities::cost(what, bundle.is_over_time()))
    }

    /// True if the figure shows this cell: what a machine cannot run, a vector level that it lacks,
    /// has no line.
    fn shows(&self, record: &CellRecord) -> bool {
        record.outcome.status != Status::Unsupported && self.selection().shows(record)
    }

    /// True if the figure would show this cell, were it not refused.
    fn is_unsupported(&self, record: &CellRecord) -> bool {
        record.outcome.status == Status::Unsupported && self.selection().shows(record)
    }

    /// The problem of a cell without its size: the panel.
    fn panel_of(&self, record: &CellRecord) -> String {
        grouping::panel(&record.problem, &[self.path()])
    }

    fn mark(&self, record: &CellRecord) -> Option<Mark> {
        Some(Mark {
            x: cost(record, self.x)?,
            y: cost(record, self.y)?,
            working_set: cost(record, Cost::WorkingSet),
        })
    }

    fn panel(&self, bundle: &Bundle, names: &[String], title: &str, styles: &Styles) -> Panel {
        let shown = |r: &&CellRecord| self.shows(r) && self.panel_of(r) == title;
        let cells = bundle.records.iter().filter(shown);
        let groups = grouping::by_series(cells, &[self.path()], names);
        let mut curves = Vec::new();
        let mut strokes = Vec::new();
        for (position, cells) in groups {
            let mut marks: Vec<Mark> = cells.iter().filter_map(|r| self.mark(r)).collect();
            marks.sort_by(|a, b| a.x.total_cmp(&b.x));
            let curve = |points, form| panels::curve(styles, &names[position], points, form);
            if self.x != Cost::WorkingSet {
                let ends = CACHES.iter().filter_map(|(cache, height)| {
                    let (x, y) = passes(&marks, count(bundle.cache(cache)?))?;
                    Some(vec![(x, y / height), (x, y * height)])
                });
                strokes.extend(ends.map(|points| curve(points, CurveForm::Stroke)));
            }
            let points: Vec<(f64, f64)> = marks.iter().map(|m| (m.x, m.y)).collect();
            if !points.is_empty() {
                curves.push(curve(points, CurveForm::Joined));
            }
        }
        let mut all = self.guides(bundle, &curves);
        all.extend(curves);
        all.extend(strokes);
        let [x, y] = [self.x, self.y].map(Cost::id);
        Panel {
            title: words(title),
            curves: all,
            ..Panel::empty(format!("no cell has a value of {x} and {y}"))
        }
    }

    /// Vertical lines at the sizes of the caches, over the height of the curves, where the axis is
    /// the working set.
    fn guides(&self, bundle: &Bundle, curves: &[ChartCurve]) -> Vec<ChartCurve> {
        if self.x != Cost::WorkingSet {
            return Vec::new();
        }
        let points = || curves.iter().flat_map(|c| &c.points).copied();
        let extent = |of: fn(&(f64, f64)) -> f64| {
            let values = || points().map(|point| of(&point));
            (values().reduce(f64::min), values().reduce(f64::max))
        };
        let (Some(left), Some(right)) = extent(|p| p.0) else {
            return Vec::new();
        };
        let (Some(low), Some(high)) = extent(|p| p.1) else {
            return Vec::new();
        };
        let lines = CACHES.iter().filter_map(|(name, _)| {
            let x = count(bundle.cache(name)?);
            let ends = || vec![(x, low), (x, high)];
            (left <= x && x <= right)
                .then(|| ChartCurve::apart(format!("end of {name}"), ends(), CurveForm::Stroke))
        });
        lines.collect()
    }

    fn legend(&self, bundle: &Bundle, names: &[String], styles: &Styles) -> Vec<LegendEntry> {
        let is_of = |r: &CellRecord, name: &str| grouping::series(r, &[self.path()]) == name;
        let is_shown = |r: &CellRecord, name: &str| self.shows(r) && is_of(r, name);
        let has = |r: &CellRecord| self.mark(r).is_some();
        let mut entries = panels::by_value(bundle, names, styles, is_shown, has);
        // every series has a cell that is shown
        for (entry, name) in entries.iter_mut().zip(names) {
            let own = || bundle.records.iter().filter(|r| is_of(r, name));
            let refused = own().filter(|r| self.is_unsupported(r)).count();
            if refused > 0 {
                let all = own().filter(|r| self.shows(r)).count() + refused;
                entry.text += &format!(" ({refused} of {all} unsupported)");
            }
        }
        entries
    }

    /// What strokes and lines mean, with the sizes of the caches of the machine.
    fn note(&self, bundle: &Bundle, panels: &[Panel]) -> Option<Note> {
        let known = CACHES.iter().filter_map(|(name, _)| {
            let size = bundle.cache(name)?;
            Some(format!("{name} of {}", bytes(size)))
        });
        let known: Vec<String> = known.collect();
        let mut curves = panels.iter().flat_map(|panel| &panel.curves);
        if known.is_empty() || !curves.any(|curve| curve.form == CurveForm::Stroke) {
            return None;
        }
        let text = match (self.x, known.as_slice()) {
            (Cost::WorkingSet, known) => format!("vertical lines: {}", known.join(", ")),
            (_, [second, third]) => {
                format!("strokes: the working set passes {second} (short), {third} (long)")
            }
            (_, known) => format!("strokes: the working set passes {}", known.join(", ")),
        };
        Some(Note::new(Symbol::Line, text))
    }
}

/// One cell in the figure.
#[derive(Debug, Clone, Copy)]
struct Mark {
    x: f64,
    y: f64,
    working_set: Option<f64>,
}

/// Where the working set of a series passes `bytes`: between two cells, on the straight line of the
/// figure.
fn passes(marks: &[Mark], bytes: f64) -> Option<(f64, f64)> {
    marks.windows(2).find_map(|pair| {
        let (low, high) = (pair[0].working_set?, pair[1].working_set?);
        if !(low <= bytes && bytes < high) {
            return None;
        }
        let t = libm::log(bytes / low) / libm::log(high / low);
        let between = |a: f64, b: f64| libm::exp((1.0 - t) * libm::log(a) + t * libm::log(b));
        Some((between(pair[0].x, pair[1].x), between(pair[0].y, pair[1].y)))
    })
}

/// A size as people say it: caches are powers of two, or nearly.
fn bytes(size: u64) -> String {
    if size >= 1 << 20 {
        format!("{} MiB", size >> 20)
    } else {
        format!("{} KiB", size >> 10)
    }
}

#[cfg(test)]
mod tests;
