//! The rotation of a free body over a step, with constant angular momentum (T.51), (T.52).
//!
//! Euler's equations are split into a symmetric top, which is solved exactly, and the remaining
//! rotation about a principal axis. The two parts are composed symmetrically. Both conserve the
//! angular momentum L, magnitude and direction, at any length of the step. The energy is conserved
//! exactly if two moments are equal. Otherwise its error is bounded and of second order in the
//! step.

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::rotation;

/// A body that rotates freely.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FreeRotor {
    /// Principal moments of inertia \[kg·m²\], > 0.
    pub moments: Vector3<f64>,
    /// Rotation from the principal axes to the world axes.
    pub axes: UnitQuaternion<f64>,
    /// Angular momentum about the centre of mass, world axes \[kg·m²/s\].
    pub momentum: Vector3<f64>,
}

/// The constant angular velocity that rotates a body over a step as free rotation does.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MeanSpin {
    /// Angular velocity, world axes \[rad/s\].
    pub spin: Vector3<f64>,
    /// Rotation in world axes that is applied first. `None` unless the body rotates by half a turn
    /// or more, because a rotation vector is then ambiguous.
    pub before: Option<UnitQuaternion<f64>>,
}

/// Ratio of moments below which the momentum along the axis of a body is rounding \[-\]: a thread
/// of a metre by a nanometre.
const THINNEST: f64 = 1e-12;

/// Angle of a step below which the mean is a series: its error is then below the rounding of an
/// orientation \[rad\].
const SERIES: f64 = 1e-5;

/// Largest angle by which the momentum moves against the body in one piece of a step \[rad\].
const PIECE: f64 = 0.125;

/// Most pieces of a step \[-\].
const PIECES: f64 = 4096.0;

/// Angle of the rotation about the odd axis below which it is rounding, and a step is one piece
/// \[rad\].
const ROUND: f64 = 1e-13;

impl FreeRotor {
    /// Largest relative increase of the kinetic energy that is accepted when constraints rotate a
    /// body while its angular momentum stays constant \[-\] (T.62).
    pub const LARGEST_RISE: f64 = 0.1;

    /// Angular velocity I⁻¹L, world axes \[rad/s\].
    pub fn spin(&self) -> Vector3<f64> {
        let local = self.axes.inverse_transform_vector(&self.momentum);
        self.axes * local.component_div(&self.moments)
    }

    /// Kinetic energy of the rotation \[J\].
    pub fn energy(&self) -> f64 {
        0.5 * self.momentum.dot(&self.spin())
    }

    /// Returns the body with the angular velocity `spin`, world axes \[rad/s\], in place of its
    /// own.
    #[must_use]
    pub fn with_spin(mut self, spin: &Vector3<f64>) -> Self {
        let local = self.axes.inverse_transform_vector(spin);
        self.momentum = self.axes * local.component_mul(&self.moments);
        self
    }

    /// The body after a free rotation over `h` \[s\] (T.51).
    #[must_use]
    pub fn after(&self, h: f64) -> Self {
        let inverse = self.moments.map(|moment| 1.0 / moment);
        let [a, b, c] = top_axes(&inverse);
        let mut local = Local {
            momentum: self.axes.inverse_transform_vector(&self.momentum),
            turn: Quaternion::identity(),
        };
        let rest = [a, c].map(|axis| inverse[axis] - inverse[b]);
        let pieces = pieces(&local.momentum, [a, c], rest, h);
        let part = h / pieces;
        let mut left = pieces;
        while left > 0.0 {
            local.rotate(a, 0.5 * part * rest[0]);
            local.rotate(c, part * rest[1]);
            local.rotate(a, 0.5 * part * rest[0]);
            left -= 1.0;
        }
        let within = UnitQuaternion::new_normalize(self.axes.into_inner() * local.turn);
        let axes = rotation::turned(&within, &(h * inverse[b] * self.momentum));
        Self { axes, ..*self }
    }

    /// Largest chord 2 sin(θ/2) of a rotation by θ that increases the energy by at most
    /// [`Self::LARGEST_RISE`] for every momentum \[-\] (T.62).
    pub fn harmless_chord(&self) -> f64 {
        ((1.0 + Self::LARGEST_RISE).sqrt() - 1.0) * (self.moments.min() / self.moments.max()).sqrt()
    }

    /// Returns the angular momentum after a step of `h` \[s\] in which constraints rotated the
    /// principal axes to `axes`. `None` if the momentum stays constant, because this increases the
    /// energy by at most [`Self::LARGEST_RISE`]. Otherwise the momentum keeps the components in the
    /// body's axes that it would have after a free rotation, which keeps the energy (T.63).
    pub fn led(&self, axes: &UnitQuaternion<f64>, h: f64) -> Option<Vector3<f64>> {
        if self.moments.min() < THINNEST * self.moments.max() {
            return None;
        }
        let cosine = self.axes.coords.dot(&axes.coords);
        if 4.0 * (1.0 - cosine * cosine) <= self.harmless_chord().powi(2) {
            return None;
        }
        let kept = Self {
            axes: *axes,
            ..*self
        };
        let (before, after) = (self.energy(), kept.energy());
        // an energy that is not finite stays what it is
        if after <= (1.0 + Self::LARGEST_RISE) * before || !after.is_finite() || !before.is_finite()
        {
            return None;
        }
        let free = self.after(h);
        Some(axes * free.axes.inverse_transform_vector(&free.momentum))
    }

    /// Returns the constant angular velocity that rotates a pose over `h` \[s\] as free rotation
    /// does (T.52).
    pub fn mean_spin(&self, h: f64) -> MeanSpin {
        let spin = self.spin();
        let still = |spin| MeanSpin { spin, before: None };
        let torque = spin.cross(&self.momentum);
        if torque == Vector3::zeros() {
            return still(spin);
        }
        if h * spin.norm() < SERIES {
            let slowing = Self {
                momentum: torque,
                ..*self
            };
            return still(spin - 0.5 * h * slowing.spin());
        }
        let end = self.after(h);
        let turn = end.axes * self.axes.inverse();
        // no angular velocity of this momentum is larger, so that mostly the mean is not needed
        let bound = self.momentum.norm() / self.moments.min();
        if h * bound < 3.0 {
            return still(rotation::log(&turn) / h);
        }
        let mean = 0.5 * (spin + end.spin());
        if h * mean.norm() < std::f64::consts::PI {
            return still(rotation::log(&turn) / h);
        }
        let before = rotation::exp(&(-h * mean)) * turn;
        MeanSpin {
            spin: mean,
            before: Some(before),
        }
    }
}

/// Which principal axes are a, b and c of (T.51): a and b have the most nearly equal inverse
/// moments.
fn top_axes(inverse: &Vector3<f64>) -> [usize; 3] {
    let gap = |[a, b, _]: [usize; 3]| (inverse[a] - inverse[b]).abs();
    let mut best = [0, 1, 2];
    for axes in [[1, 2, 0], [2, 0, 1]] {
        if gap(axes) < gap(best) {
            best = axes;
        }
    }
    best
}

/// How many pieces a step takes \[-\]: `rest` are 1/I_a − 1/I_b and 1/I_c − 1/I_b.
fn pieces(momentum: &Vector3<f64>, [a, c]: [usize; 2], rest: [f64; 2], h: f64) -> f64 {
    let square = momentum.norm_squared();
    let odd = h * rest[0].abs() * square.sqrt();
    if odd < ROUND {
        return 1.0;
    }
    // the energy bounds the component along the axis of the top
    let excess = rest[0] * momentum[a] * momentum[a] + rest[1] * momentum[c] * momentum[c];
    let top = h * (rest[1].abs() * (excess.abs() + rest[0].abs() * square)).sqrt();
    ((odd + top) / PIECE).ceil().clamp(1.0, PIECES)
}

/// Momentum in the axes of a body, and the rotation of these axes so far.
struct Local {
    momentum: Vector3<f64>,
    turn: Quaternion<f64>,
}

impl Local {
    /// Rotates the body about a principal axis by `rate` times the momentum along it \[rad\].
    fn rotate(&mut self, axis: usize, rate: f64) {
        let angle = rate * self.momentum[axis];
        let (sine, cosine) = libm::sincos(0.5 * angle);
        let mut vector = Vector3::zeros();
        vector[axis] = sine;
        self.turn *= Quaternion::from_parts(cosine, vector);
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let (s, c) = (2.0 * sine * cosine, cosine * cosine - sine * sine);
        let (y, z) = (self.momentum[next], self.momentum[last]);
        // the momentum stays in the world: in the body it rotates the other way
        self.momentum[next] = c * y + s * z;
        self.momentum[last] = c * z - s * y;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotor(moments: [f64; 3], spin: [f64; 3]) -> FreeRotor {
        let rotor = FreeRotor {
            moments: Vector3::from(moments),
            axes: rotation::exp(&Vector3::new(0.4, -1.1, 0.3)),
            momentum: Vector3::zeros(),
        };
        rotor.with_spin(&(rotor.axes * Vector3::from(spin)))
    }

    /// Moments, and an angular velocity in their axes.
    const BODIES: [([f64; 3], [f64; 3]); 6] = [
        ([1.0, 2.0, 2.9], [0.7, -1.3, 0.4]),
        ([2.9, 1.0, 2.0], [0.2, 3.0, -0.1]),
        ([0.21, 0.21, 1.3e-4], [6.0, 0.0, 30.0]),
        ([0.5, 0.500_001, 0.99], [0.1, 4.0, 7.0]),
        ([3.0, 1.6, 1.6], [-2.0, 0.3, 0.9]),
        ([1e-7, 1e-7, 2e-7], [250.0, 10.0, 900.0]),
    ];

    #[test]
    fn the_momentum_turns_against_the_body_as_the_body_does_under_it() {
        for (moments, spin) in BODIES {
            let start = rotor(moments, spin);
            let mut now = start;
            for _ in 0..50 {
                now = now.after(0.013);
            }
            // the energy is bounded by what the pieces allow, at any step
            let drift = (now.energy() / start.energy() - 1.0).abs();
            assert!(drift < 2e-4, "{moments:?}: {drift:e}");
        }
    }

    #[test]
    fn bodies_with_two_equal_moments_rotate_exactly_at_any_step() {
        for (moments, spin) in [BODIES[2], BODIES[4], BODIES[5]] {
            let start = rotor(moments, spin);
            for h in [1e-4, 0.02, 0.7, 40.0] {
                let found = start.after(h);
                // about L at L/I across, and about the own axis at what that leaves
                let axis = if moments[1] == moments[2] { 0 } else { 2 };
                let across = moments[(axis + 1) % 3];
                let own = spin[axis] * (1.0 - moments[axis] / across);
                let mut local = Vector3::zeros();
                local[axis] = h * own;
                let expected = rotation::exp(&(h * start.momentum / across))
                    * start.axes
                    * rotation::exp(&local);
                // some roundings of the angles themselves
                let angle = h * start.spin().norm();
                let error = found.axes.angle_to(&expected);
                assert!(error < 1e-13 * (2.0 + angle), "{moments:?} {h}: {error:e}");
                let drift = (found.energy() / start.energy() - 1.0).abs();
                assert!(drift < 1e-14 * (2.0 + angle), "{moments:?} {h}: {drift:e}");
            }
        }
    }

    #[test]
    fn the_error_of_a_step_is_of_third_order() {
        let start = rotor(BODIES[0].0, BODIES[0].1);
        // one step against many
        let error = |h: f64| {
            let mut fine = start;
            for _ in 0..1000 {
                fine = fine.after(h / 1000.0);
            }
            start.after(h).axes.angle_to(&fine.axes)
        };
        let [coarse, fine] = [0.04, 0.02].map(error);
        assert!(coarse < 1e-5, "{coarse:e}");
        assert!((7.0..9.0).contains(&(coarse / fine)), "{coarse:e} {fine:e}");
    }

    #[test]
    fn the_mean_rotates_the_pose_to_where_the_free_rotation_does() {
        for (moments, spin) in BODIES {
            let start = rotor(moments, spin);
            for h in [1e-9, 1e-6, 1e-3, 0.1, 0.5, 3.0] {
                let mean = start.mean_spin(h);
                let turned = rotation::exp(&(h * mean.spin));
                let found = turned * mean.before.unwrap_or_default() * start.axes;
                let error = found.angle_to(&start.after(h).axes);
                assert!(
                    error < 1e-13 * (1.0 + h * start.spin().norm()),
                    "{h}: {error:e}"
                );
                assert_eq!(
                    mean.before.is_some(),
                    h * mean.spin.norm() > std::f64::consts::PI
                );
            }
        }
        // about a principal axis nothing changes, to the bit
        let top = FreeRotor {
            axes: UnitQuaternion::identity(),
            ..rotor([1.0, 2.0, 2.5], [0.0; 3])
        };
        let top = top.with_spin(&(7.3 * Vector3::y()));
        assert_eq!(top.mean_spin(0.2).spin, 7.3 * Vector3::y());
    }

    /// Thin links with random momenta, and random places to which constraints turn them: the
    /// energy of what `led` leaves over that before.
    #[test]
    fn constraints_that_turn_thin_links_do_not_raise_their_energy() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut uniform = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        };
        let (mut kept, mut led, mut worst) = (0, 0, 0.0_f64);
        for _ in 0..20_000 {
            let mut vector = |size: f64| size * Vector3::from_fn(|_, _| 2.0 * uniform() - 1.0);
            let (spin, turn, start) = (vector(80.0), vector(1.5), vector(3.0));
            let thin = 2.0 + 60.0 * uniform();
            // flat enough to be a body: no moment exceeds the sum of the others
            let other = 1.0 - 0.9 * uniform() / thin;
            let start = FreeRotor {
                moments: Vector3::new(1.0, 1.0 / thin, other),
                axes: rotation::exp(&start),
                momentum: Vector3::zeros(),
            };
            let start = start.with_spin(&spin);
            let (h, turn) = (0.004 * uniform(), uniform() * turn);
            let axes = rotation::exp(&turn) * start.axes;
            let constant = FreeRotor { axes, ..start };
            let end = match start.led(&axes, h) {
                None => constant,
                Some(momentum) => FreeRotor {
                    momentum,
                    ..constant
                },
            };
            let rise = end.energy() / start.energy() - 1.0;
            if end == constant {
                kept += 1;
                assert!(rise <= FreeRotor::LARGEST_RISE, "{rise}");
            } else {
                led += 1;
                worst = worst.max(rise.abs());
                // a constant momentum has its length, and so has one that turns
                let length = end.momentum.norm() / start.momentum.norm();
                assert!((length - 1.0).abs() < 1e-12, "{length}");
                assert!(constant.energy() > (1.0 + FreeRotor::LARGEST_RISE) * start.energy());
            }
            // where free rotation itself brings the axes, the momentum stays
            assert_eq!(start.led(&start.after(h).axes, h), None);
            // and within the harmless chord
            let short = turn.normalize() * start.harmless_chord();
            let near = FreeRotor {
                axes: rotation::exp(&short) * start.axes,
                ..start
            };
            assert!(near.energy() <= (1.0 + FreeRotor::LARGEST_RISE) * start.energy());
        }
        // three different moments: the free rotation keeps the energy to second order
        assert!(worst < 1e-3, "{worst}");
        assert!(kept > 2_000 && led > 2_000, "{kept} {led}");
    }
}
