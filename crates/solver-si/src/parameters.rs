//! Laws and parameters that several solvers share.

use delassus_core::Parameters;

use crate::order::Order;

/// Order of the blocks in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct SweepOrder {
    /// Order of the blocks in a sweep.
    pub order: Order,
    /// Seed of order = "random". Any 64-bit number.
    #[parameter(default = 0, unit = "-")]
    pub seed: u64,
}
