//! The substeps that a budget per frame has chosen, and the runs that chose them.

use std::fmt;

use delassus_core::numbers::significant;
use serde::{Deserialize, Serialize};

use super::median;

/// What a frame of a run may cost, on average over the run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FrameBudget {
    /// Row updates \[-\].
    RowUpdates(u64),
    /// Wall-clock time \[s\].
    Seconds(f64),
}

impl FrameBudget {
    /// The bound: row updates \[-\] or seconds \[s\].
    pub fn bound(self) -> f64 {
        match self {
            #[expect(clippy::cast_precision_loss, reason = "budgets are below 2^53")]
            Self::RowUpdates(updates) => updates as f64,
            Self::Seconds(seconds) => seconds,
        }
    }

    /// True if a clock measures the cost: the substeps then depend on the machine.
    pub fn is_time(self) -> bool {
        matches!(self, Self::Seconds(_))
    }

    /// A cost with its unit, to three or four digits.
    pub fn shown(self, cost: f64) -> String {
        match self {
            Self::RowUpdates(_) if cost.fract() == 0.0 => format!("{cost:.0} row updates"),
            Self::RowUpdates(_) => format!("{} row updates", significant(cost, 4)),
            Self::Seconds(_) => {
                let (scale, unit) = unit_of(cost);
                format!("{} {unit}", significant(scale * cost, 3))
            }
        }
    }
}

/// What a second is in the unit that suits a time, and the unit.
fn unit_of(seconds: f64) -> (f64, &'static str) {
    match seconds {
        s if s < 1e-3 => (1e6, "µs"),
        s if s < 1.0 => (1e3, "ms"),
        _ => (1.0, "s"),
    }
}

/// As "5000 row updates per frame" or "2 ms per frame".
impl fmt::Display for FrameBudget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::RowUpdates(updates) => write!(f, "{updates} row updates per frame"),
            Self::Seconds(seconds) => {
                let (scale, unit) = unit_of(seconds);
                let text = significant(scale * seconds, 6);
                let text = match text.contains('.') {
                    true => text.trim_end_matches('0').trim_end_matches('.'),
                    false => &text,
                };
                write!(f, "{text} {unit} per frame")
            }
        }
    }
}

/// A run that measured what a frame costs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// Substeps per frame \[-\].
    pub substeps: u32,
    /// Mean cost of a frame, in the unit of the budget: row updates \[-\], or the seconds of the
    /// median pass over its frames \[s\].
    pub cost: f64,
    /// Seconds of each timed pass \[s\]; empty where no clock decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pass_seconds: Vec<f64>,
}

impl Trial {
    /// A run whose cost was counted.
    pub fn counted(substeps: u32, cost: f64) -> Self {
        Self {
            substeps,
            cost,
            pass_seconds: Vec::new(),
        }
    }

    /// The cost of a frame in the passes at the lower and the upper quartile; the cost itself
    /// where no clock decides.
    fn between(&self) -> [f64; 2] {
        let mut passes = self.pass_seconds.clone();
        passes.sort_by(f64::total_cmp);
        let quarter = passes.len().saturating_sub(1) / 4;
        let (Some(fast), Some(slow)) = (passes.get(quarter), passes.iter().rev().nth(quarter))
        else {
            return [self.cost; 2];
        };
        let of_cost = median(passes.clone()).map(|middle| self.cost / middle);
        [*fast, *slow].map(|pass| of_cost.map_or(self.cost, |scale| scale * pass))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and is clamped"
)]
fn whole(substeps: f64) -> u32 {
    substeps.floor() as u32
}

/// The choice of the substeps of a cell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// What a frame may cost.
    pub budget: FrameBudget,
    /// The substeps per frame that were chosen \[-\].
    pub substeps: u32,
    /// The runs that chose them, in order.
    pub trials: Vec<Trial>,
}

impl Calibration {
    /// The run with the chosen substeps.
    pub fn chosen(&self) -> Option<&Trial> {
        let mut trials = self.trials.iter();
        trials.find(|trial| trial.substeps == self.substeps)
    }

    /// Mean cost of a frame with the chosen substeps, as the calibration measured it.
    pub fn cost(&self) -> Option<f64> {
        Some(self.chosen()?.cost)
    }

    /// The fewest and the most substeps that the timed passes leave possible \[-\]: two equal
    /// numbers where no clock decides.
    ///
    /// A trial costs between the lower and the upper quartile of its passes, at least what a trial
    /// with fewer substeps costs, and at most what one with more costs. The fewest follow from the
    /// dear end of the chosen trial, the most from the cheap end of the first trial beyond the
    /// budget, each in proportion to its cost.
    pub fn possible_substeps(&self) -> [u32; 2] {
        let bound = self.budget.bound();
        let scaled = |trial: &Trial, cost: f64| whole(f64::from(trial.substeps) * (bound / cost));
        let fewest = self.chosen().map(|own| {
            let before = self.trials.iter().filter(|t| t.substeps < own.substeps);
            let dear = before.map(|t| t.cost).fold(own.between()[1], f64::max);
            scaled(own, dear).clamp(1, self.substeps)
        });
        let beyond = self.trials.iter().filter(|trial| trial.cost > bound);
        let most = beyond.min_by_key(|trial| trial.substeps).map(|over| {
            let behind = self.trials.iter().filter(|t| t.substeps > over.substeps);
            let cheap = behind.map(|t| t.cost).fold(over.between()[0], f64::min);
            scaled(over, cheap).max(self.substeps)
        });
        let or_chosen = |found: Option<u32>| found.unwrap_or(self.substeps);
        [or_chosen(fewest), or_chosen(most)]
    }

    /// What is said of a calibration whose passes contradict each other: if the most substeps that
    /// they leave possible exceed the fewest by a quarter or more, the order of methods may be
    /// another.
    pub fn unsteady(&self) -> Option<String> {
        let [fewest, most] = self.possible_substeps();
        let is_unsteady = 4 * u64::from(most) >= 5 * u64::from(fewest);
        is_unsteady.then(|| format!("unsteady: {fewest} to {most} substeps could fit the budget"))
    }

    /// True if a frame costs more than the budget even with one substep.
    pub fn is_over(&self) -> bool {
        // a cost that is NaN is not within a budget
        !self.cost().is_some_and(|cost| cost <= self.budget.bound())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_written_with_their_units() {
        for (budget, text) in [
            (FrameBudget::RowUpdates(5000), "5000 row updates per frame"),
            (FrameBudget::RowUpdates(7), "7 row updates per frame"),
            (FrameBudget::Seconds(0.002), "2 ms per frame"),
            (FrameBudget::Seconds(2.5e-4), "250 µs per frame"),
            (FrameBudget::Seconds(1.5), "1.5 s per frame"),
        ] {
            assert_eq!(budget.to_string(), text);
        }
        assert_eq!(FrameBudget::Seconds(1.0).shown(1.23456e-3), "1.23 ms");
        assert_eq!(FrameBudget::RowUpdates(1).shown(60.0), "60 row updates");
        assert_eq!(
            FrameBudget::RowUpdates(1).shown(412.625),
            "412.6 row updates"
        );
    }

    #[test]
    fn a_calibration_is_over_its_budget_where_its_choice_is() {
        let with = |cost: f64| Calibration {
            budget: FrameBudget::RowUpdates(40),
            substeps: 1,
            trials: vec![Trial::counted(1, cost)],
        };
        assert!(!with(40.0).is_over() && with(40.5).is_over() && with(f64::NAN).is_over());
        let text = serde_json::to_string(&with(12.5)).unwrap();
        assert_eq!(
            text,
            r#"{"budget":{"row_updates":40},"substeps":1,"trials":[{"substeps":1,"cost":12.5}]}"#
        );
        assert_eq!(
            serde_json::from_str::<Calibration>(&text).unwrap(),
            with(12.5)
        );
        // a clock was read several times
        let mut timed = with(1.5e-3);
        timed.budget = FrameBudget::Seconds(2e-3);
        timed.trials[0].pass_seconds = vec![0.2, 0.15, 0.1];
        let text = serde_json::to_string(&timed).unwrap();
        assert!(
            text.contains(r#""cost":0.0015,"pass_seconds":[0.2,0.15,0.1]}"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Calibration>(&text).unwrap(), timed);
    }

    /// A calibration with a budget of 1 ms that has chosen these substeps; of each trial the
    /// substeps and the microseconds of its passes of one frame.
    fn timed(substeps: u32, trials: &[(u32, [f64; 5])]) -> Calibration {
        let trials = trials.iter().map(|(substeps, micro)| {
            let pass_seconds = micro.map(|pass| 1e-6 * pass).to_vec();
            Trial {
                substeps: *substeps,
                cost: median(pass_seconds.clone()).unwrap(),
                pass_seconds,
            }
        });
        Calibration {
            budget: FrameBudget::Seconds(1e-3),
            substeps,
            trials: trials.collect(),
        }
    }

    #[test]
    fn steady_passes_and_single_disturbances_leave_the_choice() {
        let steady = |per: f64| [1.0, 1.01, 1.02, 1.0, 1.03].map(|share| share * per);
        let quiet = timed(
            9,
            &[(1, steady(100.0)), (9, steady(900.0)), (10, steady(1020.0))],
        );
        assert_eq!(quiet.possible_substeps(), [9, 9]);
        assert_eq!(quiet.unsteady(), None);
        // one pass of five says nothing
        let one = [900.0, 5000.0, 901.0, 902.0, 899.0];
        let disturbed = timed(9, &[(1, steady(100.0)), (9, one), (10, steady(1020.0))]);
        assert_eq!(disturbed.unsteady(), None);
        // no clock decides
        let counted = Calibration {
            budget: FrameBudget::RowUpdates(1000),
            substeps: 1,
            trials: vec![Trial::counted(1, 900.0), Trial::counted(2, 1800.0)],
        };
        assert_eq!(
            (counted.possible_substeps(), counted.unsteady()),
            ([1, 1], None)
        );
    }

    #[test]
    fn passes_that_contradict_each_other_make_a_calibration_unsteady() {
        let steady = |per: f64| [1.0, 1.01, 1.02, 1.0, 1.03].map(|share| share * per);
        // half of the passes of the chosen trial are twice as long
        let half = [900.0, 2000.0, 901.0, 2000.0, 902.0];
        let own = timed(9, &[(1, steady(100.0)), (9, half), (10, steady(1020.0))]);
        assert_eq!(own.possible_substeps(), [4, 9]);
        let said = own.unsteady().unwrap();
        assert_eq!(said, "unsteady: 4 to 9 substeps could fit the budget");
        // most passes of the trial beyond the budget are
        let beyond = [600.0, 610.0, 2000.0, 2000.0, 2100.0];
        let own = timed(4, &[(1, steady(100.0)), (5, beyond), (4, steady(400.0))]);
        assert_eq!(own.possible_substeps(), [4, 8]);
        // no trial costs more than one with more substeps
        let own = timed(
            4,
            &[(9, steady(1020.0)), (5, steady(4000.0)), (4, steady(400.0))],
        );
        assert_eq!(own.possible_substeps(), [4, 4]);
        // one substep is over the budget, but need not be
        let own = timed(1, &[(1, [400.0, 450.0, 2000.0, 2100.0, 2100.0])]);
        assert!(own.is_over());
        assert_eq!(own.possible_substeps(), [1, 2]);
    }
}
