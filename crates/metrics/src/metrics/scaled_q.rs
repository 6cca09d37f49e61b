//! Natural map in velocity units over ‖q‖ (M.10).

use delassus_core::norm::SquareSum;

use super::siconos::Siconos;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::terms::{Norms, Terms};

/// Σ L_g²‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² \[m²/s²\].
#[derive(Debug, Default)]
pub(crate) struct ScaledQ(SquareSum);

impl AccumulatedMetric for ScaledQ {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "scaled_q",
        name: "natural map, velocity units, relative to q",
        formula: "√Σ L_g²‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² / ‖q‖",
        theory: &["M.10"],
        citations: &[],
        decides: true,
        misleads: "weighs a light body like a heavy one; mixes m/s and rad/s where rows are angular; of Coulomb's law it \
                   shrinks like 1/μ where contacts are open",
        ..Siconos::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0.add(terms.speed);
    }

    fn finish(self, norms: &Norms) -> f64 {
        norms.guarded(self.0.root(), norms.q)
    }
}
