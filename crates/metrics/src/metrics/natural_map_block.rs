//! Natural map of one factor relative to its own velocities, largest factor (M.25).

use super::natural_map::NaturalMap;
use crate::definition::{AccumulatedMetric, MetricDoc};
use crate::terms::{Norms, Terms};

/// The largest factor and its block.
#[derive(Debug, Default)]
pub(crate) struct NaturalMapBlock {
    /// L_g‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ / u_g \[-\].
    largest: f64,
    /// `None` while every factor is zero.
    pub(super) block: Option<usize>,
}

impl AccumulatedMetric for NaturalMapBlock {
    type Value = f64;

    const DOC: MetricDoc = MetricDoc {
        id: "natural_map_block",
        name: "natural map, worst factor on its own scale",
        formula: "max L_g‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ / u_g, u_g the velocities of the factor and its bodies",
        theory: &["M.25"],
        misleads: "of order one until the last light or slow block is solved, however little energy it has; of \
                   Coulomb's law it shrinks like 1/μ where contacts are open",
        ..NaturalMap::DOC
    };

    #[inline]
    fn add(&mut self, terms: &Terms<'_>) {
        let relative = terms.speed / terms.own_velocity;
        if relative > self.largest {
            self.largest = relative;
            self.block = Some(terms.group.block);
        }
    }

    fn finish(self, _: &Norms) -> f64 {
        self.largest
    }
}
