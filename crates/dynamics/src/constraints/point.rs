//! `point`: one point of each body coincide; ball joint, ball-socket, spherical joint.
//!
//! C = R_Aᵀ(p_B − p_A), three rows in the axes of A (C.2). In world axes C would be the same three
//! numbers turned, but the impulses of a joint that has drifted apart would then create angular
//! momentum (C.4). Nearest siblings: [`super::Hinge`] and [`super::Universal`] keep rotations as
//! well, [`super::PointOnLine`] leaves one direction free. Theory: docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Ball joint (C.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The point in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
}

impl Constraint for Point {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "point",
        aliases: &[
            "ball-socket",
            "ball joint",
            "spherical joint",
            "point-to-point",
        ],
        summary: "a point of A and a point of B coincide; all rotations are free",
        theory: &["C.2"],
        units: &[RowUnit::Length; 3],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(&self.anchors)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        joint_rows::push_point(rows, poses, &self.anchors);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let anchors = [random.vector(1.0), random.vector(1.0)];
        let poses = vec![random.pose(2.0), random.pose(2.0)];
        let bodies = [0, 1];
        (Self { bodies, anchors }, poses)
    }
}
