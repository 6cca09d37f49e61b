//! Two solvers side by side: what each needed on the same problems, and what that says.
//!
//! Theory: docs/theory/29-evidence.md (A.8)–(A.15).

mod costs;
mod doubts;
mod pairs;
mod sides;
mod tables;
mod words;

use delassus_statistics::{
    LEVEL, change, fewest_samples, holm, median_ratio, ratio_interval, signed_rank,
};

use crate::analysis::count;
use crate::numbers::significant;
use crate::record::CellRecord;
use crate::unranked;
use crate::view::{Kind, Work};

pub use delassus_statistics::{Change, Interval};
pub use doubts::doubts;
pub use pairs::{Ending, NoiseFloor, Pair};
pub(crate) use pairs::{are_interleaved, noise};
pub use sides::{CompareError, Goal, Side};
pub use tables::{pair_table, pairwise_table};
pub use words::sentence;

/// Adjusted probability of a false difference below which one is claimed \[-\].
const SIGNIFICANT: f64 = 1.0 - LEVEL;

/// Two methods on the problems that both treated.
#[derive(Debug, Clone, PartialEq)]
pub struct Comparison {
    /// Name of the first.
    pub a: String,
    /// Name of the second.
    pub b: String,
    /// What the runs do.
    pub kind: Kind,
    /// The problems, in the order of the first run.
    pub pairs: Vec<Pair>,
    /// Median of b's cost over a's \[-\] (A.10), of the problems that at least one of them ended;
    /// infinite where a alone ends most. `None` where none was ended, and where each of them alone
    /// ended one half.
    pub ratio: Option<f64>,
    /// Where that median lies.
    pub interval: Option<Interval>,
    /// Which differences count as none; of counts only 0.
    pub floor: NoiseFloor,
    /// Probability of ranks as uneven as these where there is no difference (A.12) \[-\].
    pub p: f64,
    /// The same for all comparisons at once (A.13).
    pub adjusted: f64,
    /// The fewest problems on which such a probability, for all comparisons at once, can be small
    /// enough for a general statement.
    pub needed: usize,
}

impl Comparison {
    /// How many problems ended so.
    pub fn count(&self, ending: Ending) -> usize {
        self.pairs
            .iter()
            .filter(|pair| pair.ending == ending)
            .count()
    }

    /// Problems that at least one of them ended.
    pub fn decided(&self) -> usize {
        self.pairs.len() - self.count(Ending::Neither)
    }

    /// True if some problems were ended, and too few for a general statement: they say nothing
    /// about others.
    pub fn is_of_few(&self) -> bool {
        (1..self.needed).contains(&self.decided())
            && (self.adjusted.is_nan() || self.adjusted > SIGNIFICANT)
    }

    /// Problems that the first missed, the second missed, and both missed.
    pub fn unsolved(&self) -> [usize; 3] {
        let missed = |wanted: [bool; 2]| {
            let fits = |pair: &&Pair| [pair.a.is_none(), pair.b.is_none()] == wanted;
            self.pairs.iter().filter(fits).count()
        };
        let both = missed([true, true]);
        [
            missed([true, false]) + both,
            missed([false, true]) + both,
            both,
        ]
    }

    /// What b costs compared with a, as far as it is shown: by the test over problems, or on a
    /// single problem by its repetitions.
    pub fn change(&self) -> Change {
        let (Some(ratio), Some(interval)) = (self.ratio, &self.interval) else {
            return Change::None;
        };
        if self.pairs.len() > 1 && self.adjusted >= SIGNIFICANT {
            return Change::None;
        }
        change(ratio, interval, self.floor.share)
    }

    /// Why no difference is shown although the interval is on one side of 1; `None` where one is
    /// shown, or the interval is not.
    pub(super) fn contradiction(&self) -> Option<String> {
        let interval = self.interval.as_ref()?;
        let is_aside = interval.low > 1.0 || interval.high < 1.0;
        if !is_aside || self.change() != Change::None || self.is_of_few() {
            return None;
        }
        let alone = "The interval is of this pair alone and excludes 1";
        let p = significant(self.p, 2);
        Some(if self.pairs.len() > 1 && self.p >= SIGNIFICANT {
            format!(
                "{alone}; the test also weighs how large the differences on each side are, and its p = {p} is not below \
                 {SIGNIFICANT}"
            )
        } else if self.pairs.len() > 1 && self.adjusted >= SIGNIFICANT {
            format!(
                "{alone}, as does its own p = {p}; among as many pairs as are compared here, chance alone would bring \
                 forth one like it too often (Holm). Compare fewer pairs with --solvers, or more problems"
            )
        } else {
            let percent = 100.0 * self.floor.share;
            format!("{alone}, but by less than the noise of {percent:.1} %")
        })
    }
}

/// Compares pairs of methods; the probabilities are adjusted for all of them.
///
/// # Errors
/// The first pair that does not compare.
pub fn compare(
    sides: &[(Side<'_>, Side<'_>)],
    goal: &Goal,
) -> Result<Vec<Comparison>, CompareError> {
    let compared = sides.iter().map(|(a, b)| one(*a, *b, goal));
    let mut compared: Vec<Comparison> = compared.collect::<Result<_, _>>()?;
    let p: Vec<f64> = compared.iter().map(|c| c.p).collect();
    // the smallest of so many probabilities is multiplied by their number
    let needed = fewest_samples(1.0 - SIGNIFICANT / count(compared.len().max(1) as u64));
    for (comparison, adjusted) in compared.iter_mut().zip(holm(&p)) {
        comparison.adjusted = adjusted;
        comparison.needed = needed;
    }
    Ok(compared)
}

/// The remark about runs of these sides that take no part, because they stepped another scene.
pub fn left_out(sides: &[(Side<'_>, Side<'_>)]) -> Option<String> {
    let mut found: Vec<&CellRecord> = Vec::new();
    for side in sides.iter().flat_map(|(a, b)| [a, b]) {
        let own = side.bundle.records.iter();
        for record in own.filter(|r| r.method() == side.method) {
            if !found.iter().any(|known| std::ptr::eq(*known, record)) {
                found.push(record);
            }
        }
    }
    unranked::remark("Left out", found)
}

fn one(a: Side<'_>, b: Side<'_>, goal: &Goal) -> Result<Comparison, CompareError> {
    let kind = a.bundle.kind();
    if kind != b.bundle.kind() {
        return Err(CompareError::Kinds);
    }
    if kind == Kind::Timings && goal.cost != Work::Seconds {
        return Err(CompareError::OnlySeconds);
    }
    let (cells, floor) = pairs::cells(a, b, goal)?;
    let pairs: Vec<Pair> = cells
        .iter()
        .map(|(a, b)| pairs::pair(a, b, goal, floor.share))
        .collect();
    let known: Vec<f64> = pairs.iter().filter_map(|pair| pair.ratio).collect();
    let (ratio, interval) = match (pairs.as_slice(), known.as_slice()) {
        // a single problem has its repetitions
        ([only], [_]) => (only.ratio, only.interval),
        _ => (median_ratio(&known), ratio_interval(&known, LEVEL)),
    };
    let logarithms: Vec<f64> = pairs.iter().filter_map(Pair::logarithm).collect();
    let p = signed_rank(&logarithms);
    Ok(Comparison {
        a: a.name.to_owned(),
        b: b.name.to_owned(),
        kind,
        pairs,
        ratio,
        interval,
        floor,
        p,
        adjusted: p,
        needed: fewest_samples(LEVEL),
    })
}

#[cfg(test)]
mod tests;
