//! The table of timed sweeps.

use std::io;

use csv::Writer;

use super::{inert, object, real, spread};
use crate::analysis::cost;
use crate::record::CellRecord;
use crate::view::Cost;

/// Columns that depend on the clock, the last of every row.
pub const CLOCK: [&str; 10] = [
    "timing_samples",
    "prepare_seconds",
    "sweep_seconds",
    "median_sweep_seconds",
    "sweep_min_seconds",
    "sweep_max_seconds",
    "sweep_iqr_seconds",
    "ns_per_row",
    "ns_per_sweep",
    "bytes_per_second",
];

/// Columns that do not.
const FIXED: [&str; 27] = [
    "experiment",
    "problem",
    "source",
    "problem_parameters",
    "rows",
    "constraints",
    "contacts",
    "bodies",
    "energy_scale",
    "solver",
    "solver_id",
    "solver_parameters",
    "level",
    "threads",
    "status",
    "message",
    "approximations",
    "short_sweeps",
    "sweeps",
    "row_updates",
    "read_bytes",
    "written_bytes",
    "gathered_bytes",
    "working_set",
    "natural_map",
    "impulse_hash",
    "cell",
];

/// True if the records are of timed sweeps.
pub(super) fn are(records: &[CellRecord]) -> bool {
    records.iter().any(|r| r.outcome.timing().is_some())
}

/// One row per record.
pub(super) fn summary_csv(experiment: &str, records: &[CellRecord]) -> io::Result<Vec<u8>> {
    let mut writer = Writer::from_writer(Vec::new());
    writer.write_record(FIXED.iter().chain(&CLOCK))?;
    for record in records {
        let mut row = fixed(experiment, record);
        row.extend(clock(record));
        writer.write_record(&row)?;
    }
    writer.into_inner().map_err(|error| error.into_error())
}

fn fixed(experiment: &str, record: &CellRecord) -> Vec<String> {
    let (facts, outcome) = (&record.facts, &record.outcome);
    let timing = outcome.timing();
    let whole = |value: Option<u64>| value.map_or_else(String::new, |n| n.to_string());
    let parameter = |key: &str| record.solver.parameters.get(key);
    let level = parameter("level").and_then(|level| level.as_str());
    vec![
        inert(experiment),
        inert(&record.problem.name),
        record.problem.source.clone(),
        object(&record.problem.parameters),
        facts.rows.to_string(),
        facts.blocks.to_string(),
        facts.contacts.to_string(),
        facts.bodies.map_or_else(String::new, |n| n.to_string()),
        real(Some(facts.energy_scale)),
        inert(&record.solver.label),
        inert(&record.solver.id),
        object(&record.solver.parameters),
        level.unwrap_or_default().to_owned(),
        whole(parameter("threads").and_then(|threads| threads.as_u64())),
        record.ending(),
        inert(outcome.message.as_deref().unwrap_or_default()),
        inert(&outcome.approximations.join("; ")),
        whole(timing.map(|t| t.short_sweeps)),
        outcome.sweeps.to_string(),
        outcome.row_updates.to_string(),
        whole(timing.and_then(|t| t.read_bytes)),
        whole(timing.and_then(|t| t.written_bytes)),
        whole(timing.and_then(|t| t.gathered_bytes)),
        whole(timing.and_then(|t| t.working_set)),
        real(outcome.last("natural_map")),
        outcome.impulse_hash.clone(),
        record.key.clone(),
    ]
}

fn clock(record: &CellRecord) -> [String; CLOCK.len()] {
    let seconds = cost(record, Cost::Seconds);
    let samples = record.outcome.sweep_samples();
    let [min, max, iqr] = spread(samples.iter().copied());
    [
        samples.len().to_string(),
        real(crate::record::median(
            record.outcome.prepare_seconds.clone(),
        )),
        real(seconds),
        real(cost(record, Cost::MedianSeconds)),
        min,
        max,
        iqr,
        real(cost(record, Cost::NsPerRow)),
        real(seconds.map(|s| 1e9 * s)),
        real(cost(record, Cost::Bandwidth)),
    ]
}
