//! `coloured`: Gauss–Seidel over the pieces, colour after colour, velocities in place.
//!
//! A *task* is everything between the same bodies: its manifolds and units, in the order of the
//! problem, each swept once. No two tasks of a colour share a body that moves (W.1), so the threads
//! of a colour neither wait for each other nor read what another writes. Tasks that found no colour
//! come last, one after the other: a span of one thread.
//!
//! Cost: one pass over all rows; every body is read and written once per task. Nearest sibling:
//! `wide-pgs`, the same order in lanes. Limitations: velocities are added to, so that rounding
//! grows with the number of sweeps (W.2) until [`start`] computes them anew; a task touches at most
//! [`MAX_SIDES`] bodies. Theory: docs/theory/16-gpu.md. Source: \[Harada2011\].

use delassus_core::Problem;
use delassus_structure::geometry::FIXED;
use delassus_structure::{Colouring, Units};

use super::{IterationStep, manifolds, rows};
use crate::pack::{BODY_FREE, Iterate, MAX_SIDES, Pack, count_of};
use crate::real::{Quad, Real};
use crate::rule::{FactorRule, LocalSweep, Splitting, StepRule};

/// Mark of a unit among the pieces of a task, which are manifolds otherwise.
pub const UNIT: u32 = 1 << 31;

/// The step of Gauss–Seidel: whole masses, every row sees what the rows before it did.
pub const RULE: StepRule = StepRule {
    rule: FactorRule::Diagonal,
    splitting: Splitting::Blocks,
    sweep: LocalSweep::Block,
    omega: 1.0,
};

/// Tasks that threads solve side by side, or one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TaskSpan {
    /// First task.
    pub first: u32,
    /// Number of tasks \[-\].
    pub count: u32,
    /// True if one thread solves them all.
    pub serial: bool,
}

/// The order of a sweep.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TaskOrder {
    /// Offsets into `pieces`, one per task and one past the end.
    pub first_piece: Vec<u32>,
    /// Manifolds, and units with the mark [`UNIT`].
    pub pieces: Vec<u32>,
    /// The colours, then what found none.
    pub spans: Vec<TaskSpan>,
    /// Bodies of a unit at most \[-\].
    pub most_sides: u32,
}

impl TaskOrder {
    /// The order of a colouring of the problem's units.
    pub fn new<T: Real>(
        problem: &Problem,
        pack: &Pack<T>,
        units: &Units,
        colouring: &Colouring,
    ) -> Self {
        let mut order = Self {
            first_piece: vec![0],
            ..Self::default()
        };
        let pieces = pieces_of(problem, pack);
        for unit in colouring.order() {
            let blocks = units.blocks(unit as usize);
            let first = pieces.partition_point(|(block, _)| *block < blocks.start);
            let own = pieces[first..].iter();
            let own = own.take_while(|(block, _)| *block < blocks.end);
            order.pieces.extend(own.map(|(_, piece)| piece));
            order.count_task(colouring.colour(unit as usize));
        }
        let sides = pack.units.heads[..pack.units.len()].iter().map(|h| h[3]);
        order.most_sides = sides.max().unwrap_or(0);
        order
    }

    /// Number of tasks \[-\].
    pub fn tasks(&self) -> usize {
        self.first_piece.len() - 1
    }

    /// Ends a task; tasks come sorted by colour.
    fn count_task(&mut self, colour: Option<usize>) {
        // indices of pieces, which `Pack::new` has counted
        let end = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        let first = u32::try_from(self.tasks()).unwrap_or(u32::MAX);
        self.first_piece.push(end);
        let serial = colour.is_none();
        let spans = self.spans.len();
        match self.spans.last_mut() {
            Some(span) if (serial && span.serial) || colour == Some(spans - 1) => span.count += 1,
            _ => self.spans.push(TaskSpan {
                first,
                count: 1,
                serial,
            }),
        }
    }
}

/// First block and piece of all pieces, by block.
fn pieces_of<T: Real>(problem: &Problem, pack: &Pack<T>) -> Vec<(u32, u32)> {
    let block = |row: u32| {
        // fewer than 2³² blocks, as the lists of a problem hold
        u32::try_from(problem.block_of_row((row & !FIXED) as usize)).unwrap_or(u32::MAX)
    };
    let heads = (0_u32..).zip(&pack.manifolds.heads);
    let of_manifolds =
        heads.map(|(m, head)| (block(pack.manifolds.first_row[head[0] as usize]), m));
    let heads = (0_u32..).zip(&pack.units.heads[..pack.units.len()]);
    let of_units = heads.map(|(unit, head)| {
        let first = pack.units.heads[pack.units.len() + head[0] as usize];
        (block(pack.units.rows[first[0] as usize]), unit | UNIT)
    });
    let mut pieces: Vec<(u32, u32)> = of_manifolds.chain(of_units).collect();
    pieces.sort_unstable();
    pieces
}

/// One sweep over all tasks: impulses in the first half, velocities in `settled`.
///
/// Units of more than [`MAX_SIDES`] bodies are not for this kernel: [`TaskOrder::most_sides`].
pub fn sweep<T: Real>(pack: &Pack<T>, state: &mut Iterate<T>, order: &TaskOrder) {
    debug_assert!(order.most_sides as usize <= MAX_SIDES);
    let step = IterationStep {
        passes: 1,
        ..IterationStep::plain(true)
    };
    for piece in &order.pieces {
        let index = (piece & !UNIT) as usize;
        if piece & UNIT == 0 {
            manifold_in_place(pack, &mut state.settled, &mut state.points, step, index);
        } else {
            rows::unit_in_place(pack, &mut state.settled, &mut state.rows, step, index);
        }
    }
}

fn manifold_in_place<T: Real>(
    pack: &Pack<T>,
    velocity: &mut [Quad<T>],
    points: &mut [Quad<T>],
    step: IterationStep<T>,
    index: usize,
) {
    let now = &points[..pack.manifolds.points()];
    let out = manifolds::manifold(pack, velocity, now, now, step, index);
    let [first, flags, a, b] = pack.manifolds.heads[index];
    let (first, count) = (first as usize, count_of(flags) as usize);
    points[first..first + count].copy_from_slice(&out.impulses[..count]);
    for (body, [linear, angular]) in [a, b].into_iter().zip(out.velocity) {
        if body & FIXED == 0 {
            let at = BODY_FREE * body as usize;
            velocity[at] = [linear[0], linear[1], linear[2], T::ZERO];
            velocity[at + 1] = [angular[0], angular[1], angular[2], T::ZERO];
        }
    }
}

/// Velocities of the impulses in the first half, in `settled`: what a sweep starts from.
pub fn start<T: Real>(pack: &Pack<T>, state: &mut Iterate<T>) {
    manifolds::wrenches(pack, state);
    rows::wrenches(pack, state);
    super::bodies::run(pack, state, T::ZERO);
}
