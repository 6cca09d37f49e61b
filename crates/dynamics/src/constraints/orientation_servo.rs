//! `orientation-servo`: the orientation of B relative to A follows a target.
//!
//! C = 2 vec(e) in the axes of A, e = q_A⁻¹ q_B q_T(t)⁻¹ with a scalar part ≥ 0, three rows (L.13). Soft it is a
//! torsion spring about all axes.
//! Nearest sibling: [`super::AngularServo`] has one row and leaves the swing free.
//! Limitations: ‖C‖ = 2 sin(φ/2) of the error angle φ, so that a soft servo is weaker than its stiffness says far from
//! its target, and has no torque about the error axis at φ = π.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ForceKind, Random, RowUnit, Rows};
use crate::error::FieldError;
use crate::rotation;
use crate::signal::Signal;

/// Drive of a relative orientation (L.13).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrientationServo {
    /// Bodies A and B.
    pub bodies: [usize; 2],
    /// Orientation of B in the axes of A where `angle` is zero.
    pub target: UnitQuaternion<f64>,
    /// The target turns about this axis of B, a unit vector \[-\].
    pub axis: Vector3<f64>,
    /// By this angle \[rad\].
    #[serde(default)]
    pub angle: Signal,
}

impl Constraint for OrientationServo {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "orientation-servo",
        aliases: &["3d angular servo", "orientation drive"],
        summary: "B keeps a given orientation in the axes of A, which may turn; positions are free",
        theory: &["L.13", "L.14"],
        units: &[RowUnit::Angle; 3],
        force: ForceKind::Drive,
    };

    fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    fn validate(&self) -> Result<(), FieldError> {
        rotation::validate("target", &self.target)?;
        FieldError::unit_vector("axis", &self.axis)?;
        self.angle.validate("angle")
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let wanted = self.target * rotation::about(&self.axis, self.angle.value(time));
        let relative = poses[0].orientation.inverse() * poses[1].orientation;
        let error = (relative * wanted.inverse()).into_inner();
        // q and −q are the same rotation; this one has the shorter way
        let sign = if error.w < 0.0 { -1.0 } else { 1.0 };
        let scalar = sign * error.w;
        let vector = sign * Vector3::new(error.i, error.j, error.k);
        let turning = self.angle.rate(time) * (self.target * self.axis);
        let rate = -(scalar * turning + vector.cross(&turning));
        for axis in 0..3 {
            let mut unit = Vector3::zeros();
            unit[axis] = 1.0;
            let direction = poses[0].rotate(&(scalar * unit + vector.cross(&unit)));
            rows.push_angular(2.0 * vector[axis], rate[axis], &direction);
        }
    }

    fn example(random: &mut Random<'_>) -> (Self, Vec<Pose>) {
        let servo = Self {
            bodies: [0, 1],
            target: random.rotation(3.0),
            axis: random.direction(),
            angle: Signal::Ramp {
                start: random.number(-3.0, 3.0),
                rate: random.number(-1.0, 1.0),
            },
        };
        let (first, mut second) = (random.pose(1.0), random.pose(1.0));
        let wanted = servo.target * rotation::about(&servo.axis, servo.angle.value(0.0));
        // the error stays away from half a turn, where it jumps
        second.orientation = first.orientation * random.rotation(2.5) * wanted;
        (servo, vec![first, second])
    }
}
