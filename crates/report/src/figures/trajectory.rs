//! An observable against time: one line per method, one panel per scene, closed forms as thin
//! lines.

use crate::analysis::over;
use crate::bundle::{Bundle, distinct};
use crate::columns::{Columns, Refusal, View, positive};
use crate::numbers::power;
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::{Cell, Table};
use crate::view::{CellFilter, Over, one_or_more};

use super::banded::{self, Band, Banded, OBSERVABLE};
use super::chart::{
    Axis, Chart, ChartShape, CurveEnd, Fill, LOW_END, LegendEntry, Note, Panel, Symbol,
};
use super::data::{self, SAMPLES};
use super::style::GREY;
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};
use crate::quantities::{name_of, quantity, summarised, unit_of};
use crate::text::clean;

mod lines;

/// Characters that the names of several observables may take next to an axis.
const LONG_NAME: usize = 80;
/// A run that ends early may grow this much above the others before it leaves the frame.
const GROWTH: f64 = 10.0;

settings! {
    /// An observable against time, one line per method, one panel per scene.
    pub struct Trajectory {
        /// Observables of the vertical axis: one, or several of one unit.
        #[serde(deserialize_with = "one_or_more")]
        pub y: Vec<String>,
        /// Scenes to show, by name or by what their names begin with, in order; all if left out (at
        /// most 12 panels).
        scenes,
        schemes, solvers,
        /// Draw the magnitude.
        #[serde(default)]
        pub absolute: bool,
        /// Logarithmic axis of time.
        #[serde(default)]
        pub log_x: bool,
        log_y,
        /// Values below are drawn here and marked, on a logarithmic axis.
        #[serde(default)]
        pub floor: Option<f64>,
        /// Frames on the horizontal axis, in place of time.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub frames: bool,
        /// The difference from the closed form, in place of the value; what has none has no line.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        pub difference: bool,
        /// A band of this half width around zero, with a line at zero, in the unit of the vertical
        /// axis.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub tolerance: Option<f64>,
        /// Curves that differ in these parameters alone are one line with a band; "scene" stands
        /// for all scenes, in one panel, and "observable" for the observables of the vertical axis,
        /// as the rows of several joints.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub across: Vec<String>,
        /// How wide the band is; quartiles if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub band: Option<Band>,
    }
}

/// What stands for all scenes among the parameters that a band runs over.
const SCENE: &str = "scene";

impl View for Trajectory {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_time("trajectory")?;
        positive("floor", self.floor)?;
        positive("tolerance", self.tolerance)?;
        let words = [SCENE, OBSERVABLE];
        banded::check(columns, self.band, &mut self.across, &words, &self.solvers)?;
        columns.one_unit(&self.y)
    }
}

impl FigureKind for Trajectory {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        if let Some(banded) = self.banded() {
            return banded.members(bundle);
        }
        let methods = self.methods(bundle);
        let lines = methods.iter().flat_map(|method| {
            self.y.iter().map(|y| Member {
                name: self.series_name(&method.name, y),
                family: method.family.clone(),
            })
        });
        lines.collect()
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let banded = self.banded();
        let (scenes, left_out) = match &banded {
            Some(banded) => banded.titles(bundle),
            None => panels::first(panels::chosen(bundle, &self.scenes)),
        };
        let methods = match &banded {
            Some(banded) => grouping::names(banded.members(bundle)),
            None => grouping::names(self.methods(bundle)),
        };
        let shown = scenes.iter().map(|scene| match &banded {
            Some(banded) => banded.panel(bundle, scene, &methods, styles, |record| {
                let lines = self.y.iter();
                lines.map(|y| self.points(bundle, record, y)).collect()
            }),
            None => self.panel(bundle, scene, &methods, styles),
        });
        let mut shown = panels::alone(shown.collect(), panels::NO_CELL);
        shown.iter_mut().for_each(|panel| self.frame(panel));
        let mut x = Axis::new(
            ["time [s]", "frames [-]"][usize::from(self.frames)],
            self.log_x,
        );
        x.include = vec![0.0];
        let name = self.axis_name();
        let label = match self.absolute {
            true => format!("magnitude of {name}"),
            false => name.clone(),
        };
        let mut y = panels::y_axis(label, self.log_y, self.floor);
        y.cap = calm_cap(&shown);
        let mut chart = Chart {
            title: format!("{name} against time"),
            description: panels::describe(&shown, &methods),
            x,
            y,
            legend: match &banded {
                Some(banded) => banded.legend(bundle, &methods, "not run to the end", styles),
                None => self.legend(bundle, &scenes, &methods, styles),
            },
            notes: Vec::new(),
            panels: shown,
        };
        chart.notes = notes(&chart);
        if let Some(banded) = &banded {
            let observables = self.across.iter().any(|name| name == OBSERVABLE);
            chart.notes.push(banded.note(SCENE, observables));
        }
        chart.notes.extend(self.tolerance.map(tolerance_note));
        chart.notes.extend(panels::left_out(left_out, "scene"));
        chart
    }

    /// One row per line.
    fn data(&self, bundle: &Bundle) -> Table {
        let mut headings = vec!["time covered [s]".to_owned()];
        for y in &self.y {
            headings.extend(Over::LISTED.map(|what| summarised(y, what)));
        }
        let numbers = |record: &CellRecord| {
            let mut row = vec![Cell::number(record.outcome.covered())];
            for y in &self.y {
                let value = |what| over(record, y, what, bundle.closed_forms);
                row.extend(Over::LISTED.map(|what| Cell::number(value(what))));
            }
            row
        };
        data::per_cell(bundle, self.selection(), headings, numbers).noting(SAMPLES)
    }
}

impl Trajectory {
    fn banded(&self) -> Option<Banded<'_>> {
        Banded::of(self.selection(), self.band, &self.across, SCENE, false)
    }

    /// Draws zero and the tolerance around it under the data of a panel.
    fn frame(&self, panel: &mut Panel) {
        let times = || panel.curves.iter().flat_map(|c| &c.points).map(|p| p.0);
        let ends = (times().reduce(f64::min), times().reduce(f64::max));
        let (Some(tolerance), (Some(from), Some(to))) = (self.tolerance, ends) else {
            return;
        };
        let low = if self.log_y { LOW_END } else { -tolerance };
        panel.shapes.insert(
            0,
            ChartShape {
                name: "tolerance".to_owned(),
                outline: vec![(from, low), (to, low), (to, tolerance), (from, tolerance)],
                color: GREY,
                fill: Fill::Pale,
            },
        );
        if !self.log_y {
            panel.guides.push(0.0);
        }
    }

    fn methods(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::methods(bundle, |record| self.selection().shows(record))
    }

    /// Name and unit of what is drawn.
    fn axis_name(&self) -> String {
        match self.difference {
            true => format!("difference from the closed form: {}", self.observed()),
            false => self.observed(),
        }
    }

    /// Name and unit of the observable, or the unit of several.
    fn observed(&self) -> String {
        let names: Vec<String> = self.y.iter().map(|y| quantity(y)).collect();
        match names.as_slice() {
            [only] => only.clone(),
            [first, ..] => {
                let unit = unit_of(first);
                let names: Vec<String> = self.y.iter().map(|y| name_of(y)).collect();
                let names = names.join("; ");
                // the legend names them as well
                match names.chars().nth(LONG_NAME) {
                    None => format!("{names} [{unit}"),
                    Some(_) => format!("{} quantities, see above [{unit}", self.y.len()),
                }
            }
            [] => String::new(),
        }
    }

    /// Methods, each split into its observables where there are several, with the names of the
    /// series.
    fn split(&self, methods: &[String]) -> Vec<(String, String, String)> {
        let pairs = methods.iter().flat_map(|method| {
            let several = self.y.iter();
            several.map(move |y| (self.series_name(method, y), method.clone(), y.clone()))
        });
        pairs.collect()
    }

    /// Name of a line: the method, with the observable where there are several.
    fn series_name(&self, method: &str, y: &str) -> String {
        if self.y.len() == 1 {
            method.to_owned()
        } else {
            format!("{method}: {y}")
        }
    }

    /// One entry per line.
    fn legend(
        &self,
        bundle: &Bundle,
        scenes: &[String],
        methods: &[String],
        styles: &Styles,
    ) -> Vec<LegendEntry> {
        let plain = panels::by_status(bundle, scenes, methods, "not run to the end", styles);
        if self.y.len() == 1 {
            return plain;
        }
        // every method has run, or it would not be among them
        let texts = plain.into_iter().map(|entry| entry.text);
        let texts: Vec<String> = texts.collect();
        let lines = self.split(methods).into_iter().enumerate();
        let entries = lines.map(|(i, (line, _, y))| {
            let name = clean(&name_of(&y));
            let text = match (methods.len(), texts.get(i / self.y.len())) {
                (1, _) | (_, None) => name,
                (_, Some(method)) => format!("{method}: {name}"),
            };
            styles.entry(&line, text)
        });
        entries.collect()
    }
}

/// What the band around zero is, with a power of ten where digits would be zeros.
fn tolerance_note(tolerance: f64) -> Note {
    let width = match (1e-3..1e4).contains(&tolerance) {
        true => tolerance.to_string(),
        false => power(tolerance),
    };
    Note::new(Symbol::Guide, format!("band around zero: ± {width}"))
}

/// Runs that end early because they blow up leave the frame instead of flattening everything else.
fn calm_cap(panels: &[Panel]) -> Option<f64> {
    let peak = |wild: bool| {
        let curves = panels.iter().flat_map(|p| &p.curves);
        let chosen = curves.filter(|c| (c.end == CurveEnd::Hollow) == wild);
        let sizes = chosen.flat_map(|c| &c.points).map(|p| p.1.abs());
        sizes.max_by(f64::total_cmp).filter(|y| *y > 0.0)
    };
    let calm = peak(false)?;
    (peak(true)? > GROWTH * calm).then_some(GROWTH * calm)
}

fn notes(chart: &Chart) -> Vec<Note> {
    let mut notes = Vec::new();
    let curves = || chart.panels.iter().flat_map(|p| &p.curves);
    let forms = distinct(curves().filter_map(|c| c.name.strip_prefix("closed form: ")));
    let exact = |text: &str| Note::new(Symbol::Exact, clean(text));
    match forms.as_slice() {
        [] => {}
        few @ ([_] | [_, _] | [_, _, _]) => notes.push(exact(&few.join("; "))),
        _ => notes.push(exact("closed forms")),
    }
    if curves().any(|c| c.end == CurveEnd::Hollow) {
        let text = "hollow end: not run to the end";
        notes.push(Note::new(Symbol::Hollow, text));
    }
    let top = chart.y.cap.unwrap_or(f64::INFINITY);
    if curves().any(|c| c.points.iter().any(|p| p.1 > top)) {
        notes.push(Note::plain("lines that leave at the top grow on"));
    }
    notes
}
