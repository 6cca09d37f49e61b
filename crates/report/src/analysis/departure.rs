//! How far two runs of a scene are apart, at the times that they have in common (R.45).

use crate::record::CellRecord;

/// Samples of two runs are at one time if they are closer than this \[s\]: sums of frames round.
const SAME_TIME: f64 = 1e-9;

/// Distances of two runs at common times, the observables taken together as coordinates of one
/// unit.
pub(crate) fn departures(
    record: &CellRecord,
    reference: &CellRecord,
    observables: &[String],
) -> Vec<f64> {
    let mut squares: Vec<f64> = Vec::new();
    for observable in observables {
        let differences = differences(record, reference, observable);
        squares.resize(squares.len().max(differences.len()), 0.0);
        for (sum, difference) in squares.iter_mut().zip(&differences) {
            *sum += difference * difference;
        }
    }
    squares.into_iter().map(f64::sqrt).collect()
}

/// The largest of them; `None` where no time after the first is common.
pub(crate) fn departure(
    record: &CellRecord,
    reference: &CellRecord,
    observables: &[String],
) -> Option<f64> {
    let all = departures(record, reference, observables);
    let largest = all.iter().copied().fold(0.0, f64::max);
    (all.len() > 1).then_some(largest)
}

/// Differences of an observable at common times.
fn differences(record: &CellRecord, reference: &CellRecord, observable: &str) -> Vec<f64> {
    let (times, values) = record.outcome.series(observable);
    let (exact_times, exact) = reference.outcome.series(observable);
    let (mut found, mut next) = (Vec::new(), 0);
    for (time, value) in times.iter().zip(&values) {
        while next < exact_times.len() && exact_times[next] < time - SAME_TIME {
            next += 1;
        }
        if next < exact_times.len() && exact_times[next] <= time + SAME_TIME {
            found.push(value - exact[next]);
        }
    }
    found
}
