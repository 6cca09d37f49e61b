//! `rows`: one thread per unit updates its row blocks and writes a wrench for each of its bodies.
//!
//! The counterpart of [`super::manifolds`] for everything whose rows are stored. Blocks in order,
//! rows in order; in a block sweep a unit of at most [`MAX_SIDES`] bodies carries their velocities
//! along (J.6).

mod block;
mod laws;
mod unit;

use super::IterationStep;
use super::manifolds::{SpatialVector, write_wrench};
use super::sums::Sums;
use super::vectors::{add, scale, xyz};
use crate::pack::{BODY_FREE, FIXED, Iterate, MAX_SIDES, Pack};
use crate::real::{Quad, Real};
use block::load_block;
use unit::Unit;

/// The thread of one unit: reads and writes its own impulses in `rows`, where the halves λ_k,
/// λ_{k−1} and λ_{k+1} start at `halves`; only the last is written. Writes its wrenches, if asked.
pub fn unit<T: Real>(
    pack: &Pack<T>,
    velocity: &[Quad<T>],
    rows: &mut [Quad<T>],
    halves: [usize; 3],
    step: IterationStep<T>,
    index: usize,
    wrench: Option<&mut [Quad<T>]>,
) -> Sums<T> {
    if pack.units.coupling().is_empty() {
        step_of_unit::<T, false>(pack, velocity, rows, halves, step, index, wrench)
    } else {
        step_of_unit::<T, true>(pack, velocity, rows, halves, step, index, wrench)
    }
}

fn step_of_unit<T: Real, const COUPLED: bool>(
    pack: &Pack<T>,
    velocity: &[Quad<T>],
    rows: &mut [Quad<T>],
    halves: [usize; 3],
    step: IterationStep<T>,
    index: usize,
    wrench: Option<&mut [Quad<T>]>,
) -> Sums<T> {
    let [first, count, slot, sides] = pack.units.heads[index].map(|x| x as usize);
    let unit = swept::<T, COUPLED>(pack, velocity, rows, halves, step, index);
    if let Some(wrench) = wrench {
        for side in 0..sides {
            if unit.body(side) & FIXED == 0 {
                let sum = unit_wrench(&unit, first, count, side);
                write_wrench(wrench, slot + side, sum);
            }
        }
    }
    unit.sums
}

/// The sweeps of a unit over its rows; λ_{k+1} is in the last of `halves` then.
#[inline(always)]
fn swept<'a, T: Real, const COUPLED: bool>(
    pack: &'a Pack<T>,
    velocity: &'a [Quad<T>],
    rows: &'a mut [Quad<T>],
    halves: [usize; 3],
    step: IterationStep<T>,
    index: usize,
) -> Unit<'a, T, COUPLED> {
    let [first, count, slot, sides] = pack.units.heads[index].map(|x| x as usize);
    let mut unit = Unit {
        pack,
        velocity,
        local: [[[T::ZERO; 3]; 2]; MAX_SIDES],
        sequential: step.sequential && sides <= MAX_SIDES,
        slots: pack.units.first_slot_head() + slot - 2 * pack.manifolds.len(),
        sides,
        halves,
        rows,
        step,
        sums: Sums::default(),
    };
    if unit.sequential {
        for side in 0..sides {
            let at = BODY_FREE * (unit.body(side) & !FIXED) as usize;
            unit.local[side] = [xyz(velocity[at]), xyz(velocity[at + 1])];
        }
    }
    let heads = unit_blocks(pack, first, count);
    for head in heads.clone() {
        unit.begin(&load_block(pack, head));
    }
    let passes = if unit.sequential { step.passes } else { 1 };
    for pass in 0..passes {
        let backwards = pass % 2 == 1;
        for turn in 0..count {
            let head = if backwards {
                heads.end - 1 - turn
            } else {
                heads.start + turn
            };
            let block = load_block(pack, head);
            if block.active > 0 {
                unit.update(&block, backwards);
            }
        }
    }
    for head in heads {
        unit.end(&load_block(pack, head));
    }
    unit
}

/// The thread of one unit of at most [`MAX_SIDES`] bodies that solves in place: impulses in the
/// first part of `rows`, velocities as its sweeps leave them.
pub(crate) fn unit_in_place<T: Real>(
    pack: &Pack<T>,
    velocity: &mut [Quad<T>],
    rows: &mut [Quad<T>],
    step: IterationStep<T>,
    index: usize,
) {
    if pack.units.coupling().is_empty() {
        step_in_place::<T, false>(pack, velocity, rows, step, index);
    } else {
        step_in_place::<T, true>(pack, velocity, rows, step, index);
    }
}

fn step_in_place<T: Real, const COUPLED: bool>(
    pack: &Pack<T>,
    velocity: &mut [Quad<T>],
    rows: &mut [Quad<T>],
    step: IterationStep<T>,
    index: usize,
) {
    let work = 2 * pack.units.impulse_quads();
    let unit = swept::<T, COUPLED>(pack, velocity, rows, [0, 0, work], step, index);
    let (local, sides) = (unit.local, unit.sides);
    let bodies: [u32; MAX_SIDES] =
        std::array::from_fn(|side| if side < sides { unit.body(side) } else { FIXED });
    for (body, [linear, angular]) in bodies.into_iter().zip(local) {
        if body & FIXED == 0 {
            let at = BODY_FREE * body as usize;
            velocity[at] = [linear[0], linear[1], linear[2], T::ZERO];
            velocity[at + 1] = [angular[0], angular[1], angular[2], T::ZERO];
        }
    }
    for at in unit_quads(pack, index) {
        rows[at] = rows[work + at];
    }
}

/// Heads of the blocks of a unit.
#[inline(always)]
fn unit_blocks<T: Real>(pack: &Pack<T>, first: usize, count: usize) -> std::ops::Range<usize> {
    let start = pack.units.len() + first;
    start..start + count
}

/// Jᵀλ_{k+1} of a unit on one of its bodies.
#[inline(always)]
fn unit_wrench<T: Real, const COUPLED: bool>(
    unit: &Unit<'_, T, COUPLED>,
    first: usize,
    count: usize,
    side: usize,
) -> SpatialVector<T> {
    let (mut force, mut torque) = ([T::ZERO; 3], [T::ZERO; 3]);
    for head in unit_blocks(unit.pack, first, count) {
        let block = load_block(unit.pack, head);
        for local in 0..block.rows {
            let at = unit.jacobian(&block, local) + 2 * side;
            let impulse = unit.impulse(2, block.first + local);
            let numbers = &unit.pack.units.numbers;
            force = add(force, scale(impulse, xyz(numbers[at])));
            torque = add(torque, scale(impulse, xyz(numbers[at + 1])));
        }
    }
    [force, torque]
}

/// All units: new impulses into the other half, wrenches into their slots, sums into `sums`, one
/// per unit.
pub fn run<T: Real>(
    pack: &Pack<T>,
    state: &mut Iterate<T>,
    step: IterationStep<T>,
    sums: &mut [Sums<T>],
) {
    let quads = pack.units.impulse_quads();
    let (now, other, work) = (
        state.current * quads,
        (1 - state.current) * quads,
        2 * quads,
    );
    let Iterate {
        rows,
        velocity,
        wrench,
        ..
    } = state;
    for index in 0..pack.units.len() {
        sums[index] = unit(
            pack,
            velocity,
            rows,
            [now, other, work],
            step,
            index,
            Some(&mut *wrench),
        );
        // on a GPU the thread itself, which nobody else waits for
        for at in unit_quads(pack, index) {
            rows[other + at] = rows[work + at];
        }
    }
}

/// Quads of the impulses of a unit: its blocks are packed one after the other.
#[inline(always)]
fn unit_quads<T: Real>(pack: &Pack<T>, index: usize) -> std::ops::Range<usize> {
    let [first, count, ..] = pack.units.heads[index].map(|x| x as usize);
    let heads = unit_blocks(pack, first, count);
    let [start, ..] = pack.units.heads[heads.start];
    let [last, rows, ..] = pack.units.heads[heads.end - 1];
    start as usize / 4..(last + rows).div_ceil(4) as usize
}

/// The wrenches of λ_k, without a step: what a warm start needs.
pub fn wrenches<T: Real>(pack: &Pack<T>, state: &mut Iterate<T>) {
    let now = state.current * pack.units.impulse_quads();
    let Iterate {
        rows,
        velocity,
        wrench,
        ..
    } = state;
    for index in 0..pack.units.len() {
        let [first, count, slot, sides] = pack.units.heads[index].map(|x| x as usize);
        let unit = Unit::<T, false> {
            pack,
            velocity,
            local: [[[T::ZERO; 3]; 2]; MAX_SIDES],
            sequential: false,
            slots: pack.units.first_slot_head() + slot - 2 * pack.manifolds.len(),
            sides,
            halves: [now; 3],
            rows: &mut *rows,
            step: IterationStep::plain(false),
            sums: Sums::default(),
        };
        for side in 0..sides {
            if unit.body(side) & FIXED == 0 {
                write_wrench(wrench, slot + side, unit_wrench(&unit, first, count, side));
            }
        }
    }
}
