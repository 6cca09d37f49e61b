//! `angle-limit`: the angle of a hinge stays in a range.
//!
//! C = (θ − lower, upper − θ), θ the twist of B relative to A from a reference (L.2), with its
//! turns (L.16), two rows along its gradient (L.8).
//! Nearest sibling: [`super::TwistLimit`] has one row, for the nearer bound.
//! Theory: docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle;
use super::winding::{Winding, counts_turns};
use crate::body::Pose;
use crate::constraint::{
    Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows, Track,
};
use crate::error::FieldError;

/// Range of a hinge's angle (L.8). The two rows work for any range, also for lower = upper.
///
/// Turns count: a joint starts on the turn that violates the range least, of those on the one
/// nearest to zero, and goes on from there. Bounds may lie beyond half a turn, as in 0…270°, or
/// several turns apart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AngleLimit {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The axis of the hinge in each body's axes, unit vectors \[-\]. The angle is zero where the
    /// shortest arc between them takes B to A.
    pub axes: [Vector3<f64>; 2],
    /// Smallest angle, from the reference \[rad\].
    pub lower: f64,
    /// Largest angle, from the reference \[rad\]; ≥ lower.
    pub upper: f64,
    /// Twist at which the angle is zero \[rad\].
    #[serde(default, skip_serializing_if = "angle::is_zero")]
    pub reference: f64,
}

impl AngleLimit {
    fn winding(&self, _time: f64) -> Winding<'_> {
        Winding {
            axes: &self.axes,
            reference: self.reference,
            range: [self.lower, self.upper],
        }
    }
}

impl Constraint for AngleLimit {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "angle-limit",
        aliases: &["hinge limit", "revolute limit"],
        summary: "the angle of B about an axis of A stays in a range; a row per bound",
        theory: &["L.2", "L.3", "L.8", "L.16"],
        units: &[RowUnit::Angle; 2],
        force: ForceKind::Limit,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        angle::validate_angle("reference", self.reference)?;
        angle::validate_range(self.lower, self.upper)
    }

    counts_turns!();

    fn evaluate_from(&self, poses: &[Pose], track: &Track, time: f64, rows: &mut Rows) {
        let angle = self.winding(time).angle(poses, track);
        rows.push_angular(angle.value - self.lower, 0.0, &angle.gradient);
        rows.push_angular(self.upper - angle.value, 0.0, &-angle.gradient);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let axes = [random.direction(), random.direction()];
        let limit = Self {
            bodies: [0, 1],
            axes,
            lower: random.number(-2.0, -0.1),
            upper: random.number(0.1, 2.0),
            reference: random.number(-3.0, 3.0),
        };
        // the middle of the range is within ±1, so that the jump is at least 2 away from zero
        let angle = random.number(-1.9, 1.9);
        let (twist, swing) = (limit.reference + angle, random.number(0.0, 1.0));
        let poses = angle::example_poses(random, &axes, twist, swing);
        (limit, poses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rotation;
    use nalgebra::UnitQuaternion;

    #[test]
    fn a_start_is_on_the_turn_that_violates_the_range_least() {
        let limit = |lower, upper| AngleLimit {
            bodies: [0, 1],
            axes: [Vector3::y(); 2],
            lower,
            upper,
            reference: 0.0,
        };
        let errors = |limit: &AngleLimit, angle: f64| {
            let at = |orientation| Pose {
                position: Vector3::zeros().into(),
                orientation,
            };
            let turned = at(rotation::about(&Vector3::y(), angle));
            let mut rows = Rows::default();
            limit.evaluate(&[at(UnitQuaternion::identity()), turned], 0.0, &mut rows);
            rows.error
        };
        let cases = [
            (limit(-0.5, 1.0), 0.25, [0.75, 0.75]),
            (limit(-0.5, 1.0), 1.25, [1.75, -0.25]),
            // 3.0 is nearer to −3.1 than to −2.0, across π
            (
                limit(-3.1, -2.0),
                3.0,
                [6.1 - std::f64::consts::TAU, 7.383_185_307_179_586 - 6.1],
            ),
        ];
        let (full, quarter) = (std::f64::consts::TAU, std::f64::consts::FRAC_PI_2);
        let cases = cases.into_iter().chain([
            // 0…270°: 200° is 200° and not −160°
            (limit(0.0, 3.0 * quarter), 3.5, [3.5, 3.0 * quarter - 3.5]),
            (limit(0.0, 3.0 * quarter), -0.1, [-0.1, 3.0 * quarter + 0.1]),
            (limit(0.0, 5.0 * full), -0.5, [full - 0.5, 4.0 * full + 0.5]),
            (
                limit(-full, 5.0 * full),
                -0.5,
                [full - 0.5, 5.0 * full + 0.5],
            ),
        ]);
        for (limit, angle, expected) in cases {
            limit.validate().unwrap();
            let found = errors(&limit, angle);
            assert!((found[0] - expected[0]).abs() < 1e-14, "{found:?}");
            assert!((found[1] - expected[1]).abs() < 1e-14, "{found:?}");
        }
        assert_eq!(limit(1.0, 0.5).validate().unwrap_err().path, "lower");
        assert_eq!(limit(0.0, 1e7).validate().unwrap_err().path, "upper");
        assert_eq!(limit(f64::NAN, 1.0).validate().unwrap_err().path, "lower");
    }
}
