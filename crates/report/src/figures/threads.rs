//! What threads bring: speed-up and efficiency against their number, compared with what would be
//! ideal.

use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::quantities::{parameter_name, words};
use crate::record::CellRecord;
use crate::settings::settings;
use crate::tables::Table;
use crate::view::{CellFilter, Over, ParameterPath};

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
        grouping::members(bundle, &[self.path()], |r| self.shows(r))
    }

    fn chart(&self, bundle: &Bundle, styles: &Styles) -> Chart {
        let names = grouping::names(self.members(bundle));
        let cells = bundle.records.iter().filter(|r| self.shows(r));
        let (titles, more) = panels::first(cells.map(|r| self.place(r).0));
        let most = panels::MOST_PANELS / 2;
        let more = more + titles.len().saturating_sub(most);
        let titles = &titles[..titles.len().min(most)];
        let alone = titles.len() == 1;
        let shown = titles.iter();
        let shown = shown.flat_map(|title| self.panels(bundle, title, alone, &names, styles));
        let shown = panels::or_reason(shown.collect(), panels::NO_CELL);
        let counts = self.counts(bundle);
        // on a linear axis the ideal is a straight line
        let mut x = Axis::new(format!("{} [-]", parameter_name(&self.along)), false);
        x.marks = counts.iter().map(|n| (*n, *n)).collect();
        if let (Some(least), Some(most)) = (counts.first(), counts.last()) {
            let room = 0.05 * (most - least).max(1.0);
            x.include = vec![least - room, most + room];
        }
        let mut y = Axis::new("speed-up, and its share of the ideal [-]", false);
        y.share = 1.05;
        y.include = vec![0.0];
        let number = Number::of(bundle, TIME, Over::Last);
        let is_own = |r: &CellRecord, name: &str| self.shows(r) && self.place(r).1 == name;
        let has = |r: &CellRecord| number.value(r).is_some();
        let text = "ideal: as many times as fast as there are threads";
        let ideal = (!counts.is_empty()).then(|| Note::new(Symbol::Exact, text));
        Chart {
            title: format!("Speed-up against {}", parameter_name(&self.along)),
            description: format!("Series: {}.", names.join(", ")),
            x,
            y,
            legend: panels::by_value(bundle, &names, styles, is_own, has),
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
            let threads = self.path().number(record);
            let found =
                threads.and_then(|n| gains(&own).into_iter().find(|gain| gain.threads == n));
            [
                threads,
                number.value(record),
                found.map(|gain| gain.speed_up),
                found.map(|gain| gain.efficiency),
            ]
        })
    }
}

impl Threads {
    fn path(&self) -> ParameterPath<'_> {
        ParameterPath::parse(&self.along)
    }

    /// Panel and series of a cell without the number of threads.
    fn place(&self, record: &CellRecord) -> (String, String) {
        grouping::place(record, &[self.path()])
    }

    /// Methods without such a parameter are left out.
    fn shows(&self, record: &CellRecord) -> bool {
        self.selection().shows(record) && self.path().number(record).is_some_and(|n| n > 0.0)
    }

    /// The numbers of threads, the smallest first.
    fn counts(&self, bundle: &Bundle) -> Vec<f64> {
        let shown = bundle.records.iter().filter(|r| self.shows(r));
        let mut counts: Vec<f64> = shown.filter_map(|r| self.path().number(r)).collect();
        counts.sort_by(f64::total_cmp);
        counts.dedup();
        counts
    }

    /// (threads, seconds) of the cells that differ from this one in their number alone, the fewest
    /// first.
    fn group(&self, bundle: &Bundle, record: &CellRecord) -> Vec<(f64, f64)> {
        let number = Number::of(bundle, TIME, Over::Last);
        let own = self.place(record);
        let cells = bundle.records.iter();
        let cells = cells.filter(|r| self.shows(r) && self.place(r) == own);
        let mut times: Vec<(f64, f64)> = cells
            .filter_map(|r| Some((self.path().number(r)?, number.value(r)?)))
            .filter(|(_, seconds)| *seconds > 0.0)
            .collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times
    }

    /// Speed-up and efficiency of one problem.
    fn panels(
        &self,
        bundle: &Bundle,
        title: &str,
        alone: bool,
        names: &[String],
        styles: &Styles,
    ) -> [Panel; 2] {
        let own = |r: &&CellRecord| self.shows(r) && self.place(r).0 == title;
        let cells = bundle.records.iter().filter(own);
        let groups = grouping::by_series(cells, &[self.path()], names);
        let mut both: [Vec<ChartCurve>; 2] = Default::default();
        let mut ends: Option<(f64, f64)> = None;
        for (position, cells) in groups {
            let gains = gains(&self.group(bundle, cells[0]));
            ends = gains
                .iter()
                .map(|gain| gain.threads)
                .fold(ends, super::chart::widen);
            let shares: [fn(&Gain) -> f64; 2] = [|gain| gain.speed_up, |gain| gain.efficiency];
            for (curves, share) in both.iter_mut().zip(shares).filter(|_| !gains.is_empty()) {
                let points = gains
                    .iter()
                    .map(|gain| (gain.threads, share(gain)))
                    .collect();
                let curve = panels::curve(styles, &names[position], points, CurveForm::Joined);
                curves.push(curve);
            }
        }
        let mut kinds = ["speed-up", "efficiency"].into_iter();
        both.map(|curves| {
            let kind = kinds.next().unwrap_or_default();
            let ideal = ends.map(|(least, most)| ideal(least, most, kind == "speed-up"));
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

/// What a number of threads gains over the fewest threads.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Gain {
    threads: f64,
    speed_up: f64,
    efficiency: f64,
}

/// The gain of each of the (threads, seconds), the first of which has the fewest threads.
fn gains(times: &[(f64, f64)]) -> Vec<Gain> {
    let Some((least, base)) = times.first().copied() else {
        return Vec::new();
    };
    let gain = |&(threads, seconds): &(f64, f64)| Gain {
        threads,
        speed_up: base / seconds,
        efficiency: base / seconds * least / threads,
    };
    times.iter().map(gain).collect()
}

/// What would be ideal between two numbers of threads.
fn ideal(least: f64, most: f64, speed: bool) -> ChartCurve {
    let at = |x: f64| (x, if speed { x / least } else { 1.0 });
    ChartCurve::apart("ideal", vec![at(least), at(most)], CurveForm::Exact)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gains_are_relative_to_the_fewest_threads() {
        let gains = gains(&[(2.0, 8.0), (4.0, 5.0)]).into_iter();
        let numbers = gains.map(|gain| (gain.threads, gain.speed_up, gain.efficiency));
        assert_eq!(Vec::from_iter(numbers), [(2.0, 1.0, 1.0), (4.0, 1.6, 0.8)]);
        assert!(super::gains(&[]).is_empty());
    }
}
