//! One number of a finished cell, by the name that specs give it.

use delassus_core::Status;

use crate::analysis::{achieved, cost, count, measured, spent};
use crate::bundle::Bundle;
use crate::observable::Observable;
use crate::quantities::{self, name_of, quantity, summarised, without_unit};
use crate::record::CellRecord;
use crate::view::{Cost, Kind, Over, Work};

/// One number that every finished cell of a run can have.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Number<'n> {
    /// A metric's last value or the rate of a solve, however it ended.
    Last(&'n str),
    /// What an observable comes to on a trajectory that came to its end.
    Summary(&'n str, Over),
    /// Work of a solve that reached its tolerance.
    ToTolerance(Work),
    /// What a sweep costs.
    OfSweep(Cost),
    /// What a step costs.
    OfStep(Cost),
}

impl<'n> Number<'n> {
    /// The number that `name` stands for in a run; `over` says what is taken of an observable.
    pub(crate) fn of(bundle: &Bundle, name: &'n str, over: Over) -> Self {
        let cost = Cost::ALL.iter().copied().find(|cost| cost.id() == name);
        let work = Work::ALL.iter().copied().find(|work| work.id() == name);
        let is_observable = Observable::parse(name).is_ok();
        match (bundle.kind(), cost, work) {
            (Kind::Trajectories, Some(cost), _) if !is_observable => Self::OfStep(cost),
            (Kind::Trajectories, ..) => Self::Summary(name, over),
            (Kind::Timings, Some(cost), _) => Self::OfSweep(cost),
            (Kind::Solves, _, Some(work)) => Self::ToTolerance(work),
            _ => Self::Last(name),
        }
    }

    /// Its value in a cell; `None` where the cell has none.
    pub(crate) fn value(&self, record: &CellRecord) -> Option<f64> {
        match *self {
            Self::Last(name) => measured(record, name),
            Self::Summary(name, over) => achieved(record, name, over),
            Self::ToTolerance(work) => {
                let solved = record.outcome.status == Status::Solved;
                spent(&record.outcome, work).filter(|_| solved)
            }
            Self::OfSweep(what) | Self::OfStep(what) => cost(record, what),
        }
    }

    /// The values that its value in a cell is taken from: the passes that a clock timed, or the value alone. Nothing where the
    /// cell has none.
    pub(crate) fn samples(&self, record: &CellRecord) -> Vec<f64> {
        let outcome = &record.outcome;
        let passes = || outcome.prepare_seconds.iter().zip(&outcome.iterate_seconds);
        let seconds = match *self {
            Self::ToTolerance(Work::Seconds) => passes().map(|(a, b)| a + b).collect(),
            Self::OfSweep(what) if what.is_of_the_clock() && what != Cost::Bandwidth => {
                outcome.sweep_samples()
            }
            Self::OfStep(what) if what.is_of_the_clock() && what != Cost::Bandwidth => {
                let frames = count(outcome.frames());
                passes().map(|(a, b)| (a + b) / frames).collect()
            }
            _ => Vec::new(),
        };
        let Some(value) = self.value(record) else {
            return Vec::new();
        };
        // what the quantity makes of a second
        let factor = match *self {
            Self::OfSweep(what) | Self::OfStep(what) => {
                let base = cost(record, Cost::Seconds);
                let own = match what {
                    Cost::MedianSeconds => base,
                    other => cost(record, other),
                };
                own.zip(base).map_or(1.0, |(own, base)| own / base)
            }
            _ => 1.0,
        };
        match seconds.len() {
            0 => vec![value],
            _ => seconds.into_iter().map(|s: f64| factor * s).collect(),
        }
    }

    /// Every value of an observable along a run, as far as it went; of other numbers the same as [`Self::samples`].
    pub(crate) fn along(&self, record: &CellRecord) -> Vec<f64> {
        match *self {
            Self::Summary(name, _) => {
                let values = record.outcome.series(name).1.into_iter();
                values.filter(|value| value.is_finite()).collect()
            }
            _ => self.samples(record),
        }
    }

    /// Name and unit of what [`Self::along`] gives.
    pub(crate) fn label_along(&self) -> String {
        match *self {
            Self::Summary(name, _) => quantity(name),
            Self::OfSweep(Cost::MedianSeconds) => quantities::cost(Cost::Seconds, false),
            Self::OfStep(Cost::MedianSeconds) => quantities::cost(Cost::Seconds, true),
            _ => self.label(),
        }
    }

    /// Name and unit.
    pub(crate) fn label(&self) -> String {
        match *self {
            Self::Last(name) => quantity(name),
            Self::Summary(name, over) => summarised(name, over),
            Self::ToTolerance(work) => quantities::work(work).replace(" [", " to the tolerance ["),
            Self::OfSweep(what) => quantities::cost(what, false),
            Self::OfStep(what) => quantities::cost(what, true),
        }
    }

    /// The name without its unit, and without what is taken of an observable.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Summary(name, _) => name_of(name),
            other => without_unit(&other.label()).to_owned(),
        }
    }

    /// True if a clock measures what this name stands for in some run.
    pub(crate) fn is_of_the_clock(name: &str) -> bool {
        let mut costs = Cost::ALL.iter().filter(|cost| cost.is_of_the_clock());
        // the seconds of a solve have the name of those of a sweep
        costs.any(|cost| cost.id() == name)
    }

    /// Why a cell may have none, in a few words.
    pub(crate) fn missing(&self) -> &'static str {
        match self {
            Self::Last(_) | Self::OfSweep(_) => "without a value",
            Self::Summary(..) | Self::OfStep(_) => "not run to the end",
            Self::ToTolerance(_) => "not solved",
        }
    }
}
