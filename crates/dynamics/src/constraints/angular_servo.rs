//! `angular-servo`: the angle of a hinge follows a target.
//!
//! C = θ − b(t), θ the twist (L.2) with its turns (L.16), one row (L.12). Soft it is a torsion
//! spring, which goes on to wind up beyond half a turn. Nearest siblings: [`super::AngularMotor`]
//! follows a speed, [`super::OrientationServo`] a whole orientation. Limitations: a start that is
//! half a turn from the target has no shorter way; the servo turns either way. Theory:
//! docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle;
use super::winding::{Winding, counts_turns};
use crate::body::Pose;
use crate::constraint::{
    Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows, Track,
};
use crate::error::FieldError;
use crate::signal::Signal;

/// Position drive of a hinge (L.12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AngularServo {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The axis of the hinge in each body's axes, unit vectors \[-\]. The angle is zero where the
    /// shortest arc between them takes B to A.
    pub axes: [Vector3<f64>; 2],
    /// Angle \[rad\]; any number: the joint starts on the turn that is nearest to it, and turns
    /// count from there.
    pub target: Signal,
}

impl AngularServo {
    fn winding(&self, time: f64) -> Winding<'_> {
        Winding {
            axes: &self.axes,
            reference: 0.0,
            range: [self.target.value(time); 2],
        }
    }
}

impl Constraint for AngularServo {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "angular-servo",
        aliases: &["hinge servo", "torsion spring"],
        summary: "the angle of B about an axis of A keeps a given value, which may change",
        theory: &["L.2", "L.3", "L.12", "L.16"],
        units: &[RowUnit::Angle],
        force: ForceKind::Drive,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        self.target.validate("target")
    }

    counts_turns!();

    fn evaluate_from(&self, poses: &[Pose], track: &Track, time: f64, rows: &mut Rows) {
        let angle = self.winding(time).angle(poses, track);
        let error = angle.value - self.target.value(time);
        rows.push_angular(error, -self.target.rate(time), &angle.gradient);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let axes = [random.direction(), random.direction()];
        let target = Signal::Ramp {
            start: random.number(-9.0, 9.0),
            rate: random.number(-1.0, 1.0),
        };
        // the error stays away from half a turn, where it jumps
        let twist = target.value(0.0) + random.number(-2.5, 2.5);
        let swing = random.number(0.0, 1.0);
        let poses = angle::example_poses(random, &axes, twist, swing);
        let servo = Self {
            bodies: [0, 1],
            axes,
            target,
        };
        (servo, poses)
    }
}
