//! Dolan–Moré performance profiles.

use crate::bundle::Bundle;
use crate::view::{Selection, Work};

/// A performance profile at one tolerance \[DolanMore2002\].
#[derive(Debug, Clone, PartialEq)]
pub struct ProfilePlot {
    /// Tolerance of "solved" \[-\].
    pub tolerance: f64,
    /// Problems that at least one solver attempted.
    pub problems: Vec<String>,
    /// One curve per solver, in the order of first appearance.
    pub curves: Vec<ProfileCurve>,
}

/// One solver of a performance profile.
#[derive(Debug, Clone, PartialEq)]
pub struct ProfileCurve {
    /// The solver's label.
    pub solver: String,
    /// Cost per problem, in the order of the problems; infinite where it failed.
    pub costs: Vec<f64>,
    /// Performance ratio per problem (A.3) \[-\]; infinite where it failed.
    pub ratios: Vec<f64>,
    /// Problems that it did not attempt, because it does not support them or is not installed.
    pub unsupported: usize,
}

impl ProfileCurve {
    /// Fraction of the problems within a factor `tau` of the best solver (A.4) \[-\].
    pub fn fraction(&self, tau: f64) -> f64 {
        if self.ratios.is_empty() {
            return 0.0;
        }
        let within = self.ratios.iter().filter(|ratio| **ratio <= tau).count();
        super::count(within as u64) / super::count(self.ratios.len() as u64)
    }

    /// Number of problems solved.
    pub fn solved(&self) -> usize {
        self.costs.iter().filter(|cost| cost.is_finite()).count()
    }
}

/// The profile of the chosen solvers and problems of a run; the best is the best of the chosen.
pub fn profile(
    bundle: &Bundle,
    chosen: Selection<'_>,
    work: Work,
    metric: &str,
    tolerance: f64,
) -> ProfilePlot {
    let [problems, solvers] = bundle.attempted(chosen);
    let cost = |problem: &str, solver: &str| {
        bundle
            .cell(problem, solver)
            .and_then(|r| super::work_to(&r.outcome, metric, tolerance, work))
            .unwrap_or(f64::INFINITY)
    };
    let costs: Vec<Vec<f64>> = solvers
        .iter()
        .map(|solver| problems.iter().map(|p| cost(p, solver)).collect())
        .collect();
    let best: Vec<f64> = (0..problems.len())
        .map(|p| costs.iter().map(|c| c[p]).fold(f64::INFINITY, f64::min))
        .collect();
    let curves = solvers.iter().zip(costs).map(|(solver, costs)| {
        let ratios = costs.iter().zip(&best).map(|(c, b)| ratio(*c, *b));
        let cells = problems.iter().map(|problem| bundle.cell(problem, solver));
        let attempted = cells.flatten().filter(|cell| cell.was_attempted());
        ProfileCurve {
            solver: (*solver).to_owned(),
            ratios: ratios.collect(),
            unsupported: problems.len() - attempted.count(),
            costs,
        }
    });
    ProfilePlot {
        tolerance,
        curves: curves.collect(),
        problems: problems.into_iter().map(str::to_owned).collect(),
    }
}

/// cost / best; a problem that is solved at the start costs nothing and everybody who does so ties.
fn ratio(cost: f64, best: f64) -> f64 {
    if !cost.is_finite() {
        f64::INFINITY
    } else if cost <= best {
        1.0
    } else {
        cost / best
    }
}
