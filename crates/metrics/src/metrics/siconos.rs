//! The stopping test of the literature (M.7, M.8).

use crate::definition::{Accumulated, MetricDoc};
use crate::terms::{Norms, Terms, guarded};

/// Σ ‖λ_g − Π_K(λ_g − ŵ_g)‖², N·s and m/s mixed.
#[derive(Debug, Default)]
pub(crate) struct Siconos(f64);

impl Accumulated for Siconos {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "siconos",
        name: "residual of the Siconos library",
        formula: "‖λ − Π_K(λ − ŵ)‖ / max(‖q‖, ‖λ‖, ‖w‖); pure LCP: ‖min(λ, w)‖ / ‖q‖",
        theory: &["M.7", "M.8"],
        citations: &["Acary2018"],
        misleads: "ρ = 1 subtracts m/s from N·s, so it changes with the units; dividing by λ and w forgives large ones",
        ..MetricDoc::BASE
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0 += terms.natural_one_squared;
    }

    fn finish(self, norms: &Norms) -> f64 {
        let divisor = if norms.pure_lcp {
            norms.q
        } else {
            norms.q.max(norms.impulses).max(norms.velocities)
        };
        guarded(self.0.sqrt(), divisor)
    }
}
