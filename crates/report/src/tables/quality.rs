//! Method by method: how long it takes, and how well it does.

use delassus_core::Status;
use delassus_statistics::{LEVEL, median_interval};

use crate::analysis::{interval, spent};
use crate::bundle::Bundle;
use crate::columns::{Columns, Number, Refusal, View};
use crate::record::{CellRecord, median};
use crate::settings::settings;
use crate::unranked;
use crate::view::{CellFilter, Kind, Over, Work};

use super::crossed::{mark, mark_best};
use super::{Cell, Column, Section, Table, TableKind, nothing};

/// The time of a method: of a sweep, a step, or a solve to its tolerance.
const TIME: &str = "seconds";

settings! {
    /// Method by method: time with its interval, work, and the numbers that are asked for; failures
    /// are counted.
    pub struct Quality {
        /// Numbers of a cell in addition to time and work: observables of runs, metrics of solves.
        /// Small is good.
        #[serde(default, alias = "observables")]
        pub metrics: Vec<String>,
        /// What is taken of observables.
        #[serde(default)]
        pub over: Over,
        /// Medians over all problems or scenes, in place of a section each.
        #[serde(default)]
        pub together: bool,
        problems | scenes, schemes, solvers,
    }
}

impl View for Quality {
    fn shows_times(&self) -> bool {
        true
    }

    fn shows_work(&self) -> bool {
        true
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.summary(self.over)?;
        self.metrics
            .iter()
            .try_for_each(|name| columns.number(name))
    }
}

/// What a column shows of a cell.
type Value<'m> = Box<dyn Fn(&CellRecord) -> Option<f64> + 'm>;

/// One column: its heading, its value in a cell, and whether large is good; `None` where nothing is
/// better.
struct Measure<'m> {
    heading: String,
    value: Value<'m>,
    large: Option<bool>,
}

impl TableKind for Quality {
    fn table(&self, bundle: &Bundle) -> Table {
        let shown = self.shown(&bundle.records);
        if shown.is_empty() {
            return nothing("no cell has finished");
        }
        let measures = self.measures(bundle);
        let over_time = bundle.is_over_time();
        let mut columns = vec![
            Column::text(if over_time { "method" } else { "solver" }),
            Column::numeric("cells [-]"),
        ];
        for (i, measure) in measures.iter().enumerate() {
            columns.push(Column::numeric(&measure.heading));
            if i == 0 {
                columns.push(Column::numeric(interval::HEADING));
            }
        }
        let titles = match self.together {
            true => vec![""],
            false => crate::bundle::distinct(shown.iter().map(|r| r.problem.name.as_str())),
        };
        let sections = titles.into_iter().map(|title| {
            let own = shown.iter().copied();
            let own = own.filter(|r| self.together || r.problem.name == title);
            Section {
                title: title.to_owned(),
                rows: rows(&own.collect::<Vec<_>>(), bundle, &measures),
            }
        });
        let goal = match over_time {
            true => "run to the end",
            false => "solved",
        };
        let table = Table {
            columns,
            sections: sections.collect(),
            notes: vec![format!(
                "Bold: the best of a section. `(k)`: k cells were not {goal} and take no part; `–(k)`: no cell was. An \
                 unsupported cell is one of these."
            )],
        };
        let unranked = unranked::remark("Never bold", shown);
        unranked.into_iter().fold(table, Table::noting)
    }
}

impl Quality {
    /// The columns behind the number of cells, the time first.
    fn measures<'m>(&'m self, bundle: &Bundle) -> Vec<Measure<'m>> {
        let of = |name: &'m str, large| {
            let number = Number::of(bundle, name, self.over);
            Measure {
                heading: number.label(),
                value: Box::new(move |record| number.value(record)),
                large,
            }
        };
        let mut measures = vec![of(TIME, Some(false))];
        if bundle.kind() == Kind::Trajectories {
            measures.push(Measure {
                heading: "real-time factor [-]".to_owned(),
                value: Box::new(|record| {
                    let covered = record.outcome.covered()?;
                    record.outcome.seconds().map(|seconds| covered / seconds)
                }),
                large: Some(true),
            });
        }
        if bundle.kind() != Kind::Timings {
            measures.push(Measure {
                heading: "sweeps [-]".to_owned(),
                value: Box::new(|record| spent(record, Work::Sweeps)),
                large: Some(false),
            });
        }
        // what all methods that take part brought below one tolerance does not rank them
        let ranks = |name: &String| (!bundle.stops_at(name)).then_some(false);
        measures.extend(self.metrics.iter().map(|name| of(name, ranks(name))));
        measures
    }
}

/// A row per method, with the best of each column marked.
fn rows(cells: &[&CellRecord], bundle: &Bundle, measures: &[Measure<'_>]) -> Vec<Vec<Cell>> {
    let methods = crate::bundle::distinct(cells.iter().map(|r| r.method()));
    let time = Number::of(bundle, TIME, Over::Last);
    let row = |method: &str| {
        let own: Vec<&CellRecord> = cells
            .iter()
            .copied()
            .filter(|r| r.method() == method)
            .collect();
        let good = |r: &&CellRecord| r.was_attempted() && r.outcome.status == Status::Solved;
        let ended: Vec<&CellRecord> = own.iter().copied().filter(good).collect();
        let mut row = vec![Cell::text(method), Cell::size(own.len())];
        for (i, measure) in measures.iter().enumerate() {
            let values: Vec<f64> = ended.iter().filter_map(|r| (measure.value)(r)).collect();
            let failed = own.len() - ended.len();
            row.push(Cell::number(median(values)).failing(failed));
            if i == 0 {
                // of one problem the passes, of several the problems
                let samples = match ended.as_slice() {
                    [one] => time.samples(one),
                    several => several.iter().filter_map(|r| time.value(r)).collect(),
                };
                row.push(Cell::interval(median_interval(&samples, LEVEL)));
            }
        }
        row
    };
    let is_rival = |method: &&str| {
        let mut own = cells.iter().filter(|r| r.method() == *method);
        own.all(|record| !record.steps_other_scene())
    };
    let rivals: Vec<bool> = methods.iter().map(is_rival).collect();
    let mut rows: Vec<Vec<Cell>> = methods.into_iter().map(row).collect();
    let mut column = 2;
    for (i, measure) in measures.iter().enumerate() {
        let rivals = (0..rows.len()).filter(|row| rivals[*row]);
        let candidates: Vec<(usize, usize)> = rivals.map(|row| (row, column)).collect();
        match measure.large {
            Some(false) => mark_best(&mut rows, &candidates),
            Some(true) => mark(&mut rows, &candidates, |value| 1.0 / value),
            None => {}
        }
        column += if i == 0 { 2 } else { 1 };
    }
    rows
}
