//! The tables of an experiment over time.

use super::columns::{
    Column, FACTORIZATIONS, SampleColumn, TableShape, approximations, inert, message, object, real,
    spread, spread_of, whole,
};
use crate::analysis::{count, over};
use crate::record::{Calibration, CellRecord, SchemeLabel};
use crate::view::Over;

/// What stands in front of the observables of every sample.
pub(super) const SAMPLE: [SampleColumn; 7] = [
    ("scene", |r, _| inert(&r.problem.name)),
    ("scheme", |r, _| scheme(r, |s| inert(&s.label))),
    ("solver", |r, _| inert(&r.solver.label)),
    ("frame", |r, i| {
        whole(r.outcome.moments().get(i).map(|m| m.frame))
    }),
    ("time", |r, i| {
        real(r.outcome.moments().get(i).map(|m| m.time))
    }),
    ("sweeps", |r, i| {
        whole(r.outcome.samples.get(i).map(|s| s.sweeps))
    }),
    ("row_updates", |r, i| {
        whole(r.outcome.samples.get(i).map(|s| s.row_updates))
    }),
];

/// What stands in front of the observables of every record.
const SUMMARY: [Column; 28] = [
    ("scene", |r| inert(&r.problem.name)),
    ("source", |r| r.problem.source.clone()),
    ("scene_parameters", |r| object(&r.problem.parameters)),
    ("rows", |r| r.facts.rows.to_string()),
    ("contacts", |r| r.facts.contacts.to_string()),
    ("bodies", |r| whole(r.facts.bodies)),
    ("scheme", |r| scheme(r, |s| inert(&s.label))),
    ("scheme_id", |r| scheme(r, |s| s.id.clone())),
    ("scheme_parameters", |r| {
        scheme(r, |s| object(&s.parameters))
    }),
    ("device", |r| {
        scheme(r, |s| inert(s.device.as_deref().unwrap_or_default()))
    }),
    ("dt", |r| real(r.scheme().map(|s| s.dt))),
    ("budget", |r| {
        let own = r.outcome.calibration();
        own.map_or_else(String::new, |own| own.budget.to_string())
    }),
    ("chosen_substeps", |r| {
        whole(r.outcome.calibration().map(|own| own.substeps))
    }),
    ("calibrated_cost", |r| {
        real(r.outcome.calibration().and_then(|own| own.cost()))
    }),
    ("calibration", |r| {
        let own = r.outcome.calibration();
        own.and_then(Calibration::unsteady).unwrap_or_default()
    }),
    ("solver", |r| inert(&r.solver.label)),
    ("solver_id", |r| inert(&r.solver.id)),
    ("solver_parameters", |r| object(&r.solver.parameters)),
    ("status", CellRecord::ending),
    ("message", message),
    ("approximations", approximations),
    ("frames", |r| r.outcome.frames().to_string()),
    ("time", |r| real(r.outcome.covered())),
    ("sweeps", |r| r.outcome.sweeps.to_string()),
    ("row_updates", |r| r.outcome.row_updates.to_string()),
    (FACTORIZATIONS, |r| whole(r.outcome.factorizations)),
    ("state_hash", |r| r.outcome.impulse_hash.clone()),
    ("cell", |r| r.key.clone()),
];

/// What is said of the scheme; nothing where there is none.
fn scheme(record: &CellRecord, text: fn(&SchemeLabel) -> String) -> String {
    record.scheme().map_or_else(String::new, text)
}

/// The columns of the summary.
pub(super) fn columns(shape: &TableShape) -> Vec<String> {
    let mut columns = shape.names(&SUMMARY);
    for observable in &shape.metrics {
        columns.extend(Over::LISTED.map(|what| format!("{observable}_{}", what.id())));
    }
    columns.extend(["timing_samples", "run_seconds", "step_seconds"].map(str::to_owned));
    columns.extend(spread_of("step"));
    columns
}

/// The row of a record.
pub(super) fn row(shape: &TableShape, record: &CellRecord) -> Vec<String> {
    let outcome = &record.outcome;
    let mut row = shape.values(&SUMMARY, record);
    for observable in &shape.metrics {
        // none of these is taken from a closed form
        row.extend(Over::LISTED.map(|what| real(over(record, observable, what, &()))));
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
