//! `cone-limit`: an axis of B stays in a cone about an axis of A.
//!
//! C = limit − φ, φ the angle between the axes (L.4), one row (L.10). Where the axis of B has come
//! past the opposite of the cone's axis, φ goes on beyond π along the way that it came (L.17).
//! Limitations: where the axes agree, φ has a kink and the row has some direction across them; it
//! is then farthest from its limit. Theory: docs/theory/08-limits-and-drives.md.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::angle::{self, Angle};
use crate::body::Pose;
use crate::constraint::{
    Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows, Track,
};
use crate::error::FieldError;

/// Largest swing of a ball joint (L.10).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConeLimit {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The axis of the cone in the axes of A, and the axis of B that stays in it, unit vectors
    /// \[-\].
    pub axes: [Vector3<f64>; 2],
    /// Half of the cone's opening \[rad\]; in (0, π).
    pub limit: f64,
}

impl Constraint for ConeLimit {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "cone-limit",
        aliases: &["swing limit", "cone"],
        summary: "the angle between an axis of A and an axis of B stays below a limit; twist is free",
        theory: &["L.4", "L.10", "L.17"],
        units: &[RowUnit::Angle],
        force: ForceKind::Limit,
    };

    fn validate(&self) -> Result<(), FieldError> {
        angle::validate_axes(&self.axes)?;
        if self.limit > 0.0 && self.limit < PI {
            return Ok(());
        }
        let expected =
            "half of a cone's opening lies in (0, π) [rad]; a hinge keeps an axis in place";
        Err(FieldError::new("limit", self.limit, expected))
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        self.evaluate_from(poses, &Track::new(), time, rows);
    }

    fn evaluate_from(&self, poses: &[Pose], track: &Track, _time: f64, rows: &mut Rows) {
        let beyond = self.swing_through(poses, track);
        let swing = beyond.unwrap_or_else(|| angle::swing(poses, &self.axes));
        rows.push_angular(self.limit - swing.value, 0.0, &-swing.gradient);
    }

    /// The axis of B in the axes of A.
    fn start(&self, poses: &[Pose], _time: f64) -> Track {
        self.held(poses).iter().copied().collect()
    }

    fn follow(&self, poses: &[Pose], _turns: [Vector3<f64>; 2], time: f64, track: &mut Track) {
        *track = self.start(poses, time);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
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

impl ConeLimit {
    /// The axis of B in the axes of A.
    fn held(&self, poses: &[Pose]) -> Vector3<f64> {
        let relative = poses[0].orientation.inverse() * poses[1].orientation;
        relative * self.axes[1]
    }

    /// The swing in the plane in which it was, if the way from there has met what the limit forbids
    /// (L.17).
    fn swing_through(&self, poses: &[Pose], track: &Track) -> Option<Angle> {
        let (axis, now) = (self.axes[0], self.held(poses));
        let before = Vector3::from_column_slice(track.get(..3)?);
        let across = (before - axis.dot(&before) * axis).try_normalize(1e-9)?;
        let outwards = before.cross(&now).dot(&axis.cross(&across)) > 0.0;
        // the swings that a small limit allows are convex: only a way past the opposite pole
        // misleads the angle
        let misleads = self.limit > FRAC_PI_2 || now.dot(&across) < 0.0;
        if !(outwards && misleads && self.forbids(&before, &now)) {
            return None;
        }
        let (x, y) = (now.dot(&axis), now.dot(&across));
        let square = x * x + y * y;
        if square < 1e-12 {
            return None;
        }
        let gradient = (x * now.cross(&across) - y * now.cross(&axis)) / square;
        let value = libm::atan2(y, x);
        Some(Angle {
            value: if value < 0.0 { value + TAU } else { value },
            gradient: poses[0].rotate(&gradient),
        })
    }

    /// True if the shorter arc between two directions of the axis, in the axes of A, meets what the
    /// limit forbids.
    fn forbids(&self, before: &Vector3<f64>, now: &Vector3<f64>) -> bool {
        let (pole, edge) = (-self.axes[0], libm::cos(PI - self.limit));
        if pole.dot(before).max(pole.dot(now)) > edge {
            return true;
        }
        let Some(normal) = before.cross(now).try_normalize(1e-12) else {
            return false;
        };
        let nearest = pole - pole.dot(&normal) * normal;
        let after = before.cross(&nearest).dot(&normal) > 0.0;
        after && nearest.cross(now).dot(&normal) > 0.0 && nearest.norm() > edge
    }
}
