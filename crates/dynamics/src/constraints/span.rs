//! The line between a point of A and a point of B, for rows of their distance (C.1, C.17, L.5).

use nalgebra::Vector3;

use super::joint_rows;
use crate::body::Pose;
use crate::constraint::ExampleRng;
use crate::error::FieldError;
use crate::signal::Signal;

/// Two points at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Span {
    /// Distance \[m\].
    pub(super) length: f64,
    /// Unit vector from A's point to B's, world axes.
    pub(super) axis: Vector3<f64>,
    /// Lever arms from the centres of mass \[m\].
    pub(super) arms: [Vector3<f64>; 2],
}

/// The line between `anchors`; the x axis where they meet.
pub(super) fn span(poses: &[Pose], anchors: &[Vector3<f64>; 2]) -> Span {
    let arms = [0, 1].map(|side| poses[side].rotate(&anchors[side]));
    let between = (poses[1].position - poses[0].position) + (arms[1] - arms[0]);
    let length = between.norm();
    let axis = if length > 0.0 {
        between / length
    } else {
        Vector3::x()
    };
    Span { length, axis, arms }
}

/// Refuses points that are not finite and a length that does not start above zero: where the points
/// meet the direction is undefined.
pub(super) fn validate(anchors: &[Vector3<f64>; 2], length: &Signal) -> Result<(), FieldError> {
    joint_rows::validate_anchors(anchors)?;
    length.validate("length")?;
    FieldError::positive("length", length.value(0.0))
}

/// Random points, a length that starts below `longest` \[m\], and poses that keep the points apart.
pub(super) fn example(
    random: &mut ExampleRng<'_>,
    longest: f64,
) -> ([Vector3<f64>; 2], Signal, Vec<Pose>) {
    let anchors = [random.vector(0.3), random.vector(0.3)];
    let first = random.pose(1.0);
    let mut second = random.pose(1.0);
    second.position = first.position;
    second.position += 2.0 * random.direction();
    let length = Signal::Ramp {
        start: random.number(0.5, longest),
        rate: random.number(-1.0, 1.0),
    };
    (anchors, length, vec![first, second])
}
