//! `slider`: B slides along an axis of A and keeps its orientation; prismatic joint.
//!
//! C = (t₁ · (p_B − p_A), t₂ · (p_B − p_A), 2 vec(e)): two rows of a point on a line (C.7), three
//! of an orientation (C.13). Nearest siblings: [`super::PointOnLine`] leaves the rotations free,
//! [`super::Weld`] keeps the slide as well. Limitations: those of [`super::Angular`] at an
//! orientation error of π; the slide has no ends without a slide limit. Theory:
//! docs/theory/07-constraints.md.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::{joint_rows, slide};
use crate::body::Pose;
use crate::constraint::RowUnit::{Angle, Length};
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, Rows};
use crate::error::FieldError;
use crate::rotation;

/// Prismatic joint (C.16).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Slider {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The points in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// Direction of the slide in A's axes, a unit vector \[-\].
    pub axis: Vector3<f64>,
    /// Orientation of B in the axes of A.
    #[serde(default)]
    pub orientation: UnitQuaternion<f64>,
}

impl Constraint for Slider {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "slider",
        aliases: &["prismatic", "prismatic joint", "sliding joint"],
        summary: "B slides along an axis of A and keeps its orientation",
        theory: &["C.7", "C.13", "C.14", "C.16"],
        units: &[Length, Length, Angle, Angle, Angle],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        slide::validate(&self.anchors, &self.axis)?;
        rotation::validate("orientation", &self.orientation)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        joint_rows::push_line(rows, poses, &self.anchors, &self.axis);
        joint_rows::push_orientation(rows, poses, &self.orientation);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, axis, mut poses) = slide::example(random);
        let joint = Self {
            bodies: [0, 1],
            anchors,
            axis,
            orientation: random.rotation(3.0),
        };
        // the error stays away from half a turn, where it jumps
        poses[1].orientation = poses[0].orientation * random.rotation(2.5) * joint.orientation;
        (joint, poses)
    }
}
