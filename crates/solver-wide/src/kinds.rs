//! The list of the kinds of bundles, and which of them takes a block.

use delassus_core::Problem;

use super::batch::{BundleKind, Candidate};
use super::{fallback, joints, manifolds, normals, rows};

/// In the order in which a block is offered to them: the last one takes every block.
pub(crate) const KINDS: [BundleKind; 5] = [
    manifolds::KIND,
    normals::KIND,
    joints::KIND,
    rows::KIND,
    fallback::KIND,
];

/// How [`WidePgs`](crate::WidePgs) solves a block in its layout `recompute`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockPath {
    /// In lanes, as a point of a manifold.
    Contact,
    /// In lanes, as a joint that holds a point, by its arms.
    Joint,
    /// In lanes, by its rows.
    Rows,
    /// One by one, by the rules of `pgs`.
    Alone,
}

impl BlockPath {
    const OF_KINDS: [Self; 5] = [
        Self::Contact,
        Self::Contact,
        Self::Joint,
        Self::Rows,
        Self::Alone,
    ];

    /// How each block of a problem is solved, as if it were the only one between its bodies; `None`
    /// without bodies.
    pub fn of_blocks(problem: &Problem) -> Option<Vec<Self>> {
        let bodies = problem.bodies()?;
        let mut work = Vec::new();
        let mut path = |block| {
            let candidate = Candidate {
                problem,
                bodies,
                block,
                left: 1,
                thorough: true,
            };
            let takes = |kind: &BundleKind| (kind.find)(&candidate, &mut work).is_some();
            let kind = KINDS.iter().position(takes);
            kind.map_or(Self::Alone, |kind| Self::OF_KINDS[kind])
        };
        Some((0..problem.blocks().len()).map(&mut path).collect())
    }
}
