//! `pulley`: one rope from a point of A over two wheels of a frame body to a point of B; block and
//! tackle.
//!
//! C = l_A + ratio · l_B − L with the lengths l of the two free ends, one row on three bodies
//! (C.17). The wheels are points of the frame body, which takes up the sum of the two pulls:
//! without it the row would break the third law. Nearest sibling: [`super::Distance`] has one free
//! end. Limitations: the rope has no mass and does not slip through the air: it is a constraint of
//! both signs and pushes where it would go slack. The wheels have neither radius nor inertia. Where
//! an end has length zero its direction is undefined and taken as x. Theory:
//! docs/theory/07-constraints.md.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

use super::{joint_rows, span};
use crate::body::Pose;
use crate::constraint::{Constraint, ConstraintDescriptor, ExampleRng, ForceKind, RowUnit, Rows};
use crate::error::FieldError;

/// Rope over two wheels (C.17).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pulley {
    /// Bodies A and B at the ends, and the frame that carries the wheels.
    pub bodies: [usize; 3],
    /// Where the rope is tied, in A's and in B's axes, from their centres of mass \[m\].
    pub anchors: [Vector3<f64>; 2],
    /// The wheels of A's and of B's end, in the frame's axes, from its centre of mass \[m\].
    pub wheels: [Vector3<f64>; 2],
    /// Strands of B's end per strand of A's \[-\]; > 0. The rope pulls at B with `ratio` times its
    /// pull at A.
    #[serde(default = "one")]
    pub ratio: f64,
    /// L = l_A + ratio · l_B \[m\]; > 0.
    pub length: f64,
}

fn one() -> f64 {
    1.0
}

impl Constraint for Pulley {
    const DESCRIPTOR: ConstraintDescriptor = ConstraintDescriptor {
        id: "pulley",
        aliases: &["block and tackle"],
        summary: "a rope from A over two wheels of a third body to B keeps its length",
        theory: &["C.17", "C.18"],
        units: &[RowUnit::Length],
        force: ForceKind::Joint,
    };

    fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(&self.anchors)?;
        FieldError::finite_vector("wheels[0]", &self.wheels[0])?;
        FieldError::finite_vector("wheels[1]", &self.wheels[1])?;
        FieldError::positive("ratio", self.ratio)?;
        FieldError::positive("length", self.length)
    }

    fn evaluate(&self, poses: &[Pose], _time: f64, rows: &mut Rows) {
        let frame = poses[2];
        let mut error = -self.length;
        let mut entries = [(Vector3::zeros(), Vector3::zeros()); 3];
        for (end, strands) in [1.0, self.ratio].into_iter().enumerate() {
            let points = [self.wheels[end], self.anchors[end]];
            let span = span::span(&[frame, poses[end]], &points);
            let (along, [wheel, tied]) = (span.axis, span.arms);
            error += strands * span.length;
            entries[end] = (strands * along, strands * tied.cross(&along));
            entries[2].0 -= strands * along;
            entries[2].1 -= strands * wheel.cross(&along);
        }
        rows.push(error, 0.0, &entries);
    }

    fn example(random: &mut ExampleRng<'_>) -> (Self, Vec<Pose>) {
        let joint = Self {
            bodies: [0, 1, 2],
            anchors: [random.vector(0.3), random.vector(0.3)],
            wheels: [random.vector(0.5), random.vector(0.5)],
            ratio: random.number(0.5, 3.0),
            length: random.number(1.0, 5.0),
        };
        let frame = random.pose(1.0);
        let mut ends = [random.pose(1.0), random.pose(1.0)];
        for end in &mut ends {
            // far enough that no end of the rope gets short
            end.position = frame.position;
            end.position += 3.0 * random.direction();
        }
        (joint, vec![ends[0], ends[1], frame])
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;

    use super::*;

    #[test]
    fn a_tackle_of_two_pulls_twice_as_hard_on_one_side() {
        let pose = |x: f64, y: f64| Pose {
            position: Vector3::new(x, y, 0.0).into(),
            orientation: UnitQuaternion::identity(),
        };
        let pulley = Pulley {
            bodies: [0, 1, 2],
            anchors: [Vector3::zeros(); 2],
            wheels: [-Vector3::x(), Vector3::x()],
            ratio: 2.0,
            length: 7.0,
        };
        let mut rows = Rows::default();
        let poses = [pose(-1.0, -3.0), pose(1.0, -2.5), pose(0.0, 0.0)];
        pulley.evaluate(&poses, 0.0, &mut rows);
        assert_eq!(rows.error, [1.0]);
        assert_eq!(rows.jacobian[0][..3], [0.0, -1.0, 0.0]);
        assert_eq!(rows.jacobian[1][..3], [0.0, -2.0, 0.0]);
        // three pulls down on the wheels, and a torque of the stronger one
        assert_eq!(rows.jacobian[2], [0.0, 3.0, 0.0, 0.0, 0.0, 1.0]);
    }
}
