//! `linear-servo`: the slide of B along an axis of A follows a target.
//!
//! C = s − b(t), s the slide (L.6), one row (L.12). Soft it is a spring along an axis.
//! Nearest sibling: [`super::LinearMotor`] follows a speed.
//! Theory: docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::slide;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;
use crate::signal::Signal;

/// Position drive of a slider (L.12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LinearServo {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The points in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// The axis in the axes of A, with which it turns, a unit vector \[-\].
    pub axis: Vector3<f64>,
    /// Distance of B's point from A's along the axis \[m\].
    pub target: Signal,
}

impl Constraint for LinearServo {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "linear-servo",
        aliases: &["prismatic servo", "linear actuator", "suspension"],
        summary: "a point of B keeps a given distance, which may change, along an axis of A",
        theory: &["L.6", "L.12"],
        units: &[RowUnit::Length],
        force: ForceKind::Drive,
    };

    fn validate(&self) -> Result<(), FieldError> {
        slide::validate(&self.anchors, &self.axis)?;
        self.target.validate("target")
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let slide = slide::slide(poses, &self.anchors, &self.axis);
        let error = slide.value - self.target.value(time);
        rows.push_relative(error, -self.target.rate(time), &slide.axis, slide.arms);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, axis, poses) = slide::example(random);
        let servo = Self {
            bodies: [0, 1],
            anchors,
            axis,
            target: Signal::Sine {
                mean: random.number(-1.0, 1.0),
                amplitude: random.number(0.0, 1.0),
                hertz: random.number(0.1, 1.0),
                phase: random.number(-3.0, 3.0),
            },
        };
        (servo, poses)
    }
}
