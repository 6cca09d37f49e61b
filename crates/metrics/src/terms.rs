//! What metrics take of one factor, and what their sums are divided by.

use crate::error::MetricError;
use crate::factor::Factor;
use crate::set::{Parts, Set, Triple, length};

/// Norms up to here are not divided by: the literature's guard \[Acary2018\] \[m/s, N·s\].
pub(crate) const NORM_GUARD: f64 = f64::EPSILON;

/// A slip below this share of the numbers that it is the sum of is rounding \[-\]: a large μ must
/// not magnify it.
const SLIP_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// In which of its two forms the law of a contact is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the residual is published: Coulomb's law as one cone (P.6), all with one step per factor.
    Published,
    /// Normal row and tangents by themselves, each with its own step (M.39).
    Disc,
}

/// One factor at an iterate; what several metrics share is computed once.
pub(crate) struct Terms<'a> {
    pub(crate) factor: &'a Factor<'a>,
    /// True if normal row and tangents are judged by themselves (M.39).
    pub(crate) apart: bool,
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
    /// The same in velocity units, L_g ‖…‖ \[m/s | rad/s\].
    pub(crate) speed: f64,
    /// λ_g − Π_K(λ_g − ŵ_g), the step of the literature; N·s and m/s mixed.
    pub(crate) natural_one: Triple,
}

impl<'a> Terms<'a> {
    /// `impulses`, `velocities` and b are those of all rows, `root_scales` those of the factor.
    #[inline]
    pub(crate) fn new(
        factor: &'a Factor<'a>,
        [impulses, velocities, biased]: [&'a [f64]; 3],
        root_scales: &'a [f64],
        own_velocity: f64,
        form: Form,
    ) -> Result<Self, MetricError> {
        let parts = factor.parts.filter(|_| form == Form::Disc);
        let (set, de_saxce) = match parts {
            None => (factor.set(impulses), factor.de_saxce()),
            Some(_) => (factor.disc_set(impulses), 0.0),
        };
        let impulse = &impulses[factor.rows.clone()];
        let velocity = &velocities[factor.rows.clone()];
        let mut triple = [0.0; 3];
        let shifted = &mut triple[..velocity.len()];
        shifted.copy_from_slice(velocity);
        if de_saxce > 0.0 {
            let slip = length(&velocity[1..]);
            let summed = factor.scale * length(impulse) + length(&biased[factor.rows.clone()]);
            if slip > SLIP_ROUNDING * summed {
                shifted[0] += de_saxce * slip;
            }
        }
        let [natural, energy, speed] = match parts {
            None => {
                let natural = length(&set.natural_map(impulse, shifted, factor.step)?);
                [natural, natural * factor.root_scale, natural * factor.scale]
            }
            Some(parts) => apart(set, parts, impulse, shifted)?,
        };
        Ok(Self {
            factor,
            apart: parts.is_some(),
            set,
            impulse,
            velocity,
            natural,
            energy,
            speed,
            natural_one: set.natural_map(impulse, shifted, 1.0)?,
            shifted: triple,
            root_scales,
            own_velocity,
        })
    }

    /// ŵ_g: w_g with the De Saxcé term (P.6) \[m/s | rad/s\].
    #[inline]
    pub(crate) fn shifted(&self) -> &[f64] {
        &self.shifted[..self.velocity.len()]
    }
}

/// The natural map of a contact whose normal row and tangents have their own steps (M.39): its
/// length \[N·s\], in energy units \[√J\] and in velocity units \[m/s\].
fn apart(
    set: Set,
    parts: Parts,
    impulse: &[f64],
    velocity: &[f64],
) -> Result<[f64; 3], MetricError> {
    let dim = impulse.len();
    let root = |row: usize| {
        if row == 0 {
            parts.normal
        } else {
            parts.tangent
        }
    };
    let (mut x, mut y) = ([0.0; 3], [0.0; 3]);
    for row in 0..dim {
        x[row] = impulse[row] * root(row);
        y[row] = velocity[row] / root(row);
    }
    // in these variables every step is one
    let map = set.scaled(parts).natural_map(&x[..dim], &y[..dim], 1.0)?;
    let weighed = |power: fn(f64, f64) -> f64| {
        let parts: Triple = std::array::from_fn(|row| power(map[row], root(row)));
        length(&parts)
    };
    Ok([
        weighed(|r, root| r / root),
        length(&map),
        weighed(|r, root| r * root),
    ])
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
    /// Norms up to here are not divided by \[m/s, N·s\].
    pub(crate) guard: f64,
}

impl Norms {
    /// The same without the guard: what decides is divided by any norm but zero.
    pub(crate) fn unguarded(self) -> Self {
        Self { guard: 0.0, ..self }
    }

    /// `value / norm`, where the norm is not rounding.
    pub(crate) fn guarded(&self, value: f64, norm: f64) -> f64 {
        if norm > self.guard {
            value / norm
        } else {
            value
        }
    }
}
