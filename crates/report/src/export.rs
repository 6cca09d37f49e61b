//! The records as long tables for every data tool: records.csv, summary.csv, solutions.csv,
//! worlds.csv.
//!
//! Rows come one by one, so that a table may be larger than memory: what they have in common is the
//! [`TableShape`] of all records.
//!
//! Numbers are written with the fewest digits that give the same bits back. Columns that depend on
//! the clock stand at the end of each row; all others are equal whenever the same program runs the
//! same spec again.

use std::io::{self, Write};

use csv::Writer;
use delassus_core::Choice;

mod columns;
mod timings;
mod trajectories;
mod typed;

pub use columns::{TableShape, inert};
pub use timings::CLOCK;
pub use typed::{ColumnType, TypedValue};

use crate::record::{CellRecord, median};
use crate::view::Kind;
use columns::{
    Column, FACTORIZATIONS, SampleColumn, approximations, message, object, real, spread, spread_of,
    whole,
};

/// What stands in front of the metrics of every sample.
const SAMPLE: [SampleColumn; 5] = [
    ("problem", |r, _| inert(&r.problem.name)),
    ("rows", |r, _| r.facts.rows.to_string()),
    ("solver", |r, _| inert(&r.solver.label)),
    ("sweeps", |r, i| {
        whole(r.outcome.samples.get(i).map(|s| s.sweeps))
    }),
    ("row_updates", |r, i| {
        whole(r.outcome.samples.get(i).map(|s| s.row_updates))
    }),
];

/// What stands in front of the metrics of every record.
const SUMMARY: [Column; 30] = [
    ("problem", |r| inert(&r.problem.name)),
    ("source", |r| r.problem.source.clone()),
    ("problem_parameters", |r| object(&r.problem.parameters)),
    ("rows", |r| r.facts.rows.to_string()),
    ("blocks", |r| r.facts.blocks.to_string()),
    ("contacts", |r| r.facts.contacts.to_string()),
    ("bodies", |r| whole(r.facts.bodies)),
    ("asymmetry", |r| real(r.facts.asymmetry)),
    ("energy_scale", |r| real(Some(r.facts.energy_scale))),
    ("solver", |r| inert(&r.solver.label)),
    ("solver_id", |r| inert(&r.solver.id)),
    ("solver_parameters", |r| object(&r.solver.parameters)),
    ("status", CellRecord::ending),
    ("message", message),
    ("approximations", approximations),
    ("sweeps", |r| r.outcome.sweeps.to_string()),
    ("row_updates", |r| r.outcome.row_updates.to_string()),
    (FACTORIZATIONS, |r| whole(r.outcome.factorizations)),
    ("claimed", |r| {
        let claimed = r.outcome.peer().map(|peer| peer.answer.claimed.name());
        claimed.unwrap_or_default().to_owned()
    }),
    ("peer", |r| {
        let peer = r.solver.peer.as_ref();
        inert(&peer.map_or_else(String::new, |p| format!("{} {}", p.peer, p.version)))
    }),
    ("peer_hash", |r| {
        let peer = r.solver.peer.as_ref();
        inert(peer.and_then(|p| p.hash.as_deref()).unwrap_or_default())
    }),
    ("peer_clock", |r| {
        let clock = r.outcome.peer().map(|peer| peer.answer.clock.name());
        clock.unwrap_or_default().to_owned()
    }),
    ("peer_iterations", |r| {
        whole(r.outcome.peer().map(|peer| peer.answer.iterations))
    }),
    ("worst_block", |r| {
        whole(r.outcome.worst_block().map(|w| w.block))
    }),
    ("worst_block_residual", |r| {
        real(r.outcome.worst_block().map(|w| w.residual))
    }),
    ("solutions", |r| {
        whole(r.outcome.solutions().map(|s| s.list.len()))
    }),
    ("all_solutions", |r| {
        whole(r.outcome.solutions().map(|s| s.complete))
    }),
    ("reference", |r| {
        inert(r.outcome.reference().unwrap_or_default())
    }),
    ("impulse_hash", |r| r.outcome.impulse_hash.clone()),
    ("cell", |r| r.key.clone()),
];

/// A table of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum ExportTable {
    /// One row per sample of every record: experiment, problem, rows, solver, sweeps,
    /// `row_updates`, one column per metric, seconds. Over time: experiment, scene, scheme, solver,
    /// frame, time, sweeps, `row_updates`, one column per observable, seconds.
    Records,
    /// One row per record: what was solved with what, how it ended, the last and the best value of
    /// each metric; over time, the last value, the largest magnitude, the RMS and the slope of each
    /// observable.
    Summary,
    /// One row per solution and row of the problem, of the cells whose method looks for all
    /// solutions.
    Solutions,
    /// One row per world of the cells whose problem is worlds of one structure.
    Worlds,
}

impl ExportTable {
    /// The tables of such records.
    pub fn of(shape: &TableShape) -> Vec<Self> {
        let mut all = vec![Self::Records, Self::Summary];
        all.extend(shape.searched.then_some(Self::Solutions));
        all.extend(shape.has_worlds.then_some(Self::Worlds));
        all
    }

    /// The names of its columns.
    pub fn columns(self, shape: &TableShape) -> Vec<String> {
        let own = match (self, shape.kind()) {
            (Self::Records, _) => of_samples(shape),
            (Self::Summary, Kind::Solves) => of_solves(shape),
            (Self::Summary, Kind::Timings) => timings::columns(shape),
            (Self::Summary, Kind::Trajectories) => trajectories::columns(shape),
            (Self::Solutions, _) => SOLUTIONS.map(str::to_owned).to_vec(),
            (Self::Worlds, _) => WORLDS.map(str::to_owned).to_vec(),
        };
        std::iter::once("experiment".to_owned())
            .chain(own)
            .collect()
    }

    /// Hands the rows of a record to `put`, one after the other, each with one text per column.
    ///
    /// # Errors
    /// What `put` fails with.
    pub fn rows<E>(
        self,
        shape: &TableShape,
        experiment: &str,
        record: &CellRecord,
        mut put: impl FnMut(&[String]) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut put = |own: Vec<String>| {
            let mut row = vec![inert(experiment)];
            row.extend(own);
            put(&row)
        };
        match (self, shape.kind()) {
            (Self::Records, _) => samples(shape, record, put),
            (Self::Summary, Kind::Solves) => put(solve(shape, record)),
            (Self::Summary, Kind::Timings) => put(timings::row(shape, record)),
            (Self::Summary, Kind::Trajectories) => put(trajectories::row(shape, record)),
            (Self::Solutions, _) => solutions(record, put),
            (Self::Worlds, _) => worlds(record, put),
        }
    }
}

/// What stands in front of the metrics of every sample.
fn head(shape: &TableShape) -> &'static [SampleColumn] {
    match shape.over_time {
        true => &trajectories::SAMPLE,
        false => &SAMPLE,
    }
}

/// The columns of the table of samples.
fn of_samples(shape: &TableShape) -> Vec<String> {
    let head = head(shape).iter().map(|(name, _)| (*name).to_owned());
    let seconds = std::iter::once("seconds".to_owned());
    head.chain(shape.metrics.iter().map(|metric| column_of(metric)))
        .chain(seconds)
        .collect()
}

/// The column of a metric or observable in the table of samples: its name, or `observed_` and its
/// name where that is the name of a count of the solver.
fn column_of(metric: &str) -> String {
    match ColumnType::of(metric) {
        ColumnType::Real => metric.to_owned(),
        _ => format!("observed_{metric}"),
    }
}

/// The rows of the samples of a record.
fn samples<E>(
    shape: &TableShape,
    record: &CellRecord,
    mut put: impl FnMut(Vec<String>) -> Result<(), E>,
) -> Result<(), E> {
    let outcome = &record.outcome;
    let metrics = shape.metrics.iter();
    let columns: Vec<Option<usize>> = metrics.map(|metric| outcome.column(metric)).collect();
    let clock = outcome.clock();
    for (index, sample) in outcome.samples.iter().enumerate() {
        let head = head(shape).iter();
        let mut row: Vec<String> = head.map(|(_, value)| value(record, index)).collect();
        let value = |column: &Option<usize>| column.and_then(|c| sample.value(c));
        row.extend(columns.iter().map(|column| real(value(column))));
        row.push(real(clock.and_then(|clock| clock.at(index))));
        put(row)?;
    }
    Ok(())
}

/// The columns of the summary of solves.
fn of_solves(shape: &TableShape) -> Vec<String> {
    let mut columns = shape.names(&SUMMARY);
    columns.extend(shape.metrics.iter().cloned());
    columns.extend(shape.metrics.iter().map(|m| format!("best_{m}")));
    columns.extend(["timing_samples", "prepare_seconds", "iterate_seconds"].map(str::to_owned));
    columns.extend(spread_of("iterate"));
    columns
}

/// The row of a solve in the summary.
fn solve(shape: &TableShape, record: &CellRecord) -> Vec<String> {
    let outcome = &record.outcome;
    let mut row = shape.values(&SUMMARY, record);
    row.extend(shape.metrics.iter().map(|m| real(outcome.last(m))));
    row.extend(shape.metrics.iter().map(|m| real(outcome.best(m))));
    row.push(outcome.iterate_seconds.len().to_string());
    row.push(real(median(outcome.prepare_seconds.clone())));
    row.push(real(median(outcome.iterate_seconds.clone())));
    row.extend(spread(outcome.iterate_seconds.iter().copied()));
    row
}

/// Columns of the table of solutions, behind the experiment.
const SOLUTIONS: [&str; 6] = [
    "problem", "solver", "solution", "isolated", "row", "impulse",
];

/// The rows of all solutions of a record.
fn solutions<E>(
    record: &CellRecord,
    mut put: impl FnMut(Vec<String>) -> Result<(), E>,
) -> Result<(), E> {
    let found = record.outcome.solutions();
    let list = found.into_iter().flat_map(|found| &found.list);
    for (number, solution) in (1_u64..).zip(list) {
        for (row, impulse) in solution.impulses.iter().enumerate() {
            put(vec![
                inert(&record.problem.name),
                inert(&record.solver.label),
                number.to_string(),
                solution.isolated.to_string(),
                row.to_string(),
                real(Some(*impulse)),
            ])?;
        }
    }
    Ok(())
}

/// Columns of the table of worlds, behind the experiment.
const WORLDS: [&str; 7] = [
    "problem",
    "solver",
    "world",
    "world_parameters",
    "status",
    "residual",
    "sweeps",
];

/// The rows of all worlds of a record.
fn worlds<E>(
    record: &CellRecord,
    mut put: impl FnMut(Vec<String>) -> Result<(), E>,
) -> Result<(), E> {
    for (number, world) in record.outcome.worlds().iter().enumerate() {
        put(vec![
            inert(&record.problem.name),
            inert(&record.solver.label),
            number.to_string(),
            object(&world.parameters),
            world.status.to_string(),
            real(world.residual),
            whole(world.sweeps),
        ])?;
    }
    Ok(())
}

/// Writes a table as CSV row by row.
#[derive(Debug)]
pub struct CsvTable<W: Write>(Writer<W>);

impl<W: Write> CsvTable<W> {
    /// A table with these columns and no rows yet.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn new(file: W, columns: &[String]) -> io::Result<Self> {
        let mut table = Self(Writer::from_writer(file));
        table.put(columns)?;
        Ok(table)
    }

    /// Adds a row.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(&mut self, row: &[String]) -> io::Result<()> {
        Ok(self.0.write_record(row)?)
    }

    /// Writes what is left; what was written to.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn finish(self) -> io::Result<W> {
        self.0.into_inner().map_err(|error| error.into_error())
    }
}

/// Writes a table of these records, which have this shape, as CSV.
///
/// # Errors
/// The file cannot be written.
pub fn write_csv<W: Write>(
    table: ExportTable,
    experiment: &str,
    shape: &TableShape,
    records: &[CellRecord],
    file: W,
) -> io::Result<W> {
    let mut rows = CsvTable::new(file, &table.columns(shape))?;
    for record in records {
        table.rows(shape, experiment, record, |row| rows.put(row))?;
    }
    rows.finish()
}

#[cfg(test)]
mod tests;
