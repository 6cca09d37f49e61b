//! `point-on-plane`: a point of B lies on a plane of A.
//!
//! C = n · (p_B − p_A) with a normal n that turns with A, one row (C.8). Nearest siblings:
//! [`super::PointOnLine`] leaves one direction free instead of two; a contact is the same row with
//! a force of one sign. Limitations: the plane has no edge, and holds the point from both sides.
//! Theory: docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Point that glides on a plane (C.8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointOnPlane {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// A point of the plane in A's axes and the gliding point in B's, from the centres of mass
    /// \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// Normal of the plane in A's axes, a unit vector \[-\]; C is positive on the side that it
    /// points to.
    pub normal: Vector3<f64>,
}

impl Constraint for PointOnPlane {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "point-on-plane",
        aliases: &["point-plane", "planar point"],
        summary: "a point of B lies on a plane of A; all rotations and the ways within the plane are free",
        theory: &["C.8"],
        units: &[RowUnit::Length],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(&self.anchors)?;
        FieldError::unit_vector("normal", &self.normal)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let gap = joint_rows::gap(poses, &self.anchors);
        joint_rows::push_along(rows, poses, &gap, &self.normal);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let joint = Self {
            bodies: [0, 1],
            anchors: [random.vector(0.5), random.vector(0.5)],
            normal: random.direction(),
        };
        (joint, vec![random.pose(1.0), random.pose(1.0)])
    }
}
