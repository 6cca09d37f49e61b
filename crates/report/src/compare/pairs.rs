//! One problem with two methods.

use delassus_core::Choice;
use delassus_statistics::{Interval, LEVEL, paired_median_ratio};

use super::costs;
use super::sides::{CompareError, Goal, Side};
use crate::bundle::distinct;
use crate::origin::Origin;
use crate::record::CellRecord;
use crate::view::{Kind, Work};

/// Relative difference of times that counts as none where the records do not say what the machine
/// could tell apart \[-\].
const UNKNOWN_FLOOR: f64 = 0.05;

/// Which differences of a cost count as none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NoiseFloor {
    /// The largest relative difference that does \[-\].
    pub share: f64,
    /// False if a run did not measure the noise of its machine, and 5 % are assumed.
    pub is_measured: bool,
}

impl NoiseFloor {
    /// Of costs that are counted.
    const NONE: Self = Self {
        share: 0.0,
        is_measured: true,
    };
}

/// Who needed less on a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum Ending {
    /// The first.
    Win,
    /// Neither by more than what can be told apart, or both alike.
    #[choice(name = "no difference")]
    Tie,
    /// The second.
    Loss,
    /// Nobody reached the goal.
    Neither,
}

/// One problem with two methods.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// Name of the problem or scene.
    pub problem: String,
    /// Cost of the first; `None` where it missed the goal.
    pub a: Option<f64>,
    /// Cost of the second.
    pub b: Option<f64>,
    /// b's over a's \[-\]: infinite where a alone reached the goal, zero where b alone did, `None`
    /// where neither did.
    pub ratio: Option<f64>,
    /// Where the ratio of times lies whose passes took turns.
    pub interval: Option<Interval>,
    /// Who needed less.
    pub ending: Ending,
    /// Row updates of both up to the goal \[-\]: the work behind their seconds. `None` where a goal
    /// was missed, of timed sweeps, which all make the same, and of engines, which report none.
    pub updates: [Option<f64>; 2],
    /// Factorizations of both cells as a whole \[-\], which row updates do not count; `None` where
    /// a goal was missed or the solver counts none.
    pub factorizations: [Option<u64>; 2],
}

impl Pair {
    /// The logarithm of the ratio; zero of what cannot be told apart, `None` where neither reached
    /// the goal.
    pub(super) fn logarithm(&self) -> Option<f64> {
        match self.ending {
            Ending::Neither => None,
            Ending::Tie => Some(0.0),
            Ending::Win | Ending::Loss => self.ratio.map(libm::log),
        }
    }
}

type Cells<'b> = Vec<(&'b CellRecord, &'b CellRecord)>;

/// True for a cell that was attempted and stepped its own scene.
fn is_comparable(record: &CellRecord) -> bool {
    record.was_attempted() && !record.steps_other_scene()
}

/// The cells of the problems that both attempted, and the relative difference of their costs that
/// counts as none.
pub(super) fn cells<'b>(
    a: Side<'b>,
    b: Side<'b>,
    goal: &Goal,
) -> Result<(Cells<'b>, NoiseFloor), CompareError> {
    let own = a.bundle.records.iter();
    let own = own.filter(|r| r.method() == a.method && is_comparable(r));
    let cells: Cells<'b> = own
        .filter_map(|record| {
            let other = b.bundle.cell(&record.problem.name, b.method)?;
            is_comparable(other).then_some((record, other))
        })
        .collect();
    if cells.is_empty() {
        return Err(CompareError::NothingShared {
            a: a.name.to_owned(),
            b: b.name.to_owned(),
        });
    }
    if a.bundle.kind() == Kind::Solves {
        measured(a, cells.iter().map(|(a, _)| *a), goal)?;
        measured(b, cells.iter().map(|(_, b)| *b), goal)?;
    }
    let floor = match goal.cost {
        Work::Seconds => floor_of_times(a, b, &cells)?,
        Work::Sweeps | Work::RowUpdates => NoiseFloor::NONE,
    };
    Ok((cells, floor))
}

/// Names of costs.
const COSTS: [&str; 3] = ["seconds", "sweeps", "row_updates"];

fn measured<'b>(
    side: Side<'_>,
    mut cells: impl Iterator<Item = &'b CellRecord> + Clone,
    goal: &Goal,
) -> Result<(), CompareError> {
    if cells
        .clone()
        .any(|r| r.outcome.column(&goal.metric).is_some())
    {
        return Ok(());
    }
    // cells that ended before their first sample measured nothing, which is no mistake of the
    // request
    if cells.clone().all(|r| r.outcome.metrics.is_empty()) {
        return Ok(());
    }
    if COSTS.contains(&&*goal.metric) {
        return Err(CompareError::CostAsMetric(goal.metric.clone()));
    }
    let known = distinct(cells.by_ref().flat_map(|r| r.outcome.metrics.clone()));
    Err(CompareError::Metric {
        name: side.name.to_owned(),
        metric: goal.metric.clone(),
        known,
    })
}

/// What the machine could not tell apart while it took these times; refuses times of different
/// machines.
fn floor_of_times(a: Side<'_>, b: Side<'_>, cells: &Cells<'_>) -> Result<NoiseFloor, CompareError> {
    noise(cells.iter().flat_map(|(a, b)| [*a, *b])).map_err(|how| CompareError::Times {
        a: a.name.to_owned(),
        b: b.name.to_owned(),
        how,
    })
}

/// The relative difference that the machine could not tell apart while it timed these cells \[-\];
/// how they were taken where their times do not compare.
pub(crate) fn noise<'r>(
    records: impl Iterator<Item = &'r CellRecord>,
) -> Result<NoiseFloor, String> {
    let timed = records.filter(|r| !r.outcome.iterate_seconds.is_empty());
    let origins: Vec<Option<&Origin>> = timed.map(|r| r.origin.as_ref()).collect();
    let Some(first) = origins.first() else {
        return Err("not at all".to_owned());
    };
    let mut floor = NoiseFloor::NONE;
    for origin in &origins {
        let (Some(first), Some(origin)) = (first, origin) else {
            return Err("by a program that did not say where".to_owned());
        };
        if !first.times_as(origin) {
            let (one, other) = (first.conditions(), origin.conditions());
            return Err(format!("under different conditions ({one}; {other})"));
        }
        floor.share = floor.share.max(origin.noise.unwrap_or(UNKNOWN_FLOOR));
        floor.is_measured &= origin.noise.is_some();
    }
    Ok(floor)
}

/// Compares two cells of one problem.
pub(super) fn pair(a: &CellRecord, b: &CellRecord, goal: &Goal, floor: f64) -> Pair {
    let kind = match (a.scheme(), a.outcome.timing()) {
        (Some(_), _) => Kind::Trajectories,
        (None, Some(_)) => Kind::Timings,
        (None, None) => Kind::Solves,
    };
    let [of_a, of_b] = [a, b].map(|record| costs::cost(record, kind, goal));
    let paired = (goal.cost == Work::Seconds).then(|| repeated(a, b, kind, goal));
    let (ratio, interval) = match (of_a, of_b) {
        (None, None) => (None, None),
        (Some(_), None) => (Some(f64::INFINITY), None),
        (None, Some(_)) => (Some(0.0), None),
        (Some(x), Some(y)) => match paired.flatten() {
            Some((ratio, interval)) => (Some(ratio), Some(interval)),
            // solved at the start by both is alike
            None if x == y => (Some(1.0), None),
            None => (Some(y / x), None),
        },
    };
    Pair {
        problem: a.problem.name.clone(),
        a: of_a,
        b: of_b,
        ratio,
        interval,
        ending: ending(ratio, interval.as_ref(), floor),
        updates: [a, b].map(|record| costs::updates(record, kind, goal)),
        factorizations: [(a, of_a), (b, of_b)]
            .map(|(record, cost)| cost.and(record.outcome.factorizations)),
    }
}

/// True if the passes of two cells took turns.
pub(crate) fn are_interleaved(a: &CellRecord, b: &CellRecord) -> bool {
    let with = |record: &CellRecord| record.origin.as_ref()?.interleaved_with.clone();
    with(a).is_some_and(|group| with(b) == Some(group))
}

/// The ratio of times whose passes took turns.
fn repeated(a: &CellRecord, b: &CellRecord, kind: Kind, goal: &Goal) -> Option<(f64, Interval)> {
    if !are_interleaved(a, b) {
        return None;
    }
    let (of_a, of_b) = (
        costs::samples(a, kind, goal)?,
        costs::samples(b, kind, goal)?,
    );
    paired_median_ratio(&of_a, &of_b, LEVEL)
}

fn ending(ratio: Option<f64>, interval: Option<&Interval>, floor: f64) -> Ending {
    let Some(ratio) = ratio else {
        return Ending::Neither;
    };
    let alike = interval.is_some_and(|interval| interval.holds(1.0));
    if alike || (ratio <= 1.0 + floor && ratio >= 1.0 / (1.0 + floor)) {
        Ending::Tie
    } else if ratio > 1.0 {
        Ending::Win
    } else {
        Ending::Loss
    }
}
