//! `rope`: two points come no farther apart than a length; a rope without mass.
//!
//! C = L(t) − ‖p_B − p_A‖, one row along the line between the points (L.5). Nearest sibling:
//! [`super::MinDistance`] keeps the points apart instead. Limitations: where the points meet, the
//! line is undefined and the row takes the x axis of the world. Theory:
//! docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::span;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;
use crate::signal::Signal;

/// Largest distance of two points (L.5).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rope {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The points in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// Length \[m\]; > 0 at all times. A length that shrinks is a winch and does work.
    pub length: Signal,
}

impl Constraint for Rope {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "rope",
        aliases: &["max-distance", "cable"],
        summary: "a point of A and a point of B come no farther apart than a length; a rope without mass",
        theory: &["L.5"],
        units: &[RowUnit::Length],
        force: ForceKind::Limit,
    };

    fn validate(&self) -> Result<(), FieldError> {
        span::validate(&self.anchors, &self.length)
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let span = span::span(poses, &self.anchors);
        let error = self.length.value(time) - span.length;
        rows.push_relative(error, self.length.rate(time), &-span.axis, span.arms);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, length, poses) = span::example(random, 3.0);
        let limit = Self {
            bodies: [0, 1],
            anchors,
            length,
        };
        (limit, poses)
    }
}
