//! Runtime distributions: which share of (problem, target) pairs is reached within a budget
//! \[Hansen2021\].

use crate::analysis::walls::meaning;
use crate::analysis::{TargetPlot, TargetSequence, targets};
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View};
use crate::numbers::{power, significant};
use crate::quantities::{name_of, words, work, work_name};
use crate::settings::settings;
use crate::tables::{Cell, Column, Table};
use crate::view::{CellFilter, Work, headline, named};

use super::chart::{Axis, Chart, ChartCurve, CurveForm, LegendEntry, Note, Panel, Symbol};
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};

/// Curves are flat beyond the largest cost; the axis goes on by this factor to show it.
const BEYOND: f64 = 1.25;
/// Shares of the pairs whose budgets the data have \[-\].
const SHARES: [f64; 3] = [0.25, 0.5, 0.75];
/// Most targets of a problem \[-\].
const MOST: f64 = 1000.0;

settings! {
    /// Share of (problem, target) pairs that each solver reaches within a budget.
    pub struct Targets {
        /// The budget: the cost up to the first sample within a target.
        pub cost: Work,
        /// Metric that must fall to the targets.
        #[serde(default = "headline")]
        pub metric: String,
        /// The first target and the last \[unit of the metric\].
        #[serde(default = "ends")]
        pub between: [f64; 2],
        /// Targets per decade \[-\].
        #[serde(default = "per_decade")]
        pub per_decade: u32,
        /// Budgets whose shares the data have, in the unit of the cost.
        #[serde(default)]
        pub budgets: Vec<f64>,
        /// Problems that count, by name or by what their names begin with; all if left out.
        problems,
        /// Solvers that are compared, by label or by what labels begin with.
        solvers,
    }
}

fn ends() -> [f64; 2] {
    [1e-1, 1e-12]
}

fn per_decade() -> u32 {
    5
}

impl View for Targets {
    fn shows_times(&self) -> bool {
        self.cost == Work::Seconds
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("targets")?;
        columns.measured(&self.metric)?;
        let [from, to] = self.between;
        if !(to > 0.0 && from >= to && from.is_finite()) {
            let message =
                "between = [1e-1, 1e-12]: the first target and a smaller last one, both > 0";
            return Err(Refusal::of_key("between", message));
        }
        if let Some(budget) = self.budgets.iter().find(|b| !(b.is_finite() && **b > 0.0)) {
            let message = format!("budgets must be finite numbers > 0, found {budget}");
            return Err(Refusal::of_key("budgets", message));
        }
        let decades = libm::log10(from) - libm::log10(to);
        if self.per_decade == 0 || decades * f64::from(self.per_decade) > MOST {
            let message = format!("per_decade must be > 0, for {MOST} targets at most");
            return Err(Refusal::of_key("per_decade", message));
        }
        Ok(())
    }
}

impl FigureKind for Targets {
    /// The solvers of the figure, whatever their problems.
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::methods(bundle, |r| named(&r.solver.label, &self.solvers))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let plot = self.plot(bundle);
        let x = Axis::new(work(self.cost), true);
        let mut y = Axis::new("share of (problem, target) pairs [-]", false);
        y.include = vec![0.0, 1.0];
        let names: Vec<&str> = plot.curves.iter().map(|c| c.solver.as_str()).collect();
        Chart {
            title: format!("Targets reached within {}", work_name(self.cost)),
            description: format!(
                "Step functions of the budget: which share of all pairs of a problem and a target is reached. Solvers: {}.",
                names.join(", ")
            ),
            x,
            y,
            panels: vec![panel(&plot, styles)],
            legend: legend(&plot, styles),
            notes: self.notes(bundle, &plot),
        }
    }

    /// A row per solver: pairs, what is reached, and the budgets of some shares.
    fn data(&self, bundle: &Bundle) -> Table {
        let plot = self.plot(bundle);
        let unit = work(self.cost);
        let mut columns = vec![
            Column::text("solver"),
            Column::numeric("pairs [-]"),
            Column::numeric("reached [-]"),
            Column::numeric("not reached [-]"),
            Column::numeric("share reached [-]"),
        ];
        for share in SHARES {
            columns.push(Column::numeric(format!(
                "{:.0} % of the pairs: {unit}",
                100.0 * share
            )));
        }
        for budget in &self.budgets {
            let budget = significant(*budget, 3);
            columns.push(Column::numeric(format!("share within {budget} {unit}")));
        }
        let best = std::iter::once(("best of them", &plot.best));
        let curves = plot.curves.iter().map(|c| (c.solver.as_str(), c));
        let rows = curves.chain(best).map(|(name, curve)| {
            let reached = curve.costs.len();
            let mut row = vec![
                Cell::text(name),
                Cell::size(plot.pairs()),
                Cell::size(reached),
                Cell::size(plot.pairs() - reached),
                Cell::number(Some(plot.share(reached))),
            ];
            row.extend(SHARES.map(|share| {
                // the cost at which the curve gets there
                let at = (0..reached).find(|i| plot.share(i + 1) >= share);
                match at {
                    Some(at) => Cell::work(Some(curve.costs[at]), self.cost),
                    None => Cell::text("–"),
                }
            }));
            let within = |budget: &f64| plot.share(curve.within(*budget));
            row.extend(self.budgets.iter().map(|b| Cell::number(Some(within(b)))));
            row
        });
        let notes = self.notes(bundle, &plot).into_iter().map(|note| note.text);
        let notes = notes.chain(["`–`: that share is not reached.".to_owned()]);
        Table::plain(columns, rows.collect(), notes.collect::<Vec<_>>())
    }
}

impl Targets {
    fn plot(&self, bundle: &Bundle) -> TargetPlot {
        let spaced = TargetSequence {
            ends: self.between,
            per_decade: self.per_decade,
        };
        let selection = self.selection();
        targets(bundle, selection, self.cost, &self.metric, &spaced)
    }

    fn notes(&self, bundle: &Bundle, plot: &TargetPlot) -> Vec<Note> {
        if plot.pairs() == 0 {
            return Vec::new();
        }
        let [from, to] = self.between.map(power);
        let metric = name_of(&self.metric);
        let (problems, all) = (plot.problems, plot.targets);
        let mut notes = vec![
            Note::plain(format!(
                "{problems} × {all} pairs of a problem and a target of the {metric}, {from} to {to}; best of them: {} not reached",
                plot.pairs() - plot.walled - plot.best.costs.len()
            )),
            Note::new(Symbol::Line, "best of them, pair by pair"),
        ];
        // a solve that has ended was not asked for more
        if bundle.criteria.contains(&self.metric) && self.between[1] < bundle.tolerance {
            notes.push(Note::plain(format!(
                "the run's tolerance is {}: a solve that reaches it ends, and smaller targets count as not reached",
                power(bundle.tolerance)
            )));
        }
        if plot.walled > 0 {
            let text = format!(
                "{} pairs above this line are below the {}, and nobody's",
                plot.walled,
                meaning(&self.metric)
            );
            notes.push(Note::new(Symbol::Wall, text));
        }
        notes
    }
}

fn panel(plot: &TargetPlot, styles: &Styles) -> Panel {
    let mut panel = Panel::empty("no solver attempted a problem");
    if plot.pairs() == 0 {
        return panel;
    }
    let costs = plot.curves.iter().flat_map(|curve| &curve.costs);
    let positive = || costs.clone().copied().filter(|cost| *cost > 0.0);
    let least = positive().reduce(f64::min).unwrap_or(1.0);
    let end = BEYOND * positive().reduce(f64::max).unwrap_or(1.0);
    let open = plot.pairs() - plot.walled;
    for curve in &plot.curves {
        let share = significant(100.0 * plot.share(curve.costs.len()), 3);
        panel.curves.push(ChartCurve {
            name: format!("{}: {share} % of the pairs", curve.solver),
            end: panels::end(curve.costs.len() == open),
            ..panels::curve(
                styles,
                &curve.solver,
                steps(plot, &curve.costs, least, end),
                CurveForm::Steps,
            )
        });
    }
    let best = corners(&steps(plot, &plot.best.costs, least, end));
    panel
        .curves
        .push(ChartCurve::apart("best of them", best, CurveForm::Stroke));
    if plot.walled > 0 {
        panel.walls.push(plot.share(open));
    }
    panel
}

/// Corners of the share within a budget: at the least cost of the figure, after each jump, at the
/// end of the axis. What is reached at the start costs nothing, and stands at the left.
fn steps(plot: &TargetPlot, costs: &[f64], least: f64, end: f64) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::new();
    for (i, cost) in costs.iter().enumerate() {
        let at = cost.max(least);
        let share = plot.share(i + 1);
        match points.last_mut() {
            Some(last) if last.0 == at => last.1 = share,
            _ => points.push((at, share)),
        }
    }
    if points.first().is_none_or(|first| first.0 > least) {
        points.insert(0, (least, 0.0));
    }
    points.push((end, plot.share(costs.len())));
    points
}

/// The corners of steps as a line.
fn corners(steps: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut points: Vec<(f64, f64)> = Vec::with_capacity(2 * steps.len());
    for step in steps {
        if let Some(before) = points.last().copied() {
            points.push((step.0, before.1));
        }
        points.push(*step);
    }
    points
}

fn legend(plot: &TargetPlot, styles: &Styles) -> Vec<LegendEntry> {
    let open = plot.pairs() - plot.walled;
    let entries = plot.curves.iter().map(|curve| {
        let left = open - curve.costs.len();
        let mut text = words(&curve.solver);
        if left > 0 {
            text += &format!(" ({left} of {open} not reached)");
        }
        styles.entry(&curve.solver, text)
    });
    entries.collect()
}
