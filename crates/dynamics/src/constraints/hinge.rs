//! `hinge`: a point and an axis of each body coincide; revolute joint.
//!
//! C = (R_Aᵀ(p_B − p_A), t₁ · b, t₂ · b): three rows of a point (C.2), two of parallel axes (C.10).
//! Nearest siblings: [`super::Point`] leaves all rotations free, [`super::Universal`] two,
//! [`super::Weld`] none. Limitations: ‖C‖ of the axes is the sine of their angle, so that opposite
//! axes are a solution as well: axes that are more than a right angle apart go there. Theory:
//! docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{angle, joint_rows};
use crate::body::Pose;
use crate::constraint::RowUnit::{Angle, Length};
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, Rows};
use crate::error::FieldError;

/// Revolute joint (C.11).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Hinge {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The point in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// The axis in each body's axes, unit vectors \[-\].
    pub axes: [Vector3<f64>; 2],
}

impl Constraint for Hinge {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "hinge",
        aliases: &["revolute", "revolute joint", "pin joint"],
        summary: "a point and an axis of A and B coincide; the rotation about the axis is free",
        theory: &["C.2", "C.10", "C.11"],
        units: &[Length, Length, Length, Angle, Angle],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(&self.anchors)?;
        angle::validate_axes(&self.axes)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        joint_rows::push_point(rows, poses, &self.anchors);
        joint_rows::push_parallel(rows, poses, &self.axes);
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

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;
    use crate::rotation;

    #[test]
    fn a_turn_about_the_axis_costs_nothing_and_a_tilt_its_sine() {
        let hinge = Hinge {
            bodies: [0, 1],
            anchors: [Vector3::zeros(); 2],
            axes: [Vector3::z(); 2],
        };
        let errors = |orientation: UnitQuaternion<f64>| {
            let fixed = Pose {
                position: Vector3::zeros().into(),
                orientation: UnitQuaternion::identity(),
            };
            let mut rows = Rows::default();
            let turned = Pose {
                orientation,
                ..fixed
            };
            hinge.evaluate(&[fixed, turned], 0.0, &mut rows);
            Vector3::new(rows.error[0], rows.error[3], rows.error[4]).norm()
        };
        assert!(errors(rotation::about(&Vector3::z(), 2.0)) < 1e-15);
        let tilted = rotation::about(&Vector3::z(), 2.0) * rotation::about(&Vector3::x(), 0.3);
        assert!((errors(tilted) - libm::sin(0.3)).abs() < 1e-15);
    }
}
