//! What a record over time says before its first frame: it follows from scene, scheme and solver,
//! and nothing is stepped.

use delassus_core::Status;

use super::recorded::RecordedCell;
use super::words::{differ, differs};
use crate::record::Outcome;
use crate::registry::Registry;
use crate::simulate::{Simulations, calibrate};

/// Everything in which the record differs from the start that is made again: what scheme and solver
/// leave out, the columns without values, the first sample and its time.
pub(super) fn differences(
    of: RecordedCell<'_>,
    over: &Simulations,
    registry: &Registry,
) -> Vec<String> {
    let (cell, outcome) = (of.cell, &of.record.outcome);
    let mut found = Vec::new();
    // a scene that does not fit into the memory here is not asked about
    if outcome.samples.is_empty() || cell.skip.is_some() {
        return found;
    }
    let Some(own) = over.start(cell, outcome, &of.matrix.solvers, registry) else {
        return found;
    };
    let mut words = Outcome::without_samples(Status::Solved, "");
    words.approximations = own.approximations;
    words.message = own.message;
    if let Some(remark) = outcome.calibration().and_then(calibrate::remark) {
        words.note(&remark);
    }
    words.cut_texts();
    let approximations = (&outcome.approximations, &words.approximations);
    differ(
        &mut found,
        "approximations",
        approximations.0,
        approximations.1,
    );
    if over.is_search(cell) {
        return found;
    }
    if outcome.status == Status::Solved {
        differ(&mut found, "message", &outcome.message, &words.message);
    }
    let first = outcome.samples.first().into_iter();
    let first: Vec<Option<f64>> = first.flat_map(|sample| sample.values()).collect();
    let bits = |values: &[Option<f64>]| -> Vec<Option<u64>> {
        values.iter().map(|value| value.map(f64::to_bits)).collect()
    };
    if bits(&first) != bits(&own.values) {
        found.push(differs("first sample", &first, &own.values));
    }
    let begin = outcome.moments().first().map(|moment| moment.time);
    if begin.map(f64::to_bits) != Some(own.time.to_bits()) {
        found.push(differs("first moment", &begin, &own.time));
    }
    found
}
