//! Natural map in impulse units, largest factor (M.6).

use super::natural_map::NaturalMap;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::error::larger;
use crate::terms::{Norms, Terms};

/// Largest ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ \[N·s\].
#[derive(Debug, Default)]
pub(crate) struct NaturalMapImpulse(f64);

impl AccumulatedMetric for NaturalMapImpulse {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "natural_map_impulse",
        name: "natural map, impulse units",
        formula: "max ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖",
        theory: &["M.6"],
        unit: "N·s",
        misleads: "has a unit and no scale: compare it with the impulses of the same problem only; angular \
                   rows are N·m·s; of Coulomb's law it shrinks like 1/μ where contacts are open",
        ..NaturalMap::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0 = larger(self.0, terms.natural);
    }

    fn finish(self, _: &Norms) -> f64 {
        self.0
    }
}
