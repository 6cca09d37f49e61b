//! The table of timed sweeps.

use serde_json::Value;

use super::columns::{
    Column, FACTORIZATIONS, TableShape, approximations, inert, message, object, real, spread, whole,
};
use crate::analysis::cost;
use crate::record::{CellRecord, Timing};
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
const FIXED: [Column; 27] = [
    ("problem", |r| inert(&r.problem.name)),
    ("source", |r| r.problem.source.clone()),
    ("problem_parameters", |r| object(&r.problem.parameters)),
    ("rows", |r| r.facts.rows.to_string()),
    ("constraints", |r| r.facts.blocks.to_string()),
    ("contacts", |r| r.facts.contacts.to_string()),
    ("bodies", |r| whole(r.facts.bodies)),
    ("energy_scale", |r| real(Some(r.facts.energy_scale))),
    ("solver", |r| inert(&r.solver.label)),
    ("solver_id", |r| inert(&r.solver.id)),
    ("solver_parameters", |r| object(&r.solver.parameters)),
    ("level", |r| parameter(r, "level", Value::as_str)),
    ("threads", |r| parameter(r, "threads", Value::as_u64)),
    ("status", CellRecord::ending),
    ("message", message),
    ("approximations", approximations),
    ("short_sweeps", |r| timed(r, |t| Some(t.short_sweeps))),
    ("sweeps", |r| r.outcome.sweeps.to_string()),
    ("row_updates", |r| r.outcome.row_updates.to_string()),
    (FACTORIZATIONS, |r| whole(r.outcome.factorizations)),
    ("read_bytes", |r| timed(r, |t| t.read_bytes)),
    ("written_bytes", |r| timed(r, |t| t.written_bytes)),
    ("gathered_bytes", |r| timed(r, |t| t.gathered_bytes)),
    ("working_set", |r| timed(r, |t| t.working_set)),
    ("natural_map", |r| real(r.outcome.last("natural_map"))),
    ("impulse_hash", |r| r.outcome.impulse_hash.clone()),
    ("cell", |r| r.key.clone()),
];

/// The columns of the summary.
pub(super) fn columns(shape: &TableShape) -> Vec<String> {
    let mut columns = shape.names(&FIXED);
    columns.extend(CLOCK.map(str::to_owned));
    columns
}

/// The row of a record.
pub(super) fn row(shape: &TableShape, record: &CellRecord) -> Vec<String> {
    let mut row = shape.values(&FIXED, record);
    row.extend(clock(record));
    row
}

/// A parameter of the solver; nothing where it has none of that type.
fn parameter<'r, T: ToString>(
    record: &'r CellRecord,
    key: &str,
    read: fn(&'r Value) -> Option<T>,
) -> String {
    whole(record.solver.parameters.get(key).and_then(read))
}

/// A count of the timed sweeps.
fn timed(record: &CellRecord, count: fn(&Timing) -> Option<u64>) -> String {
    whole(record.outcome.timing().and_then(count))
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
