//! Plateau, violations of monotonicity, active set and start of a solve, read off its samples
//! (A.5)–(A.7), (M.36).

use delassus_core::Status;
use delassus_metrics::Metric;
use delassus_records::trace::TraceQuantity;

use super::rate::above_floor;
use crate::record::{Outcome, median};

/// Samples that a quarter of the sweeps needs for a plateau \[-\].
const FEWEST_SAMPLES: usize = 4;
/// A sequence whose least value falls below this share of that of the quarter before is no plateau
/// \[-\].
const STILL_FALLING: f64 = 0.5;
/// ln of the growth of a residual that is no rounding: 1e-9.
const GROWTH: f64 = 1e-9;

/// A number of the trace of a solve; `None` if it has none, or for what is a column or the rate.
pub(super) fn number(outcome: &Outcome, quantity: TraceQuantity) -> Option<f64> {
    match quantity {
        TraceQuantity::Plateau => {
            let solved = outcome.status == Status::Solved;
            plateau(&residuals(outcome)?).filter(|_| !solved)
        }
        TraceQuantity::Violations => violations(&residuals(outcome)?),
        TraceQuantity::ActiveSetChanges => {
            let changes = changes(outcome)?;
            Some(changes.iter().map(|(_, count)| count).sum())
        }
        TraceQuantity::ActiveSetSweep => {
            let changes = changes(outcome)?;
            let last = changes.iter().rfind(|(_, count)| *count > 0.0);
            Some(last.map_or(0.0, |(sweeps, _)| super::count(*sweeps)))
        }
        TraceQuantity::WarmStart => outcome.first(Metric::VelocityError.id()),
        TraceQuantity::Rate
        | TraceQuantity::StateChanges
        | TraceQuantity::ImpulseSpread
        | TraceQuantity::VelocitySpread
        | TraceQuantity::Rank
        | TraceQuantity::Condition => None,
    }
}

/// Sweeps and values of a column, where it has some.
pub(super) fn points(outcome: &Outcome, column: usize) -> Vec<(u64, f64)> {
    let samples = outcome.samples.iter();
    samples
        .filter_map(|sample| Some((sample.sweeps, sample.value(column)?)))
        .collect()
}

/// The natural map, or the first metric of a cell that has none.
fn residuals(outcome: &Outcome) -> Option<Vec<(u64, f64)>> {
    let first = (!outcome.metrics.is_empty()).then_some(0);
    let column = outcome.column(Metric::HEADLINE.id()).or(first)?;
    Some(points(outcome, column))
}

fn changes(outcome: &Outcome) -> Option<Vec<(u64, f64)>> {
    let column = outcome.column(TraceQuantity::StateChanges.doc().id)?;
    let points = points(outcome, column);
    (!points.is_empty()).then_some(points)
}

/// The level at which `points` = (sweeps, residual) stay \[unit of the residual\] (A.5): the median
/// over the last half of the sweeps; `None` where the residual still halves in the last quarter, or
/// a quarter has fewer than four samples.
pub fn plateau(points: &[(u64, f64)]) -> Option<f64> {
    let (third, last) = quarters(points)?;
    stays(&third, &last)
}

/// The median of two quarters of a sequence that does not halve from one to the other.
pub(super) fn stays(third: &[f64], last: &[f64]) -> Option<f64> {
    let least = |values: &[f64]| values.iter().copied().fold(f64::INFINITY, f64::min);
    let stays = least(last) >= STILL_FALLING * least(third);
    stays.then(|| median([third, last].concat())).flatten()
}

/// The residuals of the last two quarters of the sweeps; `None` where one has fewer than four, or
/// one that is not finite.
pub(super) fn quarters(points: &[(u64, f64)]) -> Option<(Vec<f64>, Vec<f64>)> {
    let end = super::count(points.last()?.0);
    let from = |share: f64| points.partition_point(|(k, _)| super::count(*k) < share * end);
    let (half, quarter) = (from(0.5), from(0.75));
    let values = |part: &[(u64, f64)]| -> Vec<f64> { part.iter().map(|(_, r)| *r).collect() };
    let (third, last) = (values(&points[half..quarter]), values(&points[quarter..]));
    let finite = third.iter().chain(&last).all(|r| r.is_finite());
    (finite && third.len().min(last.len()) >= FEWEST_SAMPLES).then_some((third, last))
}

/// Number of samples at which the residual is larger than at the one before \[-\] (A.6), above the
/// rounding floor; `None` of fewer than two.
pub fn violations(points: &[(u64, f64)]) -> Option<f64> {
    let falling = above_floor(points);
    let grows = |pair: &&[(f64, f64)]| pair[1].1 > pair[0].1 + GROWTH;
    let count = falling.windows(2).filter(grows).count();
    (points.len() >= 2).then(|| super::count(count as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Payload, Sample};

    fn sequence(count: u64, r: impl Fn(f64) -> f64) -> Vec<(u64, f64)> {
        (0..count).map(|k| (k, r(super::super::count(k)))).collect()
    }

    /// A solve with these columns, a sample after every sweep.
    fn outcome(status: Status, columns: &[(&str, Vec<Option<f64>>)]) -> Outcome {
        let count = columns[0].1.len();
        let sample = |k: usize| Sample {
            sweeps: 2 * k as u64,
            row_updates: k as u64,
            values: columns.iter().map(|(_, values)| values[k]).collect(),
        };
        Outcome {
            metrics: columns.iter().map(|(id, _)| (*id).to_owned()).collect(),
            samples: (0..count).map(sample).collect(),
            payload: Payload::default(),
            message: None,
            ..Outcome::without_samples(status, "")
        }
    }

    #[test]
    fn a_floor_is_a_plateau_and_decay_is_none() {
        // 10^-k down to 1e-6, from the sixth sweep on
        let floor = |k: f64| libm::pow(10.0, -k).max(1e-6);
        assert_eq!(plateau(&sequence(40, floor)), Some(1e-6));
        // a cycle of two values has the middle of them, or one of them
        let cycle = |k: f64| if k % 2.0 == 0.0 { 0.25 } else { 0.75 };
        let level = plateau(&sequence(41, cycle)).unwrap();
        assert!((0.25..=0.75).contains(&level));
        // 40 sweeps of 0.93: the last quarter halves once more, 0.93^10 = 0.48; of 0.95 it does not
        assert_eq!(plateau(&sequence(41, |k| libm::pow(0.93, k))), None);
        assert!(plateau(&sequence(41, |k| libm::pow(0.95, k))).is_some());
        assert_eq!(plateau(&sequence(12, |_| 1.0)), None);
        assert_eq!(plateau(&[]), None);
        assert_eq!(
            plateau(&sequence(40, |k| if k == 35.0 { f64::NAN } else { 1.0 })),
            None
        );
        // of an exact answer
        assert_eq!(plateau(&sequence(40, |_| 0.0)), Some(0.0));
    }

    #[test]
    fn growth_is_counted_above_the_floor() {
        // falls but for every fifth sweep
        let bumpy = |k: f64| libm::pow(0.5, k) * if k % 5.0 == 4.0 { 4.0 } else { 1.0 };
        assert_eq!(violations(&sequence(40, bumpy)), Some(8.0));
        assert_eq!(violations(&sequence(40, |k| libm::pow(0.5, k))), Some(0.0));
        assert_eq!(violations(&sequence(5, |_| 1.0)), Some(0.0));
        // rounding of the last digits is no growth
        let noise = |k: f64| 1.0 + if k % 2.0 == 0.0 { 1e-15 } else { 0.0 };
        assert_eq!(violations(&sequence(40, noise)), Some(0.0));
        // what dances on the rounding floor is not counted: five decades in five sweeps, then 200
        // of noise
        let floored =
            |k: f64| libm::pow(10.0, -k).max(1e-12) * if k % 2.0 == 0.0 { 3.0 } else { 1.0 };
        let counted = violations(&sequence(212, floored)).unwrap();
        assert!(counted < 3.0, "{counted}");
        assert_eq!(violations(&[(0, 1.0)]), None);
    }

    #[test]
    fn numbers_of_a_solve() {
        let some =
            |values: &[f64]| -> Vec<Option<f64>> { values.iter().copied().map(Some).collect() };
        let solved = outcome(
            Status::MaxSweeps,
            &[
                ("natural_map", some(&[1.0, 2.0, 0.5, 0.25, 0.125])),
                ("state_changes", some(&[0.0, 3.0, 0.0, 2.0, 0.0])),
                ("velocity_error", some(&[0.75, 0.5, 0.4, 0.3, 0.2])),
            ],
        );
        let of = |quantity| number(&solved, quantity);
        assert_eq!(of(TraceQuantity::ActiveSetChanges), Some(5.0));
        assert_eq!(of(TraceQuantity::ActiveSetSweep), Some(6.0));
        assert_eq!(of(TraceQuantity::WarmStart), Some(0.75));
        assert_eq!(of(TraceQuantity::Violations), Some(1.0));
        assert_eq!(of(TraceQuantity::Plateau), None);
        // nothing measured, nothing known; an active set that never changed was right from the
        // start
        let bare = outcome(Status::MaxSweeps, &[("siconos", some(&[1.0; 40]))]);
        assert_eq!(number(&bare, TraceQuantity::ActiveSetSweep), None);
        assert_eq!(number(&bare, TraceQuantity::WarmStart), None);
        assert_eq!(number(&bare, TraceQuantity::Plateau), Some(1.0));
        let still = outcome(Status::Solved, &[("state_changes", some(&[0.0; 40]))]);
        assert_eq!(number(&still, TraceQuantity::ActiveSetSweep), Some(0.0));
        assert_eq!(number(&still, TraceQuantity::Plateau), None);
    }
}
