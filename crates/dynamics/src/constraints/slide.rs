//! Distance that a point of B has slid along an axis of A, with its exact Jacobian (L.6).

use nalgebra::Vector3;

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::ExampleRng;
use crate::error::FieldError;

/// A slide at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Slide {
    /// Distance along the axis \[m\].
    pub(super) value: f64,
    /// The axis in world axes \[-\].
    pub(super) axis: Vector3<f64>,
    /// Lever arms of its Jacobian \[m\]. Both reach to the point of B: the axis turns with A, and
    /// takes that point along.
    pub(super) arms: [Vector3<f64>; 2],
}

/// The slide of the point `anchors[1]` of B from the point `anchors[0]` of A along `axis`, in the
/// axes of A.
pub(super) fn slide(poses: &[Pose], anchors: &[Vector3<f64>; 2], axis: &Vector3<f64>) -> Slide {
    let [a, b] = [0, 1].map(|side| poses[side].rotate(&anchors[side]));
    let axis = poses[0].rotate(axis);
    let between = poses[1].position - poses[0].position;
    Slide {
        value: axis.dot(&(between + (b - a))),
        axis,
        arms: [between + b, b],
    }
}

/// Refuses points that are not finite and an axis that is not of unit length.
pub(super) fn validate(anchors: &[Vector3<f64>; 2], axis: &Vector3<f64>) -> Result<(), FieldError> {
    joint_rows::validate_anchors(anchors)?;
    FieldError::unit_vector("axis", axis)
}

/// Random points, axis and poses.
pub(super) fn example(random: &mut ExampleRng<'_>) -> ([Vector3<f64>; 2], Vector3<f64>, Vec<Pose>) {
    let anchors = [random.vector(0.5), random.vector(0.5)];
    let axis = random.direction();
    (anchors, axis, vec![random.pose(1.0), random.pose(1.0)])
}
