//! `cone-limit`: an axis of B stays in a cone about an axis of A.
//!
//! C = limit − φ, φ the angle between the axes (L.4), one row (L.10).
//! Limitations: where the axes agree, φ has a kink and the row has some direction across them; it is then farthest
//! from its limit.
//! Theory: docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ForceKind, Random, RowUnit, Rows};
use crate::error::FieldError;

/// Largest swing of a ball joint (L.10).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConeLimit {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The axis of the cone in the axes of A, and the axis of B that stays in it, unit vectors \[-\].
    pub axes: [Vector3<f64>; 2],
    /// Half of the cone's opening \[rad\]; in (0, π).
    pub limit: f64,
}

impl Constraint for ConeLimit {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "cone-limit",
        aliases: &["swing limit", "cone"],
        summary: "the angle between an axis of A and an axis of B stays below a limit; twist is free",
        theory: &["L.4", "L.10"],
        units: &[RowUnit::Angle],
        force: ForceKind::Limit,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        if self.limit > 0.0 && self.limit < std::f64::consts::PI {
            return Ok(());
        }
        let expected =
            "half of a cone's opening lies in (0, π) [rad]; a hinge keeps an axis in place";
        Err(FieldError::new("limit", self.limit, expected))
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let swing = angle::swing(poses, &self.axes);
        rows.push_angular(self.limit - swing.value, 0.0, &-swing.gradient);
    }

    fn example(random: &mut Random<'_>) -> (Self, Vec<Pose>) {
        let axes = [random.direction(), random.direction()];
        let limit = random.number(0.1, 2.0);
        let (twist, swing) = (random.number(-3.0, 3.0), random.number(0.1, 2.5));
        let poses = angle::example_poses(random, &axes, twist, swing);
        let cone = Self {
            bodies: [0, 1],
            axes,
            limit,
        };
        (cone, poses)
    }
}
