//! `distance`: a point of A and a point of B keep their distance; a massless rod, or a spring where it is soft.
//!
//! C = ‖p_B − p_A‖ − L(t), one row along the line between the points (C.1).
//! Theory: docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ForceKind, Random, RowUnit, Rows};
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

    fn bodies(&self) -> &[usize] {
        &self.bodies
    }

    fn validate(&self) -> Result<(), FieldError> {
        FieldError::finite_vector("anchors[0]", &self.anchors[0])?;
        FieldError::finite_vector("anchors[1]", &self.anchors[1])?;
        self.length.validate("length")?;
        // where the points meet the direction is undefined
        FieldError::positive("length", self.length.value(0.0))
    }

    fn evaluate(&self, poses: &[Pose], time: f64, rows: &mut Rows) {
        let arms = [0, 1].map(|side| poses[side].rotate(&self.anchors[side]));
        let span = (poses[1].position - poses[0].position) + (arms[1] - arms[0]);
        let length = span.norm();
        let axis = if length > 0.0 {
            span / length
        } else {
            Vector3::x()
        };
        let error = length - self.length.value(time);
        rows.push_relative(error, -self.length.rate(time), &axis, arms);
    }

    fn example(random: &mut Random<'_>) -> (Self, Vec<Pose>) {
        let anchors = [random.vector(0.3), random.vector(0.3)];
        let first = random.pose(1.0);
        let mut second = random.pose(1.0);
        second.position = first.position;
        second.position += 2.0 * random.direction();
        let length = Signal::Ramp {
            start: random.number(0.5, 2.0),
            rate: random.number(-1.0, 1.0),
        };
        let bodies = [0, 1];
        let rod = Self {
            bodies,
            anchors,
            length,
        };
        (rod, vec![first, second])
    }
}
