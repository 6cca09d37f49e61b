//! `weld`: B keeps its pose in the axes of A; fixed joint.
//!
//! C = (R_Aᵀ(p_B − p_A), 2 vec(e)): three rows of a point (C.2), three of an orientation (C.13),
//! one block of six. Nearest siblings: [`super::Hinge`] leaves one rotation free, [`super::Slider`]
//! one translation. Limitations: those of [`super::Angular`] at an orientation error of π. Theory:
//! docs/theory/07-constraints.md.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::RowUnit::{Angle, Length};
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, Rows};
use crate::error::FieldError;
use crate::rotation;

/// Fixed joint (C.15).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Weld {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The point in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// Orientation of B in the axes of A.
    #[serde(default)]
    pub orientation: UnitQuaternion<f64>,
}

impl Constraint for Weld {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "weld",
        aliases: &["fixed", "fixed joint", "rigid joint"],
        summary: "B keeps its position and orientation in the axes of A; nothing is free",
        theory: &["C.2", "C.13", "C.14", "C.15"],
        units: &[Length, Length, Length, Angle, Angle, Angle],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(&self.anchors)?;
        rotation::validate("orientation", &self.orientation)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        joint_rows::push_point(rows, poses, &self.anchors);
        joint_rows::push_orientation(rows, poses, &self.orientation);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let joint = Self {
            bodies: [0, 1],
            anchors: [random.vector(0.5), random.vector(0.5)],
            orientation: random.rotation(3.0),
        };
        let (first, mut second) = (random.pose(1.0), random.pose(1.0));
        // the error stays away from half a turn, where it jumps
        second.orientation = first.orientation * random.rotation(2.5) * joint.orientation;
        (joint, vec![first, second])
    }
}
