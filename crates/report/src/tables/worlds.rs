//! Worlds of one structure: how many each solver solves, how well, and what that takes.

use delassus_core::Status;

use crate::bundle::{Bundle, distinct};
use crate::columns::{Columns, Refusal, View};
use crate::quantities::{in_unit, second_unit};
use crate::record::{CellRecord, WorldEnd, median};
use crate::settings::settings;
use crate::view::CellFilter;

use super::{Cell, CellValue, Column, Section, Table, TableKind, nothing};

settings! {
    /// A section per problem of worlds of one structure: a row per solver, or per world.
    pub struct Worlds {
        /// A row per world and solver, in place of a row per solver.
        #[serde(default)]
        pub each: bool,
        /// Problems to show, by name or by what their names begin with; all if left out.
        problems,
        /// Solvers to show, by label or by what labels begin with.
        solvers,
    }
}

impl View for Worlds {
    fn shows_times(&self) -> bool {
        !self.each
    }

    fn check(&mut self, columns: &Columns<'_>) -> Result<(), Refusal> {
        columns.along_sweeps("worlds")?;
        if columns.has_worlds {
            return Ok(());
        }
        let message = "worlds needs a [[problem]] with as_worlds = true";
        Err(Refusal::of_key("worlds", message))
    }
}

impl TableKind for Worlds {
    fn table(&self, bundle: &Bundle) -> Table {
        let shown = bundle.records.iter();
        let shown: Vec<&CellRecord> = shown
            .filter(|record| self.selection().shows(record) && !record.outcome.worlds().is_empty())
            .collect();
        if shown.is_empty() {
            return nothing("no cell of worlds has finished");
        }
        let scale = second_unit(&seconds(&shown));
        let problems = distinct(shown.iter().map(|record| record.problem.name.as_str()));
        let sections = problems.into_iter().map(|name| {
            let own = shown.iter().filter(|record| record.problem.name == name);
            let rows = own.flat_map(|record| match self.each {
                true => each(record),
                false => vec![together(record, scale)],
            });
            Section {
                title: name.to_owned(),
                rows: rows.collect(),
            }
        });
        Table {
            sections: sections.collect(),
            columns: self.headings(scale),
            notes: vec![
                "A world is solved if its own natural map is within the tolerance at the end. Its sweeps are those after \
                 which it stayed there; all worlds of a cell make the sweeps of the slowest."
                    .to_owned(),
            ],
        }
    }
}

impl Worlds {
    fn headings(&self, scale: f64) -> Vec<Column> {
        let time = |of: &str| Column::numeric(in_unit(&format!("{of} [s]"), scale));
        let solver = Column::text("solver");
        match self.each {
            true => vec![
                solver,
                Column::numeric("world"),
                Column::text("parameters"),
                Column::text("status"),
                Column::numeric("natural map [-]"),
                Column::numeric("sweeps [-]"),
            ],
            false => vec![
                solver,
                Column::numeric("worlds [-]"),
                Column::numeric("solved [-]"),
                Column::numeric("largest natural map [-]"),
                Column::numeric("median natural map [-]"),
                Column::numeric("most sweeps [-]"),
                Column::numeric("median sweeps [-]"),
                time("preparation"),
                time("solve"),
            ],
        }
    }
}

/// Times of preparing and of solving \[s\].
fn times(record: &CellRecord) -> [Option<f64>; 2] {
    let outcome = &record.outcome;
    [&outcome.prepare_seconds, &outcome.iterate_seconds].map(|passes| median(passes.clone()))
}

fn seconds(shown: &[&CellRecord]) -> Vec<f64> {
    let all = shown.iter().flat_map(|record| times(record));
    all.flatten().collect()
}

/// The row of all worlds of a cell.
fn together(record: &CellRecord, scale: f64) -> Vec<Cell> {
    let worlds = record.outcome.worlds();
    let solved = worlds.iter().filter(|world| world.status == Status::Solved);
    let residuals = worlds.iter().filter_map(|world| world.residual);
    let residuals: Vec<f64> = residuals.collect();
    let sweeps = worlds.iter().filter_map(|world| world.sweeps);
    let most = sweeps
        .clone()
        .max()
        .map_or(CellValue::Empty, CellValue::Count);
    let largest = residuals.iter().copied().reduce(f64::max);
    let mut row = vec![
        Cell::text(record.method()),
        Cell::size(worlds.len()),
        Cell::size(solved.count()),
        Cell::number(largest),
        Cell::number(median(residuals)),
        most.into(),
        Cell::number(median(sweeps.map(crate::analysis::count).collect())),
    ];
    row.extend(times(record).map(|time| Cell::number(time.map(|time| scale * time))));
    row
}

/// The rows of the worlds of a cell.
fn each(record: &CellRecord) -> Vec<Vec<Cell>> {
    let row = |(number, world): (usize, &WorldEnd)| {
        let parameters = world.parameters.iter();
        let parameters = parameters.map(|(key, value)| crate::label::label(key, value));
        let parameters: Vec<String> = parameters.collect();
        vec![
            Cell::text(record.method()),
            Cell::size(number),
            Cell::text(parameters.join(" ")),
            Cell::text(world.status.to_string()),
            Cell::number(world.residual),
            world.sweeps.map_or_else(|| Cell::text("–"), Cell::count),
        ]
    };
    record
        .outcome
        .worlds()
        .iter()
        .enumerate()
        .map(row)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Payload;
    use crate::tables::to_csv;
    use crate::testing::realistic;

    fn world(friction: f64, sweeps: Option<u64>) -> WorldEnd {
        let parameters = serde_json::Map::from_iter([("friction".to_owned(), friction.into())]);
        WorldEnd {
            parameters,
            status: sweeps.map_or(Status::MaxSweeps, |_| Status::Solved),
            residual: Some(if sweeps.is_some() { 1e-9 } else { 1e-3 }),
            sweeps,
        }
    }

    fn bundle() -> Bundle {
        let mut bundle = realistic();
        let first = &mut bundle.records[0];
        first.outcome.prepare_seconds = vec![0.25];
        first.outcome.iterate_seconds = vec![0.5];
        if let Payload::Solve(solve) = &mut first.outcome.payload {
            solve.worlds = vec![world(0.25, Some(7)), world(0.5, None), world(0.75, Some(9))];
        }
        bundle
    }

    fn lines(each: bool, bundle: &Bundle) -> Vec<String> {
        let table = Worlds {
            each,
            ..serde_json::from_str("{}").expect("no settings")
        };
        let csv = to_csv(&table.table(bundle));
        csv.lines().map(str::to_owned).collect()
    }

    #[test]
    fn worlds_are_counted_and_listed() {
        let bundle = bundle();
        let together = lines(false, &bundle);
        assert_eq!(together.len(), 2, "{together:?}");
        assert!(
            together[0].ends_with("preparation [s],solve [s]"),
            "{}",
            together[0]
        );
        assert!(
            together[1].ends_with("3,2,0.001,1e-9,9,8.0,0.25,0.5"),
            "{}",
            together[1]
        );
        let each = lines(true, &bundle);
        assert_eq!(each.len(), 4, "{each:?}");
        assert!(
            each[1].ends_with("0,friction=0.25,solved,1e-9,7"),
            "{}",
            each[1]
        );
        assert!(
            each[2].ends_with("1,friction=0.5,max_sweeps,0.001,–"),
            "{}",
            each[2]
        );
    }

    #[test]
    fn results_without_worlds_say_so() {
        let table = lines(false, &realistic());
        assert!(table.iter().any(|line| line.contains("no cell of worlds")));
    }
}
