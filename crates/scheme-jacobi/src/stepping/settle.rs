//! `settle`: one thread per body takes over the velocity of the relaxed solve and adds up the mean velocities, from which
//! the work of applied forces follows (T.16). A bounce takes no time: its velocities are taken over and not added up.

use delassus_solver_jacobi::pack::BODY_FREE;
use delassus_solver_jacobi::real::{Quad, Real};

use super::MOTION_QUADS;

/// The thread of one body.
#[inline(always)]
pub fn body<T: Real>(velocity: &[Quad<T>], motion: &mut [Quad<T>], lasts: bool, body: usize) {
    let own = &mut motion[MOTION_QUADS * body..];
    for part in 0..BODY_FREE {
        let fresh = velocity[BODY_FREE * body + part];
        if lasts {
            for axis in 0..3 {
                let sum = own[part][axis] + fresh[axis];
                own[4 + part][axis] = own[4 + part][axis] + sum;
            }
        }
        own[part] = [fresh[0], fresh[1], fresh[2], T::ZERO];
    }
}

/// All bodies; `velocity` are the settled velocities, reached over a substep that `lasts` or in a bounce.
pub fn run<T: Real>(velocity: &[Quad<T>], motion: &mut [Quad<T>], lasts: bool) {
    for index in 0..motion.len() / MOTION_QUADS {
        body(velocity, motion, lasts, index);
    }
}
