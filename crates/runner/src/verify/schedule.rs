//! The sweeps at which a solve was sampled, which follow from the schedule of the spec.

use delassus_core::Status;

use super::recorded::RecordedCell;
use crate::driver::SampleSchedule;
use crate::matrix::Experiment;
use crate::record::{Outcome, SampleTable};
use crate::registry::Registry;

/// How the samples of a solve contradict the schedule of its spec, if they do.
pub(super) fn difference(of: RecordedCell<'_>, registry: &Registry) -> Option<String> {
    let RecordedCell {
        matrix,
        cell,
        record,
        ..
    } = of;
    let Experiment::Solve(solves) = &matrix.experiment else {
        return None;
    };
    // a program of its own counts its sweeps itself, and may make more than it is asked for; a
    // solver that begins again is sampled where it is judged
    let is_counted = !matrix.has_process(cell.method)
        && registry
            .find(&record.solver.id)
            .is_ok_and(|entry| !entry.descriptor.restarts);
    let schedule = &solves.problems[cell.subject].options.schedule;
    let outcome = &record.outcome;
    contradiction(&outcome.samples, is_counted.then_some(*schedule))
        .or_else(|| doubled_end(outcome))
}

/// The last sample twice, although the first of the two would have ended the solve.
fn doubled_end(outcome: &Outcome) -> Option<String> {
    let ends_at_once = matches!(
        outcome.status,
        Status::Solved | Status::MaxSweeps | Status::Cycling(_)
    );
    let mut samples = outcome.samples.iter().rev();
    let (last, before) = (samples.next()?, samples.next()?);
    (ends_at_once && last.sweeps > 0 && last == before)
        .then(|| "its last sample is there twice".to_owned())
}

/// What of these samples no solve leaves: sweeps that do not grow, except in the last sample, which
/// a method that has finished takes where it is; and with a `schedule` a sample that is missing, or
/// that the schedule does not have.
fn contradiction(samples: &SampleTable, schedule: Option<SampleSchedule>) -> Option<String> {
    let last = samples.len().checked_sub(1)?;
    let mut before = samples.first()?.sweeps;
    for (index, sample) in samples.iter().enumerate().skip(1) {
        let sweeps = sample.sweeps;
        if index < last && sweeps <= before {
            return Some(format!(
                "its sample {index} is after {sweeps} sweeps, and the one before after {before}"
            ));
        }
        let next = schedule.map(|schedule| schedule.next(before));
        match next {
            Some(next) if sweeps > next => {
                return Some(format!("it has no sample after {next} sweeps"));
            }
            Some(next) if index < last && sweeps < next => {
                return Some(format!(
                    "its sample {index} is after {sweeps} sweeps, but the spec asks for {next}"
                ));
            }
            _ => {}
        }
        before = sweeps;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Sample;

    fn said(sweeps: &[u64], schedule: Option<SampleSchedule>) -> String {
        let samples = sweeps.iter().map(|sweeps| Sample {
            sweeps: *sweeps,
            row_updates: 3 * sweeps,
            values: Vec::new(),
        });
        contradiction(&samples.collect(), schedule).unwrap_or_default()
    }

    #[test]
    fn samples_are_where_the_schedule_has_them() {
        let (every, grown) = (SampleSchedule::Every(3), SampleSchedule::Geometric(1.5));
        for whole in [&[0, 3, 6, 9][..], &[0, 3, 6, 7], &[0, 3, 6, 6], &[0], &[]] {
            assert_eq!(said(whole, Some(every)), "");
            assert_eq!(said(whole, None), "");
        }
        assert_eq!(said(&[0, 1, 2, 3, 4, 6, 9, 13, 14], Some(grown)), "");
        let missing = "it has no sample after 6 sweeps";
        assert_eq!(said(&[0, 3, 9, 10], Some(every)), missing);
        assert_eq!(said(&[0, 3, 9], Some(every)), missing);
        assert_eq!(said(&[0, 1, 2, 3, 4, 9, 13], Some(grown)), missing);
        let added = "its sample 2 is after 5 sweeps, but the spec asks for 6";
        assert_eq!(said(&[0, 3, 5, 6, 9], Some(every)), added);
        let twice = "its sample 2 is after 3 sweeps, and the one before after 3";
        for schedule in [None, Some(every)] {
            assert_eq!(said(&[0, 3, 3, 6], schedule), twice);
        }
        assert_eq!(said(&[0, 3, 9, 10], None), "");
    }
}
