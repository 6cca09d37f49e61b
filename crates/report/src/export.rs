//! records.csv and summary.csv: the records as long tables for every data tool.
//!
//! Numbers are written with the fewest digits that give the same bits back. Columns that depend on
//! the clock stand at the end of each row; all others are equal whenever the same program runs the
//! same spec again.

use std::io;

use csv::Writer;
use serde_json::{Map, Value};

mod timings;
mod trajectories;
mod typed;

pub use timings::CLOCK;
pub use typed::{TypedColumn, TypedValues, typed};

use crate::analysis::Spread;
use crate::bundle::distinct;
use crate::record::{CellRecord, median};

/// A column of a summary: its name, and what it says of a record.
type Column = (&'static str, fn(&CellRecord) -> String);
/// A column of a table of samples: of a record and the number of a sample.
type SampleColumn = (&'static str, fn(&CellRecord, usize) -> String);

/// What stands in front of the metrics of every sample.
const SAMPLE: [SampleColumn; 5] = [
    ("problem", |r, _| inert(&r.problem.name)),
    ("rows", |r, _| r.facts.rows.to_string()),
    ("solver", |r, _| inert(&r.solver.label)),
    ("sweeps", |r, i| r.outcome.samples[i].sweeps.to_string()),
    ("row_updates", |r, i| {
        r.outcome.samples[i].row_updates.to_string()
    }),
];

/// A column that is there where a solver counts them: tables of older records are what they were.
const FACTORIZATIONS: &str = "factorizations";

/// What stands in front of the metrics of every record.
const SUMMARY: [Column; 25] = [
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

/// One row per sample of every record.
///
/// Columns: experiment, problem, rows, solver, sweeps, `row_updates`, one per metric, seconds. Over
/// time: experiment, scene, scheme, solver, frame, time, sweeps, `row_updates`, one per observable,
/// seconds.
///
/// # Errors
/// None in practice: the writer is memory.
pub fn records_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Vec<u8>> {
    let head = if trajectories::are(records) {
        trajectories::SAMPLE.as_slice()
    } else {
        &SAMPLE
    };
    let metrics = metrics(records);
    let names = head.iter().map(|(name, _)| *name);
    let names = names.chain(metrics.iter().copied()).chain(["seconds"]);
    let rows = records.iter().flat_map(|record| {
        let outcome = &record.outcome;
        let columns: Vec<Option<usize>> = metrics.iter().map(|m| outcome.column(m)).collect();
        let clock = outcome.clock();
        let samples = outcome.samples.iter().enumerate();
        samples.map(move |(index, sample)| {
            let head = head.iter().map(|(_, value)| value(record, index));
            let mut row: Vec<String> = head.collect();
            let value = |column: &Option<usize>| column.and_then(|c| sample.values[c]);
            row.extend(columns.iter().map(|column| real(value(column))));
            row.push(real(clock.and_then(|clock| clock.at(index))));
            row
        })
    });
    table(experiment, names, rows)
}

/// One row per record: what was solved with what, how it ended, the last and the best value of each
/// metric; over time, the last value, the largest magnitude, the RMS and the slope of each
/// observable.
///
/// # Errors
/// None in practice: the writer is memory.
pub fn summary_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Vec<u8>> {
    if trajectories::are(records) {
        return trajectories::summary_csv(experiment, records);
    }
    if timings::are(records) {
        return timings::summary_csv(experiment, records);
    }
    let metrics = metrics(records);
    let fixed = shown(&SUMMARY, records);
    let mut columns = names(&fixed);
    columns.extend(metrics.iter().map(|m| (*m).to_owned()));
    columns.extend(metrics.iter().map(|m| format!("best_{m}")));
    columns.extend(["timing_samples", "prepare_seconds", "iterate_seconds"].map(str::to_owned));
    columns.extend(spread_of("iterate"));
    let rows = records.iter().map(|record| {
        let outcome = &record.outcome;
        let mut row = values(&fixed, record);
        row.extend(metrics.iter().map(|m| real(outcome.last(m))));
        row.extend(metrics.iter().map(|m| real(outcome.best(m))));
        row.push(outcome.iterate_seconds.len().to_string());
        row.push(real(median(outcome.prepare_seconds.clone())));
        row.push(real(median(outcome.iterate_seconds.clone())));
        row.extend(spread(outcome.iterate_seconds.iter().copied()));
        row
    });
    table(experiment, columns, rows)
}

/// A table whose rows all begin with the experiment.
fn table<N: AsRef<[u8]>>(
    experiment: &str,
    names: impl IntoIterator<Item = N>,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> io::Result<Vec<u8>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_field("experiment")?;
    writer.write_record(names)?;
    for row in rows {
        writer.write_field(inert(experiment))?;
        writer.write_record(row)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// The columns that these records have.
fn shown(columns: &[Column], records: &[CellRecord]) -> Vec<Column> {
    let counted = records.iter().any(|r| r.outcome.factorizations.is_some());
    let columns = columns.iter().copied();
    columns
        .filter(|(name, _)| counted || *name != FACTORIZATIONS)
        .collect()
}

fn names(columns: &[Column]) -> Vec<String> {
    columns.iter().map(|(name, _)| (*name).to_owned()).collect()
}

fn values(columns: &[Column], record: &CellRecord) -> Vec<String> {
    columns.iter().map(|(_, value)| value(record)).collect()
}

fn message(record: &CellRecord) -> String {
    inert(record.outcome.message.as_deref().unwrap_or_default())
}

fn approximations(record: &CellRecord) -> String {
    inert(&record.outcome.approximations.join("; "))
}

/// Columns of the spread of the samples of a time.
fn spread_of(what: &str) -> [String; 3] {
    ["min", "max", "iqr"].map(|part| format!("{what}_{part}_seconds"))
}

/// Least, largest and interquartile range of the samples; nothing where there are none.
fn spread(samples: impl Iterator<Item = f64>) -> [String; 3] {
    let spread = Spread::of(samples);
    [
        spread.map(|spread| spread.min),
        spread.map(|spread| spread.max),
        spread.map(|spread| spread.iqr),
    ]
    .map(real)
}

/// All solutions of the cells whose method looks for them, one row per solution and row of the
/// problem; `None` if there is no such cell.
///
/// # Errors
/// None in practice: the writer is memory.
pub fn solutions_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Option<Vec<u8>>> {
    if records.iter().all(|r| r.outcome.solutions().is_none()) {
        return Ok(None);
    }
    let names = [
        "problem", "solver", "solution", "isolated", "row", "impulse",
    ];
    let rows = records.iter().flat_map(|record| {
        let found = record.outcome.solutions();
        let list = found.into_iter().flat_map(|found| &found.list);
        (1_u64..).zip(list).flat_map(move |(number, solution)| {
            let impulses = solution.impulses.iter().enumerate();
            impulses.map(move |(row, impulse)| {
                vec![
                    inert(&record.problem.name),
                    inert(&record.solver.label),
                    number.to_string(),
                    solution.isolated.to_string(),
                    row.to_string(),
                    real(Some(*impulse)),
                ]
            })
        })
    });
    table(experiment, names, rows).map(Some)
}

/// A text that no spreadsheet evaluates: an apostrophe before what begins like a formula. Numbers
/// are not texts.
pub fn inert(text: &str) -> String {
    if text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        format!("'{text}")
    } else {
        text.to_owned()
    }
}

/// Parameters as JSON.
fn object(map: &Map<String, Value>) -> String {
    Value::Object(map.clone()).to_string()
}

/// The metrics of all records, in the order of first appearance.
fn metrics(records: &[CellRecord]) -> Vec<&str> {
    let all = records.iter().flat_map(|r| &r.outcome.metrics);
    distinct(all.map(String::as_str))
}

/// The text of what is there; nothing for nothing.
fn whole(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

/// The shortest text that reads back as the same number; nothing for no number.
fn real(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| format!("{value:?}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Outcome, ProblemFacts, ProblemLabel, Sample, SolverLabel};
    use delassus_core::Status;

    fn record(metrics: &[&str], values: &[Option<f64>]) -> CellRecord {
        let mut outcome = Outcome::without_samples(Status::MaxSweeps, "a \"quoted\", message");
        outcome.metrics = metrics.iter().map(|m| (*m).to_owned()).collect();
        outcome.samples.push(Sample {
            sweeps: 3,
            row_updates: 9,
            values: values.to_vec(),
        });
        outcome.sweeps = 3;
        outcome.prepare_seconds = vec![1.0];
        outcome.iterate_seconds = vec![0.5, 0.25, 0.75];
        CellRecord {
            key: "k".to_owned(),
            problem: ProblemLabel {
                name: "chain n=2".to_owned(),
                source: "chain".to_owned(),
                parameters: Map::from_iter([("n".to_owned(), 2.into())]),
            },
            solver: SolverLabel {
                label: "psor ω=1.3".to_owned(),
                id: "psor".to_owned(),
                parameters: Map::new(),
                device: None,
            },
            facts: ProblemFacts::default(),
            outcome,
            origin: None,
        }
    }

    #[test]
    fn metrics_of_different_cells_share_columns_and_numbers_keep_their_bits() {
        let value = 0.1 + 0.2;
        let records = [
            record(&["a", "b"], &[Some(value), None]),
            record(&["b"], &[Some(1e-140)]),
        ];
        let csv = String::from_utf8(records_csv("e", &records).unwrap()).unwrap();
        let expected = "experiment,problem,rows,solver,sweeps,row_updates,a,b,seconds\n\
                        e,chain n=2,0,psor ω=1.3,3,9,0.30000000000000004,,1.5\n\
                        e,chain n=2,0,psor ω=1.3,3,9,,1e-140,1.5\n";
        assert_eq!(csv, expected);
        assert_eq!(
            "0.30000000000000004".parse::<f64>().unwrap().to_bits(),
            value.to_bits()
        );
    }

    #[test]
    fn the_summary_has_one_row_per_cell_and_ends_with_the_clock() {
        let records = [record(&["a"], &[Some(0.5)])];
        let bytes = summary_csv("e", &records).unwrap();
        let mut reader = csv::Reader::from_reader(bytes.as_slice());
        let header = reader.headers().unwrap().clone();
        assert_eq!(&header[header.len() - 5], "prepare_seconds");
        let row = reader.records().next().unwrap().unwrap();
        let at = |name: &str| &row[header.iter().position(|h| h == name).unwrap()];
        assert_eq!(at("status"), "max_sweeps");
        assert_eq!(at("message"), "a \"quoted\", message");
        assert_eq!(at("problem_parameters"), "{\"n\":2}");
        assert_eq!(at("best_a"), "0.5");
        assert_eq!(at("iterate_seconds"), "0.5");
        assert_eq!(at("timing_samples"), "3");
        assert_eq!(at("iterate_min_seconds"), "0.25");
        assert_eq!(at("iterate_max_seconds"), "0.75");
        assert_eq!(at("iterate_iqr_seconds"), "0.25");
    }
}
