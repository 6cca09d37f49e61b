//! `six-dof`: any of the six coordinates of B in the axes of A are locked, the others are free; the
//! generic joint of engines.
//!
//! C = (R_A F_A e_i · (p_B − p_A), α, β, γ): three distances and Cardan's angles (C.24), the locked
//! ones of them. Rows of free coordinates are zero and never enter a problem. With
//! [`super::SixDofLimit`] and the same frames, coordinates get ranges. Nearest siblings:
//! [`super::Weld`] locks all six by another measure of the error; [`super::Hinge`],
//! [`super::Slider`] and [`super::Universal`] are named choices. Limitations: where the second
//! angle comes near a right angle the first and the last cannot be told apart; lock the second
//! angle, or keep it within ±80° by a limit. Theory: docs/theory/07-constraints.md.

use delassus_core::Choice;
use nalgebra::{UnitQuaternion, Vector3};
use serde::{Deserialize, Serialize};

use super::cardan::{self, Frames, JointAxis};
use crate::body::Pose;
use crate::constraint::RowUnit::{Angle, Length};
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, Rows};
use crate::error::FieldError;

/// Generic joint of six coordinates (C.24, C.25).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SixDof {
    /// Indices of the bodies A and B in the world, from 0.
    pub bodies: [usize; 2],
    /// Where the frames sit in each body's axes, from its centre of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// How they are turned in each body's axes.
    #[serde(default)]
    pub orientations: [UnitQuaternion<f64>; 2],
    /// The coordinates that stay zero.
    pub locked: Vec<JointAxis>,
}

impl Constraint for SixDof {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "six-dof",
        aliases: &["generic joint", "d6", "6dof"],
        summary: "any of three distances along and three angles about the axes of A are zero; the others are free",
        theory: &["C.24", "C.25"],
        units: &[Length, Length, Length, Angle, Angle, Angle],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        self.frames().validate()
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        for &axis in JointAxis::ALL {
            if self.locked.contains(&axis) {
                self.frames().push(rows, poses, axis, 1.0, 0.0);
            } else {
                rows.push(0.0, 0.0, &[(Vector3::zeros(), Vector3::zeros()); 2]);
            }
        }
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let (anchors, orientations, poses) = cardan::example(random);
        let locked = JointAxis::ALL
            .iter()
            .copied()
            .filter(|_| random.number(0.0, 1.0) < 0.6)
            .collect();
        let joint = Self {
            bodies: [0, 1],
            anchors,
            orientations,
            locked,
        };
        (joint, poses)
    }
}

impl SixDof {
    fn frames(&self) -> Frames<'_> {
        Frames {
            anchors: &self.anchors,
            orientations: &self.orientations,
        }
    }
}
