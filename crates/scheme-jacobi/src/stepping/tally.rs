//! `tally`: one thread per slot adds its wrench to the sums of the frame.
//!
//! The two wrenches of a contact or joint are opposite to the last bit, and so are their sums:
//! velocities that follow from them in f64 keep the linear momentum to the rounding of f64,
//! whatever the iterations are computed in.

use delassus_solver_jacobi::kernels::vectors::{add, cross, padded, xyz};
use delassus_solver_jacobi::pack::FIXED;
use delassus_solver_jacobi::real::{Quad, Real};

use super::{BodyMotion, Total};

/// The thread of one slot of a body.
#[inline(always)]
pub fn slot<T: Real>(
    body: u32,
    wrench: &[Quad<T>],
    motion: &[BodyMotion<T>],
    total: &mut Total<T>,
    slot: usize,
) {
    let (force, torque) = (xyz(wrench[2 * slot]), xyz(wrench[2 * slot + 1]));
    let d = xyz(motion[(body & !FIXED) as usize].displacement);
    total.force = padded(add(xyz(total.force), force));
    total.torque = padded(add(xyz(total.torque), torque));
    total.moment = padded(add(xyz(total.moment), cross(d, force)));
}

/// All slots.
pub fn run<T: Real>(
    bodies: &[u32],
    wrench: &[Quad<T>],
    motion: &[BodyMotion<T>],
    totals: &mut [Total<T>],
) {
    for (index, (body, total)) in bodies.iter().zip(totals).enumerate() {
        slot(*body, wrench, motion, total, index);
    }
}
