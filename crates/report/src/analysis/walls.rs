//! Where the numbers of a problem end: the accuracy of its reference, or rounding (A.20).

use std::collections::BTreeMap;

use delassus_core::Status;
use delassus_core::suggest::list;
use delassus_metrics::{Metric, Needs};

use super::trace::{points, quarters, stays};
use crate::bundle::Bundle;
use crate::numbers::power;
use crate::quantities::words;
use crate::record::{CellRecord, median};

/// Unrelated methods that must stop at one level \[-\].
const FEWEST: usize = 3;
/// Levels that differ by less than this factor are one \[-\].
const ALIKE: f64 = 3.0;
/// A sequence that keeps this share from one quarter of its sweeps to the next has settled \[-\].
const SETTLED: f64 = 0.9;

/// A level that unrelated methods reach and none gets below.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AccuracyFloor {
    /// The level, in the unit of the metric.
    pub level: f64,
    /// How many unrelated methods stop there \[-\].
    pub methods: usize,
}

/// The level of `metric` at which three or more unrelated methods stop on a problem and below which
/// none gets, whatever their tolerance; `None` where there is none. Values below the level, and
/// differences between values at it, say nothing.
pub fn wall(bundle: &Bundle, problem: &str, metric: &str) -> Option<AccuracyFloor> {
    let cells = bundle.records.iter();
    let cells = cells.filter(|r| r.problem.name == problem && r.was_attempted());
    let mut smallest = f64::INFINITY;
    let mut levels: BTreeMap<&str, f64> = BTreeMap::new();
    for record in cells {
        if let Some(best) = record.outcome.best(metric).filter(|best| best.is_finite()) {
            smallest = smallest.min(best);
        }
        if let Some(own) = level(record, metric) {
            let known = levels
                .entry(innermost(record.method()))
                .or_insert(f64::INFINITY);
            *known = known.min(own);
        }
    }
    // an exact zero is no level
    let alike = levels.values().copied();
    let alike: Vec<f64> = alike.filter(|own| *own <= ALIKE * smallest).collect();
    let highest = alike.iter().copied().fold(0.0, f64::max);
    (smallest > 0.0 && alike.len() >= FEWEST).then_some(AccuracyFloor {
        level: highest,
        methods: alike.len(),
    })
}

/// What a wall of this metric is, in a few words.
pub fn meaning(metric: &str) -> &'static str {
    let needs = Metric::by_id(metric).map(|metric| metric.doc().needs);
    match needs {
        Some(Needs::Reference) => "accuracy of the reference",
        _ => "floor of rounding",
    }
}

/// What to say of tolerances that lie below the walls of some of these problems; `None` where they
/// lie below none.
pub(crate) fn below(
    bundle: &Bundle,
    problems: &[&str],
    metric: &str,
    tolerances: &[f64],
) -> Option<String> {
    let least = tolerances.iter().copied().reduce(f64::min)?;
    let walled = problems.iter().filter(|problem| {
        let wall = wall(bundle, problem, metric);
        wall.is_some_and(|wall| wall.level > least)
    });
    let walled: Vec<String> = walled.map(|problem| words(problem)).collect();
    let (number, all) = (walled.len(), problems.len());
    (number > 0).then(|| {
        format!(
            "{} is below the {} of {number} of {all} problems ({}): unrelated solvers stop above it, and who reaches it there is no better.",
            power(least),
            meaning(metric),
            list(walled.iter().take(3).map(String::as_str)) + if number > 3 { ", …" } else { "" }
        )
    })
}

/// Where a cell stops: the level that it keeps, or the answer of a method that has no better one.
fn level(record: &CellRecord, metric: &str) -> Option<f64> {
    let outcome = &record.outcome;
    let points = points(outcome, outcome.column(metric)?);
    if outcome.status == Status::Stagnated {
        return points.last().map(|(_, value)| *value);
    }
    let (third, last) = quarters(&points)?;
    let level = stays(&third, &last)?;
    (median(last)? >= SETTLED * median(third)?).then_some(level)
}

/// The method inside of all wrappers, without its parameters: two that differ in those are related.
fn innermost(method: &str) -> &str {
    let inner = method.rsplit('(').next().unwrap_or(method);
    let end = inner.find([')', ' ', ',']).unwrap_or(inner.len());
    &inner[..end]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bundle, cell, decay};

    /// Decay to a level that is not passed.
    fn stops(rate: f64, level: f64) -> impl Fn(f64) -> Option<f64> {
        move |k| Some(libm::pow(rate, k) + level)
    }

    fn run(levels: &[(&str, f64)]) -> Bundle {
        let cells = levels
            .iter()
            .map(|(name, level)| cell("p", name, Status::MaxSweeps, 400, stops(0.9, *level)));
        bundle(cells.collect())
    }

    #[test]
    fn three_unrelated_methods_at_one_level_are_a_wall() {
        let three = [("pgs", 1e-9), ("apgd", 1.1e-9), ("ipm", 0.9e-9)];
        let found = wall(&run(&three), "p", "natural_map").unwrap();
        assert_eq!(found.methods, 3);
        assert!((found.level / 1.1e-9 - 1.0).abs() < 1e-3, "{found:?}");
        assert_eq!(wall(&run(&three), "q", "natural_map"), None);
        assert_eq!(wall(&run(&three[..2]), "p", "natural_map"), None);
        // relatives, and wrappers of one, count once
        let related = [
            ("pgs", 1e-9),
            ("pgs order=reversed", 1e-9),
            ("anderson(pgs)", 1e-9),
        ];
        assert_eq!(wall(&run(&related), "p", "natural_map"), None);
        // one that gets below proves that it is none
        let below = [&three[..], &[("dantzig", 1e-12)]].concat();
        assert_eq!(wall(&run(&below), "p", "natural_map"), None);
        // a fourth that stays above is just bad
        let above = [&three[..], &[("jacobi", 1e-3)]].concat();
        assert_eq!(wall(&run(&above), "p", "natural_map").unwrap().methods, 3);
    }

    #[test]
    fn what_still_falls_is_no_wall() {
        let slow = |k: f64| Some(1.0 / (1.0 + k));
        let names = ["pgs", "apgd", "ipm", "jacobi"];
        let cells = names.map(|name| cell("p", name, Status::MaxSweeps, 400, slow));
        assert_eq!(wall(&bundle(cells.to_vec()), "p", "natural_map"), None);
        let fast = names.map(|name| cell("p", name, Status::Solved, 400, decay(0.9)));
        assert_eq!(wall(&bundle(fast.to_vec()), "p", "natural_map"), None);
        // a direct method that has given its answer has stopped
        let exact = |k: f64| Some(if k < 1.0 { 1.0 } else { 1e-9 });
        let mut cells = vec![cell("p", "dense-direct", Status::Stagnated, 1, exact)];
        for name in ["pgs", "apgd"] {
            cells.push(cell("p", name, Status::MaxSweeps, 400, stops(0.9, 1e-9)));
        }
        let mut run = bundle(cells);
        assert_eq!(wall(&run, "p", "natural_map").unwrap().methods, 3);
        // and a zero is below everything
        run.records
            .push(cell("p", "lucky", Status::Solved, 4, |_| Some(0.0)));
        assert_eq!(wall(&run, "p", "natural_map"), None);
    }

    #[test]
    fn methods_inside_of_wrappers() {
        assert_eq!(
            innermost("best-so-far(anderson(block-gs)) depth=8"),
            "block-gs"
        );
        assert_eq!(innermost("psor ω=1.3"), "psor");
        assert_eq!(meaning("velocity_error"), "accuracy of the reference");
        assert_eq!(meaning("natural_map"), "floor of rounding");
    }
}
