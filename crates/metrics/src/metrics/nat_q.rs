//! Natural map with ρ = 1 over ‖q‖ (M.9).

use delassus_core::norm::SquareSum;

use super::siconos::Siconos;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::terms::{Norms, Terms};

/// Σ ‖λ_g − Π_K(λ_g − ŵ_g)‖², N·s and m/s mixed.
#[derive(Debug, Default)]
pub(crate) struct NatQ(SquareSum);

impl AccumulatedMetric for NatQ {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "nat_q",
        name: "natural map with ρ = 1, relative to q",
        formula: "‖λ − Π_K(λ − ŵ)‖ / ‖q‖",
        theory: &["M.9"],
        decides: true,
        misleads: "ρ = 1 subtracts m/s from N·s, so it changes with the units; of Coulomb's law it shrinks like 1/μ where \
                   contacts are open",
        ..Siconos::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0.add_all(&terms.natural_one);
    }

    fn finish(self, norms: &Norms) -> f64 {
        norms.guarded(self.0.root(), norms.q)
    }
}
