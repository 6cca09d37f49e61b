//! How far runs end apart that began a little apart: a cloud of marks per method.

use delassus_core::Status;

use crate::analysis::departures;
use crate::bundle::Bundle;
use crate::columns::{self, Columns, Refusal, View};
use crate::quantities::{knob_label, knob_name, quantity, words};
use crate::record::{CellRecord, median};
use crate::settings::settings;
use crate::tables::{Cell, Table};
use crate::view::{CellFilter, Knob};

use super::chart::{Axis, Chart, CurveForm, Note, Panel};
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};

settings! {
    /// The distance at the end from the run that was not perturbed, against the perturbation.
    pub struct Predictability {
        /// Parameter of the scenes that perturbs their start; 0 is the run that others are compared
        /// with.
        pub x: String,
        /// Parameters in which repeated perturbations differ, as a seed.
        #[serde(default)]
        pub repeats: Vec<String>,
        /// Observables of one unit, taken together as coordinates: their differences add up by
        /// squares.
        pub observables: Vec<String>,
        scenes, schemes, solvers,
        /// Values below are drawn here and marked.
        #[serde(default)]
        pub floor: Option<f64>,
    }
}

impl View for Predictability {
    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_time("predictability")?;
        columns::floor(self.floor)?;
        columns.coordinates(&self.observables)?;
        columns.parameter(&mut self.x, &[])?;
        let mut repeats = self.repeats.iter_mut();
        repeats.try_for_each(|name| columns.parameter(name, &[]))
    }
}

impl FigureKind for Predictability {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::methods(bundle, |record| self.shows(record))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let names = grouping::names(self.members(bundle));
        let cells = bundle.records.iter().filter(|r| self.shows(r));
        let (titles, more) = panels::first(cells.map(|r| self.scene(r)));
        let shown = titles.iter();
        let shown = shown.map(|title| self.panel(bundle, title, &names, styles));
        let shown = panels::alone(shown.collect(), panels::NO_CELL);
        let mut x = Axis::new(knob_label(bundle, self.selection(), &self.x), true);
        x.share = 2.5;
        let mut y = Axis::new(self.label(), true);
        y.share = 4.0;
        y.floor = self.floor;
        let legend = names.iter().filter_map(|name| {
            let own = |r: &&CellRecord| self.shows(r) && r.method() == name && self.size(r) > 0.0;
            let cells = bundle.records.iter().filter(own);
            panels::by_value(name, cells, |r| self.distance(bundle, r).is_some(), styles)
        });
        let mut notes = vec![Note::plain(format!(
            "one mark per perturbed run, beside the run of the same method with {} = 0; lines join medians",
            knob_name(&self.x)
        ))];
        notes.extend(panels::left_out(more, "scene"));
        Chart {
            title: format!("Distance at the end against {}", knob_name(&self.x)),
            description: format!("One mark per run. Series: {}.", names.join(", ")),
            x,
            y,
            legend: legend.collect(),
            notes,
            panels: shown,
        }
    }

    /// One row per run.
    fn data(&self, bundle: &Bundle) -> Table {
        let headings = [self.x.clone(), self.label()];
        data::per_cell(bundle, self.selection(), headings, |record| {
            let distance = self.distance(bundle, record);
            [self.knob().number(record), distance]
                .map(Cell::number)
                .to_vec()
        })
    }
}

impl Predictability {
    fn knob(&self) -> Knob<'_> {
        Knob::parse(&self.x)
    }

    fn shows(&self, record: &CellRecord) -> bool {
        self.selection().shows(record) && self.knob().number(record).is_some()
    }

    fn size(&self, record: &CellRecord) -> f64 {
        self.knob().number(record).map_or(0.0, f64::abs)
    }

    /// Name and unit of the distance.
    fn label(&self) -> String {
        let named = quantity(self.observables.first().map_or("", String::as_str));
        let unit = named.rsplit_once(" [").map_or("-]", |(_, unit)| unit);
        format!("distance at the end [{unit}")
    }

    /// The scene without what perturbs it.
    fn scene(&self, record: &CellRecord) -> String {
        let mut knobs = vec![self.knob()];
        knobs.extend(self.repeats.iter().map(|name| Knob::parse(name)));
        grouping::panel(&record.problem, &knobs)
    }

    /// The distance of a perturbed run from the other one at the last time that they have in
    /// common.
    fn distance(&self, bundle: &Bundle, record: &CellRecord) -> Option<f64> {
        if self.size(record) == 0.0 || record.outcome.status != Status::Solved {
            return None;
        }
        let scene = self.scene(record);
        let mut others = bundle.records.iter().filter(|r| {
            self.shows(r)
                && r.outcome.status == Status::Solved
                && r.method() == record.method()
                && self.size(r) == 0.0
                && self.scene(r) == scene
        });
        let all = departures(record, others.next()?, &self.observables);
        all.last().copied().filter(|_| all.len() > 1)
    }

    fn panel(&self, bundle: &Bundle, title: &str, names: &[String], styles: &Styles) -> Panel {
        let mut panel = Panel {
            title: words(title),
            ..Panel::empty("no run was perturbed, or none of them not")
        };
        for name in names {
            let own =
                |r: &&CellRecord| self.shows(r) && r.method() == name && self.scene(r) == title;
            let cells = bundle.records.iter().filter(own);
            let marks = cells.filter_map(|r| Some((self.size(r), self.distance(bundle, r)?)));
            let mut marks: Vec<(f64, f64)> = marks.collect();
            if marks.is_empty() {
                continue;
            }
            marks.sort_by(|a, b| a.0.total_cmp(&b.0));
            let medians = marks.chunk_by(|a, b| a.0 == b.0).filter_map(|of_size| {
                let values = of_size.iter().map(|mark| mark.1).collect();
                Some((of_size[0].0, median(values)?))
            });
            let medians = medians.collect();
            panel
                .curves
                .push(panels::curve(styles, name, medians, CurveForm::Bare));
            panel
                .curves
                .push(panels::curve(styles, name, marks, CurveForm::Marks));
        }
        panel
    }
}
