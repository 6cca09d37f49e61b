//! What a record says twice: totals and its last sample, moments and frames, bytes and bodies, the
//! worst block and the tolerance. Each pair must agree.

use delassus_core::Status;
use delassus_metrics::Needs;

use super::recorded::RecordedCell;
use super::worlds;
use crate::driver::{hash, is_answer};
use crate::judge::RecordColumn;
use crate::matrix::Experiment;
use crate::motion::Leg;
use crate::record::{
    CellRecord, Depths, FrameBudget, HIDDEN, Moment, Outcome, ProblemFacts, Timing,
};
use crate::simulate::calibrate;
use crate::simulate::frames::{is_time_of, time_of};
use crate::solve::{NO_REFERENCE, Solves};
use crate::time::Timings;

/// Digits of the hash of a state, and of impulses \[-\].
const STATE_DIGITS: usize = 16;
const HASH_DIGITS: usize = 64;
/// Bytes of the six numbers of velocity of a body, in single and in double precision \[B\].
const VELOCITY: [u64; 2] = [24, 48];

/// Every pair in which the record contradicts itself.
pub(super) fn differences(of: RecordedCell<'_>) -> Vec<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let outcome = &record.outcome;
    let mut found = Vec::new();
    match &matrix.experiment {
        Experiment::Solve(solves) => found.extend(of_solve(of, solves)),
        Experiment::Time(timings) => found.extend(of_timing(record, timings)),
        Experiment::Simulate(over) if over.is_search(cell) => {
            if !outcome.samples.is_empty() {
                found.extend(over.search_contradiction(cell, outcome));
            }
            if !outcome.iterate_seconds.is_empty() {
                found.push("it has timed passes, but a search times none".to_owned());
            }
        }
        Experiment::Simulate(over) => {
            found.extend(samples(outcome, outcome.status == Status::Solved));
            let (legs, every) = over.sampling(cell);
            found.extend(moments(outcome, legs, u64::from(every)));
            found.extend(calibration(outcome, over.budget()));
        }
    }
    if let Experiment::Simulate(over) = &matrix.experiment {
        found.extend(depths(outcome, over.counts_overlaps(cell)));
        if cell.replay.is_none() != outcome.replay_hash().is_none() && is_recorded(outcome) {
            found.push("its motion is recorded, or not, against the spec".to_owned());
        }
    }
    found.extend(hashes(outcome));
    if let Some(what) = times(outcome) {
        found.push(what);
    }
    found
}

fn of_solve(of: RecordedCell<'_>, solves: &Solves) -> Vec<String> {
    let (cell, outcome) = (of.cell, &of.record.outcome);
    let stop = &solves.problems[cell.subject].options.stop;
    let mut found = samples(outcome, !outcome.impulse_hash.is_empty());
    if outcome.sweeps > stop.max_sweeps {
        found.push(format!(
            "it counts {} sweeps, but the limit is {}",
            outcome.sweeps, stop.max_sweeps
        ));
    }
    found.extend(hidden(outcome, stop.tolerance));
    if outcome.peer().is_some() && !of.matrix.has_process(cell.method) {
        found.push("it has what a peer reports, but its solver is no peer".to_owned());
    }
    found.extend(solutions(outcome, &of.record.facts));
    found.extend(errors(outcome));
    found.extend(worlds::others(solves, cell, outcome));
    found
}

fn of_timing(record: &CellRecord, timings: &Timings) -> Vec<String> {
    let outcome = &record.outcome;
    let mut found = samples(outcome, true);
    // one before the sweeps, and one after
    if outcome.status == Status::Solved && outcome.samples.len() != 2 {
        found.push("it does not have the two samples of timed sweeps".to_owned());
    }
    if outcome.status == Status::Solved && outcome.message.is_some() {
        found.push("its sweeps were timed, but it has a message".to_owned());
    }
    if let Some(timing) = outcome.timing() {
        let asked = timings.sweeps(&record.facts);
        found.extend(sweeps(outcome, timing, asked));
        found.extend(bytes(timing, &record.facts));
    }
    found
}

/// Counts grow from sample to sample up to the totals; those of a whole pass end at them.
fn samples(outcome: &Outcome, is_whole: bool) -> Vec<String> {
    let mut found = Vec::new();
    let mut before = (0, 0);
    for (index, sample) in outcome.samples.iter().enumerate() {
        let now = (sample.sweeps, sample.row_updates);
        if index == 0 && now != (0, 0) {
            found.push("its first sample is not that of the start".to_owned());
        } else if now.0 < before.0 || now.1 < before.1 {
            found.push(format!(
                "its sample {index} counts less work than the one before"
            ));
            break;
        }
        before = now;
    }
    let totals = [
        ("sweeps", outcome.sweeps, before.0),
        ("row updates", outcome.row_updates, before.1),
    ];
    for (name, total, last) in totals {
        let agrees = match is_whole && !outcome.samples.is_empty() {
            true => total == last,
            false => total >= last,
        };
        if !agrees {
            found.push(format!(
                "it counts {total} {name}, but its last sample counts {last}"
            ));
        }
    }
    found
}

/// Times are none below zero, and steps of a scene have no time of preparing.
fn times(outcome: &Outcome) -> Option<String> {
    let short = outcome
        .timing()
        .map_or(&[][..], |timing| &timing.short_seconds);
    let all = outcome.prepare_seconds.iter();
    let mut all = all.chain(&outcome.iterate_seconds).chain(short);
    if all.any(|seconds| !(seconds.is_finite() && *seconds >= 0.0)) {
        return Some("the time of a pass is negative or not finite".to_owned());
    }
    let over_time = outcome.simulated().is_some();
    let prepared = outcome.prepare_seconds.iter().any(|seconds| *seconds > 0.0);
    (over_time && prepared)
        .then(|| "it has times of preparing, but a scheme prepares within its steps".to_owned())
}

/// The mark of a block that misses the tolerance of a solve that is solved as a whole.
fn hidden(outcome: &Outcome, tolerance: f64) -> Option<String> {
    // a timed pass may have gone wrong after that was judged
    let worst = outcome
        .worst_block()
        .filter(|_| is_answer(outcome.status))?;
    let own = outcome.status == Status::Solved && worst.residual > HIDDEN * tolerance;
    (worst.hidden != own).then(|| {
        format!(
            "its worst block is {} as hidden, with {:e} and the tolerance {tolerance:e}",
            if worst.hidden { "marked" } else { "not marked" },
            worst.residual
        )
    })
}

/// Errors against a reference, of which there is none.
fn errors(outcome: &Outcome) -> Option<String> {
    let is_known = |said: &str| !said.starts_with(NO_REFERENCE);
    if outcome.reference().is_some_and(is_known) {
        return None;
    }
    let is_error = |name: &String| match RecordColumn::parse(name) {
        Ok(RecordColumn::Metric(metric)) => metric.doc().needs == Needs::Reference,
        _ => false,
    };
    let column = outcome.metrics.iter().position(is_error)?;
    let mut samples = outcome.samples.iter();
    let has_value = samples.any(|sample| sample.value(column).is_some());
    has_value.then(|| {
        format!(
            "it has values of {}, but no reference",
            outcome.metrics[column]
        )
    })
}

/// The solutions of a search: each has an impulse per row, and the first is the answer.
fn solutions(outcome: &Outcome, facts: &ProblemFacts) -> Option<String> {
    let list = &outcome.solutions()?.list;
    let rows = facts.rows;
    let other = list.iter().position(|one| one.impulses.len() != rows);
    if let Some(index) = other {
        return Some(format!(
            "its solution {} has {} impulses for {rows} rows",
            index + 1,
            list[index].impulses.len()
        ));
    }
    let first = list.first().filter(|_| !outcome.impulse_hash.is_empty())?;
    (hash(&first.impulses) != outcome.impulse_hash)
        .then(|| "its first solution is not its answer".to_owned())
}

/// The sweeps of a short and of a long pass, which follow from the rows.
fn sweeps(outcome: &Outcome, timing: &Timing, asked: [u64; 2]) -> Option<String> {
    let said = [timing.short_sweeps, outcome.sweeps];
    (said != asked).then(|| {
        format!(
            "its passes have {} and {} sweeps, but its number of rows gives {} and {}",
            said[0], said[1], asked[0], asked[1]
        )
    })
}

/// The memory of a sweep: what is streamed once, and the velocities of the bodies.
fn bytes(timing: &Timing, facts: &ProblemFacts) -> Option<String> {
    let parts = [
        timing.read_bytes,
        timing.written_bytes,
        timing.gathered_bytes,
    ];
    let counted = parts.iter().flatten().count();
    let bodies = facts.bodies.unwrap_or(0) as u64;
    let agrees = match (timing.working_set, parts[0].max(parts[1])) {
        (None, _) => counted == 0,
        (Some(set), Some(streamed)) if counted == parts.len() => {
            let velocities = VELOCITY.map(|bytes| bytes.checked_mul(bodies));
            set.checked_sub(streamed)
                .is_some_and(|rest| velocities.contains(&Some(rest)))
        }
        (Some(_), _) => false,
    };
    (!agrees).then(|| "its working set does not follow from its bytes and bodies".to_owned())
}

/// Each sample has its moment: at a frame that the schedule names, with the time of that frame.
fn moments(outcome: &Outcome, legs: &[Leg], every: u64) -> Option<String> {
    let all = outcome.moments();
    if all.len() != outcome.samples.len() {
        return Some(format!(
            "it has {} samples at {} moments",
            outcome.samples.len(),
            all.len()
        ));
    }
    let total: u64 = legs.iter().map(|leg| u64::from(leg.frames)).sum();
    let every = every.max(1);
    let begin = all.first()?;
    let mut before: Option<&Moment> = None;
    for moment in all {
        let frame = moment.frame;
        let is_sampled = frame == total || (frame < total && frame.is_multiple_of(every));
        let next = before.map_or(0, |before| (before.frame / every + 1) * every);
        let is_later = before.is_none_or(|before| frame > before.frame);
        if !(is_sampled && is_later) {
            return Some(format!("no sample is taken at its frame {frame}"));
        }
        if frame != next.min(total) {
            return Some(format!("it has no sample at its frame {}", next.min(total)));
        }
        let said = moment.time - begin.time;
        if !is_time_of(legs, frame, said) {
            let own = time_of(legs, frame);
            return Some(format!(
                "its frame {frame} is at {said} s, but the spec gives {own} s"
            ));
        }
        before = Some(moment);
    }
    None
}

/// True for a run of which the motion that the spec asks for is always kept.
fn is_recorded(outcome: &Outcome) -> bool {
    outcome.status == Status::Solved || outcome.replay_hash().is_some()
}

/// The overlaps of all samples: counted where one of their observables is asked for, as many as
/// there are contact points, and the deepest in the bin of the largest.
fn depths(outcome: &Outcome, is_counted: bool) -> Option<String> {
    let depths = outcome.simulated()?.depths.as_ref();
    let Some(depths) = depths else {
        return (is_counted && !outcome.samples.is_empty())
            .then(|| "it counts no overlaps, but the spec asks for them".to_owned());
    };
    if !is_counted {
        return Some("it counts overlaps, but the spec does not ask for them".to_owned());
    }
    let column = |id: &str| -> Option<Vec<Option<f64>>> {
        let column = outcome.column(id)?;
        let samples = outcome.samples.iter();
        Some(samples.map(|sample| sample.value(column)).collect())
    };
    if let Some(points) = column("contact_points") {
        // an empty sum is −0
        let said = points
            .into_iter()
            .flatten()
            .fold(0.0, |sum: f64, points| sum + points);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let counted = depths.points() as f64;
        if said.to_bits() != counted.to_bits() {
            return Some(format!(
                "it counts {counted} overlaps, but its samples count {said} contact points"
            ));
        }
    }
    let largest = column("penetration_max")?.into_iter().flatten();
    let mut own = Depths::default();
    largest.for_each(|depth| own.add(depth));
    let deepest = |depths: &Depths| depths.bins.keys().next_back().copied();
    (deepest(&own) != deepest(depths))
        .then(|| "its deepest overlap is not the largest of its samples".to_owned())
}

/// What stands for a hash is one: of impulses, or of the state of a world.
fn hashes(outcome: &Outcome) -> Option<String> {
    let hash = &outcome.impulse_hash;
    let letters = match outcome.simulated() {
        Some(_) => STATE_DIGITS,
        None => HASH_DIGITS,
    };
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_hash = hash.len() == letters && hash.bytes().all(is_digit);
    (!hash.is_empty() && !is_hash)
        .then(|| "the hash of its answer does not have the form of a hash".to_owned())
}

/// The choice of substeps: it follows from its trials, and the run costs what the trial with the
/// chosen substeps did.
fn calibration(outcome: &Outcome, budget: Option<FrameBudget>) -> Option<String> {
    let (own, budget) = match (outcome.calibration(), budget) {
        (None, None) => return None,
        (Some(_), None) => {
            return Some("it has a calibration, but the spec has no budget".to_owned());
        }
        (None, Some(_)) => {
            let has_frames = outcome.frames() > 0;
            return has_frames
                .then(|| "it has no calibration, but the spec has a budget".to_owned());
        }
        (Some(own), Some(budget)) => (own, budget),
    };
    if own.budget != budget {
        return Some(format!(
            "its calibration has the budget {}, but that of the spec is {budget}",
            own.budget
        ));
    }
    if let Some(what) = calibrate::contradiction(own) {
        return Some(what);
    }
    let ends = matches!(outcome.status, Status::Solved);
    let timed = own.chosen().map(|trial| trial.pass_seconds.as_slice());
    // records of older programs have none
    let timed = timed.filter(|passes| !passes.is_empty());
    let same =
        |passes: &[f64]| passes == outcome.iterate_seconds && own.cost() == outcome.step_seconds();
    if ends && timed.is_some_and(|passes| !same(passes)) {
        return Some("its times are not those of the trial that chose its substeps".to_owned());
    }
    let counted = ends && !budget.is_time();
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    let cost = outcome.row_updates as f64 / outcome.frames() as f64;
    let agrees = own
        .cost()
        .is_some_and(|own| own.to_bits() == cost.to_bits());
    (counted && !agrees)
        .then(|| format!("a frame has {cost} row updates, but its calibration has another number"))
}
