//! Times of two solvers within one run: a ratio with its interval, and what the machine could tell
//! apart.

use delassus_statistics::{
    ALARM_LEVEL, Interval, RatioBound, fewest_samples, keeps, paired_median_ratio, violates,
};

use super::GateSpec;
use super::finding::{CellFinding, GateVerdict, alone};
use crate::analysis::count;
use crate::analysis::interval::shown;
use crate::bundle::Bundle;
use crate::compare::{are_interleaved, noise};
use crate::numbers::significant;
use crate::record::CellRecord;

/// Judges every chosen cell that has one of `beside` on its problem; problems share the chance of a
/// false alarm (A.17).
pub(super) fn judge(
    gate: &GateSpec,
    bundle: &Bundle,
    chosen: &[&CellRecord],
    beside: &str,
) -> Vec<CellFinding> {
    let pairs = chosen
        .iter()
        .filter_map(|r| Some((*r, bundle.cell(&r.problem.name, beside)?)));
    let pairs: Vec<(&CellRecord, &CellRecord)> = pairs.collect();
    let share = (1.0 - ALARM_LEVEL) / count(pairs.len().max(1) as u64);
    let judged = pairs
        .iter()
        .map(|(own, other)| pair(gate, own, other, 1.0 - share));
    judged.collect()
}

fn pair(gate: &GateSpec, own: &CellRecord, other: &CellRecord, level: f64) -> CellFinding {
    if let Some(cell) = alone(own, other) {
        return cell;
    }
    let undecided = |reason: String| CellFinding::of(own, GateVerdict::Undecided, reason);
    let floor = match noise([own, other].into_iter()) {
        Ok(floor) => floor.share,
        Err(how) => return undecided(format!("the times were taken {how} and do not compare")),
    };
    let samples = samples(other).zip(samples(own));
    let samples = samples.filter(|_| are_interleaved(own, other));
    let measured = samples.and_then(|(its, own)| paired_median_ratio(&its, &own, level));
    let Some((ratio, interval)) = measured else {
        return undecided(
            "their passes took no turns: set repetitions, and let both run in one go".to_owned(),
        );
    };
    let text = described(ratio, &interval, floor);
    let found = |verdict, found| CellFinding {
        value: Some(ratio),
        interval: Some(interval),
        ..CellFinding::of(own, verdict, found)
    };
    if interval.coverage < level {
        let (taken, needed) = (own.outcome.iterate_seconds.len(), fewest_samples(level));
        let why = format!("{text}: {taken} repetitions; {needed} prove something");
        return found(GateVerdict::Undecided, why);
    }
    found(proved(gate, ratio, &interval, floor), text)
}

/// What the interval of a ratio proves of the bounds (A.16), (A.17).
fn proved(gate: &GateSpec, ratio: f64, interval: &Interval, floor: f64) -> GateVerdict {
    let limits = [
        gate.at_most.map(RatioBound::AtMost),
        gate.at_least.map(RatioBound::AtLeast),
    ];
    let limits = || limits.into_iter().flatten();
    if limits().any(|limit| violates(limit, ratio, interval, floor)) {
        GateVerdict::Fail
    } else if limits().all(|limit| keeps(limit, interval, floor)) {
        GateVerdict::Pass
    } else {
        GateVerdict::Undecided
    }
}

/// A ratio for people, with where it lies and what is noise.
fn described(ratio: f64, interval: &Interval, floor: f64) -> String {
    let percent = 100.0 * interval.coverage;
    let whole = Interval {
        coverage: 1.0,
        ..*interval
    };
    let (ends, noise) = (shown(&whole), significant(100.0 * floor, 2));
    let ratio = significant(ratio, 3);
    format!("{ratio} ({percent:.1} % CI {ends}; differences below {noise} % are noise)")
}

/// Seconds of every timed pass: of a solve, or of a timed sweep \[s\]; `None` where one has no
/// proper time.
fn samples(record: &CellRecord) -> Option<Vec<f64>> {
    let outcome = &record.outcome;
    if outcome.timing().is_some() {
        let samples = outcome.sweep_samples();
        return (samples.len() == outcome.iterate_seconds.len()).then_some(samples);
    }
    let passes = outcome.prepare_seconds.iter().zip(&outcome.iterate_seconds);
    Some(passes.map(|(prepare, iterate)| prepare + iterate).collect())
}
