//! What the thread of a unit works on.

use super::super::IterationStep;
use super::super::manifolds::SpatialVector;
use super::super::sums::Sums;
use super::super::vectors::{add, dot, moved, scale, xyz};
use super::block::UnitBlock;
use crate::pack::{BODY_FREE, BODY_MASS, FIXED, MAX_SIDES, NOT_COUPLED, Pack};
use crate::real::{Quad, Real};

/// The unit that a thread works on; `COUPLED` says whether rows of its blocks share compliance.
pub(super) struct Unit<'a, T, const COUPLED: bool> {
    pub(super) pack: &'a Pack<T>,
    /// Velocities of all bodies: what the rows of a large or plain unit see.
    pub(super) velocity: &'a [Quad<T>],
    /// Velocities of its own bodies.
    pub(super) local: [SpatialVector<T>; MAX_SIDES],
    pub(super) sequential: bool,
    /// First head of its slots, and their number.
    pub(super) slots: usize,
    pub(super) sides: usize,
    /// λ of its rows: λ_k, λ_{k−1}, and what the sweeps work on.
    pub(super) halves: [usize; 3],
    pub(super) rows: &'a mut [Quad<T>],
    pub(super) step: IterationStep<T>,
    pub(super) sums: Sums<T>,
}

impl<T: Real, const COUPLED: bool> Unit<'_, T, COUPLED> {
    #[inline(always)]
    pub(super) fn impulse(&self, half: usize, row: usize) -> T {
        self.rows[self.halves[half] + row / 4][row % 4]
    }

    #[inline(always)]
    pub(super) fn set(&mut self, row: usize, value: T) {
        self.rows[self.halves[2] + row / 4][row % 4] = value;
    }

    /// y = λ_k + β (λ_k − λ_{k−1}) of a packed row that is solved for.
    #[inline(always)]
    pub(super) fn start(&self, row: usize) -> T {
        let old = self.impulse(0, row);
        old + self.step.beta * (old - self.impulse(1, row))
    }

    /// y of the rows that are solved for, λ_k of the others.
    #[inline(always)]
    pub(super) fn begin(&mut self, block: &UnitBlock<T>) {
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
    pub(super) fn end(&mut self, block: &UnitBlock<T>) {
        for local in 0..block.active {
            let row = block.first + local;
            let (new, old) = (self.impulse(2, row), self.impulse(0, row));
            let step = self.numbers(block, local)[2];
            self.sums.add(self.start(row), new, old, step);
        }
    }

    /// Bias, R, step and lever of a row.
    #[inline(always)]
    pub(super) fn numbers(&self, block: &UnitBlock<T>, local: usize) -> Quad<T> {
        self.pack.units.numbers[block.numbers + 1 + local]
    }

    /// First quad of the Jacobian of a row.
    #[inline(always)]
    pub(super) fn jacobian(&self, block: &UnitBlock<T>, local: usize) -> usize {
        block.numbers + 1 + block.rows + 2 * self.sides * local
    }

    pub(super) fn body(&self, side: usize) -> u32 {
        self.pack.units.heads[self.slots + side][0]
    }

    /// w = J v + bias + R λ of one row; where rows share compliance, with their impulses as they
    /// are now.
    #[inline(always)]
    pub(super) fn shifted(&self, block: &UnitBlock<T>, local: usize, impulse: T) -> T {
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
    pub(super) fn free(&self, block: &UnitBlock<T>, local: usize) -> T {
        let y = self.impulse(2, block.first + local);
        y - self.numbers(block, local)[2] * self.shifted(block, local, y)
    }

    /// Stores a new impulse; velocities follow with the split masses.
    #[inline(always)]
    pub(super) fn put(&mut self, block: &UnitBlock<T>, local: usize, value: T) {
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
