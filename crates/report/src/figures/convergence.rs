//! A residual against work: one line per solver, one panel per problem.

use delassus_core::Status;

use crate::analysis::walls::{meaning, wall};
use crate::analysis::{count, work_at};
use crate::bundle::{Bundle, distinct};
use crate::columns::{Columns, Refusal, View};
use crate::numbers::power;
use crate::record::{CellRecord, SampleRow};
use crate::settings::settings;
use crate::tables::{Cell, Table};
use crate::view::{CellFilter, ParameterPath, Selection, Work, headline};

use super::banded::{self, Band, Banded};
use super::chart::{Axis, Chart, ChartCurve, CurveEnd, CurveForm, Note, Panel, Symbol};
use super::data::{self, SAMPLES};
use super::style::viridis;
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};
use crate::quantities::{quantity, words, work, work_name};

/// A residual may grow this much above its start before the line leaves the frame.
const GROWTH: f64 = 1e3;

settings! {
    /// A residual against work, one line per solver, one panel per problem.
    pub struct Convergence {
        /// Horizontal axis.
        pub x: Work,
        /// Metric of the vertical axis.
        #[serde(default = "headline")]
        pub y: String,
        /// Problems to show, by name or by what their names begin with, in order; all if left out
        /// (at most 12 panels).
        problems,
        solvers, log_x,
        /// Curves that differ in these parameters alone are one line with a band: of problems, or
        /// of solvers as "solver.omega"; "problem" stands for all problems, in one panel.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        pub across: Vec<String>,
        /// How wide the band is; quartiles if left out.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub band: Option<Band>,
        /// Parameter whose values colour the lines, from dark to light, in place of the colours of
        /// the solvers.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub shade: Option<String>,
    }
}

/// What stands for all problems among the parameters that a band runs over.
const PROBLEM: &str = "problem";

impl View for Convergence {
    fn shows_times(&self) -> bool {
        self.x == Work::Seconds
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("convergence")?;
        columns.measured(&self.y)?;
        let solvers = &self.solvers;
        if let Some(shade) = &mut self.shade {
            columns.parameter(shade, solvers)?;
        }
        banded::check(columns, self.band, &mut self.across, &[PROBLEM], solvers)
    }
}

impl FigureKind for Convergence {
    /// Solvers of the figure, whatever their problems.
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        let chosen = Selection {
            problems: &[],
            ..self.selection()
        };
        match self.banded() {
            Some(banded) => {
                let banded = Banded {
                    selection: chosen,
                    ..banded
                };
                banded.members(bundle)
            }
            None => grouping::methods(bundle, |record| chosen.shows(record)),
        }
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let banded = self.banded();
        let shaded = self.shaded(bundle, styles);
        let styles = if banded.is_some() { styles } else { &shaded };
        let names = grouping::names(self.members(bundle));
        let problems = panels::chosen(bundle, &self.problems);
        let (titles, left_out) = match &banded {
            Some(banded) => banded.titles(bundle),
            None => panels::first(problems.clone()),
        };
        let timed = if banded.is_some() { &problems } else { &titles };
        let (unit, factor) = self.time_unit(bundle, timed);
        let (shown, dropped_start) = self.panels(bundle, &titles, &names, factor, styles);
        let label = match unit {
            Some(unit) => format!("time [{unit}]"),
            None => work(self.x).to_owned(),
        };
        let mut x = panels::x_axis(label, self.log_x);
        // a linear axis of work starts at none
        x.include = vec![0.0];
        let mut y = Axis::new(quantity(&self.y), true);
        y.cap = growth_cap(&shown);
        let mut chart = Chart {
            title: format!("{} against {}", quantity(&self.y), work_name(self.x)),
            description: panels::describe(&shown, &names),
            x,
            y,
            legend: match &banded {
                Some(banded) => banded.legend(bundle, &names, "not solved", styles),
                None => panels::by_status(bundle, &titles, &names, "not solved", styles),
            },
            notes: Vec::new(),
            panels: shown,
        };
        chart.notes = notes(&chart, bundle, dropped_start && self.log_x);
        chart.notes.extend(self.wall_note(&chart));
        chart.notes.extend(self.restarted_note(bundle));
        if let Some(banded) = &banded {
            chart.notes.push(banded.note(PROBLEM, false));
            let text = "a solve that has ended stays at its last value";
            chart.notes.push(Note::plain(text));
        }
        chart.notes.extend(panels::left_out(left_out, "problem"));
        chart
    }

    /// One row per curve.
    fn data(&self, bundle: &Bundle) -> Table {
        let y = &self.y;
        let headings = [
            "samples [-]".to_owned(),
            work(self.x).to_owned(),
            format!("{y} at the start"),
            format!("{y} at the end"),
            format!("smallest {y}"),
        ];
        let numbers = |record: &CellRecord| {
            let outcome = &record.outcome;
            let last = outcome.samples.last();
            let spent =
                (outcome.samples.len().checked_sub(1)).and_then(|at| work_at(outcome, at, self.x));
            let value = |sample: Option<SampleRow<'_>>| sample?.value(outcome.column(y)?);
            vec![
                Cell::size(outcome.samples.len()),
                Cell::work(spent, self.x),
                Cell::number(value(outcome.samples.first())),
                Cell::number(value(last)),
                Cell::number(outcome.best(y)),
            ]
        };
        data::per_method(bundle, self.selection(), headings, numbers).noting(SAMPLES)
    }
}

impl Convergence {
    fn banded(&self) -> Option<Banded<'_>> {
        Banded::of(self.selection(), self.band, &self.across, PROBLEM, true)
    }

    /// The panels with these titles; true if a start may have no place on a logarithmic axis.
    fn panels(
        &self,
        bundle: &Bundle,
        titles: &[String],
        names: &[String],
        factor: f64,
        styles: &Styles,
    ) -> (Vec<Panel>, bool) {
        if let Some(banded) = self.banded() {
            let shown = titles.iter().map(|title| Panel {
                guides: self.guides(bundle),
                ..banded.panel(bundle, title, names, styles, |record| {
                    vec![self.points(record, factor).0]
                })
            });
            return (panels::alone(shown.collect(), panels::NO_CELL), true);
        }
        let mut dropped_start = false;
        let shown = titles.iter().map(|title| {
            let (panel, dropped) = self.panel(bundle, title, names, factor, styles);
            dropped_start |= dropped;
            panel
        });
        let shown = panels::or_reason(shown.collect(), panels::NO_CELL);
        (shown, dropped_start)
    }

    /// The tolerance, where the metric is one of those that must reach it.
    fn guides(&self, bundle: &Bundle) -> Vec<f64> {
        let criterion = bundle.tolerance > 0.0 && bundle.criteria.contains(&self.y);
        Vec::from_iter(criterion.then_some(bundle.tolerance))
    }

    /// The style sheet with lines coloured by the parameter that the figure names.
    fn shaded(&self, bundle: &Bundle, styles: &Styles) -> Styles {
        let Some(shade) = &self.shade else {
            return styles.clone();
        };
        let path = ParameterPath::parse(shade);
        let valued = grouping::names(self.members(bundle)).into_iter();
        let valued = valued.filter_map(|name| {
            let mut cells = bundle.records.iter();
            let value = cells.find_map(|r| path.number(r).filter(|_| r.method() == name))?;
            Some((value, name))
        });
        let mut valued: Vec<(f64, String)> = valued.collect();
        valued.sort_by(|a, b| a.0.total_cmp(&b.0));
        let last = count(valued.len().saturating_sub(1).max(1) as u64);
        // the lightest colours of the scale are no lines on white
        let color = |i: usize| viridis(0.88 * count(i as u64) / last);
        styles.coloured(
            valued
                .into_iter()
                .enumerate()
                .map(|(i, (_, name))| (name, color(i))),
        )
    }

    /// Which curves are made of solves that began again.
    fn restarted_note(&self, bundle: &Bundle) -> Option<Note> {
        let cells = bundle.records.iter();
        let own = cells.filter(|r| self.selection().shows(r) && is_restarted(r));
        let names = distinct(own.map(CellRecord::method)).join(", ");
        (!names.is_empty()).then(|| {
            Note::plain(format!(
                "{names}: restarted, every point is a solve from the start with a higher limit of iterations"
            ))
        })
    }

    /// What the lines of walls are.
    fn wall_note(&self, chart: &Chart) -> Option<Note> {
        let any = chart.panels.iter().any(|panel| !panel.walls.is_empty());
        any.then(|| {
            let what = meaning(&self.y);
            let text =
                format!("{what}: unrelated solvers stop there, and what is below is no better");
            Note::new(Symbol::Wall, text)
        })
    }

    /// One problem; true if a start has no place on a logarithmic axis.
    fn panel(
        &self,
        bundle: &Bundle,
        problem: &str,
        solvers: &[String],
        factor: f64,
        styles: &Styles,
    ) -> (Panel, bool) {
        let mut dropped_start = false;
        let mut curves = Vec::new();
        for label in solvers {
            let Some(record) = bundle.cell(problem, label) else {
                continue;
            };
            let (points, dropped) = self.points(record, factor);
            dropped_start |= dropped;
            if points.is_empty() {
                continue;
            }
            curves.push(ChartCurve {
                name: match is_restarted(record) {
                    true => format!("{label}, restarted: {}", record.ending()),
                    false => format!("{label}: {}", record.ending()),
                },
                end: panels::end(record.outcome.status == Status::Solved),
                ..panels::curve(styles, label, points, CurveForm::Line)
            });
        }
        let panel = Panel {
            title: words(problem),
            curves,
            guides: self.guides(bundle),
            walls: Vec::from_iter(wall(bundle, problem, &self.y).map(|wall| wall.level)),
            ..Panel::empty(panels::why_empty(bundle, problem, solvers, &self.y))
        };
        (panel, dropped_start)
    }

    /// Samples of one cell; true if the start has no place on a logarithmic axis.
    fn points(&self, record: &CellRecord, factor: f64) -> (Vec<(f64, f64)>, bool) {
        let outcome = &record.outcome;
        let Some(column) = outcome.column(&self.y) else {
            return (Vec::new(), false);
        };
        let clock = outcome.clock();
        let mut dropped = false;
        let mut points = Vec::with_capacity(outcome.samples.len());
        for (index, sample) in outcome.samples.iter().enumerate() {
            let value = sample.value(column);
            let x = match self.x {
                Work::Seconds => clock.and_then(|clock| clock.at(index)),
                other => work_at(outcome, index, other),
            };
            let (Some(y), Some(x)) = (value, x.filter(|x| x.is_finite())) else {
                continue;
            };
            if !y.is_finite() {
                continue;
            }
            if self.log_x && x <= 0.0 {
                dropped = true;
                continue;
            }
            points.push((x * factor, y));
        }
        (points, dropped)
    }

    /// Unit of a time axis that gives numbers without many zeros: for the longest solve on a linear
    /// axis, for the shortest time on a logarithmic one.
    fn time_unit(&self, bundle: &Bundle, problems: &[String]) -> (Option<&'static str>, f64) {
        if self.x != Work::Seconds {
            return (None, 1.0);
        }
        let cells = bundle.records.iter();
        let shown = cells.filter(|r| problems.contains(&r.problem.name));
        let typical = if self.log_x {
            let times = shown.filter_map(|r| r.outcome.seconds_at(0));
            times.filter(|t| *t > 0.0).min_by(f64::total_cmp)
        } else {
            shown
                .filter_map(|r| r.outcome.seconds())
                .max_by(f64::total_cmp)
        };
        match typical {
            Some(seconds) if seconds > 0.0 && seconds < 1e-3 => (Some("µs"), 1e6),
            Some(seconds) if seconds > 0.0 && seconds < 1.0 => (Some("ms"), 1e3),
            _ => (Some("s"), 1.0),
        }
    }
}

/// True if the samples of a cell are solves that began again.
fn is_restarted(record: &CellRecord) -> bool {
    let peer = record.outcome.peer();
    peer.is_some_and(|peer| peer.restarted)
}

/// Diverging curves leave the frame at the top instead of flattening everything else.
fn growth_cap(panels: &[Panel]) -> Option<f64> {
    let curves = panels.iter().flat_map(|p| &p.curves);
    let starts = curves.filter_map(|c| c.points.first()).map(|p| p.1);
    let highest = starts.filter(|y| *y > 0.0).max_by(f64::total_cmp)?;
    Some(highest * GROWTH)
}

fn notes(chart: &Chart, bundle: &Bundle, dropped: bool) -> Vec<Note> {
    let mut notes = Vec::new();
    let curves = || chart.panels.iter().flat_map(|p| &p.curves);
    if chart.panels.iter().any(|p| !p.guides.is_empty()) && curves().next().is_some() {
        let text = format!("tolerance {}", power(bundle.tolerance));
        notes.push(Note::new(Symbol::Guide, text));
    }
    if curves().any(|c| c.end == CurveEnd::Hollow) {
        notes.push(Note::new(Symbol::Hollow, "hollow end: not solved"));
    }
    let top = chart.y.cap.unwrap_or(f64::INFINITY);
    if curves().any(|c| c.points.iter().any(|p| p.1 > top)) {
        notes.push(Note::plain("lines that leave at the top diverge"));
    }
    if dropped {
        notes.push(Note::plain("the start at 0 is not on a logarithmic axis"));
    }
    notes
}
