//! A quantity against a parameter: marks per solver or method, closed forms of problems as lines.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::bundle::Bundle;
use crate::closed_form::ClosedFormLookup;
use crate::columns::{Columns, Number, Refusal, View, positive};
use crate::record::{CellRecord, ProblemLabel, SolverLabel};
use crate::settings::settings;
use crate::tables::{Cell, Column, Table};
use crate::view::{CellComponent, CellFilter, ParameterPath};

use super::chart::{Chart, ChartCurve, CurveForm, Note, Panel, Symbol};
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};
use crate::quantities::{parameter_label, parameter_name, words};

/// Points of a closed form over a continuous parameter.
const LINE_POINTS: u32 = 160;

settings! {
    /// A quantity against a parameter, one mark series per solver or method, closed forms as lines.
    pub struct Parameter {
        /// Parameter of the horizontal axis: of the problems, or of scenes, schemes or solvers (as
        /// "scheme.substeps").
        pub x: String,
        /// Number of a cell on the vertical axis.
        pub y: String,
        over,
        /// Generators to show, one panel each; all if left out.
        #[serde(default)]
        pub generators: Vec<String>,
        problems | scenes, schemes, solvers, log_x, log_y,
        /// Values below are drawn here and marked, on a logarithmic axis.
        #[serde(default)]
        pub floor: Option<f64>,
    }
}

impl View for Parameter {
    fn shows_times(&self) -> bool {
        Number::is_of_the_clock(&self.y)
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        positive("floor", self.floor)?;
        columns.number(&self.y)?;
        columns.summary(self.over)?;
        columns.sources(&self.generators)?;
        columns.parameter_of(&mut self.x, &self.generators, &self.solvers)
    }
}

impl FigureKind for Parameter {
    /// Series that have the parameter.
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::members(bundle, &[self.path()], |record| self.has_place(record))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let cells = bundle.records.iter().filter(|r| self.has_place(r));
        let (titles, left_out) = panels::first(cells.map(|r| self.panel_of(r)));
        let names = grouping::names(self.members(bundle));
        let number = Number::of(bundle, &self.y, self.over);
        let shown = titles.iter();
        let shown = shown.map(|title| self.panel(bundle, number, &names, title, styles));
        let reason = format!(
            "no finished cell has a parameter {}",
            parameter_name(&self.x)
        );
        let shown = panels::alone(shown.collect(), reason);
        let label = number.label();
        let is_own = |r: &CellRecord, name: &str| {
            grouping::series(r, &[self.path()]) == name
                && titles.contains(&self.panel_of(r))
                && self.has_place(r)
        };
        let has = |r: &CellRecord| number.value(r).is_some();
        let mut legend = panels::by_value(bundle, &names, styles, is_own, has);
        legend
            .iter_mut()
            .for_each(|entry| entry.line = bundle.is_over_time());
        let mut curves = shown.iter().flat_map(|p| &p.curves);
        let lines = curves.any(|c| c.form == CurveForm::Exact);
        let exact = lines.then(|| Note::new(Symbol::Exact, "closed form"));
        let noun = ["panel", "scene"][usize::from(bundle.is_over_time())];
        let rest = panels::left_out(left_out, noun);
        Chart {
            title: format!("{label} against {}", parameter_name(&self.x)),
            description: format!(
                "Marks: {}. Lines: closed forms, where one is known.",
                names.join(", ")
            ),
            x: panels::x_axis(
                parameter_label(bundle, self.selection(), &self.x),
                self.log_x,
            ),
            y: panels::y_axis(label, self.log_y, self.floor),
            legend,
            notes: exact.into_iter().chain(rest).collect(),
            panels: shown,
        }
    }

    /// One row per mark.
    fn data(&self, bundle: &Bundle) -> Table {
        let number = Number::of(bundle, &self.y, self.over);
        let path = self.path();
        if bundle.is_over_time() {
            let headings = [self.x.clone(), number.label()];
            return data::per_cell(bundle, self.selection(), headings, |record| {
                [path.number(record), number.value(record)]
            });
        }
        let columns = vec![
            Column::text("generator"),
            Column::text("problem"),
            Column::numeric(self.x.clone()),
            Column::text("solver"),
            Column::numeric(number.label()),
            Column::numeric("closed form"),
        ];
        let known = bundle.closed_forms;
        let exact = |r: &CellRecord| known.of_quantity(&r.problem, &r.solver, &self.y);
        let cells = bundle.records.iter().filter(|r| self.has_place(r));
        let rows = cells.map(|record| {
            vec![
                Cell::text(&record.problem.source),
                Cell::text(&record.problem.name),
                Cell::number(path.number(record)),
                Cell::text(record.method()),
                Cell::number(number.value(record)),
                Cell::number(exact(record)),
            ]
        });
        Table::plain(columns, rows.collect(), [])
    }
}

/// Cells of one panel that differ in nothing but the parameter, per series.
type Groups<'a> = BTreeMap<(usize, String), Vec<&'a CellRecord>>;

impl Parameter {
    fn path(&self) -> ParameterPath<'_> {
        ParameterPath::parse(&self.x)
    }

    /// True if the figure shows this cell, and the cell has the parameter.
    fn has_place(&self, record: &CellRecord) -> bool {
        let source = &record.problem.source;
        let made = self.generators.is_empty() || self.generators.contains(source);
        made && self.selection().shows(record) && self.path().number(record).is_some()
    }

    /// The panel of a cell: the generator of a problem, unless solvers are varied.
    fn panel_of(&self, record: &CellRecord) -> String {
        match (record.scheme(), self.path().part) {
            (None, CellComponent::Problem | CellComponent::Scheme) => record.problem.source.clone(),
            _ => grouping::panel(&record.problem, &[self.path()]),
        }
    }

    fn groups<'a>(&self, bundle: &'a Bundle, names: &[String], panel: &str) -> Groups<'a> {
        let path = self.path();
        let mut groups: Groups<'a> = BTreeMap::new();
        let own = |r: &&CellRecord| self.has_place(r) && self.panel_of(r) == panel;
        for record in bundle.records.iter().filter(own) {
            let series = grouping::series(record, &[path]);
            let Some(position) = names.iter().position(|name| *name == series) else {
                continue;
            };
            let mut others = record.problem.parameters.clone();
            if path.part == CellComponent::Problem {
                others.remove(path.key);
            }
            let key = (position, Value::Object(others).to_string());
            groups.entry(key).or_default().push(record);
        }
        groups
    }

    fn panel(
        &self,
        bundle: &Bundle,
        number: Number<'_>,
        names: &[String],
        title: &str,
        styles: &Styles,
    ) -> Panel {
        let path = self.path();
        let mut lines = Vec::new();
        let mut marks = Vec::new();
        for ((position, _), cells) in &self.groups(bundle, names, title) {
            let label = &names[*position];
            let line = self.closed_form_line(cells, bundle.closed_forms);
            let mut points: Vec<(f64, f64)> = cells
                .iter()
                .filter_map(|r| Some((path.number(r)?, number.value(r)?)))
                .filter(|(x, y)| y.is_finite() && (!self.log_x || *x > 0.0))
                .collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            let form = if line.is_empty() {
                CurveForm::Joined
            } else {
                CurveForm::Marks
            };
            if !line.is_empty() {
                lines.push(ChartCurve {
                    name: format!("{label}: closed form"),
                    ..panels::curve(styles, label, line, CurveForm::Exact)
                });
            }
            if !points.is_empty() {
                marks.push(panels::curve(styles, label, points, form));
            }
        }
        lines.extend(marks);
        Panel {
            title: words(title),
            curves: lines,
            ..Panel::empty(format!("no cell has a value of {}", number.name()))
        }
    }

    /// The closed form over the range of the cells; at the cells alone where the solver's
    /// parameters change with them.
    fn closed_form_line(
        &self,
        cells: &[&CellRecord],
        known: &dyn ClosedFormLookup,
    ) -> Vec<(f64, f64)> {
        if cells[0].scheme().is_some() {
            // trajectories have closed forms over time
            return Vec::new();
        }
        let path = self.path();
        let mut solver = cells[0].solver.clone();
        let mut problem = cells[0].problem.clone();
        let value = |problem: &ProblemLabel, solver: &SolverLabel| {
            let exact = known.of_quantity(problem, solver, &self.y);
            exact.filter(|y| y.is_finite())
        };
        let mut line: Vec<(f64, f64)> = Vec::new();
        let same_solver = cells.iter().all(|r| r.solver == solver);
        if same_solver || path.part == CellComponent::Solver {
            for (x, json) in self.abscissae(cells) {
                let varied = match path.part {
                    CellComponent::Solver => &mut solver.parameters,
                    CellComponent::Problem | CellComponent::Scheme => &mut problem.parameters,
                };
                varied.insert(path.key.to_owned(), json);
                line.extend(value(&problem, &solver).map(|y| (x, y)));
            }
        } else {
            let own = cells.iter().filter_map(|r| {
                let x = path.number(r).filter(|x| !self.log_x || *x > 0.0)?;
                Some((x, value(&r.problem, &r.solver)?))
            });
            line.extend(own);
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
        }
        line
    }

    /// Values of the parameter between the smallest and the largest of the cells: whole numbers
    /// where theirs are.
    fn abscissae(&self, cells: &[&CellRecord]) -> Vec<(f64, Value)> {
        let path = self.path();
        let own = cells.iter().filter_map(|r| path.number(r));
        let values: Vec<f64> = own.filter(|x| !self.log_x || *x > 0.0).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let integer = |r: &&CellRecord| {
            let value = path.value(r);
            value.is_some_and(|v| v.is_u64() || v.is_i64())
        };
        let whole = cells.iter().all(integer);
        let mut steps: Vec<(f64, Value)> = Vec::new();
        for i in 0..=LINE_POINTS {
            let t = f64::from(i) / f64::from(LINE_POINTS);
            let mut x = if self.log_x {
                libm::exp((1.0 - t) * libm::log(low) + t * libm::log(high))
            } else {
                low + t * (high - low)
            };
            if whole {
                x = x.round();
            }
            let previous = steps.last().map_or(f64::NEG_INFINITY, |step| step.0);
            if x.is_finite() && x > previous {
                steps.push((x, json(x, whole)));
            }
        }
        steps
    }
}

fn json(x: f64, whole: bool) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "rounded within the range of parameters that are integers"
    )]
    let integer = x as i64;
    if whole {
        Value::from(integer)
    } else {
        Value::from(x)
    }
}
