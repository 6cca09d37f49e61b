//! Laws and parameters that several solvers share.

use delassus_core::{LawKind, Parameters, Support};

use crate::order::Order;

/// All nine laws, exactly.
pub(crate) const ALL_LAWS_EXACT: &[(LawKind, Support)] = &[
    (LawKind::Equality, Support::Exact),
    (LawKind::Bounds, Support::Exact),
    (LawKind::Frictionless, Support::Exact),
    (LawKind::FixedBox, Support::Exact),
    (LawKind::Pyramid, Support::Exact),
    (LawKind::Disc, Support::Exact),
    (LawKind::Coulomb, Support::Exact),
    (LawKind::ConvexCone, Support::Exact),
    (LawKind::Patch, Support::Exact),
];

/// Order of the blocks in a sweep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Parameters)]
pub struct SweepOrder {
    /// Order of the blocks in a sweep.
    pub order: Order,
    /// Seed of order = "random". Any 64-bit number.
    #[parameter(default = 0, unit = "-")]
    pub seed: u64,
}
