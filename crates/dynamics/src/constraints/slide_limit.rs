//! `slide-limit`: the travel of a slider stays in a range.
//!
//! C = (s − lower, upper − s), s the distance of a point of B from a point of A along an axis of A
//! (L.6), two rows (L.8). Theory: docs/theory/08-limits-and-drives.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::slide;
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Range of a slider's travel (L.8).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SlideLimit {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// The points in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// The axis in the axes of A, with which it turns, a unit vector \[-\].
    pub axis: Vector3<f64>,
    /// Smallest travel \[m\].
    pub lower: f64,
    /// Largest travel \[m\]; ≥ lower.
    pub upper: f64,
}

impl Constraint for SlideLimit {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "slide-limit",
        aliases: &["prismatic limit", "translation limit"],
        summary: "a point of B stays between two planes across an axis of A; a row per bound",
        theory: &["L.6", "L.8"],
        units: &[RowUnit::Length; 2],
        force: ForceKind::Limit,
    };

    fn validate(&self) -> Result<(), FieldError> {
        slide::validate(&self.anchors, &self.axis)?;
        FieldError::finite("lower", self.lower)?;
        FieldError::finite("upper", self.upper)?;
        if self.lower > self.upper {
            let upper = self.upper;
            let expected = format!("the lower bound is at most the upper one, {upper} [m]");
            return Err(FieldError::new("lower", self.lower, &expected));
        }
        Ok(())
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let slide = slide::slide(poses, &self.anchors, &self.axis);
        rows.push_relative(slide.value - self.lower, 0.0, &slide.axis, slide.arms);
        rows.push_relative(self.upper - slide.value, 0.0, &-slide.axis, slide.arms);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, axis, poses) = slide::example(random);
        let limit = Self {
            bodies: [0, 1],
            anchors,
            axis,
            lower: random.number(-1.0, 0.0),
            upper: random.number(0.0, 1.0),
        };
        (limit, poses)
    }
}
