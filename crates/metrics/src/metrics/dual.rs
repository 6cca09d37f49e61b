//! Distance of ŵ from the dual cone (M.18).

use delassus_core::SetShape;

use super::primal::Primal;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::error::larger;
use crate::set::{FactorSet, MOST_ROWS, length};
use crate::terms::{Norms, Terms};

/// Largest distance \[m/s\].
#[derive(Debug, Default)]
pub(crate) struct Dual(f64);

impl AccumulatedMetric for Dual {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "dual",
        name: "dual infeasibility",
        formula: "max dist(ŵ_g, (rec K)*)",
        theory: &["M.18"],
        unit: "m/s",
        misleads: "zero on rows whose K is bounded; mixes m/s and rad/s; large λ can make it zero without solving",
        ..Primal::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        self.0 = larger(self.0, distance(&terms.set, terms.shifted()));
    }

    fn finish(self, _: &Norms) -> f64 {
        self.0
    }
}

/// Distance of ŵ from the dual of the recession cone of K (M.18).
fn distance(set: &FactorSet<'_>, velocity: &[f64]) -> f64 {
    let negative_part = |w: f64| (-w).max(0.0);
    match (set.bounds.bounds(), set.bounds.shape) {
        _ if set.pushes => negative_part(velocity[0]),
        (Some((lower, upper)), _) => {
            let below = if upper == f64::INFINITY {
                negative_part(velocity[0])
            } else {
                0.0
            };
            let above = if lower == f64::NEG_INFINITY {
                negative_part(-velocity[0])
            } else {
                0.0
            };
            below.max(above)
        }
        (None, SetShape::Cone) => {
            // Moreau: the distance to K* is the length of Π_K(−ŵ)
            let mut opposite = [0.0; MOST_ROWS];
            let opposite = &mut opposite[..velocity.len()];
            for (o, w) in opposite.iter_mut().zip(velocity) {
                *o = -w;
            }
            set.project(opposite);
            length(opposite)
        }
        (None, _) => 0.0,
    }
}
