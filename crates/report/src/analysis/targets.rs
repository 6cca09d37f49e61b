//! Which share of problems and targets a method reaches within a budget (A.18), (A.19).

use super::walls::wall;
use super::{count, work_to_each};
use crate::bundle::Bundle;
use crate::view::{Selection, Work};

/// Targets of a metric, equally far apart on a logarithmic axis (A.18).
#[derive(Debug, Clone, PartialEq)]
pub struct TargetSequence {
    /// The first and the last \[unit of the metric\].
    pub ends: [f64; 2],
    /// How many of them a decade has \[-\].
    pub per_decade: u32,
}

impl TargetSequence {
    /// Every target, the easiest first.
    pub fn all(&self) -> Vec<f64> {
        let [from, to] = self.ends.map(libm::log10);
        let step = 1.0 / f64::from(self.per_decade);
        // the last may miss its end by rounding, but not by half a step
        let mut all = Vec::new();
        let mut next = from;
        while next > to - 0.5 * step {
            all.push(libm::exp10(next));
            next = from - step * count(all.len() as u64);
        }
        all
    }
}

/// Costs of all pairs of a problem and a target.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetPlot {
    /// Problems that at least one method attempted.
    pub problems: usize,
    /// Targets of each.
    pub targets: usize,
    /// Pairs whose target is below the wall of the problem: nobody is said to reach them.
    pub walled: usize,
    /// One curve per method, in the order of first appearance.
    pub curves: Vec<TargetCurve>,
    /// Costs of the best method of each pair.
    pub best: TargetCurve,
}

/// What a method needs for the pairs that it reaches.
#[derive(Debug, Clone, PartialEq)]
pub struct TargetCurve {
    /// The method's label; empty for the best of all.
    pub solver: String,
    /// Cost of every pair that it reaches, ascending.
    pub costs: Vec<f64>,
}

impl TargetPlot {
    /// All pairs.
    pub fn pairs(&self) -> usize {
        self.problems * self.targets
    }

    /// A number of pairs as share of all \[-\].
    pub fn share(&self, pairs: usize) -> f64 {
        match self.pairs() {
            0 => 0.0,
            all => count(pairs as u64) / count(all as u64),
        }
    }
}

impl TargetCurve {
    /// How many pairs are reached within a budget.
    pub fn within(&self, budget: f64) -> usize {
        self.costs.partition_point(|cost| *cost <= budget)
    }
}

/// The costs of the chosen methods on the chosen problems.
pub fn targets(
    bundle: &Bundle,
    chosen: Selection<'_>,
    work: Work,
    metric: &str,
    targets: &TargetSequence,
) -> TargetPlot {
    let targets = targets.all();
    let [problems, solvers] = bundle.attempted(chosen);
    let mut curves: Vec<Vec<f64>> = vec![Vec::new(); solvers.len()];
    let (mut best, mut walled) = (Vec::new(), 0);
    for problem in &problems {
        let floor = wall(bundle, problem, metric).map_or(0.0, |wall| wall.level);
        let costs = solvers.iter().map(|solver| {
            let record = bundle.cell(problem, solver)?;
            Some(work_to_each(&record.outcome, metric, &targets, work))
        });
        let costs: Vec<Option<Vec<Option<f64>>>> = costs.collect();
        for (index, target) in targets.iter().enumerate() {
            if *target < floor {
                walled += 1;
                continue;
            }
            let mut least = f64::INFINITY;
            for (curve, costs) in curves.iter_mut().zip(&costs) {
                let cost = costs.as_ref().and_then(|costs| costs[index]);
                curve.extend(cost);
                least = cost.map_or(least, |cost| cost.min(least));
            }
            best.extend(least.is_finite().then_some(least));
        }
    }
    let curve = |solver: &str, mut costs: Vec<f64>| {
        costs.sort_by(f64::total_cmp);
        TargetCurve {
            solver: solver.to_owned(),
            costs,
        }
    };
    TargetPlot {
        problems: problems.len(),
        targets: targets.len(),
        walled,
        curves: solvers
            .iter()
            .zip(curves)
            .map(|(s, costs)| curve(s, costs))
            .collect(),
        best: curve("", best),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{bundle, cell, decay};
    use delassus_core::Status;

    const TWO: TargetSequence = TargetSequence {
        ends: [1e-1, 1e-2],
        per_decade: 1,
    };

    fn of(bundle: &Bundle, wanted: &TargetSequence) -> TargetPlot {
        let chosen = Selection::default();
        targets(bundle, chosen, Work::Sweeps, "natural_map", wanted)
    }

    #[test]
    fn targets_are_log_spaced_with_both_ends() {
        let all = TargetSequence {
            ends: [1e-1, 1e-12],
            per_decade: 5,
        }
        .all();
        assert_eq!(all.len(), 56);
        assert!((all[0] - 1e-1).abs() < 1e-16 && (all[55] / 1e-12 - 1.0).abs() < 1e-12);
        assert!((all[5] / 1e-2 - 1.0).abs() < 1e-12);
        assert_eq!(TWO.all().len(), 2);
        let one = TargetSequence {
            ends: [1e-3, 1e-3],
            per_decade: 7,
        };
        assert_eq!(one.all().len(), 1);
    }

    #[test]
    fn pairs_are_counted_at_the_first_sample_that_reaches_them() {
        // 0.5^4 = 0.0625 ≤ 0.1, 0.5^7 = 0.0078 ≤ 0.01; the other stops before its second target
        let run = bundle(vec![
            cell("p", "a", Status::Solved, 7, decay(0.5)),
            cell("p", "b", Status::MaxSweeps, 3, decay(0.4)),
            cell("q", "a", Status::Unsupported, 0, |_| None),
            cell("q", "b", Status::Solved, 8, decay(0.5)),
        ]);
        let plot = of(&run, &TWO);
        assert_eq!((plot.problems, plot.targets, plot.pairs()), (2, 2, 4));
        assert_eq!(plot.curves[0].costs, [4.0, 7.0]);
        assert_eq!(plot.curves[1].costs, [3.0, 4.0, 7.0]);
        assert_eq!(plot.best.costs, [3.0, 4.0, 7.0, 7.0]);
        assert_eq!(plot.curves[1].within(4.0), 2);
        assert_eq!(plot.share(plot.curves[0].within(1e9)), 0.5);
        assert_eq!(plot.walled, 0);
        let empty = of(&bundle(Vec::new()), &TWO);
        assert_eq!((empty.pairs(), empty.share(0)), (0, 0.0));
    }

    #[test]
    fn nobody_reaches_what_lies_behind_the_wall() {
        // all stop between the two targets; one has a sample below the second by luck
        let stops = |k: f64| Some(libm::pow(0.5, k).max(0.02));
        let names = ["pgs", "apgd", "ipm"];
        let cells = names.map(|name| cell("p", name, Status::MaxSweeps, 100, stops));
        let plot = of(&bundle(cells.to_vec()), &TWO);
        assert_eq!((plot.walled, plot.pairs()), (1, 2));
        assert_eq!(plot.best.costs, [4.0]);
    }
}
