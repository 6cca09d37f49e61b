//! `angular`: B keeps its orientation in the axes of A; positions are free.
//!
//! C = 2 vec(e), e = q_A⁻¹ q_B q₀⁻¹ with a scalar part ≥ 0, three rows (C.13). To build other
//! joints from. Nearest siblings: [`super::Weld`] also keeps a point, [`super::OrientationServo`]
//! has a target that turns. Limitations: ‖C‖ = 2 sin(φ/2) of the error angle φ grows no more at φ =
//! π, where its sign jumps and no row acts about the error's axis. Theory:
//! docs/theory/07-constraints.md.

use nalgebra::UnitQuaternion;
use serde::{Deserialize, Serialize};

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;
use crate::rotation;

/// Fixed relative orientation (C.13).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Angular {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// Orientation of B in the axes of A.
    #[serde(default)]
    pub orientation: UnitQuaternion<f64>,
}

impl Constraint for Angular {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "angular",
        aliases: &["fixed angle", "orientation lock"],
        summary: "B keeps its orientation in the axes of A; positions are free",
        theory: &["C.13", "C.14"],
        units: &[RowUnit::Angle; 3],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        rotation::validate("orientation", &self.orientation)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        joint_rows::push_orientation(rows, poses, &self.orientation);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let orientation = random.rotation(3.0);
        let (first, mut second) = (random.pose(1.0), random.pose(1.0));
        // the error stays away from half a turn, where it jumps
        second.orientation = first.orientation * random.rotation(2.5) * orientation;
        let joint = Self {
            bodies: [0, 1],
            orientation,
        };
        (joint, vec![first, second])
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::Vector3;

    use super::*;

    #[test]
    fn the_error_is_twice_the_sine_of_half_the_angle_on_the_shorter_way() {
        let axis = Vector3::new(2.0, -3.0, 6.0) / 7.0;
        let joint = Angular {
            bodies: [0, 1],
            orientation: rotation::about(&Vector3::y(), 1.2),
        };
        for (angle, shorter) in [(0.4, 0.4), (-1.0, -1.0), (4.0, 4.0 - std::f64::consts::TAU)] {
            let pose = |orientation| Pose {
                position: Vector3::zeros().into(),
                orientation,
            };
            let first = rotation::about(&Vector3::x(), 0.7);
            let second = first * rotation::about(&axis, angle) * joint.orientation;
            let mut rows = Rows::default();
            joint.evaluate(&[pose(first), pose(second)], 0.0, &mut rows);
            let error = Vector3::from_column_slice(&rows.error);
            let expected = 2.0 * libm::sin(0.5 * shorter) * axis;
            assert!((error - expected).norm() < 1e-15, "{error}");
        }
    }
}
