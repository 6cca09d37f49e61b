//! Natural map in energy units, mean of the factors, relative (M.26).

use super::natural_map::NaturalMap;
use crate::definition::{Accumulated, MetricDoc};
use crate::terms::{Norms, Terms};

/// Sum over the factors \[√J\], and their number.
#[derive(Debug, Default)]
pub(crate) struct NaturalMapMean(f64, u32);

impl Accumulated for NaturalMapMean {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "natural_map_mean",
        name: "natural map, mean of the factors",
        formula: "1/n Σ √L_g ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ / √(2E_s)",
        theory: &["M.26"],
        ..NaturalMap::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0 += terms.energy;
        self.1 += 1;
    }

    fn finish(self, norms: &Norms) -> f64 {
        self.0 / f64::from(self.1.max(1)) / norms.energy
    }
}
