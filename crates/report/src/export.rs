//! records.csv and summary.csv: the records as long tables for every data tool.
//!
//! Numbers are written with the fewest digits that give the same bits back. Columns that depend on the clock stand
//! at the end of each row; all others are equal whenever the same program runs the same spec again.

use std::io;

use csv::Writer;
use serde_json::{Map, Value};

mod timings;
mod trajectories;

pub use timings::CLOCK;

use crate::analysis::Spread;
use crate::record::{CellRecord, median};

/// One row per sample of every record.
///
/// Columns: experiment, problem, rows, solver, sweeps, `row_updates`, one per metric, seconds. Over time: experiment,
/// scene, scheme, solver, frame, time, sweeps, `row_updates`, one per observable, seconds.
///
/// # Errors
/// None in practice: the writer is memory.
pub fn records_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Vec<u8>> {
    if trajectories::are(records) {
        return trajectories::records_csv(experiment, records);
    }
    let metrics = metrics(records);
    let mut writer = Writer::from_writer(Vec::new());
    let head = [
        "experiment",
        "problem",
        "rows",
        "solver",
        "sweeps",
        "row_updates",
    ];
    let columns = head.into_iter().chain(metrics.iter().copied());
    writer.write_record(columns.chain(["seconds"]))?;
    for record in records {
        let outcome = &record.outcome;
        let columns: Vec<Option<usize>> = metrics.iter().map(|m| outcome.column(m)).collect();
        for (index, sample) in outcome.samples.iter().enumerate() {
            let mut row = vec![
                inert(experiment),
                inert(&record.problem.name),
                record.facts.rows.to_string(),
                inert(&record.solver.label),
                sample.sweeps.to_string(),
                sample.row_updates.to_string(),
            ];
            let value = |column: &Option<usize>| column.and_then(|c| sample.values[c]);
            row.extend(columns.iter().map(|column| real(value(column))));
            row.push(real(outcome.seconds_at(index)));
            writer.write_record(&row)?;
        }
    }
    writer.into_inner().map_err(|error| error.into_error())
}

/// One row per record: what was solved with what, how it ended, the last and the best value of each metric; over time,
/// the last value, the largest magnitude, the RMS and the slope of each observable.
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
    let mut writer = Writer::from_writer(Vec::new());
    let head = [
        "experiment",
        "problem",
        "source",
        "problem_parameters",
        "rows",
        "blocks",
        "contacts",
        "bodies",
        "asymmetry",
        "energy_scale",
        "solver",
        "solver_id",
        "solver_parameters",
        "status",
        "message",
        "approximations",
        "sweeps",
        "row_updates",
        "worst_block",
        "worst_block_residual",
        "solutions",
        "all_solutions",
        "reference",
        "impulse_hash",
        "cell",
    ];
    let mut columns: Vec<String> = head.map(str::to_owned).to_vec();
    columns.extend(metrics.iter().map(|m| (*m).to_owned()));
    columns.extend(metrics.iter().map(|m| format!("best_{m}")));
    columns.extend(["timing_samples", "prepare_seconds", "iterate_seconds"].map(str::to_owned));
    columns.extend(spread_of("iterate"));
    writer.write_record(&columns)?;
    for record in records {
        writer.write_record(summary_row(experiment, record, &metrics))?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn summary_row(experiment: &str, record: &CellRecord, metrics: &[&str]) -> Vec<String> {
    let (facts, outcome) = (&record.facts, &record.outcome);
    let solutions = outcome.solutions();
    let mut row = vec![
        inert(experiment),
        inert(&record.problem.name),
        record.problem.source.clone(),
        object(&record.problem.parameters),
        facts.rows.to_string(),
        facts.blocks.to_string(),
        facts.contacts.to_string(),
        facts.bodies.map_or_else(String::new, |n| n.to_string()),
        real(facts.asymmetry),
        real(Some(facts.energy_scale)),
        inert(&record.solver.label),
        inert(&record.solver.id),
        object(&record.solver.parameters),
        record.ending(),
        inert(outcome.message.as_deref().unwrap_or_default()),
        inert(&outcome.approximations.join("; ")),
        outcome.sweeps.to_string(),
        outcome.row_updates.to_string(),
        outcome
            .worst_block()
            .map_or_else(String::new, |worst| worst.block.to_string()),
        real(outcome.worst_block().map(|worst| worst.residual)),
        solutions.map_or_else(String::new, |s| s.list.len().to_string()),
        solutions.map_or_else(String::new, |s| s.complete.to_string()),
        inert(outcome.reference().unwrap_or_default()),
        outcome.impulse_hash.clone(),
        record.key.clone(),
    ];
    row.extend(metrics.iter().map(|m| real(outcome.last(m))));
    row.extend(metrics.iter().map(|m| real(outcome.best(m))));
    row.push(outcome.iterate_seconds.len().to_string());
    row.push(real(median(outcome.prepare_seconds.clone())));
    row.push(real(median(outcome.iterate_seconds.clone())));
    row.extend(spread(outcome.iterate_seconds.iter().copied()));
    row
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

/// All solutions of the cells whose method looks for them, one row per solution and row of the problem; `None` if there
/// is no such cell.
///
/// # Errors
/// None in practice: the writer is memory.
pub fn solutions_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Option<Vec<u8>>> {
    if records.iter().all(|r| r.outcome.solutions().is_none()) {
        return Ok(None);
    }
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record([
        "experiment",
        "problem",
        "solver",
        "solution",
        "isolated",
        "row",
        "impulse",
    ])?;
    for record in records {
        let found = record
            .outcome
            .solutions()
            .into_iter()
            .flat_map(|found| &found.list);
        for (number, solution) in (1_u64..).zip(found) {
            for (row, impulse) in solution.impulses.iter().enumerate() {
                writer.write_record([
                    inert(experiment),
                    inert(&record.problem.name),
                    inert(&record.solver.label),
                    number.to_string(),
                    solution.isolated.to_string(),
                    row.to_string(),
                    real(Some(*impulse)),
                ])?;
            }
        }
    }
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(Some(bytes))
}

/// A text that no spreadsheet evaluates: an apostrophe before what begins like a formula. Numbers are not texts.
pub(crate) fn inert(text: &str) -> String {
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
    let mut all: Vec<&str> = Vec::new();
    for name in records.iter().flat_map(|r| &r.outcome.metrics) {
        if !all.contains(&name.as_str()) {
            all.push(name);
        }
    }
    all
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
