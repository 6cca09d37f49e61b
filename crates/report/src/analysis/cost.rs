//! What a sweep or a step costs, from the record of a cell.

use delassus_core::Status;

use super::count;
use crate::record::CellRecord;
use crate::view::Cost;

/// A cost or size of a cell that came to its end; `None` where it does not apply or nobody counted.
pub fn cost(record: &CellRecord, cost: Cost) -> Option<f64> {
    let (facts, outcome) = (&record.facts, &record.outcome);
    if outcome.status != Status::Solved {
        return None;
    }
    let seconds = || match record.scheme() {
        Some(_) => outcome.shortest_step_seconds(),
        None => outcome.sweep_seconds(),
    };
    let timing = outcome.timing();
    let bytes = || timing?.bytes().map(count);
    let [rows, blocks, contacts] =
        [facts.rows, facts.blocks, facts.contacts].map(|n| count(n as u64));
    let ns_per = |things: f64| seconds().map(|s| 1e9 * s / things);
    let value = match cost {
        Cost::Seconds => seconds(),
        Cost::MedianSeconds if record.scheme().is_some() => outcome.step_seconds(),
        Cost::MedianSeconds => outcome.median_sweep_seconds(),
        Cost::NsPerRow => ns_per(rows),
        Cost::NsPerConstraint => ns_per(blocks),
        Cost::NsPerContact => ns_per(contacts),
        Cost::BytesPerRow => bytes().map(|bytes| bytes / rows),
        Cost::BytesPerConstraint => bytes().map(|bytes| bytes / blocks),
        Cost::Bandwidth => bytes().zip(seconds()).map(|(b, s)| b / s),
        Cost::WorkingSet => timing.and_then(|t| t.working_set).map(count),
        Cost::Rows => Some(rows),
        Cost::Constraints => Some(blocks),
        Cost::Contacts => Some(contacts),
        Cost::Bodies => facts.bodies.map(|n| count(n as u64)),
    };
    // a size of zero has no share, and no place on a logarithmic axis
    value.filter(|value| value.is_finite() && *value > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Payload, Timing};
    use crate::testing::cell;

    #[test]
    fn costs_are_slopes_over_sizes() {
        let mut record = cell("wall", "pgs", Status::Solved, 21, |_| None);
        (record.facts.rows, record.facts.blocks) = (60, 20);
        record.facts.contacts = 0;
        record.outcome.iterate_seconds = vec![5.0, 3.0, 4.5];
        record.outcome.payload = Payload::Time(Timing {
            short_sweeps: 1,
            short_seconds: vec![1.5, 1.5, 1.0],
            read_bytes: Some(1000),
            written_bytes: Some(200),
            gathered_bytes: Some(0),
            working_set: Some(1300),
        });
        let of = |what| cost(&record, what);
        // the shortest of each: (3 − 1) / 20; the median of 3.5, 1.5 and 3.5 over 20
        assert_eq!(of(Cost::Seconds), Some(0.1));
        assert_eq!(of(Cost::MedianSeconds), Some(0.175));
        assert_eq!(of(Cost::NsPerRow), Some(1e8 / 60.0));
        assert_eq!(of(Cost::BytesPerConstraint), Some(60.0));
        assert_eq!(of(Cost::Bandwidth), Some(12_000.0));
        assert_eq!(of(Cost::WorkingSet), Some(1300.0));
        // no contact point has a share of the time
        assert_eq!(of(Cost::NsPerContact), None);
        record.outcome.status = Status::Broken;
        assert_eq!(cost(&record, Cost::Seconds), None);
    }

    #[test]
    fn what_nobody_counted_has_no_bytes_and_a_negative_slope_is_no_time() {
        let mut record = cell("wall", "pgs", Status::Solved, 21, |_| None);
        record.outcome.iterate_seconds = vec![1.0];
        record.outcome.payload = Payload::Time(Timing {
            short_sweeps: 1,
            short_seconds: vec![1.5],
            read_bytes: None,
            written_bytes: None,
            gathered_bytes: None,
            working_set: None,
        });
        for what in [Cost::Seconds, Cost::BytesPerRow, Cost::WorkingSet] {
            assert_eq!(cost(&record, what), None, "{}", what.id());
        }
    }
}
