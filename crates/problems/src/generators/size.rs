//! What a problem takes before it is made, from counts.

/// Counts of the largest problem that some parameters can give.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Size {
    /// Bodies \[-\].
    pub bodies: u64,
    /// Blocks \[-\].
    pub blocks: u64,
    /// Rows of all blocks \[-\].
    pub rows: u64,
    /// What the generator keeps in addition to the problem \[B\].
    pub extra_bytes: u64,
}

/// Bytes per body, block and row of two bodies: the problem twice, because its vectors grow by
/// doubling, and the boxes, manifolds and impulses that a closed form needs. Measured peaks are 0.4
/// to 0.8 of the estimate \[B\].
const BODY: u64 = 800;
const BLOCK: u64 = 200;
const ROW: u64 = 250;

impl Size {
    /// Counts with nothing but the problem.
    pub(crate) fn new(bodies: usize, blocks: usize, rows: usize) -> Self {
        Self {
            bodies: bodies as u64,
            blocks: blocks as u64,
            rows: rows as u64,
            extra_bytes: 0,
        }
    }

    /// Bytes at the peak of making the problem, estimated \[B\].
    pub fn bytes(&self) -> u64 {
        let parts = [
            (self.bodies, BODY),
            (self.blocks, BLOCK),
            (self.rows, ROW),
            (self.extra_bytes, 1),
        ];
        let bytes = parts.map(|(count, each)| count.saturating_mul(each));
        bytes.into_iter().fold(0, u64::saturating_add)
    }
}
