//! How far runs end apart that began a little apart: a cloud of marks per method.

use delassus_core::Status;

use crate::analysis::departures;
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View, positive};
use crate::quantities::{parameter_label, parameter_name, quantity, unit_of, words};
use crate::record::{CellRecord, median};
use crate::settings::settings;
use crate::tables::Table;
use crate::view::{CellFilter, ParameterPath};

use super::chart::{Chart, CurveForm, Note, Panel};
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
        positive("floor", self.floor)?;
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
        let is_own =
            |r: &CellRecord, name: &str| self.shows(r) && r.method() == name && self.size(r) > 0.0;
        let has = |r: &CellRecord| self.distance(bundle, r).is_some();
        let mut notes = vec![Note::plain(format!(
            "one mark per perturbed run, against the run of the same method with {} = 0; lines join medians",
            parameter_name(&self.x)
        ))];
        notes.extend(panels::left_out(more, "scene"));
        Chart {
            title: format!("Distance at the end against {}", parameter_name(&self.x)),
            description: format!("One mark per run. Series: {}.", names.join(", ")),
            x: panels::x_axis(parameter_label(bundle, self.selection(), &self.x), true),
            y: panels::y_axis(self.label(), true, self.floor),
            legend: panels::by_value(bundle, &names, styles, is_own, has),
            notes,
            panels: panels::of_titles(&titles, |t| self.panel(bundle, t, &names, styles)),
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

impl Predictability {
    fn path(&self) -> ParameterPath<'_> {
        ParameterPath::parse(&self.x)
    }

    fn shows(&self, record: &CellRecord) -> bool {
        self.selection().shows(record) && self.path().number(record).is_some()
    }

    fn size(&self, record: &CellRecord) -> f64 {
        self.path().number(record).map_or(0.0, f64::abs)
    }

    /// Name and unit of the distance.
    fn label(&self) -> String {
        let named = quantity(self.observables.first().map_or("", String::as_str));
        format!("distance at the end [{}", unit_of(&named))
    }

    /// The scene without what perturbs it.
    fn scene(&self, record: &CellRecord) -> String {
        let mut paths = vec![self.path()];
        paths.extend(self.repeats.iter().map(|name| ParameterPath::parse(name)));
        grouping::panel(&record.problem, &paths)
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
