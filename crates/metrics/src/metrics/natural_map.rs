//! The headline: natural map in energy units, 2-norm, relative (M.4).

use delassus_core::norm::SquareSum;

use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::terms::{Norms, Terms};

/// Σ L_g‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² \[J\].
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct NaturalMap(SquareSum);

impl NaturalMap {
    /// Adds one factor by its natural map in energy units \[√J\].
    #[inline]
    pub(crate) fn add_energy(&mut self, energy: f64) {
        self.0.add(energy);
    }
}

impl AccumulatedMetric for NaturalMap {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "natural_map",
        name: "natural map, energy units",
        formula: "√Σ L_g‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² / √(2E_s)",
        theory: &["M.1", "M.2", "M.3", "M.4"],
        citations: &["Facchinei2003"],
        decides: true,
        misleads: "bounds the velocity error only up to the conditioning of A: small on long chains and large mass ratios; \
                   of Coulomb's law it shrinks like 1/μ where contacts are open, where natural_map_disc does not",
        ..MetricDoc::BASE
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.add_energy(terms.energy);
    }

    fn finish(self, norms: &Norms) -> f64 {
        self.0.root() / norms.energy
    }
}
