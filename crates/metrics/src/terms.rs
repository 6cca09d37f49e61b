//! What metrics take of one factor, and what their sums are divided by.

use crate::error::MetricError;
use crate::factor::Factor;
use crate::set::{Set, Triple, dot, length};

/// Norms up to here are not divided by: the literature's guard \[Acary2018\] \[m/s, N·s\].
const NORM_GUARD: f64 = f64::EPSILON;

/// One factor at an iterate; what several metrics share is computed once.
pub(crate) struct Terms<'a> {
    pub(crate) factor: &'a Factor<'a>,
    /// K at these impulses.
    pub(crate) set: Set,
    /// λ_g \[N·s\].
    pub(crate) impulse: &'a [f64],
    /// w_g \[m/s | rad/s\].
    pub(crate) velocity: &'a [f64],
    shifted: Triple,
    /// √d_i of the rows (M.2).
    pub(crate) root_scales: &'a [f64],
    /// u_g \[m/s | rad/s\] (M.25).
    pub(crate) own_velocity: f64,
    /// ‖λ_g − Π_K(λ_g − ŵ_g/L_g)‖ \[N·s\].
    pub(crate) natural: f64,
    /// The same in energy units, √L_g ‖…‖ \[√J\].
    pub(crate) energy: f64,
    /// ‖λ_g − Π_K(λ_g − ŵ_g)‖², the step of the literature; N·s and m/s mixed.
    pub(crate) natural_one_squared: f64,
}

impl<'a> Terms<'a> {
    /// `impulses` and `velocities` are those of all rows, `root_scales` those of the factor.
    #[inline]
    pub(crate) fn new(
        factor: &'a Factor<'a>,
        impulses: &'a [f64],
        velocities: &'a [f64],
        root_scales: &'a [f64],
        own_velocity: f64,
    ) -> Result<Self, MetricError> {
        let set = factor.set(impulses);
        let impulse = &impulses[factor.rows.clone()];
        let velocity = &velocities[factor.rows.clone()];
        let mut triple = [0.0; 3];
        let shifted = &mut triple[..velocity.len()];
        shifted.copy_from_slice(velocity);
        shifted[0] += factor.de_saxce() * length(&velocity[1..]);
        let natural = length(&set.natural_map(impulse, shifted, factor.step)?);
        let one = set.natural_map(impulse, shifted, 1.0)?;
        Ok(Self {
            factor,
            set,
            impulse,
            velocity,
            shifted: triple,
            root_scales,
            own_velocity,
            natural,
            energy: natural * factor.root_scale,
            natural_one_squared: dot(&one, &one),
        })
    }

    /// ŵ_g: w_g with the De Saxcé term (P.6) \[m/s | rad/s\].
    #[inline]
    pub(crate) fn shifted(&self) -> &[f64] {
        &self.shifted[..self.velocity.len()]
    }
}

/// What the sums are divided by.
pub(crate) struct Norms {
    /// √(2E_s) \[√J\].
    pub(crate) energy: f64,
    /// ‖q‖ \[m/s\].
    pub(crate) q: f64,
    /// ‖λ‖ \[N·s\].
    pub(crate) impulses: f64,
    /// ‖w‖ \[m/s\].
    pub(crate) velocities: f64,
    /// True if every block is a row with bounds [0, ∞).
    pub(crate) pure_lcp: bool,
}

/// `value / norm`, where the norm is not rounding.
pub(crate) fn guarded(value: f64, norm: f64) -> f64 {
    if norm > NORM_GUARD {
        value / norm
    } else {
        value
    }
}
