//! What threads bring: speed-up and efficiency against their number, beside what would be ideal.

use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::quantities::{knob_name, words};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::{Cell, Table};
use crate::view::{CellFilter, Knob, Over};

use super::chart::{Axis, Chart, ChartCurve, CurveForm, Note, Panel, Symbol};
use super::styles::{Member, Styles};
use super::{FigureKind, data, grouping, panels};

/// The time that is compared: of a sweep, of a step, or of a solve to its tolerance.
const TIME: &str = "seconds";

settings! {
    /// Speed-up and efficiency against the number of threads.
    pub struct Threads {
        /// Parameter that counts the threads, as "solver.threads".
        pub along: String,
        problems | scenes, schemes, solvers,
    }
}

impl View for Threads {
    fn shows_times(&self) -> bool {
        true
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.number(TIME)?;
        columns.parameter(&mut self.along, &self.solvers)
    }
}

impl FigureKind for Threads {
    fn members(&self, bundle: &Bundle) -> Vec<Member> {
        grouping::members(bundle, &[self.knob()], |r| self.shows(r))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let names = grouping::names(self.members(bundle));
        let cells = bundle.records.iter().filter(|r| self.shows(r));
        let titles = cells.map(|r| grouping::panel(&r.problem, &[self.knob()]));
        let (titles, more) = panels::first(titles);
        let most = panels::MOST_PANELS / 2;
        let more = more + titles.len().saturating_sub(most);
        let titles = &titles[..titles.len().min(most)];
        let alone = titles.len() == 1;
        let shown = titles.iter();
        let shown = shown.flat_map(|title| self.panels(bundle, (title, alone), &names, styles));
        let shown = panels::or_reason(shown.collect(), panels::NO_CELL);
        let counts = self.counts(bundle);
        // on a linear axis the ideal is a straight line
        let mut x = Axis::new(format!("{} [-]", knob_name(&self.along)), false);
        x.marks = counts.iter().map(|n| (*n, *n)).collect();
        if let (Some(least), Some(most)) = (counts.first(), counts.last()) {
            let room = 0.05 * (most - least).max(1.0);
            x.include = vec![least - room, most + room];
        }
        let mut y = Axis::new("speed-up, and its share of the ideal [-]", false);
        y.share = 1.05;
        y.include = vec![0.0];
        let number = Number::of(bundle, TIME, Over::Last);
        let legend = names.iter().filter_map(|name| {
            let own =
                |r: &&CellRecord| self.shows(r) && grouping::series(r, &[self.knob()]) == *name;
            let cells = bundle.records.iter().filter(own);
            panels::by_value(name, cells, |r| number.value(r).is_some(), styles)
        });
        let text = "ideal: as many times as fast as there are threads";
        let ideal = (!counts.is_empty()).then(|| Note::new(Symbol::Exact, text));
        Chart {
            title: format!("Speed-up against {}", knob_name(&self.along)),
            description: format!("Series: {}.", names.join(", ")),
            x,
            y,
            legend: legend.collect(),
            notes: ideal
                .into_iter()
                .chain(panels::left_out(more, "problem"))
                .collect(),
            panels: shown,
        }
    }

    /// One row per mark.
    fn data(&self, bundle: &Bundle) -> Table {
        let number = Number::of(bundle, TIME, Over::Last);
        let headings = [
            self.along.clone(),
            number.label(),
            "speed-up [-]".to_owned(),
            "efficiency [-]".to_owned(),
        ];
        data::per_cell(bundle, self.selection(), headings, |record| {
            let own = self.group(bundle, record);
            let threads = self.knob().number(record);
            let found = threads.and_then(|n| gains(&own).into_iter().find(|gain| gain.0 == n));
            vec![
                Cell::number(threads),
                Cell::number(number.value(record)),
                Cell::number(found.map(|gain| gain.1)),
                Cell::number(found.map(|gain| gain.2)),
            ]
        })
    }
}

impl Threads {
    fn knob(&self) -> Knob<'_> {
        Knob::parse(&self.along)
    }

    /// Methods without such a parameter are left out.
    fn shows(&self, record: &CellRecord) -> bool {
        self.selection().shows(record) && self.knob().number(record).is_some_and(|n| n > 0.0)
    }

    /// The numbers of threads, the smallest first.
    fn counts(&self, bundle: &Bundle) -> Vec<f64> {
        let shown = bundle.records.iter().filter(|r| self.shows(r));
        let mut counts: Vec<f64> = shown.filter_map(|r| self.knob().number(r)).collect();
        counts.sort_by(f64::total_cmp);
        counts.dedup();
        counts
    }

    /// (threads, seconds) of the cells that differ from this one in their number alone, the fewest
    /// first.
    fn group(&self, bundle: &Bundle, record: &CellRecord) -> Vec<(f64, f64)> {
        let knobs = [self.knob()];
        let place = |r: &CellRecord| {
            (
                grouping::panel(&r.problem, &knobs),
                grouping::series(r, &knobs),
            )
        };
        let number = Number::of(bundle, TIME, Over::Last);
        let own = place(record);
        let cells = bundle.records.iter();
        let cells = cells.filter(|r| self.shows(r) && place(r) == own);
        let mut times: Vec<(f64, f64)> = cells
            .filter_map(|r| Some((self.knob().number(r)?, number.value(r)?)))
            .filter(|(_, seconds)| *seconds > 0.0)
            .collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times
    }

    /// Speed-up and efficiency of one problem.
    fn panels(
        &self,
        bundle: &Bundle,
        (title, alone): (&str, bool),
        names: &[String],
        styles: &Styles,
    ) -> [Panel; 2] {
        let knobs = [self.knob()];
        let own = |r: &&CellRecord| self.shows(r) && grouping::panel(&r.problem, &knobs) == title;
        let cells = bundle.records.iter().filter(own);
        let groups = grouping::by_series(cells, &knobs, names);
        let mut both: [Vec<ChartCurve>; 2] = Default::default();
        let mut ends: Option<(f64, f64)> = None;
        for (position, cells) in groups {
            let gains = gains(&self.group(bundle, cells[0]));
            for gain in &gains {
                ends = super::chart::widen(ends, gain.0);
            }
            let curve = |points| panels::curve(styles, &names[position], points, CurveForm::Joined);
            if !gains.is_empty() {
                both[0].push(curve(gains.iter().map(|g| (g.0, g.1)).collect()));
                both[1].push(curve(gains.iter().map(|g| (g.0, g.2)).collect()));
            }
        }
        let mut kinds = ["speed-up", "efficiency"].into_iter();
        both.map(|curves| {
            let kind = kinds.next().unwrap_or_default();
            let ideal = ends.map(|ends| ideal(ends, kind == "speed-up"));
            let words = words(title);
            Panel {
                title: match alone {
                    true => kind.to_owned(),
                    false => format!("{words}: {kind}"),
                },
                curves: ideal.into_iter().chain(curves).collect(),
                ..Panel::empty("no cell with a time")
            }
        })
    }
}

/// (threads, speed-up, efficiency) beside the fewest threads.
fn gains(times: &[(f64, f64)]) -> Vec<(f64, f64, f64)> {
    let Some((least, base)) = times.first().copied() else {
        return Vec::new();
    };
    let gain = |(threads, seconds): &(f64, f64)| {
        let speed = base / seconds;
        (*threads, speed, speed * least / threads)
    };
    times.iter().map(gain).collect()
}

/// What would be ideal between two numbers of threads.
fn ideal((least, most): (f64, f64), speed: bool) -> ChartCurve {
    let at = |x: f64| (x, if speed { x / least } else { 1.0 });
    ChartCurve::apart("ideal", vec![at(least), at(most)], CurveForm::Exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_beside_the_fewest_threads() {
        let gains = gains(&[(2.0, 8.0), (4.0, 5.0)]);
        assert_eq!(gains, [(2.0, 1.0, 1.0), (4.0, 1.6, 0.8)]);
        assert!(super::gains(&[]).is_empty());
    }
}
