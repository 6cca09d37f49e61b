//! The order in which a sweep visits the blocks.

use delassus_core::{Choice, Law, Memory, ParameterError, Problem};

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
    /// A manifold after the other: all its friction, bounded by the normals of the visit before, then all its normals.
    FrictionFirst,
}

/// The parts of a block that a schedule may visit at different times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Everything but friction.
    Normals,
    /// Friction; and contacts whose rows are projected together.
    Friction,
    /// Nothing changes: the rule takes note of the normals of a manifold.
    Look,
    /// The normals of a manifold, with what was noted of all its blocks.
    Act,
}

/// A visit is the number of a block, and above this bit which part of it is visited: a problem has fewer blocks.
const PART: u32 = 29;

/// The visit of a part of a block.
pub(crate) fn visit(block: u32, part: Part) -> u32 {
    let part = match part {
        Part::Normals => 1,
        Part::Friction => 2,
        Part::Look => 3,
        Part::Act => 4,
    };
    block | part << PART
}

/// The block of a visit, and which part of it; `None` for all of it.
#[inline(always)]
pub(crate) fn visited(visit: u32) -> (usize, Option<Part>) {
    let block = (visit & ((1 << PART) - 1)) as usize;
    let part = match visit >> PART {
        0 => None,
        1 => Some(Part::Normals),
        2 => Some(Part::Friction),
        3 => Some(Part::Look),
        _ => Some(Part::Act),
    };
    (block, part)
}

/// The permutations of successive sweeps.
#[derive(Debug, Clone)]
pub(crate) struct Schedule {
    order: Order,
    blocks: Vec<u32>,
    seed: u64,
    random: SplitMix64,
    started: bool,
}

impl Schedule {
    pub(crate) fn new(order: Order, seed: u64, blocks: usize) -> Self {
        // a problem holds fewer than 2³² blocks, so nothing is cut off
        let ascending = (0u32..).take(blocks);
        let blocks = match order {
            Order::Reversed => {
                let mut blocks: Vec<u32> = ascending.collect();
                blocks.reverse();
                blocks
            }
            _ => ascending.collect(),
        };
        Self {
            order,
            blocks,
            seed,
            random: SplitMix64(seed),
            started: false,
        }
    }

    /// Begins anew with the first sweep.
    pub(crate) fn restart(&mut self) {
        // these two alone move the blocks, and began with them ascending
        if matches!(self.order, Order::Symmetric | Order::Random) {
            self.blocks.sort_unstable();
        }
        self.random = SplitMix64(self.seed);
        self.started = false;
    }

    /// The same given visits in every sweep.
    pub(crate) fn fixed(blocks: Vec<u32>) -> Self {
        Self {
            order: Order::Natural,
            blocks,
            seed: 0,
            random: SplitMix64(0),
            started: false,
        }
    }

    /// Visits with normals and friction in the order `rows`, which [`check_rows`] let pass.
    pub(crate) fn of_rows(rows: RowOrder, (order, seed): (Order, u64), problem: &Problem) -> Self {
        if rows == RowOrder::PointByPoint {
            return Self::new(order, seed, problem.blocks().len());
        }
        let mut visits = Vec::with_capacity(2 * problem.blocks().len());
        let mut block = 0u32;
        for manifold in manifolds(problem) {
            let members = block..block + manifold;
            block = members.end;
            let [first, second] = match rows {
                RowOrder::FrictionFirst => [Part::Friction, Part::Normals],
                _ => [Part::Normals, Part::Friction],
            };
            visits.extend(members.clone().map(|member| visit(member, first)));
            visits.extend(members.map(|member| visit(member, second)));
        }
        Self::fixed(visits)
    }

    /// True if the blocks of a sweep do not see each other's updates.
    pub(crate) fn is_simultaneous(&self) -> bool {
        self.order == Order::Simultaneous
    }

    /// Appends what tells the next sweep from the last.
    ///
    /// A random order is left out: a sweep visits every block once, so one that moves no impulse moves none in any order.
    pub(crate) fn state(&self, out: &mut Vec<u64>) -> Memory {
        match self.order {
            Order::Random => return Memory::Resting(1),
            // forwards and backwards: the first block says which comes next
            Order::Symmetric => out.extend([
                u64::from(self.started),
                self.blocks.first().copied().unwrap_or(0).into(),
            ]),
            Order::Natural | Order::Reversed | Order::Simultaneous => {}
        }
        Memory::Whole
    }

    /// The blocks in the order of the next sweep.
    pub(crate) fn next_sweep(&mut self) -> &[u32] {
        match self.order {
            Order::Symmetric if self.started => self.blocks.reverse(),
            Order::Random => self.shuffle(),
            _ => {}
        }
        self.started = true;
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

/// Lengths of the manifolds: consecutive contacts of the same bodies; other blocks stand alone.
pub(crate) fn manifolds(problem: &Problem) -> Vec<u32> {
    let pair = |block: usize| -> Option<&[u32]> {
        match problem.blocks()[block].law {
            Law::Contact(_) | Law::Rolling(_) => Some(problem.bodies()?.bodies_of(block)),
            Law::Equality | Law::Bounds { .. } | Law::Patch(_) => None,
        }
    };
    let mut lengths: Vec<u32> = Vec::new();
    for block in 0..problem.blocks().len() {
        let joins = block > 0 && pair(block).is_some() && pair(block) == pair(block - 1);
        match lengths.last_mut() {
            Some(last) if joins => *last += 1,
            _ => lengths.push(1),
        }
    }
    lengths
}

/// The generator of \[Steele2014\], 64 bits of state.
#[derive(Debug, Clone)]
struct SplitMix64(u64);

impl SplitMix64 {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; its bias is below n/2⁶⁴.
    fn below(&mut self, n: usize) -> usize {
        let scaled = (u128::from(self.next()) * n as u128) >> 64;
        usize::try_from(scaled).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix_gives_the_published_sequence() {
        // first outputs of the reference implementation for state 1234567
        let mut random = SplitMix64(1_234_567);
        assert_eq!(random.next(), 6_457_827_717_110_365_317);
        assert_eq!(random.next(), 3_203_168_211_198_807_973);
        assert_eq!(random.next(), 9_817_491_932_198_370_423);
    }

    #[test]
    fn orders_do_what_their_names_say() {
        let mut natural = Schedule::new(Order::Natural, 0, 4);
        assert_eq!(natural.next_sweep(), [0, 1, 2, 3]);
        assert_eq!(natural.next_sweep(), [0, 1, 2, 3]);
        let mut reversed = Schedule::new(Order::Reversed, 0, 4);
        assert_eq!(reversed.next_sweep(), [3, 2, 1, 0]);
        let mut symmetric = Schedule::new(Order::Symmetric, 0, 3);
        assert_eq!(symmetric.next_sweep(), [0, 1, 2]);
        assert_eq!(symmetric.next_sweep(), [2, 1, 0]);
        assert_eq!(symmetric.next_sweep(), [0, 1, 2]);
    }

    #[test]
    fn shuffles_are_permutations_that_differ_and_repeat_with_the_seed() {
        let mut first = Schedule::new(Order::Random, 7, 50);
        let mut again = Schedule::new(Order::Random, 7, 50);
        let (one, two) = (first.next_sweep().to_vec(), first.next_sweep().to_vec());
        assert_ne!(one, two);
        assert_eq!(again.next_sweep(), one);
        assert_eq!(again.next_sweep(), two);
        let mut sorted = two;
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<u32>>());
    }
}
