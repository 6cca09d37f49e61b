//! The six coordinates of B in the axes of A, with their exact gradients (C.24, C.25).

use delassus_core::Choice;
use nalgebra::{UnitQuaternion, Vector3};

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::{ExampleRng, Rows};
use crate::error::FieldError;
use crate::rotation;

/// A coordinate of a joint, in the order of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Choice)]
pub enum JointAxis {
    /// Along the first axis of A's frame.
    X,
    /// Along the second.
    Y,
    /// Along the third.
    Z,
    /// About the first axis of A's frame.
    AboutX,
    /// About the second axis, turned by the first angle.
    AboutY,
    /// About the third axis of B's frame.
    AboutZ,
}

/// Two frames, one in each body: the points where they sit and how they are turned.
#[derive(Debug, Clone, Copy)]
pub(super) struct Frames<'a> {
    pub(super) anchors: &'a [Vector3<f64>; 2],
    pub(super) orientations: &'a [UnitQuaternion<f64>; 2],
}

/// One of Cardan's angles.
#[derive(Debug, Clone, Copy)]
pub(super) struct CardanAngle {
    /// \[rad\]
    pub(super) value: f64,
    /// World axes \[-\].
    pub(super) gradient: Vector3<f64>,
    /// Of the second angle \[-\]: where it is small, the first and the last angle jump.
    pub(super) cosine: f64,
}

/// Closer than this to a right angle in the middle, the first and the last axis are taken for each
/// other \[-\].
const SINGULAR: f64 = 1e-9;

impl Frames<'_> {
    pub(super) fn validate(&self) -> Result<(), FieldError> {
        joint_rows::validate_anchors(self.anchors)?;
        rotation::validate("orientations[0]", &self.orientations[0])?;
        rotation::validate("orientations[1]", &self.orientations[1])
    }

    /// Appends the row of one coordinate: `sign` times it, plus `offset` \[m | rad\].
    pub(super) fn push(
        &self,
        rows: &mut Rows,
        poses: &[Pose],
        axis: JointAxis,
        sign: f64,
        offset: f64,
    ) {
        let along = |local: Vector3<f64>| {
            let gap = joint_rows::gap(poses, self.anchors);
            let axis = poses[0].rotate(&(self.orientations[0] * local));
            (axis, gap)
        };
        let linear = match axis {
            JointAxis::X => along(Vector3::x()),
            JointAxis::Y => along(Vector3::y()),
            JointAxis::Z => along(Vector3::z()),
            JointAxis::AboutX | JointAxis::AboutY | JointAxis::AboutZ => {
                let found = self.angle(poses, axis);
                rows.push_angular(sign * found.value + offset, 0.0, &(sign * found.gradient));
                return;
            }
        };
        let (axis, gap) = linear;
        let value = axis.dot(&gap.between);
        rows.push_relative(sign * value + offset, 0.0, &(sign * axis), gap.arms);
    }

    /// One of Cardan's angles \[rad\] with its gradient, world axes (C.24, C.25).
    pub(super) fn angle(&self, poses: &[Pose], axis: JointAxis) -> CardanAngle {
        let frames = [0, 1].map(|side| poses[side].orientation * self.orientations[side]);
        let relative = (frames[0].inverse() * frames[1]).to_rotation_matrix();
        let q = relative.matrix();
        let cosine = (q[(1, 2)] * q[(1, 2)] + q[(2, 2)] * q[(2, 2)]).sqrt();
        let alpha = libm::atan2(-q[(1, 2)], q[(2, 2)]);
        let first = Vector3::x();
        let middle = Vector3::new(0.0, libm::cos(alpha), libm::sin(alpha));
        let last: Vector3<f64> = q.column(2).into();
        let over = |direction: Vector3<f64>, fallback: Vector3<f64>| {
            if cosine > SINGULAR {
                direction / cosine
            } else {
                fallback
            }
        };
        let (value, gradient) = match axis {
            JointAxis::AboutY => (libm::atan2(q[(0, 2)], cosine), middle),
            JointAxis::AboutZ => {
                let value = libm::atan2(-q[(0, 1)], q[(0, 0)]);
                (value, over(first.cross(&middle), last))
            }
            _ => (alpha, over(middle.cross(&last), first)),
        };
        CardanAngle {
            value,
            gradient: frames[0] * gradient,
            cosine,
        }
    }
}

/// Random frames, and poses at which all angles are far from where they jump.
pub(super) fn example(
    random: &mut ExampleRng<'_>,
) -> ([Vector3<f64>; 2], [UnitQuaternion<f64>; 2], Vec<Pose>) {
    let anchors = [random.vector(0.5), random.vector(0.5)];
    let orientations = [random.rotation(3.0), random.rotation(3.0)];
    let (first, mut second) = (random.pose(1.0), random.pose(1.0));
    let relative = random.rotation(1.0);
    second.orientation = first.orientation * orientations[0] * relative * orientations[1].inverse();
    (anchors, orientations, vec![first, second])
}
