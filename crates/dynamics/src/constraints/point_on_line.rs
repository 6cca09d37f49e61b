//! `point-on-line`: a point of B lies on a line of A; bead on a straight wire, point in a slot.
//!
//! C = tᵢ · (p_B − p_A) for two directions t₁, t₂ across the line, which turn with A; two rows
//! (C.7). Nearest siblings: [`super::PointOnPlane`] leaves two directions free, [`super::Slider`]
//! also keeps the orientation. Limitations: the line has no ends; a slide limit gives it some.
//! Theory: docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{joint_rows, slide};
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Bead on a straight wire (C.7).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PointOnLine {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// A point of the line in A's axes and the bead in B's, from the centres of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// Direction of the line in A's axes, a unit vector \[-\].
    pub axis: Vector3<f64>,
}

impl Constraint for PointOnLine {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "point-on-line",
        aliases: &["bead on a wire", "slot", "point-line"],
        summary: "a point of B lies on a line of A; all rotations and the way along the line are free",
        theory: &["C.7"],
        units: &[RowUnit::Length; 2],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        slide::validate(&self.anchors, &self.axis)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        joint_rows::push_line(rows, poses, &self.anchors, &self.axis);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, axis, poses) = slide::example(random);
        let joint = Self {
            bodies: [0, 1],
            anchors,
            axis,
        };
        (joint, poses)
    }
}
