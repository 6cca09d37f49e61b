//! Natural map in velocity units over ‖q‖ (M.10).

use super::siconos::Siconos;
use crate::definition::{Accumulated, MetricDoc};
use crate::terms::{Norms, Terms, guarded};

/// Σ L_g²‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² \[m²/s²\].
#[derive(Debug, Default)]
pub(crate) struct ScaledQ(f64);

impl Accumulated for ScaledQ {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "scaled_q",
        name: "natural map, velocity units, relative to q",
        formula: "√Σ L_g²‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖² / ‖q‖",
        theory: &["M.10"],
        citations: &[],
        decides: true,
        misleads: "weighs a light body like a heavy one; mixes m/s and rad/s where rows are angular",
        ..Siconos::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        let velocity = terms.natural * terms.factor.scale;
        self.0 += velocity * velocity;
    }

    fn finish(self, norms: &Norms) -> f64 {
        guarded(self.0.sqrt(), norms.q)
    }
}
