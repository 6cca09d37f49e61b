//! `universal`: a point of each body coincides, and an axis of A stays perpendicular to an axis of
//! B; Hooke's joint, Cardan joint.
//!
//! C = (R_Aᵀ(p_B − p_A), a · b): three rows of a point (C.2), one of perpendicular axes (C.9).
//! Nearest siblings: [`super::Point`] leaves the third rotation free, [`super::Hinge`] keeps two.
//! Limitations: the last row is the cosine between the axes; it loses its hold where they are
//! parallel, a right angle away from where they belong. Theory: docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{angle, joint_rows};
use crate::body::Pose;
use crate::constraint::RowUnit::{Angle, Length};
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, Rows};
use crate::error::FieldError;

/// Hooke's joint (C.12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Universal {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The point in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// The arm of the cross that each body carries, in its own axes, unit vectors \[-\]:
    /// perpendicular to each other.
    pub axes: [Vector3<f64>; 2],
}

impl Constraint for Universal {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "universal",
        aliases: &["hooke joint", "cardan joint", "u-joint"],
        summary: "a point of A and B coincides and two axes stay perpendicular; the rotations about both are free",
        theory: &["C.2", "C.9", "C.12"],
        units: &[Length, Length, Length, Angle],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(&self.anchors)?;
        angle::validate_axes(&self.axes)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        joint_rows::push_point(rows, poses, &self.anchors);
        joint_rows::push_perpendicular(rows, poses, &self.axes[0], &self.axes[1]);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let joint = Self {
            bodies: [0, 1],
            anchors: [random.vector(0.5), random.vector(0.5)],
            axes: [random.direction(), random.direction()],
        };
        (joint, vec![random.pose(1.0), random.pose(1.0)])
    }
}
