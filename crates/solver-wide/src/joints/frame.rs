//! What joints keep while the solver integrates a frame, and how a frame begins and ends.
//!
//! During a frame, `bias` of a bundle is the position error of its rows, W is A without the
//! compliance, and arms, axes and impulses are those of the poses at the last solve without bias.

use delassus_core::{FrameJoint, FrameSetup, JointImpulse};

use super::frame_kernel::{errors, invert, turned_back};
use super::{FrameRows, JointBundle, Joints};
use crate::bundle::{BlockSlot, Interleaved};
use crate::lanes::Lanes;
use crate::velocities::single;

fn packed(x: [f64; 3]) -> [[f32; 1]; 3] {
    x.map(|x| [single(x)])
}

impl<V: Lanes<N>, const N: usize, const K: usize, const T: usize> Joints<V, N, K, T> {
    /// True for numbers of rotations that a frame has.
    pub(super) const FOLLOWS: bool = K == 0 || K == 2;

    /// True if a frame with these joints can move the rows: they are those of joints of the
    /// frame, with two rotations or none.
    pub(super) fn can_follow(&self, joints: &[FrameJoint]) -> bool {
        let is_point = |block| matches!(joints.get(block), Some(FrameJoint::Point { .. }));
        Self::FOLLOWS && self.seats.filled().all(|seat| is_point(seat.block))
    }

    /// Takes over the geometry of a frame; false if a W is singular in f32.
    pub(super) fn begin(&mut self, frame: &FrameSetup<'_>) -> bool {
        self.end_frame();
        self.frame_rows.resize(self.bundles.len(), FrameRows::ZERO);
        for seat in self.seats.filled() {
            let Some(FrameJoint::Point { gap, across, axis }) = frame.joints.get(seat.block) else {
                continue;
            };
            let bundle = self.bundles[seat.bundle].lane(seat.lane);
            let mut to = FrameRows::<1, K>::ZERO;
            (to.arm, to.axes) = (bundle.arm, bundle.axes);
            to.gap = packed(*gap);
            for (to, across) in to.across.iter_mut().zip(across) {
                *to = packed(*across);
            }
            to.axis = packed(*axis);
            self.frame_rows[seat.bundle].put(seat.lane, &to);
        }
        if !Self::FOLLOWS {
            return false;
        }
        let token = self.token;
        let bundles = self.bundles.iter_mut().zip(&self.frame_rows);
        V::vectorize(
            token,
            #[inline(always)]
            || {
                let mut regular = true;
                for (bundle, rows) in bundles {
                    errors::<V, N, K, T>(token, bundle, rows);
                    regular &= invert::<V, N, K, T>(token, bundle);
                }
                regular
            },
        )
    }

    /// Ends a frame, if there is one: the rows are those of the problem again, with the impulses
    /// reached.
    pub(super) fn end_frame(&mut self) {
        let token = self.token;
        for (bundle, rows) in self.bundles.iter_mut().zip(&self.frame_rows) {
            (bundle.arm, bundle.axes) = (rows.arm, rows.axes);
            bundle.impulse.point = turned_back::<V, N, K, T>(token, bundle, rows);
        }
        self.frame_rows.clear();
    }

    /// The joint of a seat, with its impulses in the axes of the start of a frame.
    pub(super) fn at_start(&self, seat: BlockSlot) -> JointBundle<1, K, T> {
        let mut joint = self.bundles[seat.bundle].lane(seat.lane);
        if let Some(rows) = self.frame_rows.get(seat.bundle) {
            let rows = rows.lane(seat.lane);
            joint.impulse.point = turned_back::<f32, 1, K, T>((), &joint, &rows);
        }
        joint
    }

    /// Copies out what the impulses did in the frame.
    pub(super) fn sum_impulses(&self, out: &mut [JointImpulse]) {
        for seat in self.seats.filled() {
            let rows = self.frame_rows[seat.bundle].lane(seat.lane);
            let precise = |x: [[f32; 1]; 3]| x.map(|[x]| f64::from(x));
            out[seat.block] = JointImpulse {
                linear: precise(rows.linear),
                angular: rows.angular.map(precise),
            };
        }
    }
}
