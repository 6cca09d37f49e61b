//! `angular-servo`: the angle of a hinge follows a target.
//!
//! C = θ − b(t) on the circle, θ the twist (L.2), one row (L.12). Soft it is a torsion spring.
//! Nearest siblings: [`super::AngularMotor`] follows a speed, [`super::OrientationServo`] a whole orientation.
//! Limitations: an error of half a turn has no shorter way; the servo turns either way.
//! Theory: docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ForceKind, Random, RowUnit, Rows};
use crate::error::FieldError;
use crate::signal::Signal;

/// Position drive of a hinge (L.12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AngularServo {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The axis of the hinge in each body's axes, unit vectors \[-\]. The angle is zero where the shortest arc between
    /// them takes B to A.
    pub axes: [Vector3<f64>; 2],
    /// Angle \[rad\]; any number, whole turns do not count.
    pub target: Signal,
}

impl Constraint for AngularServo {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "angular-servo",
        aliases: &["hinge servo", "torsion spring"],
        summary: "the angle of B about an axis of A keeps a given value, which may change",
        theory: &["L.2", "L.3", "L.12"],
        units: &[RowUnit::Angle],
        force: ForceKind::Drive,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        self.target.validate("target")
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let twist = angle::twist(poses, &self.axes);
        let error = angle::wrap(twist.value - self.target.value(time));
        rows.push_angular(error, -self.target.rate(time), &twist.gradient);
    }

    fn example(random: &mut Random<'_>) -> (Self, Vec<Pose>) {
        let axes = [random.direction(), random.direction()];
        let target = Signal::Ramp {
            start: random.number(-9.0, 9.0),
            rate: random.number(-1.0, 1.0),
        };
        // the error stays away from half a turn, where it jumps
        let twist = target.value(0.0) + random.number(-2.5, 2.5);
        let swing = random.number(0.0, 1.0);
        let poses = angle::example_poses(random, &axes, twist, swing);
        let servo = Self {
            bodies: [0, 1],
            axes,
            target,
        };
        (servo, poses)
    }
}
