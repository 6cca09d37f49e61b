//! What metrics take of one group, and what their sums are divided by.

use crate::error::MetricError;
use crate::group::Group;
use crate::set::{FactorSet, GroupValues, MOST_ROWS, Parts, length};

/// Norms up to here are not divided by: the literature's guard \[Acary2018\] \[m/s, N·s\].
pub(crate) const NORM_GUARD: f64 = f64::EPSILON;

/// A slip below this share of the numbers that it is the sum of is rounding \[-\]: a large μ must
/// not magnify it.
const SLIP_ROUNDING: f64 = 4.0 * f64::EPSILON;

/// In which of its two forms the law of a contact is judged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// As the residual is published: Coulomb's law as one cone (P.6), all with one step per group.
    Published,
    /// Normal row and tangents by themselves, each with its own step (M.39).
    Disc,
}

/// One group at an iterate; what several metrics share is computed once.
pub(crate) struct Terms<'a> {
    pub(crate) group: &'a Group<'a>,
    /// True if normal row and tangents are judged by themselves (M.39).
    pub(crate) apart: bool,
    /// K at these impulses.
    pub(crate) set: FactorSet<'a>,
    /// λ_g \[N·s\].
    pub(crate) impulse: &'a [f64],
    /// w_g \[m/s | rad/s\].
    pub(crate) velocity: &'a [f64],
    shifted: GroupValues,
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
    pub(crate) natural_one: GroupValues,
}

/// ŵ and the natural map of one group.
#[derive(Debug, Clone, Copy)]
struct Natural<'p> {
    /// Of a contact whose normal row and tangents are judged by themselves (M.39).
    parts: Option<Parts>,
    set: FactorSet<'p>,
    shifted: GroupValues,
    /// λ_g − Π_K(λ_g − ŵ_g/L_g) \[N·s\]; of parts in variables in which every step is one \[√J\].
    map: GroupValues,
}

impl<'p> Natural<'p> {
    #[inline(always)]
    fn of(group: &Group<'p>, all: [&[f64]; 3], form: Form) -> Result<Self, MetricError> {
        match group.rows.len() {
            1 => Self::of_rows::<1>(group, all, form),
            2 => Self::of_rows::<2>(group, all, form),
            3 => Self::of_rows::<3>(group, all, form),
            4 => Self::of_rows::<4>(group, all, form),
            5 => Self::of_rows::<5>(group, all, form),
            _ => Self::of_rows::<6>(group, all, form),
        }
    }

    /// The same of a group of N rows: loops of known length.
    #[inline(always)]
    fn of_rows<const N: usize>(
        group: &Group<'p>,
        [impulses, velocities, biased]: [&[f64]; 3],
        form: Form,
    ) -> Result<Self, MetricError> {
        let parts = group.parts.filter(|_| form == Form::Disc);
        let (set, de_saxce) = match parts {
            None => (group.set(impulses), group.de_saxce()),
            Some(_) => (group.disc_set(impulses), 0.0),
        };
        let own = |all: &[f64]| -> [f64; N] { std::array::from_fn(|i| all[group.rows.start + i]) };
        let (impulse, velocity) = (own(impulses), own(velocities));
        let mut shifted = velocity;
        if de_saxce > 0.0 {
            let slip = set.bounds.slip(&velocity[1..]);
            let summed =
                |size: fn(&[f64]) -> f64| group.scale * size(&impulse) + size(&own(biased));
            // sums of magnitudes are no smaller than lengths and need no root
            let clear = slip > 2.0 * SLIP_ROUNDING * summed(magnitude);
            if clear || slip > SLIP_ROUNDING * summed(length) {
                shifted[0] += de_saxce * slip;
            }
        }
        let map = match parts {
            None => set.natural_map(&impulse, &shifted, group.step)?,
            Some(parts) => apart(set, parts, &impulse, &shifted)?,
        };
        let mut padded = [0.0; MOST_ROWS];
        padded[..N].copy_from_slice(&shifted);
        Ok(Self {
            parts,
            set,
            shifted: padded,
            map,
        })
    }

    /// Length of the map in its own unit.
    #[inline(always)]
    fn length(&self, group: &Group<'_>) -> f64 {
        // most groups have three rows or fewer
        match group.rows.len() {
            ..=3 => length(&self.map[..3]),
            _ => length(&self.map),
        }
    }

    /// Length of the map in energy units \[√J\].
    #[inline(always)]
    fn energy(&self, group: &Group<'_>) -> f64 {
        let length = self.length(group);
        match self.parts {
            None => length * group.root_scale,
            Some(_) => length,
        }
    }

    /// The same in impulses \[N·s\] and in velocities \[m/s | rad/s\].
    fn others(&self, group: &Group<'_>) -> [f64; 2] {
        let Some(parts) = self.parts else {
            let natural = self.length(group);
            return [natural, natural * group.scale];
        };
        let weighed = |power: fn(f64, f64) -> f64| {
            let parts: GroupValues =
                std::array::from_fn(|row| power(self.map[row], parts.root(row)));
            length(&parts)
        };
        [weighed(|r, root| r / root), weighed(|r, root| r * root)]
    }
}

/// Σ|x_i|.
#[inline]
fn magnitude(x: &[f64]) -> f64 {
    x.iter().map(|x| x.abs()).sum()
}

/// The natural map of a group alone, as published and in disc form, in energy units with the bits
/// of [`Terms`] \[√J\].
#[inline]
pub(crate) fn energies(group: &Group<'_>, all: [&[f64]; 3]) -> Result<[f64; 2], MetricError> {
    let published = Natural::of(group, all, Form::Published)?.energy(group);
    if group.parts.is_none() {
        return Ok([published; 2]);
    }
    let disc = Natural::of(group, all, Form::Disc)?.energy(group);
    Ok([published, disc])
}

impl<'a> Terms<'a> {
    /// `impulses`, `velocities` and b are those of all rows, `root_scales` those of the group.
    #[inline]
    pub(crate) fn new(
        group: &'a Group<'a>,
        all: [&'a [f64]; 3],
        root_scales: &'a [f64],
        own_velocity: f64,
        form: Form,
    ) -> Result<Self, MetricError> {
        let found = Natural::of(group, all, form)?;
        let [natural, speed] = found.others(group);
        let energy = found.energy(group);
        let Natural { set, shifted, .. } = found;
        let impulse = &all[0][group.rows.clone()];
        let velocity = &all[1][group.rows.clone()];
        Ok(Self {
            group,
            apart: found.parts.is_some(),
            set,
            impulse,
            velocity,
            natural,
            energy,
            speed,
            natural_one: set.natural_map(impulse, &shifted[..velocity.len()], 1.0)?,
            shifted,
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

/// The natural map of a contact whose normal row and tangents have their own steps (M.39), in
/// variables in which every step is one \[√J\].
#[inline(always)]
fn apart(
    set: FactorSet<'_>,
    parts: Parts,
    impulse: &[f64],
    velocity: &[f64],
) -> Result<GroupValues, MetricError> {
    let dim = impulse.len();
    let (mut x, mut y) = ([0.0; MOST_ROWS], [0.0; MOST_ROWS]);
    for row in 0..dim {
        x[row] = impulse[row] * parts.root(row);
        y[row] = velocity[row] / parts.root(row);
    }
    set.scaled(parts).natural_map(&x[..dim], &y[..dim], 1.0)
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
