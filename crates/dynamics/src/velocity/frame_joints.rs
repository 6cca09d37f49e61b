//! Joints in frames that the solver integrates: which ones it can, and their geometry at the start
//! (T.59).

use std::ops::Range;

use delassus_core::FrameJoint;
use nalgebra::Vector3;

use super::parameters::{
    AnchorMode, LimitRows, OpenRows, RelaxPoses, Stabilization, VelocityParameters, WarmRows,
};
use crate::assembly::{Assembly, RowInfo};
use crate::constraint::RowUnit;
use crate::constraints::AnyConstraint;
use crate::joint::{Joint, SoftnessCoupling};
use crate::order::ConstraintOrder;
use crate::rotation;
use crate::world::World;

/// True if a solver that integrates a frame may move the rows of joints: they are frozen in every
/// substep and again for its relax solve, come first, and are soft block by block.
pub(super) fn are_allowed(parameters: &VelocityParameters) -> bool {
    parameters.anchors == AnchorMode::FixedContacts
        && parameters.relax_sweeps > 0
        && parameters.relax_arms == RelaxPoses::Moved
        && parameters.warm_rows == WarmRows::All
        && parameters.order == ConstraintOrder::JointsFirst
        && parameters.stabilization == Stabilization::Soft
        && parameters.joint_coupling == SoftnessCoupling::Block
        && parameters.joint_slop == 0.0
}

/// Finds the geometry of all joints of a world, one per block; false if a joint is none that a
/// solver integrates, or lacks rows.
pub(super) fn collect(
    world: &World,
    assembly: &Assembly,
    parameters: &VelocityParameters,
    out: &mut Vec<FrameJoint>,
) -> bool {
    out.clear();
    let limits =
        parameters.limit_rows == LimitRows::Joints && parameters.open_rows != OpenRows::Soft;
    let mut rows = 0;
    for joint in &world.joints {
        let own = rows..rows + joint.constraint.descriptor().units.len();
        rows = own.end;
        let found = match &joint.constraint {
            AnyConstraint::AngleLimit(_) if limits => limit(&assembly.rows, own),
            _ => geometry(world, joint),
        };
        let Some(found) = found.filter(|_| is_plain(joint)) else {
            return false;
        };
        out.push(found);
    }
    assembly.joint_rows == (0..rows)
}

/// True if the joint is rigid, and its force has no bound.
fn is_plain(joint: &Joint) -> bool {
    let units = [RowUnit::Length, RowUnit::Angle];
    joint.is_rigid() && units.iter().all(|unit| joint.limit_of(*unit).is_infinite())
}

/// The errors of two rows.
fn limit(rows: &[RowInfo], own: Range<usize>) -> Option<FrameJoint> {
    match rows.get(own)? {
        [lower, upper] => Some(FrameJoint::Limit {
            errors: [lower.error, upper.error],
        }),
        _ => None,
    }
}

/// The geometry of a ball joint or hinge.
fn geometry(world: &World, joint: &Joint) -> Option<FrameJoint> {
    let (bodies, anchors, axes) = match &joint.constraint {
        AnyConstraint::Point(point) => (point.bodies, &point.anchors, None),
        AnyConstraint::Hinge(hinge) => (hinge.bodies, &hinge.anchors, Some(&hinge.axes)),
        _ => return None,
    };
    let pair = world.pose_pair(bodies);
    let ([a, b], [first, second]) = (pair.positions, pair.orientations);
    let gap = (*b - *a) + (second * anchors[1] - first * anchors[0]);
    let across =
        |axes: &[Vector3<f64>; 2]| rotation::tangents(&axes[0]).map(|t| (first * t).into());
    Some(FrameJoint::Point {
        gap: gap.into(),
        across: axes.map_or([[0.0; 3]; 2], across),
        axis: axes.map_or([0.0; 3], |axes| (second * axes[1]).into()),
    })
}
