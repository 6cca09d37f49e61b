//! Numbers derived from records: asymptotic rates and other numbers of a trace, work to a
//! tolerance, performance profiles.
//!
//! Theory: docs/theory/06-analysis.md (A.1)–(A.7); intervals, targets and walls:
//! docs/theory/29-evidence.md (A.8), (A.18)–(A.20).

pub mod cost;
mod departure;
pub mod interval;
pub mod layouts;
pub mod profile;
pub mod rate;
pub mod spread;
pub mod targets;
pub mod trace;
pub mod walls;

pub(crate) use crate::numbers::count;
pub use cost::cost;
pub(crate) use departure::{departure, departures};
pub use profile::{ProfileCurve, ProfilePlot, profile};
pub use rate::asymptotic_rate;
pub use spread::Spread;
pub(crate) use spread::quantile;
pub use targets::{TargetPlot, TargetSequence, targets};

use delassus_core::Status;
use delassus_metrics::series;
use delassus_records::trace::TraceQuantity;

use crate::closed_form::ClosedFormLookup;
use crate::record::{CellRecord, Outcome};
use crate::view::{Over, Work};

/// What an observable of a trajectory comes to (R.8)–(R.14), (R.16); `None` if it has no value.
///
/// The last value is that of the last sample: a run that ended early has none at its end. `known`
/// has the closed forms that [`Over::Error`] and [`Over::MethodError`] are taken from.
pub fn over(
    record: &CellRecord,
    observable: &str,
    over: Over,
    known: &dyn ClosedFormLookup,
) -> Option<f64> {
    let outcome = &record.outcome;
    let (times, values) = outcome.series(observable);
    let value = match over {
        Over::Last => outcome.last(observable),
        Over::Error => error(record, observable, known, false),
        Over::MethodError => error(record, observable, known, true),
        // each by itself: of a million samples the spectrum alone would take hours
        Over::Max => series::max(&values),
        Over::Rms => series::rms(&values),
        Over::Slope => series::slope(&times, &values),
        Over::Roughness => series::roughness(&values),
        Over::Crossings => series::crossings(&times, &values),
        Over::Chatter => series::chatter(&values),
    };
    value.filter(|value| value.is_finite())
}

/// What an observable comes to on a trajectory that came to its end: those are what views compare.
pub fn achieved(
    record: &CellRecord,
    observable: &str,
    what: Over,
    known: &dyn ClosedFormLookup,
) -> Option<f64> {
    let finished = record.outcome.status == Status::Solved;
    over(record, observable, what, known).filter(|_| finished)
}

/// Largest difference of an observable from the motion that schemes approximate, or from what the
/// scheme must give (R.16); `None` where none is known.
fn error(
    record: &CellRecord,
    observable: &str,
    known: &dyn ClosedFormLookup,
    of_method: bool,
) -> Option<f64> {
    let known = known.over_time(record, observable);
    let exact = known.iter().find(|form| form.of_method == of_method)?;
    let (times, values) = record.outcome.series(observable);
    exact.error(&times, &values)
}

/// The measured quantity of a cell: a number of its trace as "rate", or a metric's last value.
///
/// The rate is that of the velocity error where it was measured, else of the first metric of the
/// outcome.
pub fn measured(record: &CellRecord, quantity: &str) -> Option<f64> {
    let outcome = &record.outcome;
    let value = match TraceQuantity::by_id(quantity) {
        Some(TraceQuantity::Rate) => return outcome_rate(outcome),
        Some(of_trace) if !of_trace.is_column() => trace::number(outcome, of_trace),
        _ => outcome.last(quantity),
    };
    value.filter(|value| value.is_finite())
}

/// Name of the asymptotic factor per sweep among the quantities.
pub const RATE: &str = "rate";

/// Metrics whose decay is taken as the rate, best first: all are norms that are linear in the error
/// near a solution.
const RATE_METRICS: [&str; 3] = ["velocity_error", "natural_map", "natural_map_impulse"];

fn outcome_rate(outcome: &Outcome) -> Option<f64> {
    let named = RATE_METRICS.iter().find_map(|id| outcome.column(id));
    let column = named.or((!outcome.metrics.is_empty()).then_some(0))?;
    asymptotic_rate(&trace::points(outcome, column))
}

/// Work of the first sample at which `metric` is at or below `tolerance`.
///
/// Seconds are those of the untraced passes. `None` if the tolerance was never reached, the metric
/// was not measured, or the solver is not reproducible.
pub fn work_to(outcome: &Outcome, metric: &str, tolerance: f64, work: Work) -> Option<f64> {
    if outcome.status == Status::Broken {
        return None;
    }
    let column = outcome.column(metric)?;
    let reached = outcome.samples.iter().position(|sample| {
        let value = sample.value(column);
        value.is_some_and(|value| value <= tolerance)
    })?;
    work_at(outcome, reached, work)
}

/// The same of many tolerances, the largest first, in one pass over the samples.
pub fn work_to_each(
    outcome: &Outcome,
    metric: &str,
    tolerances: &[f64],
    work: Work,
) -> Vec<Option<f64>> {
    let mut reached = vec![None; tolerances.len()];
    let column = outcome.column(metric);
    let Some(column) = column.filter(|_| outcome.status != Status::Broken) else {
        return reached;
    };
    let mut open = 0;
    for (index, sample) in outcome.samples.iter().enumerate() {
        let Some(value) = sample.value(column) else {
            continue;
        };
        while tolerances.get(open).is_some_and(|t| value <= *t) {
            reached[open] = work_at(outcome, index, work);
            open += 1;
        }
    }
    reached
}

/// Work of a whole cell: sweeps \[-\], row updates \[-\], or the median seconds of its untraced
/// passes \[s\]. `None` of what the cell does not count.
pub fn spent(record: &CellRecord, work: Work) -> Option<f64> {
    let outcome = &record.outcome;
    match work {
        Work::Seconds => outcome.seconds(),
        _ if !record.counts_work() => None,
        Work::Sweeps => Some(count(outcome.sweeps)),
        Work::RowUpdates => Some(count(outcome.row_updates)),
    }
}

/// Work of the sample of this index, in the unit of the axis: sweeps \[-\], row updates \[-\] or
/// seconds \[s\].
pub fn work_at(outcome: &Outcome, index: usize, work: Work) -> Option<f64> {
    let sample = outcome.samples.get(index)?;
    match work {
        Work::Sweeps => Some(count(sample.sweeps)),
        Work::RowUpdates => Some(count(sample.row_updates)),
        Work::Seconds => outcome.seconds_at(index).filter(|s| s.is_finite()),
    }
}
