//! `rows`: one thread per unit updates its row blocks and writes a wrench for each of its bodies.
//!
//! The counterpart of [`super::manifolds`] for everything whose rows are stored. Blocks in order,
//! rows in order; in a block sweep a unit of at most [`MAX_SIDES`] bodies carries their velocities
//! along (J.6).

mod block;

use super::IterationStep;
use super::manifolds::{SpatialVector, write_wrench};
use super::sums::Sums;
use super::vectors::{add, dot, moved, scale, xyz};
use crate::pack::{BODY_FREE, BODY_MASS, FIXED, Iterate, MAX_SIDES, NOT_COUPLED, Pack};
use crate::real::{Quad, Real};
use block::{UnitBlock, load_block};

/// The unit that a thread works on; `COUPLED` says whether rows of its blocks share compliance.
struct Unit<'a, T, const COUPLED: bool> {
    pack: &'a Pack<T>,
    /// Velocities of all bodies: what the rows of a large or plain unit see.
    velocity: &'a [Quad<T>],
    /// Velocities of its own bodies.
    local: [SpatialVector<T>; MAX_SIDES],
    sequential: bool,
    /// First head of its slots, and their number.
    slots: usize,
    sides: usize,
    /// λ of its rows: λ_k, λ_{k−1}, and what the sweeps work on.
    halves: [usize; 3],
    rows: &'a mut [Quad<T>],
    step: IterationStep<T>,
    sums: Sums<T>,
}

impl<T: Real, const COUPLED: bool> Unit<'_, T, COUPLED> {
    #[inline(always)]
    fn impulse(&self, half: usize, row: usize) -> T {
        self.rows[self.halves[half] + row / 4][row % 4]
    }

    #[inline(always)]
    fn set(&mut self, row: usize, value: T) {
        self.rows[self.halves[2] + row / 4][row % 4] = value;
    }

    /// y = λ_k + β (λ_k − λ_{k−1}) of a packed row that is solved for.
    #[inline(always)]
    fn start(&self, row: usize) -> T {
        let old = self.impulse(0, row);
        old + self.step.beta * (old - self.impulse(1, row))
    }

    /// y of the rows that are solved for, λ_k of the others.
    #[inline(always)]
    fn begin(&mut self, block: &UnitBlock<T>) {
        for local in 0..block.rows {
            let row = block.first + local;
            let old = self.impulse(0, row);
            let value = if local < block.active {
                self.start(row)
            } else {
                old
            };
            self.set(row, value);
        }
    }

    /// Sums over the rows that were solved for.
    #[inline(always)]
    fn end(&mut self, block: &UnitBlock<T>) {
        for local in 0..block.active {
            let row = block.first + local;
            let (new, old) = (self.impulse(2, row), self.impulse(0, row));
            let step = self.numbers(block, local)[2];
            self.sums.add(self.start(row), new, old, step);
        }
    }

    /// Bias, R, step and lever of a row.
    #[inline(always)]
    fn numbers(&self, block: &UnitBlock<T>, local: usize) -> Quad<T> {
        self.pack.units.numbers[block.numbers + 1 + local]
    }

    /// First quad of the Jacobian of a row.
    #[inline(always)]
    fn jacobian(&self, block: &UnitBlock<T>, local: usize) -> usize {
        block.numbers + 1 + block.rows + 2 * self.sides * local
    }

    fn body(&self, side: usize) -> u32 {
        self.pack.units.heads[self.slots + side][0]
    }

    /// w = J v + bias + R λ of one row; where rows share compliance, with their impulses as they
    /// are now.
    #[inline(always)]
    fn shifted(&self, block: &UnitBlock<T>, local: usize, impulse: T) -> T {
        let at = self.jacobian(block, local);
        let numbers = &self.pack.units.numbers;
        let mut along = T::ZERO;
        for side in 0..self.sides {
            let [linear, angular] = if self.sequential {
                self.local[side]
            } else {
                let first = BODY_FREE * (self.body(side) & !FIXED) as usize;
                [xyz(self.velocity[first]), xyz(self.velocity[first + 1])]
            };
            along = along + dot(xyz(numbers[at + 2 * side]), linear);
            along = along + dot(xyz(numbers[at + 2 * side + 1]), angular);
        }
        let [bias, compliance, ..] = self.numbers(block, local);
        let mut w = along + (bias + compliance * impulse);
        if COUPLED && block.coupling != NOT_COUPLED {
            let coupling = self.pack.units.coupling();
            let row = coupling.row(block.coupling, block.rows, local);
            for (column, r) in row.iter().enumerate() {
                w = w + *r * self.impulse(2, block.first + column);
            }
        }
        w
    }

    /// λ − step w, not yet projected.
    #[inline(always)]
    fn free(&self, block: &UnitBlock<T>, local: usize) -> T {
        let y = self.impulse(2, block.first + local);
        y - self.numbers(block, local)[2] * self.shifted(block, local, y)
    }

    /// Stores a new impulse; velocities follow with the split masses.
    #[inline(always)]
    fn put(&mut self, block: &UnitBlock<T>, local: usize, value: T) {
        let row = block.first + local;
        let change = value - self.impulse(2, row);
        self.set(row, value);
        if !self.sequential {
            return;
        }
        let at = self.jacobian(block, local);
        for side in 0..self.sides {
            let linear = self.pack.units.numbers[at + 2 * side];
            let angular = self.pack.units.numbers[at + 2 * side + 1];
            let first = BODY_MASS * (self.body(side) & !FIXED) as usize;
            let mass = &self.pack.bodies.mass;
            let mass = [mass[first], mass[first + 1], mass[first + 2]];
            let (push, turn) = moved(mass, xyz(linear), xyz(angular));
            let size = linear[3] * change;
            let [v, w] = self.local[side];
            self.local[side] = [add(v, scale(size, push)), add(w, scale(size, turn))];
        }
    }
}

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
