//! How far runs are from the finest of their own: distance against the length of a step, with a
//! triangle of the order.

use delassus_core::Status;

use crate::analysis::departure;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View, positive};
use crate::numbers::significant;
use crate::quantities::{name_of, parameter_label, parameter_name, quantity, unit_of, words};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::Table;
use crate::view::{CellFilter, DT, ParameterPath};

use super::chart::{Chart, ChartShape, CurveForm, Fill, Label, LabelSide, Note, Panel};
use super::style::GREY;
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};

fn step() -> String {
    format!("scheme.{DT}")
}

settings! {
    /// The largest distance of runs from the finest of the same method in the same scene.
    pub struct SelfConvergence {
        /// Parameter that refines a run, the smaller the finer (as "scheme.substeps"); the length
        /// of a frame if left out.
        #[serde(default = "step")]
        pub x: String,
        /// Observables of one unit, taken together as coordinates: their differences add up by
        /// squares.
        pub observables: Vec<String>,
        /// Orders of the triangles; one of each.
        #[serde(default)]
        pub orders: Vec<f64>,
        scenes, schemes, solvers,
        /// Values below are drawn here and marked.
        #[serde(default)]
        pub floor: Option<f64>,
    }
}

impl View for SelfConvergence {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_time("self-convergence")?;
        positive("floor", self.floor)?;
        columns.coordinates(&self.observables)?;
        let fits = |order: &f64| order.is_finite() && *order > 0.0 && *order <= 12.0;
        if !self.orders.iter().all(fits) {
            return Err(Refusal::of_key(
                "orders",
                "orders are numbers > 0, 12 at most",
            ));
        }
        columns.parameter(&mut self.x, &self.solvers)
    }
}

impl FigureKind for SelfConvergence {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::members(bundle, &[self.path()], |r| self.shows(r))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let names = grouping::names(self.members(bundle));
        let cells = bundle.records.iter().filter(|r| self.shows(r));
        let (titles, more) = panels::first(cells.map(|r| self.place(r).0));
        let shown = panels::of_titles(&titles, |t| self.panel(bundle, t, &names, styles));
        let mut y = panels::y_axis(self.label(), true, self.floor);
        // the numbers below triangles stand free
        let corners = shown
            .iter()
            .flat_map(|p| &p.shapes)
            .flat_map(|s| &s.outline);
        let lowest = corners.map(|corner| corner.1).reduce(f64::min);
        y.include.extend(lowest.map(|lowest| 0.5 * lowest));
        let is_own = |r: &CellRecord, name: &str| {
            self.shows(r) && self.place(r).1 == name && !self.is_finest(bundle, r)
        };
        let has = |r: &CellRecord| self.distance(bundle, r).is_some();
        let text = format!(
            "against the run of the smallest {} of the same method",
            parameter_name(&self.x)
        );
        let mut notes = vec![Note::plain(text)];
        if self.observables.len() > 1 {
            let names: Vec<String> = self.observables.iter().map(|y| name_of(y)).collect();
            notes.push(Note::plain(format!("coordinates: {}", names.join("; "))));
        }
        notes.extend(panels::left_out(more, "scene"));
        Chart {
            title: format!("Self-convergence over {}", parameter_name(&self.x)),
            description: format!("One mark per run. Series: {}.", names.join(", ")),
            x: panels::x_axis(parameter_label(bundle, self.selection(), &self.x), true),
            y,
            legend: panels::by_value(bundle, &names, styles, is_own, has),
            notes,
            panels: shown,
        }
    }

    /// One row per run.
    fn data(&self, bundle: &Bundle) -> Table {
        let headings = [self.x.clone(), self.label()];
        data::per_cell(bundle, self.selection(), headings, |record| {
            [self.path().number(record), self.distance(bundle, record)]
        })
    }
}

impl SelfConvergence {
    fn path(&self) -> ParameterPath<'_> {
        ParameterPath::parse(&self.x)
    }

    fn shows(&self, record: &CellRecord) -> bool {
        self.selection().shows(record) && self.path().number(record).is_some_and(|x| x > 0.0)
    }

    /// Name and unit of the distance.
    fn label(&self) -> String {
        let first = self.observables.first().map_or("", String::as_str);
        let named = quantity(first);
        let unit = unit_of(&named);
        match self.observables.as_slice() {
            [_] => format!(
                "{}: largest distance from the finest [{unit}",
                name_of(first)
            ),
            _ => format!("largest distance from the finest [{unit}"),
        }
    }

    /// Scene and series of a cell without the step.
    fn place(&self, record: &CellRecord) -> (String, String) {
        grouping::place(record, &[self.path()])
    }

    /// The run of the smallest step that came to its end, of the same method in the same scene.
    fn finest<'b>(&self, bundle: &'b Bundle, record: &CellRecord) -> Option<&'b CellRecord> {
        let own = self.place(record);
        let cells = bundle.records.iter();
        let cells = cells.filter(|r| {
            r.outcome.status == Status::Solved && self.shows(r) && self.place(r) == own
        });
        let step = |r: &CellRecord| self.path().number(r).unwrap_or(f64::INFINITY);
        cells.min_by(|a, b| step(a).total_cmp(&step(b)))
    }

    fn is_finest(&self, bundle: &Bundle, record: &CellRecord) -> bool {
        self.finest(bundle, record)
            .is_some_and(|finest| std::ptr::eq(finest, record))
    }

    /// The distance of a run from the finest one; none of that one itself.
    fn distance(&self, bundle: &Bundle, record: &CellRecord) -> Option<f64> {
        if record.outcome.status != Status::Solved || !self.shows(record) {
            return None;
        }
        let finest = self.finest(bundle, record)?;
        let other = !std::ptr::eq(finest, record);
        departure(record, finest, &self.observables).filter(|_| other)
    }

    fn panel(&self, bundle: &Bundle, title: &str, names: &[String], styles: &Styles) -> Panel {
        let own = |r: &&CellRecord| self.shows(r) && self.place(r).0 == title;
        let cells = bundle.records.iter().filter(own);
        let groups = grouping::by_series(cells, &[self.path()], names);
        let point = |r: &&CellRecord| Some((self.path().number(r)?, self.distance(bundle, r)?));
        let curves = groups.into_iter().filter_map(|(position, cells)| {
            let mut points: Vec<(f64, f64)> = cells.iter().filter_map(point).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let curve = panels::curve(styles, &names[position], points, CurveForm::Joined);
            (!curve.points.is_empty()).then_some(curve)
        });
        let mut panel = Panel {
            title: words(title),
            curves: curves.collect(),
            ..Panel::empty("no method has two runs with times in common")
        };
        for (place, order) in self.orders.iter().enumerate() {
            triangle(&mut panel, *order, side(place, self.orders.len()));
        }
        panel
    }
}

/// Where the base of a triangle stands, as shares of the axis; several stand side by side.
fn side(place: usize, triangles: usize) -> [f64; 2] {
    if triangles == 1 {
        return [0.45, 0.75];
    }
    // room for the number on the right
    let width = 0.9 / triangles as f64;
    let from = 0.05 + width * place as f64;
    [from + 0.15 * width, from + 0.75 * width]
}

/// A triangle whose slope is the order, below the curves.
fn triangle(panel: &mut Panel, order: f64, shares: [f64; 2]) {
    let points = || {
        panel
            .curves
            .iter()
            .flat_map(|c| &c.points)
            .filter(|p| p.1 > 0.0)
    };
    let ends = points().fold(None, |ends, p| super::chart::widen(ends, p.0));
    let Some((low, high)) = ends.filter(|(low, high)| low < high) else {
        return;
    };
    let at = |share: f64| low * libm::pow(high / low, share);
    let [from, to] = shares.map(at);
    // the lowest curve, as seen along the slope
    let below = points().map(|(x, y)| y * libm::pow(from / x, order));
    let (Some(level), drop) = (below.reduce(f64::min), 0.4) else {
        return;
    };
    let base = drop * level;
    let top = base * libm::pow(to / from, order);
    panel.shapes.push(ChartShape {
        name: format!("order {order}"),
        outline: vec![(from, base), (to, base), (to, top)],
        color: GREY,
        fill: Fill::None,
    });
    let middle = |a: f64, b: f64| (a * b).sqrt();
    panel.labels.push(Label {
        at: (middle(from, to), base),
        text: "1".to_owned(),
        side: LabelSide::Below,
    });
    panel.labels.push(Label {
        at: (to, middle(base, top)),
        text: significant(order, 2).trim_end_matches(".0").to_owned(),
        side: LabelSide::Right,
    });
}
