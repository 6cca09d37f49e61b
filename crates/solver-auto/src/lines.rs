//! What was decided, one line each: when, which method, what happened to it, and why.

use delassus_core::DEPENDS_ON_TIME;

use crate::combination::Combination;
use crate::facts::Facts;
use crate::stage::{self, Stage};

/// Between the parts of a line.
const BETWEEN: &str = " | ";

/// What happened to a method.
#[derive(Debug)]
pub(crate) struct Decision {
    /// The method.
    pub(crate) who: String,
    pub(crate) what: String,
    pub(crate) why: String,
}

impl Decision {
    pub(crate) fn new(stage: Stage, what: impl Into<String>, why: impl Into<String>) -> Self {
        Self {
            who: stage.label().to_owned(),
            what: what.into(),
            why: why.into(),
        }
    }

    /// The decision of a limit on the time.
    pub(crate) fn of_limit(self) -> Self {
        Self {
            why: format!("{} {DEPENDS_ON_TIME}", self.why),
            ..self
        }
    }

    /// The line after so many units of work.
    fn line(&self, units: u64) -> String {
        let Self { who, what, why } = self;
        [&units.to_string(), who, what, why]
            .map(String::as_str)
            .join(BETWEEN)
    }
}

/// The problem, and the methods that take turns on it.
pub(crate) fn plan(facts: &Facts) -> [String; 2] {
    let name = |sequence: &Vec<Stage>| {
        let labels: Vec<&str> = sequence.iter().map(|stage| stage.label()).collect();
        labels.join(", then ")
    };
    let sequences: Vec<String> = stage::plan(facts).iter().map(name).collect();
    [
        format!("problem: {}", facts.text()),
        format!("methods in turns: {}", sequences.join(BETWEEN)),
    ]
}

impl Combination {
    /// Notes a decision.
    pub(crate) fn decide(&mut self, decision: &Decision) {
        self.decisions.push(decision.line(self.units));
    }

    /// Every line so far; the last one says which method has found the best iterate.
    pub(crate) fn lines(&self) -> Vec<String> {
        let mut lines = plan(&self.facts).to_vec();
        lines.extend_from_slice(&self.decisions);
        if !self.residual.is_nan() {
            let best = Decision {
                who: self.finder.to_owned(),
                what: format!("is the best at natural map {:.1e}", self.residual),
                why: "its impulses are returned".to_owned(),
            };
            lines.push(best.line(self.units));
        }
        lines
    }
}
