//! `bodies`: one thread per body sums its wrenches in the order of their slots and computes its
//! velocity anew.
//!
//! v_{k+1} = v_f + M⁻¹ Σ wrenches: nothing is accumulated from iteration to iteration, so that
//! rounding in f32 does not grow with their number (J.15). With momentum the next iteration reads
//! v_{k+1} + β (v_{k+1} − v_k), which is exact because velocities are linear in the impulses.
//!
//! A hub, a body with more than [`HUB`] slots, sums them in chunks of [`CHUNK`] and then the chunks
//! (K.30): a workgroup can share that sum, and one thread makes the same.

use std::ops::Range;

use super::sums::CHUNK;
use super::vectors::{Triple, add, moved, scale, sub, xyz};
use crate::pack::{BODY_FREE, BODY_MASS, Iterate, Pack};
use crate::real::{Quad, Real};

/// Slots of a body that are summed one after the other \[-\]; a body with more of them is a hub.
pub const HUB: usize = 64;

/// Bodies with more slots than [`HUB`], ascending.
pub fn hubs<T: Real>(pack: &Pack<T>) -> Vec<u32> {
    let slots = pack.slots.first_slot.windows(2);
    let bodies = (0..).zip(slots.map(|pair| (pair[1] - pair[0]) as usize));
    bodies.filter(|(_, n)| *n > HUB).map(|(b, _)| b).collect()
}

/// Force and torque of consecutive entries of the list of slots, one after the other.
#[inline(always)]
fn gathered<T: Real>(pack: &Pack<T>, wrench: &[Quad<T>], entries: Range<usize>) -> [Triple<T>; 2] {
    let (mut force, mut torque) = ([T::ZERO; 3], [T::ZERO; 3]);
    for at in entries {
        let slot = pack.slots.slots[at] as usize;
        force = add(force, xyz(wrench[2 * slot]));
        torque = add(torque, xyz(wrench[2 * slot + 1]));
    }
    [force, torque]
}

/// Force and torque of a body.
#[inline(always)]
fn summed<T: Real>(pack: &Pack<T>, wrench: &[Quad<T>], body: usize) -> [Triple<T>; 2] {
    let first = pack.slots.first_slot[body] as usize;
    let last = pack.slots.first_slot[body + 1] as usize;
    if last - first <= HUB {
        return gathered(pack, wrench, first..last);
    }
    let mut total = [[T::ZERO; 3]; 2];
    for begin in (first..last).step_by(CHUNK) {
        let part = gathered(pack, wrench, begin..last.min(begin + CHUNK));
        total = [add(total[0], part[0]), add(total[1], part[1])];
    }
    total
}

/// v_f + M⁻¹ Σ wrenches of one body: linear, angular \[m/s, rad/s\].
#[inline(always)]
pub fn settled<T: Real>(pack: &Pack<T>, wrench: &[Quad<T>], body: usize) -> [[T; 3]; 2] {
    let [force, torque] = summed(pack, wrench, body);
    let at = BODY_MASS * body;
    let mass = &pack.bodies.mass;
    let (linear, angular) = moved([mass[at], mass[at + 1], mass[at + 2]], force, torque);
    let free = &pack.bodies.free[BODY_FREE * body..];
    [add(xyz(free[0]), linear), add(xyz(free[1]), angular)]
}

/// All bodies; `beta` is the momentum of the next iteration.
pub fn run<T: Real>(pack: &Pack<T>, state: &mut Iterate<T>, beta: T) {
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
