//! `place_joints`: one thread per joint makes the start of a frame of the poses of its bodies, in
//! f32 (K.50).
//!
//! The host says where a joint is in the axes of its bodies, in the record of a joint in the world:
//! anchors, the axis of B and the missing rotation as they are in axes, and the length that a rod
//! has to have. It has no centres and no gap.

use delassus_solver_jacobi::kernels::vectors::{Triple, add, dot, sub, xyz};
use delassus_solver_jacobi::real::Quad;

use super::next_frame::BodyPose;
use super::{FollowedJoint, LINE, ORIENTATION, PERPENDICULAR, inverse, product, rotated};

/// From the position of A to that of B.
#[inline(always)]
fn between([a, b]: [&BodyPose; 2]) -> Triple<f32> {
    let high = sub(xyz(b.high), xyz(a.high));
    add(high, sub(xyz(b.low), xyz(a.low)))
}

/// The thread of one joint: `own` and the directions of its rows are in the axes of the bodies,
/// what comes back and `starts` in those of the world.
#[inline(always)]
pub fn joint(
    own: &FollowedJoint<f32>,
    directions: &[Quad<f32>],
    poses: [&BodyPose; 2],
    starts: &mut [Quad<f32>],
) -> FollowedJoint<f32> {
    let [turn_a, turn_b] = [poses[0].orientation, poses[1].orientation];
    let (anchor_a, anchor_b) = (rotated(turn_a, own.anchor_a), rotated(turn_b, own.anchor_b));
    let centres = between(poses);
    let gap = add(centres, sub(anchor_b, anchor_a));
    let length = dot(gap, gap).sqrt();
    let axis = rotated(turn_b, own.axis);
    for local in 0..own.rows as usize {
        let at = own.first_row as usize + local;
        let kind = (own.kinds >> (4 * local)) & 15;
        let direction = rotated(turn_a, xyz(directions[at]));
        let error = match kind {
            LINE => dot(direction, gap),
            PERPENDICULAR => dot(direction, axis),
            // follows from what is missing
            ORIENTATION => 0.0,
            _ => length - own.length,
        };
        starts[at] = [direction[0], direction[1], direction[2], error];
    }
    FollowedJoint {
        length,
        centres,
        anchor_a,
        anchor_b,
        axis,
        missing: product(product(turn_b, own.missing), inverse(turn_a)),
        gap,
        ..*own
    }
}
