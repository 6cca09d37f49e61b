//! Angles between an axis of A and an axis of B, with their exact gradients.
//!
//! A rotation is a twist about an axis followed by a swing of that axis (L.1). Gradients are world
//! vectors g with dθ/dt = g · (ω_B − ω_A), so that a row is one torque on B and its opposite on A.

use std::f64::consts::TAU;

use nalgebra::{Quaternion, UnitQuaternion, Vector3};

use crate::body::Pose;
use crate::constraint::ExampleRng;
use crate::error::FieldError;
use crate::rotation;

/// An angle and its gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Angle {
    /// Value \[rad\].
    pub(super) value: f64,
    /// Derivative with respect to the angular velocity of B relative to A, world axes \[-\].
    pub(super) gradient: Vector3<f64>,
}

/// Twist of B relative to A about `axes`, in (−π, π] (L.2); the angle of a hinge where the axes
/// agree.
///
/// It is zero where the shortest arc takes B's axis, in the frame of A, to A's. Its gradient (L.3)
/// grows with the swing and has no limit where the axes are opposite; there it is A's axis.
pub(super) fn twist(poses: &[Pose], axes: &[Vector3<f64>; 2]) -> Angle {
    let relative = poses[0].orientation.inverse() * poses[1].orientation;
    let q = (relative * arc(&axes[1], &axes[0]).inverse()).into_inner();
    let along = q.i * axes[0].x + q.j * axes[0].y + q.k * axes[0].z;
    // q and −q are the same rotation
    let (sine, cosine) = if q.w < 0.0 {
        (-along, -q.w)
    } else {
        (along, q.w)
    };
    let [a, b] = [0, 1].map(|side| poses[side].rotate(&axes[side]));
    let denominator = 1.0 + a.dot(&b);
    let gradient = if denominator > SINGULAR {
        (a + b) / denominator
    } else {
        a
    };
    Angle {
        value: 2.0 * libm::atan2(sine, cosine),
        gradient,
    }
}

/// Swing: the angle between the two axes, in \[0, π\] (L.4).
///
/// Its gradient is a unit vector along a × b, with no limit where the axes are parallel or
/// opposite; there it is some direction across them.
pub(super) fn swing(poses: &[Pose], axes: &[Vector3<f64>; 2]) -> Angle {
    let [a, b] = [0, 1].map(|side| poses[side].rotate(&axes[side]));
    let across = a.cross(&b);
    let sine = across.norm();
    let gradient = if sine > SINGULAR {
        across / sine
    } else {
        rotation::tangents(&a)[0]
    };
    Angle {
        value: libm::atan2(sine, a.dot(&b)),
        gradient,
    }
}

/// The same angle in \[−π, π\] \[rad\].
pub(super) fn wrap(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// The angle that differs from this one by whole turns and is nearest to `near` \[rad\].
pub(super) fn unwound(angle: f64, near: f64) -> f64 {
    angle + TAU * ((near - angle) / TAU).round()
}

/// Of the angles that differ from this one by whole turns the one that violates a range least, and
/// of those the one nearest to zero \[rad\].
pub(super) fn start_in(angle: f64, [lower, upper]: [f64; 2]) -> f64 {
    let outside = |angle: f64| (lower - angle).max(angle - upper).max(0.0);
    let mut start = unwound(angle, 0.0_f64.max(lower).min(upper));
    for other in [start - TAU, start + TAU] {
        if outside(other) < outside(start) {
            start = other;
        }
    }
    start
}

/// False where the axes point away from each other, within 11°: the twist jumps there.
pub(super) fn has_twist(poses: &[Pose], axes: &[Vector3<f64>; 2]) -> bool {
    let [a, b] = [0, 1].map(|side| poses[side].rotate(&axes[side]));
    1.0 + a.dot(&b) > 0.02
}

/// Largest bound of an angle \[rad\]: at more turns the angle loses digits that a limit needs.
pub(super) const MOST_TURNED: f64 = 1e6;

/// Closer than this to a singular pose, gradients are replaced.
const SINGULAR: f64 = 1e-12;

/// The shortest rotation that takes the unit vector `from` to `to`; through a vector across both
/// where they are opposite.
fn arc(from: &Vector3<f64>, to: &Vector3<f64>) -> UnitQuaternion<f64> {
    let cosine = from.dot(to);
    // the half-angle quaternion loses its digits near a half turn
    if 1.0 + cosine < 1e-6 {
        let middle = rotation::tangents(to)[0];
        return arc(&middle, to) * arc(from, &middle);
    }
    UnitQuaternion::new_normalize(Quaternion::from_parts(1.0 + cosine, from.cross(to)))
}

/// Refuses axes that are not of unit length.
pub(super) fn validate_axes(axes: &[Vector3<f64>; 2]) -> Result<(), FieldError> {
    FieldError::unit_vector("axes[0]", &axes[0])?;
    FieldError::unit_vector("axes[1]", &axes[1])
}

/// Refuses a range of angles that is not ordered or too far from zero.
pub(super) fn validate_range(lower: f64, upper: f64) -> Result<(), FieldError> {
    for (field, value) in [("lower", lower), ("upper", upper)] {
        validate_angle(field, value)?;
    }
    if lower > upper {
        let expected = format!("the lower bound is at most the upper one, {upper} [rad]");
        return Err(FieldError::new("lower", lower, &expected));
    }
    Ok(())
}

/// Refuses an angle that is not finite or too far from zero.
pub(super) fn validate_angle(field: &str, value: f64) -> Result<(), FieldError> {
    if value.abs() <= MOST_TURNED {
        return Ok(());
    }
    let expected = "an angle of at most a million radians [rad]; leave a joint that turns on and on without a limit";
    Err(FieldError::new(field, value, expected))
}

/// True for the reference that a file may leave out.
pub(super) fn is_zero(reference: &f64) -> bool {
    *reference == 0.0
}

/// Random poses whose axes have the given twist and swing \[rad\].
pub(super) fn example_poses(
    random: &mut ExampleRng<'_>,
    axes: &[Vector3<f64>; 2],
    twist: f64,
    swing: f64,
) -> Vec<Pose> {
    let (first, mut second) = (random.pose(1.0), random.pose(1.0));
    let [across, other] = rotation::tangents(&axes[0]);
    let around = random.number(-3.0, 3.0);
    let (sine, cosine) = libm::sincos(around);
    let swung = rotation::about(&(cosine * across + sine * other), swing);
    let turned = rotation::about(&axes[0], twist);
    second.orientation = first.orientation * swung * turned * arc(&axes[1], &axes[0]);
    vec![first, second]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random() -> impl FnMut() -> f64 {
        // 64-bit linear congruence of Knuth's MMIX: enough for examples
        let mut state = 1_u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    #[test]
    fn twist_and_swing_are_those_that_made_the_pose() {
        let mut source = random();
        let mut random = ExampleRng(&mut source);
        for _ in 0..200 {
            let axes = [random.direction(), random.direction()];
            let (made, swung) = (random.number(-3.1, 3.1), random.number(0.01, 3.0));
            let poses = example_poses(&mut random, &axes, made, swung);
            // half-angle sums round once per product; a swing near π divides by cos(swing/2) > 0.07
            assert!((twist(&poses, &axes).value - made).abs() < 1e-13);
            assert!((swing(&poses, &axes).value - swung).abs() < 1e-13);
        }
    }

    #[test]
    fn gradients_are_the_differences_of_the_angles() {
        let mut source = random();
        let mut random = ExampleRng(&mut source);
        for _ in 0..200 {
            let axes = [random.direction(), random.direction()];
            let (made, swung) = (random.number(-3.0, 3.0), random.number(0.05, 2.8));
            let poses = example_poses(&mut random, &axes, made, swung);
            let spins = [random.vector(1.0), random.vector(1.0)];
            let moved = |time: f64| {
                let mut moved = poses.clone();
                for (pose, spin) in moved.iter_mut().zip(&spins) {
                    pose.advance(Vector3::zeros(), &(time * spin));
                }
                moved
            };
            let step = 1e-5;
            for angle in [twist, swing] {
                let after = angle(&moved(step), &axes).value;
                let before = angle(&moved(-step), &axes).value;
                let rate = (after - before) / (2.0 * step);
                let expected = angle(&poses, &axes).gradient.dot(&(spins[1] - spins[0]));
                // central differences err by step² times the third derivative, which grows towards
                // a swing of π
                assert!((rate - expected).abs() < 1e-6, "{rate} {expected} {swung}");
            }
        }
    }

    #[test]
    fn aligned_axes_give_the_axis_and_singular_poses_stay_finite() {
        let axes = [Vector3::z(), Vector3::z()];
        let pose = |orientation| Pose {
            position: Vector3::zeros().into(),
            orientation,
        };
        let turned = pose(rotation::about(&Vector3::z(), 0.5));
        let poses = [pose(UnitQuaternion::identity()), turned];
        let angle = twist(&poses, &axes);
        assert!((angle.value - 0.5).abs() < 1e-15 && angle.gradient == Vector3::z());
        assert!(swing(&poses, &axes).gradient.norm() == 1.0);
        let opposite = [Vector3::z(), -Vector3::z()];
        for axes in [axes, opposite] {
            let flipped = pose(rotation::about(&Vector3::x(), std::f64::consts::PI));
            let poses = [pose(UnitQuaternion::identity()), flipped];
            assert!(twist(&poses, &axes).gradient.norm().is_finite());
            assert!(twist(&poses, &axes).value.is_finite());
        }
    }

    #[test]
    fn arcs_take_one_axis_to_the_other() {
        let mut source = random();
        let mut random = ExampleRng(&mut source);
        for _ in 0..100 {
            let from = random.direction();
            for to in [
                random.direction(),
                -from,
                (1e-4 * random.direction() - from).normalize(),
            ] {
                assert!((arc(&from, &to) * from - to).norm() < 1e-12);
            }
        }
    }
}
