//! The order in which a sweep visits the blocks.

use std::ops::Range;

use delassus_core::{Choice, LawForm, ParameterError, Problem, StateCoverage};

use crate::random::SplitMix64;

/// The order in which a sweep visits the blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Order {
    /// The problem's order.
    #[default]
    Natural,
    /// The problem's order backwards.
    Reversed,
    /// Forwards and backwards in turn, beginning forwards; each pass counts as one sweep.
    Symmetric,
    /// A new permutation for every sweep, drawn from the parameter `seed`.
    Random,
    /// No order: every block sees the velocities from the start of the sweep (Jacobi).
    Simultaneous,
}

/// The order of normals and friction in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum RowOrder {
    /// A contact point after the other: its normal, then its friction.
    #[default]
    PointByPoint,
    /// A manifold after the other: all its normals, then all its friction.
    NormalsFirst,
    /// A manifold after the other: all its friction, bounded by the normals of the visit before,
    /// then all its normals.
    FrictionFirst,
}

/// The parts of a block that a schedule may visit at different times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockPart {
    /// Everything but friction.
    Normals,
    /// Friction; and contacts whose rows are projected together.
    Friction,
    /// Nothing changes: the rule gathers the normals of a manifold.
    Gather,
    /// The normals of a manifold, solved together from what was gathered.
    Scatter,
    /// All of it, the rows of joints and bounds from the last to the first.
    Backwards,
}

/// A visit is the number of a block, and above this bit which part of it is visited: a problem has
/// fewer blocks.
const PART: u32 = 29;

/// The visit of a part of a block.
pub(crate) fn visit(block: u32, part: BlockPart) -> u32 {
    let part = match part {
        BlockPart::Normals => 1,
        BlockPart::Friction => 2,
        BlockPart::Gather => 3,
        BlockPart::Scatter => 4,
        BlockPart::Backwards => 5,
    };
    block | part << PART
}

/// The block of a visit, and which part of it; `None` for all of it.
#[inline(always)]
pub(crate) fn visited(visit: u32) -> (usize, Option<BlockPart>) {
    let block = (visit & ((1 << PART) - 1)) as usize;
    let part = match visit >> PART {
        0 => None,
        1 => Some(BlockPart::Normals),
        2 => Some(BlockPart::Friction),
        3 => Some(BlockPart::Gather),
        4 => Some(BlockPart::Scatter),
        _ => Some(BlockPart::Backwards),
    };
    (block, part)
}

/// The permutations of successive sweeps.
#[derive(Debug, Clone)]
pub struct Schedule {
    order: Order,
    blocks: Vec<u32>,
    seed: u64,
    random: SplitMix64,
    started: bool,
    /// How often a sweep updates every row.
    passes: usize,
    /// The visits of a second stage, and where among the passes of both the next one is; empty for
    /// one stage.
    second: Vec<u32>,
    pass: u64,
    /// Passes of each stage.
    inner: u64,
}

impl Default for Schedule {
    /// No visits.
    fn default() -> Self {
        Self {
            order: Order::Natural,
            blocks: Vec::new(),
            seed: 0,
            random: SplitMix64::new(0),
            started: false,
            passes: 1,
            second: Vec::new(),
            pass: 0,
            inner: 0,
        }
    }
}

/// Schedules are made in the memory of another one, which may be the default.
impl Schedule {
    /// All blocks in one of the orders.
    pub(crate) fn in_order(self, order: Order, seed: u64, blocks: usize) -> Self {
        let schedule = self.fixed(|visits| {
            // a problem holds fewer than 2³² blocks, so nothing is cut off
            visits.extend((0u32..).take(blocks));
            if order == Order::Reversed {
                visits.reverse();
            }
        });
        Self {
            order,
            seed,
            random: SplitMix64::new(seed),
            ..schedule
        }
    }

    /// Begins anew with the first sweep.
    pub(crate) fn restart(&mut self) {
        // these two alone move the blocks, and began with them ascending
        if matches!(self.order, Order::Symmetric | Order::Random) {
            self.blocks.sort_unstable();
        }
        self.random = SplitMix64::new(self.seed);
        self.started = false;
        (self.pass, self.inner) = (0, 0);
    }

    /// The same visits in every sweep, those that `fill` appends.
    pub(crate) fn fixed(self, fill: impl FnOnce(&mut Vec<u32>)) -> Self {
        self.stages(0, |visits, _| fill(visits))
    }

    /// The blocks forwards, then backwards, in one sweep.
    pub(crate) fn there_and_back(self, blocks: usize) -> Self {
        let schedule = self.fixed(|visits| {
            // a problem holds fewer than 2²⁹ blocks, so nothing is cut off
            visits.extend((0u32..).take(blocks));
            for block in (0..blocks).rev() {
                visits.push(visit(visits[block], BlockPart::Backwards));
            }
        });
        Self {
            passes: 2,
            ..schedule
        }
    }

    /// `inner` times the visits of a first stage, then as often those of a second one, one pass at
    /// a time; `fill` appends both.
    pub(crate) fn stages(
        self,
        inner: u64,
        fill: impl FnOnce(&mut Vec<u32>, &mut Vec<u32>),
    ) -> Self {
        let Self {
            mut blocks,
            mut second,
            ..
        } = self;
        blocks.clear();
        second.clear();
        fill(&mut blocks, &mut second);
        Self {
            blocks,
            second,
            inner,
            ..Self::default()
        }
    }

    /// The visits of the first sweep, those of its first stage.
    pub(crate) fn visits(&self) -> &[u32] {
        &self.blocks
    }

    /// How often a sweep updates every row \[-\].
    pub(crate) fn passes(&self) -> usize {
        self.passes
    }

    /// Visits with normals and friction in the order `rows`, which [`check_rows`] let pass.
    pub(crate) fn of_rows(
        self,
        rows: RowOrder,
        order: Order,
        seed: u64,
        problem: &Problem,
    ) -> Self {
        if rows == RowOrder::PointByPoint {
            return self.in_order(order, seed, problem.blocks().len());
        }
        let [first, second] = match rows {
            RowOrder::FrictionFirst => [BlockPart::Friction, BlockPart::Normals],
            _ => [BlockPart::Normals, BlockPart::Friction],
        };
        self.fixed(|visits| {
            for members in manifolds(problem) {
                visits.extend(members.clone().map(|member| visit(member, first)));
                visits.extend(members.map(|member| visit(member, second)));
            }
        })
    }

    /// True if the blocks of a sweep do not see each other's updates.
    pub(crate) fn is_simultaneous(&self) -> bool {
        self.order == Order::Simultaneous
    }

    /// Appends the state in which the next sweep differs from the last.
    ///
    /// A random order is left out: a sweep visits every block once, so one that moves no impulse
    /// moves none in any order.
    pub(crate) fn state(&self, out: &mut Vec<u64>) -> StateCoverage {
        match self.order {
            Order::Random => return StateCoverage::FixedPoint(1),
            // forwards and backwards: the first block says which comes next
            Order::Symmetric => out.extend([
                u64::from(self.started),
                self.blocks.first().copied().unwrap_or(0).into(),
            ]),
            Order::Natural | Order::Reversed | Order::Simultaneous => {}
        }
        StateCoverage::Complete
    }

    /// The blocks in the order of the next sweep.
    pub(crate) fn next_sweep(&mut self) -> &[u32] {
        match self.order {
            Order::Symmetric if self.started => self.blocks.reverse(),
            Order::Random => self.shuffle(),
            _ => {}
        }
        self.started = true;
        if !self.second.is_empty() {
            let second = self.pass >= self.inner;
            self.pass = (self.pass + 1) % (2 * self.inner);
            if second {
                return &self.second;
            }
        }
        &self.blocks
    }

    /// Fisher–Yates.
    fn shuffle(&mut self) {
        for last in (1..self.blocks.len()).rev() {
            let other = self.random.below(last + 1);
            self.blocks.swap(last, other);
        }
    }
}

/// Refuses an order of rows in an order of blocks that takes manifolds apart.
pub(crate) fn check_rows(rows: RowOrder, order: Order) -> Result<(), ParameterError> {
    if rows == RowOrder::PointByPoint || order == Order::Natural {
        return Ok(());
    }
    Err(ParameterError {
        parameter: "rows",
        value: rows.name().to_owned(),
        expected: "must be point-by-point where order is not natural",
    })
}

/// The blocks of each manifold: consecutive contacts of the same bodies; other blocks stand alone.
pub(crate) fn manifolds(problem: &Problem) -> impl Iterator<Item = Range<u32>> + '_ {
    let pair = |block: u32| -> Option<&[u32]> {
        let block = block as usize;
        match problem.blocks()[block].law.form() {
            LawForm::Free | LawForm::Interval | LawForm::SharedFriction => None,
            _ => Some(problem.bodies()?.bodies_of(block)),
        }
    };
    // fewer than 2³² blocks, so nothing is cut off
    let blocks = u32::try_from(problem.blocks().len()).unwrap_or(u32::MAX);
    let mut first = 0;
    std::iter::from_fn(move || {
        if first == blocks {
            return None;
        }
        let own = pair(first);
        let joins = |block: &u32| own.is_some() && pair(*block) == own;
        let last = (first + 1..blocks).find(|block| !joins(block));
        let members = first..last.unwrap_or(blocks);
        first = members.end;
        Some(members)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_do_what_their_names_say() {
        let mut natural = Schedule::default().in_order(Order::Natural, 0, 4);
        assert_eq!(natural.next_sweep(), [0, 1, 2, 3]);
        assert_eq!(natural.next_sweep(), [0, 1, 2, 3]);
        let mut reversed = Schedule::default().in_order(Order::Reversed, 0, 4);
        assert_eq!(reversed.next_sweep(), [3, 2, 1, 0]);
        let mut symmetric = Schedule::default().in_order(Order::Symmetric, 0, 3);
        assert_eq!(symmetric.next_sweep(), [0, 1, 2]);
        assert_eq!(symmetric.next_sweep(), [2, 1, 0]);
        assert_eq!(symmetric.next_sweep(), [0, 1, 2]);
    }

    #[test]
    fn shuffles_are_permutations_that_differ_and_repeat_with_the_seed() {
        let mut first = Schedule::default().in_order(Order::Random, 7, 50);
        let mut again = Schedule::default().in_order(Order::Random, 7, 50);
        let (one, two) = (first.next_sweep().to_vec(), first.next_sweep().to_vec());
        assert_ne!(one, two);
        assert_eq!(again.next_sweep(), one);
        assert_eq!(again.next_sweep(), two);
        let mut sorted = two;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<u32>>());
    }
}
