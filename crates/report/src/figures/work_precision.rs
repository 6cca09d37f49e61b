//! What a method achieves against what it costs: one mark per cell, lines along a parameter.

use std::cmp::Ordering;

use crate::analysis::spent;
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View, positive};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::{Cell, Table};
use crate::view::{CellFilter, Kind, ParameterPath, Work, one_or_more};

use super::chart::{Chart, CurveForm, Note, Panel};
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};
use crate::quantities::{run_work, words, work, work_name};
use crate::text::clean;

settings! {
    /// What a method achieves against what it costs, one mark per cell.
    pub struct WorkPrecision {
        /// Work of a whole solve, or of a whole run over time: there row updates or seconds.
        pub x: Work,
        /// Number of a cell on the vertical axis.
        pub y: String,
        over,
        /// Parameters along which cells are joined to a line (as "scheme.substeps"), one or several
        /// where methods differ in what refines them; each method has its own marks if left out.
        #[serde(
            default,
            deserialize_with = "one_or_more",
            skip_serializing_if = "Vec::is_empty"
        )]
        pub along: Vec<String>,
        scenes | problems, schemes, solvers,
        /// Values below are drawn here and marked, on a logarithmic axis.
        #[serde(default)]
        pub floor: Option<f64>,
    }
}

impl View for WorkPrecision {
    fn shows_times(&self) -> bool {
        self.x == Work::Seconds || Number::is_of_the_clock(&self.y)
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        positive("floor", self.floor)?;
        if self.x == Work::Sweeps && columns.kind == Kind::Trajectories {
            let message = "x of work-precision is \"row_updates\" or \"seconds\"";
            return Err(Refusal::of_value("sweeps", message));
        }
        columns.number(&self.y)?;
        columns.summary(self.over)?;
        let solvers = &self.solvers;
        let mut along = self.along.iter_mut();
        along.try_for_each(|along| columns.parameter(along, solvers))
    }
}

impl FigureKind for WorkPrecision {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::members(bundle, &self.paths(), |r| self.selection().shows(r))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        self.drawn(bundle, Across::Work(self.x), styles)
    }

    /// One row per mark.
    fn data(&self, bundle: &Bundle) -> Table {
        self.rows(bundle, Across::Work(self.x))
    }
}

/// What the horizontal axis shows of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Across {
    /// The work of the run.
    Work(Work),
    /// Time that it covers over the time that it takes \[-\].
    RealTime,
}

impl Across {
    fn value(self, record: &CellRecord) -> Option<f64> {
        match self {
            Self::Work(work) => spent(record, work),
            Self::RealTime => {
                let covered = record.outcome.covered()?;
                record.outcome.seconds().map(|seconds| covered / seconds)
            }
        }
        .filter(|value| value.is_finite())
    }

    /// Name and unit.
    fn label(self, bundle: &Bundle) -> &'static str {
        match self {
            Self::Work(own) if bundle.is_over_time() => run_work(own),
            Self::Work(own) => work(own),
            Self::RealTime => "real-time factor: time covered over time taken [-]",
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Work(work) => work_name(work),
            Self::RealTime => "real-time factor",
        }
    }

    fn cell(self, record: &CellRecord) -> Cell {
        match self {
            Self::Work(work) => Cell::work(self.value(record), work),
            Self::RealTime => Cell::number(self.value(record)),
        }
    }
}

impl WorkPrecision {
    /// The chart with another horizontal axis.
    pub(super) fn drawn(&self, bundle: &Bundle, across: Across, styles: &Styles) -> Chart {
        let paths = self.paths();
        let names = grouping::names(self.members(bundle));
        let number = Number::of(bundle, &self.y, self.over);
        let (titles, left_out) = panels::first(self.titles(bundle, &paths));
        let label = number.label();
        let is_own = |r: &CellRecord, name: &str| {
            self.selection().shows(r) && grouping::series(r, &paths) == name
        };
        let has = |r: &CellRecord| number.value(r).is_some();
        let mut legend = panels::by_value(bundle, &names, styles, is_own, has);
        legend
            .iter_mut()
            .for_each(|entry| entry.line = !paths.is_empty());
        let keys: Vec<String> = paths.iter().map(|k| k.key.replace('_', " ")).collect();
        let joined = (!keys.is_empty()).then(|| {
            let keys = clean(&keys.join(" or "));
            Note::plain(format!("lines join runs along {keys}"))
        });
        let noun = bundle.kind().subject();
        Chart {
            title: format!("{label} against {}", across.name()),
            description: format!("One mark per run. Series: {}.", names.join(", ")),
            x: panels::x_axis(across.label(bundle), true),
            y: panels::y_axis(label, true, self.floor),
            panels: panels::of_titles(&titles, |title| {
                self.panel(bundle, number, across, &names, title, styles)
            }),
            legend,
            notes: Vec::from_iter(joined.into_iter().chain(panels::left_out(left_out, noun))),
        }
    }

    /// Its data.
    pub(super) fn rows(&self, bundle: &Bundle, across: Across) -> Table {
        let number = Number::of(bundle, &self.y, self.over);
        let mut headings = self.along.clone();
        headings.push(across.label(bundle).to_owned());
        headings.push(number.label());
        let paths = self.paths();
        data::per_cell(bundle, self.selection(), headings, |record| {
            let along = paths.iter().map(|path| Cell::number(path.number(record)));
            let mut row: Vec<Cell> = along.collect();
            row.push(across.cell(record));
            row.push(Cell::number(number.value(record)));
            row
        })
    }

    fn paths(&self) -> Vec<ParameterPath<'_>> {
        self.along
            .iter()
            .map(|along| ParameterPath::parse(along))
            .collect()
    }

    /// The panels: problems or scenes without the parameters that lines run along.
    fn titles(&self, bundle: &Bundle, paths: &[ParameterPath<'_>]) -> impl Iterator<Item = String> {
        let chosen = panels::chosen(bundle, &self.scenes).into_iter();
        chosen.map(|name| match bundle.problem(&name) {
            Some(problem) => grouping::panel(problem, paths),
            None => name,
        })
    }

    fn panel(
        &self,
        bundle: &Bundle,
        number: Number<'_>,
        across: Across,
        names: &[String],
        title: &str,
        styles: &Styles,
    ) -> Panel {
        let paths = self.paths();
        let shown = |r: &&CellRecord| {
            self.selection().shows(r) && grouping::panel(&r.problem, &paths) == title
        };
        let cells = bundle.records.iter().filter(shown);
        // values of the parameters, work, what is achieved
        let run = |r: &&CellRecord| {
            let spent = across.value(r).filter(|x| *x > 0.0)?;
            Some((refinement(r, &paths)?, spent, number.value(r)?.abs()))
        };
        let form = if paths.is_empty() {
            CurveForm::Marks
        } else {
            CurveForm::Joined
        };
        let groups = grouping::by_series(cells, &paths, names).into_iter();
        let curves = groups.filter_map(|(position, cells)| {
            let mut runs: Vec<(Vec<f64>, f64, f64)> = cells.iter().filter_map(run).collect();
            runs.sort_by(|a, b| a.0.partial_cmp(&b.0).unwrap_or(Ordering::Equal));
            let points = runs.into_iter().map(|(_, x, y)| (x, y)).collect();
            let curve = panels::curve(styles, &names[position], points, form);
            (!curve.points.is_empty()).then_some(curve)
        });
        Panel {
            title: words(title),
            curves: curves.collect(),
            ..Panel::empty(format!("no run has a value of {}", number.name()))
        }
    }
}

/// Values of the parameters that lines run along, zero for those that the method does not have;
/// `None` if it has none.
fn refinement(record: &CellRecord, paths: &[ParameterPath<'_>]) -> Option<Vec<f64>> {
    let values: Vec<Option<f64>> = paths.iter().map(|path| path.number(record)).collect();
    let any = paths.is_empty() || values.iter().any(Option::is_some);
    any.then(|| {
        values
            .into_iter()
            .map(|value| value.unwrap_or(0.0))
            .collect()
    })
}
