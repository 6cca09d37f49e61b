//! `point`: one point of each body coincide; ball joint, ball-socket, spherical joint.
//!
//! C = p_B − p_A in world axes, three rows (C.2).

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ForceKind, Random, RowUnit, Rows};
use crate::error::FieldError;

/// Ball joint (C.2).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Point {
    /// Bodies A and B.
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

    fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    fn validate(&self) -> Result<(), FieldError> {
        FieldError::finite_vector("anchors[0]", &self.anchors[0])?;
        FieldError::finite_vector("anchors[1]", &self.anchors[1])
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let arms = [0, 1].map(|side| poses[side].rotate(&self.anchors[side]));
        let error = (poses[1].position - poses[0].position) + (arms[1] - arms[0]);
        for axis in 0..3 {
            let mut direction = Vector3::zeros();
            direction[axis] = 1.0;
            rows.push_relative(error[axis], 0.0, &direction, arms);
        }
    }

    fn example(random: &mut Random<'_>) -> (Self, Vec<Pose>) {
        let anchors = [random.vector(1.0), random.vector(1.0)];
        let poses = vec![random.pose(2.0), random.pose(2.0)];
        let bodies = [0, 1];
        (Self { bodies, anchors }, poses)
    }
}
