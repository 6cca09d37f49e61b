//! Laws and parameters that several solvers share.

use delassus_core::{Parameters, Problem};

use crate::order::{Order, Schedule};

/// Order of the blocks in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct SweepOrder {
    /// Order of the blocks in a sweep.
    pub order: Order,
    /// Seed of order = "random". Any 64-bit number.
    #[parameter(default = 0, unit = "-")]
    pub seed: u64,
}

impl SweepOrder {
    /// The visits of sweeps over a problem; reuses the memory of earlier ones.
    pub(crate) fn schedule(self, problem: &Problem, memory: Schedule) -> Schedule {
        memory.in_order(self.order, self.seed, problem.blocks().len())
    }
}
