//! Dolan–Moré performance profiles, one panel per tolerance.

use crate::analysis::{ProfileCurve, ProfilePlot, profile, walls};
use crate::bundle::Bundle;
use crate::columns::{Columns, Refusal, View, tolerances};
use crate::numbers::power;
use crate::settings::settings;
use crate::tables::{Cell, Column, Section, Table};
use crate::view::{CellFilter, Work, headline, named};

use super::chart::{Axis, Chart, ChartCurve, CurveEnd, CurveForm, LegendEntry, Note, Panel};
use super::styles::{Member, Styles};
use super::{FigureKind, grouping, panels};
use crate::quantities::{on_axis, quantity, words, work, work_name};

/// The profile is flat beyond the largest finite ratio; the axis goes on by this factor to show it.
const BEYOND: f64 = 1.25;

settings! {
    /// Dolan–Moré performance profile over the problems of the run.
    pub struct Profile {
        /// The cost that is compared.
        pub cost: Work,
        /// Metric that must fall to the tolerance.
        #[serde(default = "headline")]
        pub metric: String,
        /// One panel per tolerance \[-\].
        pub tolerances: Vec<f64>,
        /// Problems that count, by name or by what their names begin with; all if left out.
        problems,
        /// Solvers that are compared, by label: the best is the best of these.
        solvers,
    }
}

impl View for Profile {
    fn shows_times(&self) -> bool {
        self.cost == Work::Seconds
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("profile")?;
        columns.measured(&self.metric)?;
        tolerances(&self.tolerances)
    }
}

impl FigureKind for Profile {
    /// The solvers of the figure, whatever their problems.
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::methods(bundle, |r| named(&r.solver.label, &self.solvers))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let profiles = self.profiles(bundle);
        let largest = profiles
            .iter()
            .flat_map(|p| &p.curves)
            .flat_map(|c| &c.ratios)
            .filter(|r| r.is_finite())
            .fold(2.0, |a, b| f64::max(a, *b));
        let end = largest * BEYOND;
        let shown = profiles.iter();
        let shown = shown.map(|p| panel(p, end, styles)).collect();
        let mut x = Axis::new(
            format!("ratio τ of {} to the best solver [-]", work_name(self.cost)),
            true,
        );
        x.include = vec![1.0];
        let mut y = Axis::new("fraction solved within τ [-]", false);
        y.include = vec![0.0, 1.0];
        Chart {
            title: format!("Performance profile of {}", work_name(self.cost)),
            description: format!(
                "Step functions from the share of wins at ratio 1 to the share of solved problems. Solvers: {}.",
                self.labels(bundle).join(", ")
            ),
            x,
            y,
            panels: panels::or_reason(shown, "the figure names no tolerance"),
            legend: legend(&self.labels(bundle), &profiles, styles),
            notes: self.notes(bundle, &profiles),
        }
    }

    /// The cost of each solver on each problem, one section per tolerance.
    fn data(&self, bundle: &Bundle) -> Table {
        let mut columns = vec![Column::text("problem")];
        let unit = work(self.cost);
        for solver in self.labels(bundle) {
            columns.push(Column::numeric(format!("{solver}: {unit}")));
        }
        let sections = self.profiles(bundle).into_iter().map(|profile| {
            let rows = profile.problems.iter().enumerate().map(|(i, name)| {
                let costs = profile.curves.iter().map(|c| {
                    let cost = c.costs[i];
                    if cost.is_finite() {
                        Cell::work(Some(cost), self.cost)
                    } else {
                        Cell::text("–")
                    }
                });
                std::iter::once(Cell::text(name)).chain(costs).collect()
            });
            Section {
                title: format!("{} ≤ {}", self.metric, power(profile.tolerance)),
                rows: rows.collect(),
            }
        });
        Table {
            columns,
            sections: sections.collect(),
            notes: vec!["`–`: the tolerance was not reached.".to_owned()],
        }
    }
}

impl Profile {
    /// One profile per tolerance.
    fn profiles(&self, bundle: &Bundle) -> Vec<ProfilePlot> {
        let tolerances = self.tolerances.iter();
        tolerances
            .map(|tolerance| {
                let selection = self.selection();
                profile(bundle, selection, self.cost, &self.metric, *tolerance)
            })
            .collect()
    }

    /// How many problems there are, what counts as not solved, and where tolerances are below what
    /// a problem allows.
    fn notes(&self, bundle: &Bundle, profiles: &[ProfilePlot]) -> Vec<Note> {
        // the same problems whatever the tolerance
        let problems = profiles
            .first()
            .map_or(&[][..], |profile| &profile.problems);
        let problems: Vec<&str> = problems.iter().map(String::as_str).collect();
        let mut curves = profiles.iter().flat_map(|profile| &profile.curves);
        let never = match curves.any(|curve| curve.unsupported > 0) {
            true => "a run that misses it and an unsupported problem count",
            false => "a run that misses it counts",
        };
        let size = Note::plain(format!(
            "{}, solved where {} is within the tolerance of the panel; {never} as never solved",
            sizes(profiles),
            on_axis(&quantity(&self.metric))
        ));
        let walls = walls::below(bundle, &problems, &self.metric, &self.tolerances);
        std::iter::once(size)
            .chain(walls.map(Note::plain))
            .collect()
    }

    /// The solvers of the figure.
    fn labels<'b>(&self, bundle: &'b Bundle) -> Vec<&'b str> {
        let mut labels = bundle.solvers();
        labels.retain(|label| named(label, &self.solvers));
        labels
    }
}

/// "n = 34 problems", or the number for each tolerance where they differ.
fn sizes(profiles: &[ProfilePlot]) -> String {
    let mut sizes: Vec<usize> = profiles.iter().map(|p| p.problems.len()).collect();
    sizes.dedup();
    let texts: Vec<String> = sizes.iter().map(usize::to_string).collect();
    let noun = if sizes == [1] { "problem" } else { "problems" };
    format!("n = {} {noun}", texts.join(" and "))
}

fn panel(profile: &ProfilePlot, end: f64, styles: &Styles) -> Panel {
    let mut panel = Panel {
        title: format!("≤ {}", power(profile.tolerance)),
        ..Panel::empty("no solver attempted a problem")
    };
    if profile.problems.is_empty() {
        return panel;
    }
    for curve in &profile.curves {
        let (solved, all) = (curve.solved(), profile.problems.len());
        panel.curves.push(ChartCurve {
            name: format!("{}: {solved} of {all} solved", curve.solver),
            end: CurveEnd::Filled,
            ..panels::curve(styles, &curve.solver, steps(curve, end), CurveForm::Steps)
        });
    }
    panel
}

/// Corners of ρ(τ): its value at 1 and after each jump, and at the end of the axis.
fn steps(curve: &ProfileCurve, end: f64) -> Vec<(f64, f64)> {
    let finite = curve.ratios.iter().copied().filter(|r| r.is_finite());
    let mut jumps: Vec<f64> = finite.collect();
    jumps.push(1.0);
    jumps.sort_by(f64::total_cmp);
    jumps.dedup();
    let mut points: Vec<(f64, f64)> = jumps.iter().map(|t| (*t, curve.fraction(*t))).collect();
    points.push((end, curve.fraction(end)));
    points
}

fn legend(labels: &[&str], profiles: &[ProfilePlot], styles: &Styles) -> Vec<LegendEntry> {
    let solvers = labels.iter().copied().enumerate();
    let entries = solvers.map(|(position, label)| {
        let solved: Vec<String> = profiles
            .iter()
            .filter_map(|p| p.curves.get(position))
            .map(|c| c.solved().to_string())
            .collect();
        let curve = profiles.first().and_then(|p| p.curves.get(position));
        let unsupported = match curve.map_or(0, |curve| curve.unsupported) {
            0 => String::new(),
            number => format!(", {number} unsupported"),
        };
        let mut alike = solved.clone();
        alike.dedup();
        let solved = match alike.as_slice() {
            [one] => one.clone(),
            _ => solved.join(" and "),
        };
        let all = profiles.first().map_or(0, |profile| profile.problems.len());
        let text = format!("{} ({solved} of {all} solved{unsupported})", words(label));
        styles.entry(label, text)
    });
    entries.collect()
}
