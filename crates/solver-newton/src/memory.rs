//! What preparing takes, from counts.

use delassus_core::Problem;

/// Blocks of the factor per body, of a graph that is nearly planar \[-\].
const BLOCKS: u64 = 24;

/// Memory for rows, iterate, matrix and factor \[B\].
pub(crate) fn estimate(problem: &Problem) -> u64 {
    let bodies = problem.bodies().map_or(0, |bodies| bodies.len() as u64);
    let rows = problem.rows() as u64;
    let copy = problem.memory();
    copy.saturating_add(bodies * BLOCKS * 2 * 36 * 8)
        .saturating_add(rows * (16 + 6) * 8)
}

/// Memory of the levels of conjugate gradients in addition to it \[B\].
pub(crate) fn levels(problem: &Problem) -> u64 {
    let bodies = problem.bodies().map_or(0, |bodies| bodies.len() as u64);
    bodies * BLOCKS * 2 * 36 * 8
}
