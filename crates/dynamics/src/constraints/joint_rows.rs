//! Rows that several joints share: coinciding points, parallel axes, a fixed relative orientation.
//!
//! Every error is measured in the axes of A. It then stays the same when all bodies move together
//! as one rigid body, and the forces of a joint that has drifted apart still leave the angular
//! momentum alone (C.4).

use nalgebra::{UnitQuaternion, Vector3};

use crate::body::Pose;
use crate::constraint::Rows;
use crate::error::FieldError;
use crate::rotation;

/// B's point seen from A's, at one instant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Gap {
    /// From A's point to B's, world axes \[m\].
    pub(super) between: Vector3<f64>,
    /// Lever arms of a force along an axis that turns with A: both reach to B's point \[m\].
    pub(super) arms: [Vector3<f64>; 2],
}

/// The gap between the points `anchors`.
pub(super) fn gap(poses: &[Pose], anchors: &[Vector3<f64>; 2]) -> Gap {
    let [a, b] = [0, 1].map(|side| poses[side].rotate(&anchors[side]));
    let centres = poses[1].position - poses[0].position;
    Gap {
        between: centres + (b - a),
        arms: [centres + b, b],
    }
}

/// One row for the gap along `axis`, a unit vector in the axes of A (C.6).
pub(super) fn push_along(rows: &mut Rows, poses: &[Pose], gap: &Gap, axis: &Vector3<f64>) {
    let axis = poses[0].rotate(axis);
    rows.push_relative(axis.dot(&gap.between), 0.0, &axis, gap.arms);
}

/// Three rows: the points coincide (C.2).
pub(super) fn push_point(rows: &mut Rows, poses: &[Pose], anchors: &[Vector3<f64>; 2]) {
    let gap = gap(poses, anchors);
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        push_along(rows, poses, &gap, &axis);
    }
}

/// Two rows: the point of B lies on the line through A's point along `axis`, a unit vector in the
/// axes of A (C.7).
pub(super) fn push_line(
    rows: &mut Rows,
    poses: &[Pose],
    anchors: &[Vector3<f64>; 2],
    axis: &Vector3<f64>,
) {
    let gap = gap(poses, anchors);
    for across in rotation::tangents(axis) {
        push_along(rows, poses, &gap, &across);
    }
}

/// One row: the cosine between `first`, in the axes of A, and `second`, in those of B, is zero
/// (C.9).
pub(super) fn push_perpendicular(
    rows: &mut Rows,
    poses: &[Pose],
    first: &Vector3<f64>,
    second: &Vector3<f64>,
) {
    let (a, b) = (poses[0].rotate(first), poses[1].rotate(second));
    rows.push_angular(a.dot(&b), 0.0, &b.cross(&a));
}

/// Two rows: an axis of A and an axis of B are parallel (C.10).
pub(super) fn push_parallel(rows: &mut Rows, poses: &[Pose], axes: &[Vector3<f64>; 2]) {
    for across in rotation::tangents(&axes[0]) {
        push_perpendicular(rows, poses, &across, &axes[1]);
    }
}

/// Three rows: B has the given orientation in the axes of A; twice the vector part of the error
/// quaternion (C.13).
pub(super) fn push_orientation(rows: &mut Rows, poses: &[Pose], orientation: &UnitQuaternion<f64>) {
    let relative = poses[0].orientation.inverse() * poses[1].orientation;
    let error = (relative * orientation.inverse()).into_inner();
    // q and −q are the same rotation; this one has the shorter way
    let sign = if error.w < 0.0 { -1.0 } else { 1.0 };
    let scalar = sign * error.w;
    let vector = sign * Vector3::new(error.i, error.j, error.k);
    for axis in [Vector3::x(), Vector3::y(), Vector3::z()] {
        let direction = poses[0].rotate(&(scalar * axis + vector.cross(&axis)));
        rows.push_angular(2.0 * vector.dot(&axis), 0.0, &direction);
    }
}

/// Refuses points that are not finite.
pub(super) fn validate_anchors(anchors: &[Vector3<f64>; 2]) -> Result<(), FieldError> {
    FieldError::finite_vector("anchors[0]", &anchors[0])?;
    FieldError::finite_vector("anchors[1]", &anchors[1])
}
