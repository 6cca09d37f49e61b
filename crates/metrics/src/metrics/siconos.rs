//! The stopping test of the literature (M.7, M.8).

use delassus_core::norm::SquareSum;

use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::terms::{Norms, Terms};

/// Σ ‖λ_g − Π_K(λ_g − ŵ_g)‖², N·s and m/s mixed.
#[derive(Debug, Default)]
pub(crate) struct Siconos(SquareSum);

impl AccumulatedMetric for Siconos {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "siconos",
        name: "residual of the Siconos library",
        formula: "‖λ − Π_K(λ − ŵ)‖ / max(‖q‖, ‖λ‖, ‖w‖); pure LCP: ‖min(λ, w)‖ / ‖q‖",
        theory: &["M.7", "M.8"],
        citations: &["Acary2018"],
        misleads: "ρ = 1 subtracts m/s from N·s, so it changes with the units; dividing by λ and w forgives large \
                   ones; of Coulomb's law it shrinks like 1/μ where contacts are open",
        ..MetricDoc::BASE
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0.add_all(&terms.natural_one);
    }

    fn finish(self, norms: &Norms) -> f64 {
        let divisor = if norms.pure_lcp {
            norms.q
        } else {
            norms.q.max(norms.impulses).max(norms.velocities)
        };
        norms.guarded(self.0.root(), divisor)
    }
}
