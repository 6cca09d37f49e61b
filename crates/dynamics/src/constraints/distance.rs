//! `distance`: a point of A and a point of B keep their distance; a massless rod, or a spring where
//! it is soft.
//!
//! C = ‖p_B − p_A‖ − L(t), one row along the line between the points (C.1).
//! Theory: docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::span;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;
use crate::signal::Signal;

/// Rod or spring between two points (C.1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Distance {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The points in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// Length \[m\]; > 0 at all times. A length that changes does work.
    pub length: Signal,
}

impl Constraint for Distance {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "distance",
        aliases: &["rod", "spring"],
        summary: "a point of A and a point of B keep their distance; a spring where it is soft",
        theory: &["C.1"],
        units: &[RowUnit::Length],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        span::validate(&self.anchors, &self.length)
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let span = span::span(poses, &self.anchors);
        let error = span.length - self.length.value(time);
        rows.push_relative(error, -self.length.rate(time), &span.axis, span.arms);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, length, poses) = span::example(random, 2.0);
        let rod = Self {
            bodies: [0, 1],
            anchors,
            length,
        };
        (rod, poses)
    }
}
