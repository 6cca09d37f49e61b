//! Chooses the substeps of a cell: the most with which a frame costs no more than the budget.
//!
//! The search is a function of the trials alone, so that whoever has them can repeat it.

use delassus_core::Status;

use super::Simulations;
use crate::matrix::cell::{MatrixCell, Workbench};
use crate::motion::{ObservedRun, Simulation, simulate};
use crate::record::{Calibration, FrameBudget, Trial, median};

/// Most substeps that a calibration tries \[-\].
pub(crate) const MOST_SUBSTEPS: u32 = 1024;
/// Without a trial beyond the budget, substeps grow at most by this factor from one trial to the
/// next, from the second one on \[-\].
const MOST_GROWTH: u32 = 4;
/// Fewest timed passes of a trial under a budget of time: the median of five is unmoved by two
/// passes that something else on the machine has disturbed \[-\].
const TIMED_PASSES: u32 = 5;

/// What follows from some trials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Next {
    /// To try these substeps.
    Try(u32),
    /// These are the most within the budget.
    Choose(u32),
}

/// What to do after these trials with a bound of the mean cost of a frame.
///
/// The first trial has one substep. What fits is increased in proportion to the cost, then along
/// the line through the last two trials that fit; what does not fit ends a bracket, which is
/// narrowed until it holds nothing.
fn next(trials: &[Trial], bound: f64) -> Next {
    let fits = |trial: &&Trial| trial.cost <= bound;
    let mut within: Vec<&Trial> = trials.iter().filter(fits).collect();
    within.sort_by_key(|trial| trial.substeps);
    let beyond = trials.iter().filter(|trial| !fits(trial));
    let high = beyond.min_by_key(|trial| trial.substeps);
    match (within.as_slice(), high) {
        ([], None) => Next::Try(1),
        // one substep is too much already
        ([], Some(_)) => Next::Choose(1),
        ([.., low], None) if low.substeps >= MOST_SUBSTEPS => Next::Choose(low.substeps),
        ([.., low], None) => Next::Try(grown(&within, low, bound)),
        ([.., low], Some(high)) if high.substeps <= low.substeps + 1 => Next::Choose(low.substeps),
        ([.., low], Some(high)) => Next::Try(between(low, high, bound, trials.len())),
    }
}

/// More substeps than `low`, the largest that fit, as far as the costs so far tell how many fit.
fn grown(within: &[&Trial], low: &Trial, bound: f64) -> u32 {
    let own = f64::from(low.substeps);
    let guess = match within {
        [.., before, _] => {
            let slope = (low.cost - before.cost) / f64::from(low.substeps - before.substeps);
            let most = f64::from(low.substeps.saturating_mul(MOST_GROWTH));
            // costs that do not grow say nothing
            let line = own + (bound - low.cost) / slope;
            if slope > 0.0 {
                line.min(most)
            } else {
                2.0 * own
            }
        }
        _ if low.cost > 0.0 => own * (bound / low.cost),
        _ => 2.0 * own,
    };
    whole(guess).clamp(low.substeps + 1, MOST_SUBSTEPS)
}

/// Substeps strictly between two trials: where the line through them meets the bound, and every
/// second time in the middle.
fn between(low: &Trial, high: &Trial, bound: f64, trials: usize) -> u32 {
    let share = (bound - low.cost) / (high.cost - low.cost);
    let share = if trials.is_multiple_of(2) || !share.is_finite() {
        0.5
    } else {
        share
    };
    let guess = f64::from(low.substeps) + share * f64::from(high.substeps - low.substeps);
    whole(guess).clamp(low.substeps + 1, high.substeps - 1)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and is clamped"
)]
fn whole(guess: f64) -> u32 {
    guess.floor() as u32
}

/// What of a calibration does not follow from its trials.
pub(crate) fn contradiction(calibration: &Calibration) -> Option<String> {
    let (trials, bound) = (&calibration.trials, calibration.budget.bound());
    for (index, trial) in trials.iter().enumerate() {
        if next(&trials[..index], bound) != Next::Try(trial.substeps) {
            return Some(format!(
                "its calibration tries {} substeps, which does not follow from the trials before",
                trial.substeps
            ));
        }
    }
    (next(trials, bound) != Next::Choose(calibration.substeps)).then(|| {
        format!(
            "its calibration chooses {} substeps, which does not follow from its trials",
            calibration.substeps
        )
    })
}

/// What the message of a cell says of a calibration that met an end of its range.
pub(crate) fn remark(calibration: &Calibration) -> Option<String> {
    let budget = calibration.budget;
    if calibration.is_over() {
        let cost = calibration.cost().map(|cost| budget.shown(cost));
        return Some(format!(
            "a frame of one substep costs {}, over the budget of {budget}",
            cost.unwrap_or_default()
        ));
    }
    (calibration.substeps == MOST_SUBSTEPS)
        .then(|| format!("{MOST_SUBSTEPS} substeps are the most that a calibration tries"))
}

impl Simulations {
    /// Chooses the substeps of a cell by whole runs without observables; the run that ended the
    /// search if one could not be judged.
    pub(super) fn calibrate(
        &self,
        cell: &MatrixCell,
        budget: FrameBudget,
        workbench: &Workbench<'_>,
    ) -> Result<Calibration, Box<ObservedRun>> {
        let mut trials = Vec::new();
        loop {
            match next(&trials, budget.bound()) {
                Next::Choose(substeps) => {
                    return Ok(Calibration {
                        budget,
                        substeps,
                        trials,
                    });
                }
                Next::Try(substeps) => {
                    trials.push(self.trial(cell, budget, substeps, workbench)?);
                }
            }
        }
    }

    /// A run with these substeps and the mean cost of its frames: its row updates, or the time of
    /// its median pass.
    fn trial(
        &self,
        cell: &MatrixCell,
        budget: FrameBudget,
        substeps: u32,
        workbench: &Workbench<'_>,
    ) -> Result<Trial, Box<ObservedRun>> {
        let method = &self.methods[cell.method];
        let scheme = &self.schemes[method.scheme];
        let solver = method.solver.map(|index| &workbench.solvers[index]);
        let simulation = Simulation {
            world: &self.scenes[cell.subject].world,
            scheme: &|| scheme.build_with(solver, workbench.registry, Some(substeps)),
            legs: &scheme.legs,
            every: u32::MAX,
            observables: &[],
            repetitions: if budget.is_time() {
                self.repetitions.max(TIMED_PASSES)
            } else {
                0
            },
            max_seconds: None,
        };
        let mut run = simulate(&simulation, workbench.cancel);
        #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
        let [frames, updates] = [run.frames as f64, run.row_updates as f64];
        let cost = match budget {
            FrameBudget::RowUpdates(_) => Some(updates / frames),
            FrameBudget::Seconds(_) => median(run.pass_seconds.clone()).map(|s| s / frames),
        };
        let reason = match (run.status, cost) {
            (Status::Solved | Status::Diverged, Some(cost)) if cost > 0.0 => {
                return Ok(Trial {
                    substeps,
                    cost,
                    pass_seconds: run.pass_seconds,
                });
            }
            (Status::Solved | Status::Diverged, Some(_)) if run.row_updates == 0 => {
                run.status = Status::Unsupported;
                "a frame counts no row updates, so a budget of them bounds nothing; write it as a time"
                    .to_owned()
            }
            (Status::Solved | Status::Diverged, _) => {
                run.status = Status::Failed;
                "a frame has no cost".to_owned()
            }
            _ => run.message.take().unwrap_or_default(),
        };
        let noun = if substeps == 1 { "substep" } else { "substeps" };
        let message = format!("calibration with {substeps} {noun}: {reason}");
        Err(Box::new(ObservedRun::without_samples(run.status, message)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The trials and the choice of a search over these costs.
    fn search(bound: f64, cost: impl Fn(u32) -> f64) -> (Vec<u32>, u32) {
        let mut trials = Vec::new();
        loop {
            match next(&trials, bound) {
                Next::Choose(substeps) => {
                    let all = trials.iter().map(|trial: &Trial| trial.substeps);
                    return (all.collect(), substeps);
                }
                Next::Try(substeps) => trials.push(Trial::counted(substeps, cost(substeps))),
            }
        }
    }

    #[test]
    fn costs_in_proportion_take_three_trials() {
        let (tried, chosen) = search(5000.0, |s| 240.0 * f64::from(s));
        assert_eq!((tried, chosen), (vec![1, 20, 21], 20));
        // a bound that is met exactly
        let (_, chosen) = search(4800.0, |s| 240.0 * f64::from(s));
        assert_eq!(chosen, 20);
    }

    #[test]
    fn the_most_that_fit_are_chosen_for_any_growing_cost() {
        type Cost = fn(f64) -> f64;
        let costs: [(&str, Cost); 4] = [
            ("a constant part", |s| 90.0 + 1.7 * s),
            ("a power", |s| 3.0 * s * s.sqrt().sqrt()),
            ("a root", |s| 8.0 * s.sqrt()),
            ("steps", |s| (s / 8.0).ceil() * 5.0),
        ];
        for (name, cost) in costs {
            for bound in [9.0, 40.0, 91.7, 97.0, 130.0, 255.0, 300.0] {
                let (tried, chosen) = search(bound, |s| cost(f64::from(s)));
                let fitting = (1..=MOST_SUBSTEPS).filter(|s| cost(f64::from(*s)) <= bound);
                assert_eq!(chosen, fitting.max().unwrap_or(1), "{name}, {bound}");
                assert!(tried.len() <= 30, "{name}, {bound}: {tried:?}");
            }
        }
    }

    #[test]
    fn the_ends_of_the_range_are_chosen() {
        assert_eq!(search(10.0, |_| 11.0), (vec![1], 1));
        assert_eq!(search(10.0, |_| f64::NAN), (vec![1], 1));
        assert_eq!(search(10.0, |_| 1e-9).1, MOST_SUBSTEPS);
        assert_eq!(search(10.0, |s| 1.0 / f64::from(s)).1, MOST_SUBSTEPS);
    }

    #[test]
    fn a_choice_that_does_not_follow_from_its_trials_is_found() {
        let trials = [(1, 240.0), (20, 4800.0), (21, 5040.0)];
        let trials = trials.map(|(substeps, cost)| Trial::counted(substeps, cost));
        let right = Calibration {
            budget: FrameBudget::RowUpdates(5000),
            substeps: 20,
            trials: trials.to_vec(),
        };
        assert_eq!(contradiction(&right), None);
        let mut other = right.clone();
        other.substeps = 21;
        assert!(contradiction(&other).is_some_and(|what| what.contains("chooses 21")));
        let mut other = right.clone();
        other.trials[1].substeps = 19;
        assert!(contradiction(&other).is_some_and(|what| what.contains("tries 19")));
        let mut other = right.clone();
        other.trials.pop();
        assert!(contradiction(&other).is_some());
        let mut other = right;
        other.budget = FrameBudget::RowUpdates(5100);
        assert!(contradiction(&other).is_some());
    }
}
