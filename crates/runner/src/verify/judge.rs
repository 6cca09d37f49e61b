//! The residuals of one cell again, from the problem and the stored impulses alone.

use delassus_core::{Problem, Status};
use delassus_metrics::{Evaluator, Forms, Metric, MetricError, MetricInput, Needs, Residuals, ulp};
use delassus_records::trace::TraceQuantity;

use super::versions::is_own;
use super::words::differs;
use super::worlds;
use crate::driver::{cycle, disc_form, hidden_block};
use crate::judge::RecordColumn;
use crate::record::CellRecord;
use crate::store::impulses_of;

/// What a cell is judged by.
pub(crate) struct Subject<'s> {
    pub(crate) problem: &'s Problem,
    pub(super) criteria: &'s [String],
    pub(super) tolerance: f64,
}

/// What came of it.
#[derive(Debug, Default)]
pub(super) struct Judged {
    pub(super) values: usize,
    pub(super) left: usize,
    pub(super) differences: Vec<String>,
    /// The largest criterion \[-\], where all of them follow from impulses.
    pub(super) worst: Option<f64>,
}

/// Metrics of a dense factorization, whose last bits belong to the vector level of the machine, may
/// differ by this share \[-\].
const DENSE: f64 = 1e-6;

/// Velocities that a solver kept beside its impulses may differ from theirs by this share of the
/// largest velocity \[-\]: in f32, rounding adds up over many sweeps.
const KEPT: f64 = 0.01;

/// Judges the impulses in `bytes` as the record does; `is_of_here` if it is of a machine like this
/// one.
pub(super) fn judge(
    record: &CellRecord,
    is_of_here: bool,
    subject: &Subject<'_>,
    bytes: &[u8],
) -> Judged {
    let mut judged = Judged::default();
    let rows = subject.problem.rows();
    let impulses = impulses_of(bytes).filter(|impulses| impulses.len() == rows);
    let Some(impulses) = impulses else {
        let what = format!("{} bytes of impulses for {rows} rows", bytes.len());
        judged.differences.push(what);
        return judged;
    };
    let answer = StoredAnswer {
        record,
        is_of_here,
        subject,
        impulses: &impulses,
    };
    match answer.judge(&mut judged) {
        Ok(()) => {}
        // a solve that left the range of residuals has ended there
        Err(_) if record.outcome.status == Status::Diverged => {}
        Err(error) => judged
            .differences
            .push(format!("its impulses cannot be judged: {error}")),
    }
    judged
}

/// The stored impulses of a cell, with its record.
struct StoredAnswer<'a> {
    record: &'a CellRecord,
    is_of_here: bool,
    subject: &'a Subject<'a>,
    impulses: &'a [f64],
}

impl StoredAnswer<'_> {
    fn judge(&self, judged: &mut Judged) -> Result<(), MetricError> {
        let Self {
            record,
            subject,
            impulses,
            ..
        } = *self;
        let mut evaluator = Evaluator::new(subject.problem)?;
        let forms = evaluator.evaluate_forms(impulses)?;
        self.judge_metrics(&mut evaluator, &forms.published, judged)?;
        judged.differences.extend(self.without_criterion());
        self.judge_criteria(&mut evaluator, &forms, judged)?;
        let outcome = &record.outcome;
        if let (true, Some(own)) = (
            is_own(record),
            message(record, &mut evaluator, impulses, subject),
        ) && own != outcome.message
        {
            judged
                .differences
                .push(differs("message", &outcome.message, &own));
        }
        let (problem, tolerance) = (subject.problem, subject.tolerance);
        judged.values += outcome.worlds().len();
        judged
            .differences
            .extend(worlds::differences(outcome, problem, tolerance, impulses));
        self.judge_worst_block(forms.worst_own_block(), judged);
        Ok(())
    }

    /// The values of the last sample.
    fn judge_metrics(
        &self,
        evaluator: &mut Evaluator<'_>,
        residuals: &Residuals,
        judged: &mut Judged,
    ) -> Result<(), MetricError> {
        let (outcome, problem) = (&self.record.outcome, self.subject.problem);
        let answer = MetricInput::new(self.impulses);
        let last = outcome.samples.last();
        let last = last.into_iter().flat_map(|sample| sample.values());
        for (name, recorded) in outcome.metrics.iter().zip(last) {
            let Some(metric) = of_impulses(name) else {
                let other = other_velocity(outcome.status, problem, self.impulses, name, recorded);
                judged.differences.extend(other);
                judged.left += 1;
                continue;
            };
            let found = evaluator.value(metric, residuals, &answer)?;
            judged.values += 1;
            if !agree(metric.doc().dense && !self.is_of_here, found, recorded) {
                judged.differences.push(differ(name, found, recorded));
            }
        }
        Ok(())
    }

    /// The first sample of a solved cell without a value of a criterion, which has one whatever the
    /// impulses are.
    fn without_criterion(&self) -> Option<String> {
        let outcome = &self.record.outcome;
        let mut names = self.subject.criteria.iter().filter_map(|name| {
            let column = outcome.column(name)?;
            let mut samples = outcome.samples.iter();
            let sample = samples.find(|sample| sample.value(column).is_none())?;
            Some(format!(
                "its sample after {} sweeps has no {name}, by which it was judged",
                sample.sweeps
            ))
        });
        names.next().filter(|_| outcome.status == Status::Solved)
    }

    /// The criteria against the tolerance, where the record says that they are met.
    fn judge_criteria(
        &self,
        evaluator: &mut Evaluator<'_>,
        forms: &Forms,
        judged: &mut Judged,
    ) -> Result<(), MetricError> {
        let is_solved = self.record.outcome.status == Status::Solved;
        let tolerance = self.subject.tolerance;
        let answer = MetricInput::new(self.impulses);
        let mut worst = Some(0.0_f64);
        for name in self.subject.criteria {
            let Some(metric) = of_impulses(name) else {
                judged.left += usize::from(is_solved);
                worst = None;
                continue;
            };
            let found = evaluator.deciding(metric, forms, &answer)?;
            // a criterion that is no number is not met
            let value = found.filter(|value| !value.is_nan());
            worst = worst.map(|worst| worst.max(value.unwrap_or(f64::INFINITY)));
            if is_solved && !found.is_some_and(|value| value <= tolerance) {
                judged.differences.push(format!(
                    "its status is solved, but {name} is {} and the tolerance {tolerance:e}",
                    shown(found),
                ));
            }
        }
        judged.worst = worst;
        Ok(())
    }

    fn judge_worst_block(&self, found: Option<(usize, f64)>, judged: &mut Judged) {
        let recorded = self.record.outcome.worst_block();
        let recorded = recorded.map(|worst| (worst.block, worst.residual));
        // older programs name none
        let is_named = recorded.is_some() || is_own(self.record);
        judged.values += usize::from(is_named);
        let bits =
            |block: Option<(usize, f64)>| block.map(|(block, value)| (block, value.to_bits()));
        if is_named && bits(found) != bits(recorded) {
            judged.differences.push(format!(
                "its worst block is {}, but the record says {}",
                block_text(found),
                block_text(recorded)
            ));
        }
    }
}

/// What is wrong with a velocity that a record has: those of the impulses bound it.
fn other_velocity(
    status: Status,
    problem: &Problem,
    impulses: &[f64],
    name: &str,
    recorded: Option<f64>,
) -> Option<String> {
    let Ok(RecordColumn::Velocity { body, component }) = RecordColumn::parse(name) else {
        return None;
    };
    let bodies = problem.bodies().filter(|_| status != Status::Diverged)?;
    let mut velocities = vec![0.0; 6 * bodies.len()];
    problem.body_velocities(impulses, &mut velocities).ok()?;
    let all = velocities.iter().chain(&bodies.free_velocity);
    let largest = all.fold(0.0_f64, |largest, v| largest.max(v.abs()));
    let found = velocities.get(6 * body + component).copied();
    let near = match (found, recorded) {
        (Some(found), Some(recorded)) => (found - recorded).abs() <= KEPT * largest,
        (None, None) => true,
        _ => false,
    };
    (!near && largest.is_finite()).then(|| differ(name, found, recorded))
}

/// What this program says of a solve that ends by itself, beside its status; `None` where that
/// cannot be told from the impulses.
fn message(
    record: &CellRecord,
    evaluator: &mut Evaluator<'_>,
    impulses: &[f64],
    subject: &Subject<'_>,
) -> Option<Option<String>> {
    let outcome = &record.outcome;
    let has_notes = |name: &String| match RecordColumn::parse(name) {
        Ok(RecordColumn::Trace(quantity)) => has_notes(quantity),
        _ => false,
    };
    if outcome.metrics.iter().any(has_notes) {
        return None;
    }
    let end = match outcome.status {
        Status::Solved => outcome
            .worst_block()
            .filter(|worst| worst.hidden)
            .map(|w| hidden_block(&w)),
        Status::MaxSweeps => None,
        Status::Cycling(period) => Some(cycle(period)),
        _ => return None,
    };
    let disc = disc_form(outcome.status, evaluator, impulses, subject.tolerance);
    Some(match (end, disc) {
        (Some(end), Some(disc)) => Some(format!("{end}; {disc}")),
        (end, disc) => end.or(disc),
    })
}

/// True for a number of several solves, or of a decomposition, that says why it is missing.
fn has_notes(quantity: TraceQuantity) -> bool {
    use TraceQuantity::{Condition, ImpulseSpread, Rank, VelocitySpread};
    matches!(quantity, Condition | ImpulseSpread | Rank | VelocitySpread)
}

/// A block with its residual, as `block 3 with 1e-9`.
fn block_text(block: Option<(usize, f64)>) -> String {
    block.map_or("none".to_owned(), |(block, residual)| {
        format!("block {block} with {residual:e}")
    })
}

/// The metric of this name, if impulses are all that it needs.
fn of_impulses(name: &str) -> Option<Metric> {
    match RecordColumn::parse(name) {
        Ok(RecordColumn::Metric(metric)) if metric.doc().needs == Needs::Impulses => Some(metric),
        _ => None,
    }
}

/// True for equal values; `is_near` lets the last bits differ.
fn agree(is_near: bool, found: Option<f64>, recorded: Option<f64>) -> bool {
    match (found, recorded) {
        (None, None) => true,
        (Some(a), Some(b)) if is_near => (a - b).abs() <= DENSE * a.abs().max(b.abs()),
        (Some(a), Some(b)) => a.to_bits() == b.to_bits(),
        _ => false,
    }
}

fn differ(name: &str, found: Option<f64>, recorded: Option<f64>) -> String {
    let apart = match (found, recorded) {
        (Some(a), Some(b)) => format!(", {} ulp apart", ulp::distance(a, b)),
        _ => String::new(),
    };
    let (found, recorded) = (shown(found), shown(recorded));
    format!("{name} of its impulses is {found}, but the record says {recorded}{apart}")
}

fn shown(value: Option<f64>) -> String {
    value.map_or("nothing".to_owned(), |value| format!("{value:e}"))
}
