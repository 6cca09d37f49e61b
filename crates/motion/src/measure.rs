//! Quantities of a world at one instant.

use delassus_dynamics::constraints::AnyConstraint;
use delassus_dynamics::{Body, Energy, ForceKind, Joint, RowUnit, Rows, Signal, World, rotation};
use nalgebra::Vector3;

use delassus_records::observable::{BodyPart, Observable};

use super::resolve::number;

/// Largest value and RMS or mean of a set of numbers.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Extremes {
    pub(super) max: f64,
    pub(super) mean: f64,
}

/// Largest and mean of numbers that come one by one.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Spread {
    max: f64,
    sum: f64,
    count: f64,
}

impl Spread {
    /// Takes note of a number that is not negative.
    pub(super) fn add(&mut self, value: f64) {
        self.max = self.max.max(value);
        self.sum += value;
        self.count += 1.0;
    }

    /// The largest; `None` of nothing.
    pub(super) fn max(&self) -> Option<f64> {
        (self.count > 0.0).then_some(self.max)
    }

    /// Their mean; `None` of nothing.
    pub(super) fn mean(&self) -> Option<f64> {
        self.mean_of(self.sum)
    }

    /// A sum of another function of them over their number; `None` of nothing.
    pub(super) fn mean_of(&self, sum: f64) -> Option<f64> {
        (self.count > 0.0).then(|| sum / self.count)
    }
}

/// Joint drift (R.1): largest magnitude and RMS of the errors of rigid joint rows with `unit`;
/// `None` without any.
pub(super) fn drift(world: &World, unit: RowUnit) -> Option<Extremes> {
    let errors = world.joint_errors();
    let (mut first, mut max, mut sum, mut count) = (0, 0.0_f64, 0.0, 0.0);
    for joint in world.joints() {
        let descriptor = joint.constraint.descriptor();
        let end = first + descriptor.units.len();
        // the error of a spring is physics, and that of a drive is its task
        if joint.softness_of(unit).is_rigid() && descriptor.force != ForceKind::Drive {
            let rows = errors[first..end].iter().filter(|(own, _)| *own == unit);
            for (_, error) in rows {
                max = max.max(error.abs());
                sum += error * error;
                count += 1.0;
            }
        }
        first = end;
    }
    (count > 0.0).then(|| Extremes {
        max,
        mean: (sum / count).sqrt(),
    })
}

/// Mean squares of the speeds and angular speeds of the dynamic bodies \[m²/s²\], \[rad²/s²\];
/// `None` without any.
pub(super) fn mean_squares(world: &World) -> Option<[f64; 2]> {
    let (mut linear, mut angular, mut count) = (0.0, 0.0, 0.0);
    for body in world.bodies().iter().filter(|body| body.is_dynamic()) {
        linear += body.velocity.norm_squared();
        angular += body.spin.norm_squared();
        count += 1.0;
    }
    (count > 0.0).then(|| [linear / count, angular / count])
}

/// The largest speed \[m/s\] and the largest angular speed \[rad/s\] of a dynamic body; `None`
/// without any.
pub(super) fn largest(world: &World) -> Option<[f64; 2]> {
    let (mut speed, mut spin) = (Spread::default(), Spread::default());
    for body in world.bodies().iter().filter(|body| body.is_dynamic()) {
        speed.add(body.velocity.norm());
        spin.add(body.spin.norm());
    }
    Some([speed.max()?, spin.max()?])
}

/// Speed of the matter of a body, RMS, below which it rests \[m/s\].
const REST: f64 = 1e-3;

/// True if every dynamic body rests (R.29); `None` without any.
pub(super) fn rests(world: &World) -> Option<bool> {
    let mut dynamic = world.bodies().iter().filter(|body| body.is_dynamic());
    let rests = |body: &Body| body.kinetic_energy() <= 0.5 * body.inertia.mass * (REST * REST);
    let first = dynamic.next()?;
    Some(rests(first) && dynamic.all(rests))
}

/// Sum of the magnitudes of all terms of an energy, whose rounding it is a measure of \[J\] (R.47).
pub(super) fn energy_magnitude(world: &World, energy: &Energy) -> f64 {
    let dynamic = world.bodies().iter().filter(|body| body.is_dynamic());
    let weights = dynamic.map(|body| {
        let weight = body.inertia.mass * body.gravity_scale * world.gravity();
        weight.dot(&body.position.to_vector()).abs()
    });
    energy.kinetic + energy.spring + weights.sum::<f64>()
}

/// The largest speed of a body \[m/s\].
pub(super) fn fastest(world: &World) -> f64 {
    let speeds = world.bodies().iter().map(|body| body.velocity.norm());
    speeds.fold(0.0, f64::max)
}

/// One component of one body or joint; `None` if the world has no such thing, for names, which
/// [`super::resolved`] replaces, and for other observables.
pub(super) fn component(world: &World, observable: &Observable) -> Option<f64> {
    match *observable {
        Observable::Quantity(_) | Observable::Contact { .. } => None,
        Observable::Body { part, body, axis } => {
            let body = world.bodies().get(number(body)?)?;
            let vector = match part {
                BodyPart::Position => body.position.to_vector(),
                BodyPart::Velocity => body.velocity,
                BodyPart::Spin => body.spin,
                BodyPart::Angle => rotation::log(&body.orientation),
            };
            vector.get(axis).copied()
        }
        Observable::JointError { joint, row } => {
            let joint = number(joint)?;
            world.joints().get(joint)?;
            let mut rows = Rows::default();
            world.evaluate_joint(joint, &mut rows);
            rows.error.get(row).copied()
        }
        Observable::Reaction {
            torque,
            joint,
            axis,
        } => {
            let reaction = world.reaction(number(joint)?, 1)?;
            let vector = if torque {
                reaction.torque
            } else {
                reaction.force
            };
            vector.get(axis).copied()
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
pub(super) fn real(count: u64) -> f64 {
    count as f64
}

/// True if something but gravity may work on the bodies: drives, forces, bodies that are moved, and
/// lengths that change.
pub(super) fn has_work(world: &World) -> bool {
    let pushed = |body: &Body| {
        let still = body.velocity == Vector3::zeros() && body.spin == Vector3::zeros();
        match body.is_dynamic() {
            true => body.force != Vector3::zeros() || body.torque != Vector3::zeros(),
            false => !still,
        }
    };
    let drives = |joint: &Joint| match &joint.constraint {
        AnyConstraint::Distance(rod) => !matches!(rod.length, Signal::Constant(_)),
        AnyConstraint::MinDistance(rod) => !matches!(rod.length, Signal::Constant(_)),
        AnyConstraint::Rope(rope) => !matches!(rope.length, Signal::Constant(_)),
        other => other.descriptor().force == ForceKind::Drive,
    };
    world.bodies().iter().any(pushed) || world.joints().iter().any(drives)
}

/// True if a scheme that says only how the bodies move has no value of the observable; `has_work`
/// of the world.
pub(super) fn is_unknown(observable: &Observable, has_work: bool) -> bool {
    let of_work = matches!(observable, Observable::Quantity(quantity) if quantity.needs_work());
    observable.needs_impulses() || (has_work && of_work)
}
