//! Complementarity |λ·ŵ| (M.14).

use delassus_core::SetShape;

use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::error::larger;
use crate::set::{FactorSet, dot};
use crate::terms::{Norms, Terms};

/// Largest |λ_g·ŵ_g| \[J\].
#[derive(Debug, Default)]
pub(crate) struct Complementarity(f64);

impl AccumulatedMetric for Complementarity {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "complementarity",
        name: "complementarity",
        formula: "max |λ_g·ŵ_g|",
        theory: &["M.14"],
        unit: "J",
        citations: &["Acary2008"],
        misleads: "zero at λ = 0 although every contact may penetrate: read it with primal and dual",
        ..MetricDoc::BASE
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0 = larger(self.0, product(&terms.set, terms.impulse, terms.shifted()));
    }

    fn finish(self, _: &Norms) -> f64 {
        self.0
    }
}

/// |λ·ŵ|, for products of sets the sum of the absolute values of their factors (M.14).
fn product(set: &FactorSet<'_>, impulse: &[f64], velocity: &[f64]) -> f64 {
    match (set.bounds.bounds(), set.bounds.shape) {
        _ if set.pushes => (impulse[0] * velocity[0]).abs() + set.dissipation(impulse, velocity),
        (Some((lower, upper)), _) => {
            let (x, w) = (impulse[0], velocity[0]);
            let bound = match (w > 0.0, lower.is_finite(), upper.is_finite()) {
                (true, true, _) => lower,
                (false, _, true) => upper,
                _ => 0.0,
            };
            ((x - bound) * w).abs()
        }
        (None, SetShape::Cone) => dot(impulse, velocity).abs(),
        (None, _) => set.dissipation(impulse, velocity),
    }
}
