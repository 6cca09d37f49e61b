//! `orientation-servo`: the orientation of B relative to A follows a target.
//!
//! C = log(q_A⁻¹ q_B q_T(t)⁻¹), the rotation vector of the error in the axes of A, three rows
//! (L.13). Soft it is a torsion spring about all axes, linear in the angle up to half a turn; the
//! vector part of a quaternion, which welds use, grows weaker far from its target and has no torque
//! at half a turn. Cost: one arc tangent. Nearest sibling: [`super::AngularServo`] has one row and
//! leaves the swing free. Limitations: an error of half a turn has no shorter way; there the
//! rotation vector jumps. Theory: docs/theory/08-limits-and-drives.md.

use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;
use crate::rotation;
use crate::signal::Signal;

/// Drive of a relative orientation (L.13).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OrientationServo {
    /// Indices of the bodies A and B in the world, from 0.
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

    fn validate(&self) -> Result<(), FieldError> {
        rotation::validate("target", &self.target)?;
        FieldError::unit_vector("axis", &self.axis)?;
        self.angle.validate("angle")
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let wanted = self.target * rotation::about(&self.axis, self.angle.value(time));
        let relative = poses[0].orientation.inverse() * poses[1].orientation;
        let error = rotation::log(&(relative * wanted.inverse()));
        let turning = self.angle.rate(time) * (self.target * self.axis);
        let rate = -gradient(&error, &turning);
        for axis in 0..3 {
            let mut unit = Vector3::zeros();
            unit[axis] = 1.0;
            let direction = poses[0].rotate(&gradient(&error, &unit));
            rows.push_angular(error[axis], rate[axis], &direction);
        }
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
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

/// x + ½ C × x + c C × (C × x): the derivative of a rotation vector C when the rotation is turned
/// by x about axes that turn with it, and its transpose for axes that do not (L.14).
fn gradient(error: &Vector3<f64>, x: &Vector3<f64>) -> Vector3<f64> {
    let square = error.norm_squared();
    // c = (1 − φ/2 cot φ/2)/φ²; below 0.01 rad the series is exact to rounding, the quotient is not
    let factor = if square < 1e-4 {
        1.0 / 12.0 + square * (1.0 / 720.0 + square / 30240.0)
    } else {
        let half = 0.5 * square.sqrt();
        let (sine, cosine) = libm::sincos(half);
        (1.0 - half * cosine / sine) / square
    };
    let once = error.cross(x);
    x + 0.5 * once + factor * error.cross(&once)
}
