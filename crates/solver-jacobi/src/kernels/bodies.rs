//! `bodies`: one thread per body sums its wrenches in the order of their slots and computes its velocity anew.
//!
//! v_{k+1} = v_f + M⁻¹ Σ wrenches: nothing is accumulated from iteration to iteration, so that rounding in f32 does not
//! grow with their number (J.15). With momentum the next iteration reads v_{k+1} + β (v_{k+1} − v_k), which is exact
//! because velocities are linear in the impulses.

use super::vectors::{add, moved, scale, sub, xyz};
use crate::pack::{BODY_FREE, BODY_MASS, Pack, State};
use crate::real::{Quad, Real};

/// v_f + M⁻¹ Σ wrenches of one body: linear, angular \[m/s, rad/s\].
#[inline(always)]
pub fn settled<T: Real>(pack: &Pack<T>, wrench: &[Quad<T>], body: usize) -> [[T; 3]; 2] {
    let (mut force, mut torque) = ([T::ZERO; 3], [T::ZERO; 3]);
    let first = pack.slots.first_slot[body] as usize;
    let last = pack.slots.first_slot[body + 1] as usize;
    for at in first..last {
        let slot = pack.slots.slots[at] as usize;
        force = add(force, xyz(wrench[2 * slot]));
        torque = add(torque, xyz(wrench[2 * slot + 1]));
    }
    let at = BODY_MASS * body;
    let mass = &pack.bodies.mass;
    let (linear, angular) = moved([mass[at], mass[at + 1], mass[at + 2]], force, torque);
    let free = &pack.bodies.free[BODY_FREE * body..];
    [add(xyz(free[0]), linear), add(xyz(free[1]), angular)]
}

/// All bodies; `beta` is the momentum of the next iteration.
pub fn run<T: Real>(pack: &Pack<T>, state: &mut State<T>, beta: T) {
    for body in 0..pack.bodies.len() {
        let new = settled(pack, &state.wrench, body);
        for part in 0..BODY_FREE {
            let at = BODY_FREE * body + part;
            let old = xyz(state.settled[at]);
            let ahead = add(new[part], scale(beta, sub(new[part], old)));
            state.settled[at] = [new[part][0], new[part][1], new[part][2], T::ZERO];
            state.velocity[at] = [ahead[0], ahead[1], ahead[2], T::ZERO];
        }
    }
}
