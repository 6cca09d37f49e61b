//! `twist-limit`: the twist of a ball joint stays in a range.
//!
//! C = min(θ − lower, upper − θ), θ the twist of B relative to A from a reference (L.2), with its
//! turns (L.16), one row for the nearer bound (L.9). Cost: half the rows of [`super::AngleLimit`],
//! its nearest sibling. Limitations: the row changes its side in the middle of the range, so that
//! the range must be wider than the motion of a step; a swing of π has no twist, and turns count
//! anew after one within 11° of it. Theory: docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle;
use super::winding::{Winding, counts_turns};
use crate::body::Pose;
use crate::constraint::{
    Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows, Track,
};
use crate::error::FieldError;

/// Range of a ball joint's twist (L.9).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TwistLimit {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The twist axis in each body's axes, unit vectors \[-\]. The twist is zero where the shortest
    /// arc between them takes B to A.
    pub axes: [Vector3<f64>; 2],
    /// Smallest twist, from the reference \[rad\].
    pub lower: f64,
    /// Largest twist, from the reference \[rad\]; > lower.
    pub upper: f64,
    /// Twist that counts as zero \[rad\].
    #[serde(default, skip_serializing_if = "angle::is_zero")]
    pub reference: f64,
}

impl TwistLimit {
    fn winding(&self, _time: f64) -> Winding<'_> {
        Winding {
            axes: &self.axes,
            reference: self.reference,
            range: [self.lower, self.upper],
        }
    }
}

impl Constraint for TwistLimit {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "twist-limit",
        aliases: &["cone-twist"],
        summary: "the twist of B about its own axis stays in a range, however it swings; one row",
        theory: &["L.2", "L.3", "L.9", "L.16"],
        units: &[RowUnit::Angle],
        force: ForceKind::Limit,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        angle::validate_angle("reference", self.reference)?;
        angle::validate_range(self.lower, self.upper)?;
        if self.lower == self.upper {
            let expected =
                "must be below the upper bound [rad]; an angle-limit also takes equal bounds";
            return Err(FieldError::new("lower", self.lower, expected));
        }
        Ok(())
    }

    counts_turns!();

    fn evaluate_from(&self, poses: &[Pose], track: &Track, time: f64, rows: &mut Rows) {
        let angle = self.winding(time).angle(poses, track);
        let (above, below) = (angle.value - self.lower, self.upper - angle.value);
        if above < below {
            rows.push_angular(above, 0.0, &angle.gradient);
        } else {
            rows.push_angular(below, 0.0, &-angle.gradient);
        }
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let axes = [random.direction(), random.direction()];
        let limit = Self {
            bodies: [0, 1],
            axes,
            lower: random.number(-1.5, -0.5),
            upper: random.number(0.5, 1.5),
            reference: random.number(-3.0, 3.0),
        };
        // away from the middle of the range, where the row changes its side
        let middle = limit.reference + 0.5 * (limit.lower + limit.upper);
        let off = random.number(0.1, 2.0);
        let side = if random.number(0.0, 1.0) < 0.5 {
            1.0
        } else {
            -1.0
        };
        let swing = random.number(0.0, 1.5);
        let poses = angle::example_poses(random, &axes, middle + side * off, swing);
        (limit, poses)
    }
}
