//! `angular-motor`: B turns relative to A at a given speed about an axis.
//!
//! J ω = b(t) with the gradient of the twist (L.3), no position error (L.11): what is lost to a
//! torque limit is not made up. With a target of zero and a torque limit it is dry friction of the
//! joint. Nearest sibling: [`super::AngularServo`] follows an angle. Theory:
//! docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;
use crate::signal::Signal;

/// Velocity drive of a hinge (L.11).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AngularMotor {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The axis of the hinge in each body's axes, unit vectors \[-\].
    pub axes: [Vector3<f64>; 2],
    /// Rate of the twist \[rad/s\].
    pub target: Signal,
}

impl Constraint for AngularMotor {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "angular-motor",
        aliases: &["hinge motor", "revolute motor", "wheel motor"],
        summary: "B turns about an axis of A at a given speed, as far as its torque limit allows",
        theory: &["L.3", "L.11"],
        units: &[RowUnit::Angle],
        force: ForceKind::Drive,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        self.target.validate("target")
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let twist = angle::twist(poses, &self.axes);
        rows.push_angular(0.0, -self.target.value(time), &twist.gradient);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let axes = [random.direction(), random.direction()];
        let motor = Self {
            bodies: [0, 1],
            axes,
            target: Signal::Constant(random.number(-2.0, 2.0)),
        };
        let (twist, swing) = (random.number(-3.0, 3.0), random.number(0.0, 1.0));
        let poses = angle::example_poses(random, &axes, twist, swing);
        (motor, poses)
    }
}
