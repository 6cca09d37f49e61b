//! Distance of λ from K(λ) (M.17).

use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::error::larger;
use crate::set::{FactorSet, MOST_ROWS, length};
use crate::terms::{Norms, Terms};

/// Largest ‖λ_g − Π_K(λ)(λ_g)‖ \[N·s\].
#[derive(Debug, Default)]
pub(crate) struct Primal(f64);

impl AccumulatedMetric for Primal {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "primal",
        name: "primal infeasibility",
        formula: "max ‖λ_g − Π_K(λ)(λ_g)‖",
        theory: &["M.17"],
        unit: "N·s",
        misleads: "zero for every method that projects, converged or not",
        ..MetricDoc::BASE
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0 = larger(self.0, distance(&terms.set, terms.impulse));
    }

    fn finish(self, _: &Norms) -> f64 {
        self.0
    }
}

/// ‖λ − Π_K(λ)‖ (M.17).
fn distance(set: &FactorSet<'_>, impulse: &[f64]) -> f64 {
    let mut projected = [0.0; MOST_ROWS];
    let projected = &mut projected[..impulse.len()];
    projected.copy_from_slice(impulse);
    set.project(projected);
    for (p, x) in projected.iter_mut().zip(impulse) {
        *p -= x;
    }
    length(projected)
}
