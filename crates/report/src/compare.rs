//! Two solvers side by side: what each needed on the same problems, and what that says.
//!
//! Theory: docs/theory/29-evidence.md (A.8)–(A.15).

mod costs;
mod pairs;
mod words;

use delassus_core::suggest::{meant, nearest};
use delassus_statistics::{
    LEVEL, change, fewest_samples, holm, median, median_interval, signed_rank,
};
use thiserror::Error;

use crate::bundle::Bundle;
use crate::record::CellRecord;
use crate::tables::unranked;
use crate::view::{Kind, Work};

pub use delassus_statistics::{Change, Interval};
pub(crate) use pairs::noise;
pub use pairs::{Ending, Pair};
pub use words::{pair_table, pairwise_table, sentence};

/// Relative difference of times that counts as none where the records do not say what the machine
/// could tell apart \[-\].
const UNKNOWN_FLOOR: f64 = 0.05;
/// Adjusted probability of a false difference below which one is claimed \[-\].
const SIGNIFICANT: f64 = 1.0 - LEVEL;

/// What is compared.
#[derive(Debug, Clone, PartialEq)]
pub struct Goal {
    /// The cost.
    pub cost: Work,
    /// Metric that must fall to the tolerance; of solves alone.
    pub metric: String,
    /// The tolerance \[-\].
    pub tolerance: f64,
}

/// A method of a run, as one side of a comparison.
#[derive(Debug, Clone, Copy)]
pub struct Side<'b> {
    /// The run.
    pub bundle: &'b Bundle,
    /// Label of the solver, or of scheme and solver.
    pub method: &'b str,
    /// What it is called in words.
    pub name: &'b str,
}

/// Why two methods cannot be compared.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum CompareError {
    /// The runs do different things.
    #[error("cannot compare runs of different kinds (solving, timing, stepping scenes)")]
    Kinds,
    /// The cost has no meaning there.
    #[error("sweeps that are timed all cost the same row updates; compare --cost seconds")]
    OnlySeconds,
    /// The metric is not there.
    #[error(
        "no cell of {name} measured {metric}{}; add it to metrics in [measure], or name another one with --metric: {}",
        meant(nearest(metric, known.iter().map(String::as_str)).as_deref()),
        known.join(", ")
    )]
    Metric {
        /// The side.
        name: String,
        /// The metric.
        metric: String,
        /// What was measured.
        known: Vec<String>,
    },
    /// No problem has cells of both.
    #[error("{a} and {b} have no problem in common")]
    NothingShared {
        /// One side.
        a: String,
        /// The other.
        b: String,
    },
    /// Times that do not compare.
    #[error(
        "times of {a} and {b} were taken {how} and do not compare; compare counts: --cost row_updates"
    )]
    Times {
        /// One side.
        a: String,
        /// The other.
        b: String,
        /// What is different.
        how: String,
    },
}

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
    /// Median of b's cost over a's \[-\], of the problems that at least one of them ended; infinite
    /// where a alone ends most.
    pub ratio: Option<f64>,
    /// Where that median lies.
    pub interval: Option<Interval>,
    /// Relative difference that counts as none \[-\]; 0 of counts.
    pub floor: f64,
    /// Probability of ranks as uneven as these where there is no difference (A.12) \[-\].
    pub p: f64,
    /// The same for all comparisons at once (A.13).
    pub adjusted: f64,
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

    /// True if some problems were ended, and fewer than an interval of the usual level takes: they
    /// say nothing about others.
    pub fn is_of_few(&self) -> bool {
        (1..fewest_samples(LEVEL)).contains(&self.decided())
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

    /// What b costs beside a, as far as it is shown: by the test over problems, or on a single
    /// problem by its repetitions.
    pub fn change(&self) -> Change {
        let (Some(ratio), Some(interval)) = (self.ratio, &self.interval) else {
            return Change::None;
        };
        if self.pairs.len() > 1 && self.adjusted >= SIGNIFICANT {
            return Change::None;
        }
        change(ratio, interval, self.floor)
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
    for (comparison, adjusted) in compared.iter_mut().zip(holm(&p)) {
        comparison.adjusted = adjusted;
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
        .map(|(a, b)| pairs::pair(a, b, goal, floor))
        .collect();
    let known: Vec<f64> = pairs.iter().filter_map(|pair| pair.ratio).collect();
    let (ratio, interval) = match (pairs.as_slice(), known.as_slice()) {
        // a single problem has its repetitions
        ([only], [_]) => (only.ratio, only.interval),
        _ => (median(&known), median_interval(&known, LEVEL)),
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
    })
}

#[cfg(test)]
mod tests;
