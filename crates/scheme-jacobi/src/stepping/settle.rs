//! `settle`: one thread per body takes over the velocity of the relaxed solve and adds up the mean
//! velocities, from which the work of applied forces follows (T.16). A bounce takes no time: its
//! velocities are taken over and not added up.

use delassus_solver_jacobi::kernels::vectors::{add, padded, xyz};
use delassus_solver_jacobi::pack::BODY_FREE;
use delassus_solver_jacobi::real::{Quad, Real};

use super::BodyMotion;

/// The thread of one body; `velocity` are the settled velocities, reached over a substep that
/// `lasts` or in a bounce.
#[inline(always)]
pub fn body<T: Real>(velocity: &[Quad<T>], own: &mut BodyMotion<T>, lasts: bool, body: usize) {
    let v = xyz(velocity[BODY_FREE * body]);
    let w = xyz(velocity[BODY_FREE * body + 1]);
    if lasts {
        own.velocities = padded(add(xyz(own.velocities), add(xyz(own.velocity), v)));
        own.spins = padded(add(xyz(own.spins), add(xyz(own.spin), w)));
    }
    own.velocity = padded(v);
    own.spin = padded(w);
}

/// All bodies.
pub fn run<T: Real>(velocity: &[Quad<T>], motion: &mut [BodyMotion<T>], lasts: bool) {
    for (index, own) in motion.iter_mut().enumerate() {
        body(velocity, own, lasts, index);
    }
}
