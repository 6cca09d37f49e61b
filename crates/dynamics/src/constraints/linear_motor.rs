//! `linear-motor`: a point of B moves along an axis of A at a given speed.
//!
//! J v = b(t) with the row of the slide (L.6), no position error (L.11): what is lost to a force
//! limit is not made up. Nearest sibling: [`super::LinearServo`] follows a position. Theory:
//! docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::slide;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;
use crate::signal::Signal;

/// Velocity drive of a slider (L.11).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearMotor {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The points in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// The axis in the axes of A, with which it turns, a unit vector \[-\].
    pub axis: Vector3<f64>,
    /// Rate of the slide \[m/s\].
    pub target: Signal,
}

impl Constraint for LinearMotor {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "linear-motor",
        aliases: &["prismatic motor", "translational motor"],
        summary: "a point of B moves along an axis of A at a given speed, as far as its force limit allows",
        theory: &["L.6", "L.11"],
        units: &[RowUnit::Length],
        force: ForceKind::Drive,
    };

    fn validate(&self) -> Result<(), FieldError> {
        slide::validate(&self.anchors, &self.axis)?;
        self.target.validate("target")
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let slide = slide::slide(poses, &self.anchors, &self.axis);
        rows.push_relative(0.0, -self.target.value(time), &slide.axis, slide.arms);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, axis, poses) = slide::example(random);
        let motor = Self {
            bodies: [0, 1],
            anchors,
            axis,
            target: Signal::Constant(random.number(-2.0, 2.0)),
        };
        (motor, poses)
    }
}
