//! The tables of an experiment over time.

use std::io;

use csv::Writer;

use super::{inert, metrics, object, real, spread, spread_of};
use crate::analysis::{count, over};
use crate::record::CellRecord;
use crate::view::Over;

/// True if the records are trajectories.
pub(super) fn are(records: &[CellRecord]) -> bool {
    records.iter().any(|record| record.scheme().is_some())
}

/// One row per sample.
pub(super) fn records_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Vec<u8>> {
    let observables = metrics(records);
    let mut writer = Writer::from_writer(Vec::new());
    let head = [
        "experiment",
        "scene",
        "scheme",
        "solver",
        "frame",
        "time",
        "sweeps",
        "row_updates",
    ];
    let columns = head.into_iter().chain(observables.iter().copied());
    writer.write_record(columns.chain(["seconds"]))?;
    for record in records {
        let outcome = &record.outcome;
        let columns: Vec<Option<usize>> = observables.iter().map(|o| outcome.column(o)).collect();
        let scheme = record.scheme().map_or("", |s| s.label.as_str());
        for (index, sample) in outcome.samples.iter().enumerate() {
            let moment = outcome.moments().get(index);
            let mut row = vec![
                inert(experiment),
                inert(&record.problem.name),
                inert(scheme),
                inert(&record.solver.label),
                moment.map_or_else(String::new, |m| m.frame.to_string()),
                real(moment.map(|m| m.time)),
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

/// One row per record.
pub(super) fn summary_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Vec<u8>> {
    let observables = metrics(records);
    let mut writer = Writer::from_writer(Vec::new());
    let head = [
        "experiment",
        "scene",
        "source",
        "scene_parameters",
        "rows",
        "contacts",
        "bodies",
        "scheme",
        "scheme_id",
        "scheme_parameters",
        "dt",
        "solver",
        "solver_id",
        "solver_parameters",
        "status",
        "message",
        "frames",
        "time",
        "sweeps",
        "row_updates",
        "state_hash",
        "cell",
    ];
    let mut columns: Vec<String> = head.map(str::to_owned).to_vec();
    for observable in &observables {
        columns.extend(Over::LISTED.map(|what| format!("{observable}_{}", what.id())));
    }
    columns.extend(["timing_samples", "run_seconds", "step_seconds"].map(str::to_owned));
    columns.extend(spread_of("step"));
    writer.write_record(&columns)?;
    for record in records {
        writer.write_record(summary_row(experiment, record, &observables))?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn summary_row(experiment: &str, record: &CellRecord, observables: &[&str]) -> Vec<String> {
    let (facts, outcome) = (&record.facts, &record.outcome);
    let scheme = record.scheme();
    let mut row = vec![
        inert(experiment),
        inert(&record.problem.name),
        record.problem.source.clone(),
        object(&record.problem.parameters),
        facts.rows.to_string(),
        facts.contacts.to_string(),
        facts.bodies.map_or_else(String::new, |n| n.to_string()),
        scheme.map_or_else(String::new, |s| inert(&s.label)),
        scheme.map_or_else(String::new, |s| s.id.clone()),
        scheme.map_or_else(String::new, |s| object(&s.parameters)),
        real(scheme.map(|s| s.dt)),
        inert(&record.solver.label),
        inert(&record.solver.id),
        object(&record.solver.parameters),
        record.ending(),
        inert(outcome.message.as_deref().unwrap_or_default()),
        outcome.frames().to_string(),
        real(outcome.covered()),
        outcome.sweeps.to_string(),
        outcome.row_updates.to_string(),
        outcome.impulse_hash.clone(),
        record.key.clone(),
    ];
    for observable in observables {
        row.extend(Over::LISTED.map(|what| real(over(record, observable, what))));
    }
    let passes = outcome.prepare_seconds.iter().zip(&outcome.iterate_seconds);
    let frames = count(outcome.frames());
    row.push(outcome.iterate_seconds.len().to_string());
    row.push(real(outcome.seconds()));
    row.push(real(outcome.step_seconds()));
    row.extend(spread(
        passes.map(|(prepare, steps)| (prepare + steps) / frames),
    ));
    row
}
