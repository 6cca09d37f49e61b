//! The substeps that a budget per frame has chosen, and the runs that chose them.

use std::fmt;

use delassus_core::numbers::significant;
use serde::{Deserialize, Serialize};

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
}
