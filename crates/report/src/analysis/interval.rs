//! Where the medians of the times of a cell lie.

use delassus_statistics::{Interval, LEVEL, median_interval};

use crate::numbers::significant;
use crate::record::{CellRecord, Outcome};

/// Heading of a column of such intervals.
pub(crate) const HEADING: &str = "its 95 % interval [s]";

/// Where the median time of prepare and iterate lies \[s\]; of a trajectory, of a frame (A.8).
/// `None` of fewer than two passes.
pub fn seconds_interval(record: &CellRecord) -> Option<Interval> {
    let outcome = &record.outcome;
    let passes = outcome.prepare_seconds.iter().zip(&outcome.iterate_seconds);
    let passes = passes.map(|(prepare, iterate)| prepare + iterate);
    let share = match record.scheme() {
        Some(_) => 1.0 / super::count(outcome.frames()),
        None => 1.0,
    };
    let samples: Vec<f64> = passes.map(|seconds| share * seconds).collect();
    median_interval(&samples, LEVEL)
}

/// Where the median time of a timed sweep lies \[s\].
pub fn sweep_interval(outcome: &Outcome) -> Option<Interval> {
    median_interval(&outcome.sweep_samples(), LEVEL)
}

/// An interval for people, with its coverage where that is not the usual one.
pub fn shown(interval: &Interval) -> String {
    with_coverage(ends(interval), interval)
}

/// The ends of an interval as text, with its coverage where that is not the usual one.
pub(crate) fn with_coverage(ends: String, interval: &Interval) -> String {
    match interval.coverage < LEVEL {
        true => format!("{ends} ({:.0} %)", 100.0 * interval.coverage),
        false => ends,
    }
}

/// An interval for people, with its coverage.
pub(crate) fn with_level(interval: &Interval) -> String {
    let percent = 100.0 * interval.coverage;
    format!("{} ({percent:.0} %)", ends(interval))
}

fn ends(interval: &Interval) -> String {
    let [low, high] = [interval.low, interval.high].map(|end| significant(end, 3));
    format!("{low} – {high}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::cell as record;
    use delassus_core::Status;

    #[test]
    fn few_passes_say_how_often_their_range_holds() {
        let mut record = record("wall", "pgs", Status::Solved, 9, |_| None);
        record.outcome.prepare_seconds = vec![0.5; 3];
        record.outcome.iterate_seconds = vec![1.0, 2.0, 3.0];
        let interval = seconds_interval(&record);
        assert_eq!(
            interval.as_ref().map(shown).as_deref(),
            Some("1.50 – 3.50 (75 %)")
        );
        record.outcome.prepare_seconds = vec![0.0; 30];
        record.outcome.iterate_seconds = vec![1.0; 30];
        let interval = seconds_interval(&record);
        assert_eq!(interval.as_ref().map(shown).as_deref(), Some("1.00 – 1.00"));
        record.outcome.iterate_seconds.truncate(1);
        assert_eq!(seconds_interval(&record), None);
    }
}
