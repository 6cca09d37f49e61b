//! Natural map in energy units, largest factor, relative (M.5).

use super::natural_map::NaturalMap;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::terms::{Norms, Terms};

/// The largest factor and its block.
#[derive(Debug, Default)]
pub(crate) struct NaturalMapMax {
    /// √L_g ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ \[√J\].
    largest: f64,
    /// `None` while every factor is zero.
    pub(super) block: Option<usize>,
}

impl AccumulatedMetric for NaturalMapMax {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "natural_map_max",
        name: "natural map, worst factor",
        formula: "max √L_g ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ / √(2E_s)",
        theory: &["M.5"],
        ..NaturalMap::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        if terms.energy > self.largest {
            self.largest = terms.energy;
            self.block = Some(terms.group.block);
        }
    }

    fn finish(self, norms: &Norms) -> f64 {
        self.largest / norms.energy
    }
}
