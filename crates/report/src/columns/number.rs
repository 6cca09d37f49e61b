//! One number of a finished cell, by the name that specs give it.

use delassus_core::Status;

use crate::analysis::{achieved, cost, count, measured, spent};
use crate::bundle::Bundle;
use crate::closed_form::ClosedFormLookup;
use crate::observable::Observable;
use crate::quantities::{self, name_of, quantity, summarised, without_unit};
use crate::record::{CellRecord, OVERLAPS};
use crate::view::{Cost, Kind, Over, Work};

/// Less than this is rounding of poses, and no overlap \[m\].
const LEAST_OVERLAP: f64 = 1e-9;

/// One number that every finished cell of a run can have.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Number<'n> {
    /// A metric's last value or the rate of a solve, however it ended.
    Last(&'n str),
    /// What an observable comes to on a trajectory that came to its end, with the closed forms that
    /// errors are taken from.
    Summary(&'n str, Over, &'static dyn ClosedFormLookup),
    /// Work of a solve that reached its tolerance.
    ToTolerance(Work),
    /// What a sweep costs.
    OfSweep(Cost),
    /// What a step costs.
    OfStep(Cost),
    /// How deep the contact points of a run overlap; as one number, the deepest.
    Overlaps,
}

/// Overlaps of a run that figures are made of; of more, evenly many \[-\].
const MOST_OVERLAPS: u64 = 1_000_000;

impl<'n> Number<'n> {
    /// The number that `name` stands for in a run; `over` says what is taken of an observable.
    pub(crate) fn of(bundle: &Bundle, name: &'n str, over: Over) -> Self {
        let cost = Cost::ALL.iter().copied().find(|cost| cost.id() == name);
        let work = Work::ALL.iter().copied().find(|work| work.id() == name);
        let is_observable = Observable::parse(name).is_ok();
        match (bundle.kind(), cost, work) {
            (Kind::Trajectories, ..) if name == OVERLAPS => Self::Overlaps,
            (Kind::Trajectories, Some(cost), _) if !is_observable => Self::OfStep(cost),
            (Kind::Trajectories, ..) => Self::Summary(name, over, bundle.closed_forms),
            (Kind::Timings, Some(cost), _) => Self::OfSweep(cost),
            (Kind::Solves, _, Some(work)) => Self::ToTolerance(work),
            _ => Self::Last(name),
        }
    }

    /// Its value in a cell; `None` where the cell has none.
    pub(crate) fn value(&self, record: &CellRecord) -> Option<f64> {
        match *self {
            Self::Last(name) => measured(record, name),
            Self::Summary(name, over, known) => achieved(record, name, over, known),
            Self::ToTolerance(work) => {
                let solved = record.outcome.status == Status::Solved;
                spent(record, work).filter(|_| solved)
            }
            Self::OfSweep(what) | Self::OfStep(what) => cost(record, what),
            Self::Overlaps => overlaps(record).last().copied(),
        }
    }

    /// The values that its value in a cell is taken from: the passes that a clock timed, or the
    /// value alone. Nothing where the cell has none.
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

    /// Every value of an observable along a run, as far as it went; of other numbers the same as
    /// [`Self::samples`].
    pub(crate) fn along(&self, record: &CellRecord) -> Vec<f64> {
        match *self {
            Self::Summary(name, ..) => {
                let values = record.outcome.series(name).1.into_iter();
                values.filter(|value| value.is_finite()).collect()
            }
            Self::Overlaps => overlaps(record),
            _ => self.samples(record),
        }
    }

    /// Name and unit of what [`Self::along`] gives.
    pub(crate) fn label_along(&self) -> String {
        match *self {
            Self::Summary(name, ..) => quantity(name),
            Self::OfSweep(Cost::MedianSeconds) => quantities::cost(Cost::Seconds, false),
            Self::OfStep(Cost::MedianSeconds) => quantities::cost(Cost::Seconds, true),
            _ => self.label(),
        }
    }

    /// Name and unit.
    pub(crate) fn label(&self) -> String {
        match *self {
            Self::Last(name) => quantity(name),
            Self::Summary(name, over, _) => summarised(name, over),
            Self::ToTolerance(work) => quantities::work(work).replace(" [", " to the tolerance ["),
            Self::OfSweep(what) => quantities::cost(what, false),
            Self::OfStep(what) => quantities::cost(what, true),
            Self::Overlaps => "overlap of contact points [m]".to_owned(),
        }
    }

    /// The name without its unit, and without what is taken of an observable.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Summary(name, ..) => name_of(name),
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
            Self::Summary(..) | Self::OfStep(_) | Self::Overlaps => "not run to the end",
            Self::ToTolerance(_) => "not solved",
        }
    }
}

/// Overlaps of the contact points of all samples, the smallest first: the upper ends of their bins
/// (R.48) \[m\].
fn overlaps(record: &CellRecord) -> Vec<f64> {
    let run = record.outcome.simulated();
    let Some(depths) = run.and_then(|run| run.depths.as_ref()) else {
        return Vec::new();
    };
    let all = depths.points();
    let kept = all.min(MOST_OVERLAPS);
    let rounding = |(depth, _): &(f64, u64)| *depth < LEAST_OVERLAP;
    let none = depths.ends().filter(rounding).map(|(_, points)| points);
    let none = none.fold(depths.none, u64::saturating_add);
    let deep = depths.ends().filter(|bin| !rounding(bin));
    let bins = std::iter::once((0.0, none)).chain(deep);
    let (mut values, mut seen) = (Vec::new(), 0_u64);
    for (depth, points) in bins {
        seen = seen.saturating_add(points);
        // the share of the points so far, rounded down: the deepest is never left out
        let upto = u128::from(seen) * u128::from(kept) / u128::from(all.max(1));
        while (values.len() as u128) < upto {
            values.push(depth);
        }
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Depths, Payload};
    use crate::testing::trajectories;

    fn with(depths: Depths) -> CellRecord {
        let mut record = trajectories().records.swap_remove(0);
        if let Payload::Simulate(run) = &mut record.outcome.payload {
            run.depths = Some(depths);
        }
        record
    }

    #[test]
    fn overlaps_are_those_of_all_points_within_their_bins() {
        let mut depths = Depths::default();
        for depth in [0.0, 1e-3, 1e-3, 2e-2, f64::NAN] {
            depths.add(depth);
        }
        let found = overlaps(&with(depths));
        assert_eq!((found.len(), found[1]), (5, 0.0));
        for (found, exact) in found[2..].iter().zip([1e-3, 1e-3, 2e-2]) {
            assert!(*found >= exact && *found <= 1.048 * exact, "{found}");
        }
        assert!(overlaps(&with(Depths::default())).is_empty());
    }

    #[test]
    fn of_very_many_points_the_deepest_stays() {
        let bins = [(-100, 1), (-50, u64::MAX / 4), (0, 1)];
        let depths = Depths {
            none: u64::MAX / 4,
            bins: bins.into_iter().collect(),
        };
        let found = overlaps(&with(depths));
        assert_eq!(found.len(), 1_000_000);
        assert!(found[499_000] == 0.0 && found[501_000] > 0.1);
        assert!(found[999_999] > 1.0 && found[999_998] < 1.0);
    }
}
