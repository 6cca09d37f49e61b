//! Joints in frames that the solver integrates: which ones it can, and their geometry at the start
//! (T.59).

use delassus_core::FrameJoint;

use crate::assembly::Assembly;
use crate::constraint::RowUnit;
use crate::constraints::AnyConstraint;
use crate::joint::Joint;
use crate::rotation;
use crate::world::World;

/// Finds the geometry of all joints of a world, one per block; false if a joint is none that a
/// solver integrates, or lacks rows.
pub(super) fn collect(world: &World, assembly: &Assembly, out: &mut Vec<FrameJoint>) -> bool {
    out.clear();
    let mut rows = 0;
    for joint in &world.joints {
        let Some(geometry) = geometry(world, joint) else {
            return false;
        };
        rows += joint.constraint.descriptor().units.len();
        out.push(geometry);
    }
    assembly.joint_rows == (0..rows)
}

/// The geometry of a rigid ball joint or hinge without limits of its force.
fn geometry(world: &World, joint: &Joint) -> Option<FrameJoint> {
    let units = [RowUnit::Length, RowUnit::Angle];
    if !units.iter().all(|unit| joint.limit_of(*unit).is_infinite()) || !joint.is_rigid() {
        return None;
    }
    let (bodies, anchors, axes) = match &joint.constraint {
        AnyConstraint::Point(point) => (point.bodies, &point.anchors, None),
        AnyConstraint::Hinge(hinge) => (hinge.bodies, &hinge.anchors, Some(&hinge.axes)),
        _ => return None,
    };
    let pair = world.pose_pair(bodies);
    let ([a, b], [first, second]) = (pair.positions, pair.orientations);
    let gap = (*b - *a) + (second * anchors[1] - first * anchors[0]);
    let mut geometry = FrameJoint {
        gap: gap.into(),
        ..FrameJoint::default()
    };
    if let Some(axes) = axes {
        geometry.across = rotation::tangents(&axes[0]).map(|across| (first * across).into());
        geometry.axis = (second * axes[1]).into();
    }
    Some(geometry)
}
