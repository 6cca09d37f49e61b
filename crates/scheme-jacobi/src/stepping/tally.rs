//! `tally`: one thread per slot adds its wrench to the sums of the frame.
//!
//! The two wrenches of a contact or joint are opposite to the last bit, and so are their sums: velocities that follow from
//! them in f64 keep the linear momentum to the rounding of f64, whatever the iterations are computed in.

use delassus_solver_jacobi::kernels::vectors::{add, cross, xyz};
use delassus_solver_jacobi::pack::FIXED;
use delassus_solver_jacobi::real::{Quad, Real};

use super::{MOTION_QUADS, TOTAL_QUADS};

/// The thread of one slot of a body.
#[inline(always)]
pub fn slot<T: Real>(
    body: u32,
    wrench: &[Quad<T>],
    motion: &[Quad<T>],
    totals: &mut [Quad<T>],
    slot: usize,
) {
    let (force, torque) = (xyz(wrench[2 * slot]), xyz(wrench[2 * slot + 1]));
    let d = xyz(motion[MOTION_QUADS * (body & !FIXED) as usize + 2]);
    let parts = [force, torque, cross(d, force)];
    for (part, value) in parts.into_iter().enumerate() {
        let total = &mut totals[TOTAL_QUADS * slot + part];
        let sum = add(xyz(*total), value);
        *total = [sum[0], sum[1], sum[2], T::ZERO];
    }
}

/// All slots.
pub fn run<T: Real>(
    bodies: &[u32],
    wrench: &[Quad<T>],
    motion: &[Quad<T>],
    totals: &mut [Quad<T>],
) {
    for (index, body) in bodies.iter().enumerate() {
        slot(*body, wrench, motion, totals, index);
    }
}
