//! Friction rows that no impulse moves: they stay in their block, with zero impulse.
//!
//! Theory: docs/theory/01-problem.md (P.15).

use std::ops::Range;

use super::{Operator, ProblemParts};
use crate::bodies::{self, BodyRows, LOCKED};
use crate::extremes;
use crate::law::Block;
use crate::sparse::BlockSparse;

/// A friction row that no impulse moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ImmobileRow {
    pub(super) row: usize,
    /// What stands in the place of its compliance (P.15) \[1/kg | 1/(kg·m²)\].
    compliance: f64,
}

/// Finds the friction rows without compliance that no impulse moves, and empties them: no Jacobian,
/// no diagonal.
pub(super) fn empty(
    parts: &mut ProblemParts,
    diagonal: &mut [f64],
    immobile: &mut Vec<ImmobileRow>,
) {
    immobile.clear();
    let (least, largest) = extremes::range(diagonal);
    // almost every problem ends here
    if least > LOCKED * largest {
        return;
    }
    for (index, block) in parts.blocks.iter().enumerate() {
        let first = immobile.len();
        for local in block.law.normals(block.dim)..block.dim {
            let row = block.first_row + local;
            let moves = match &parts.operator {
                Operator::Bodies(bodies) => bodies.moves(index, local),
                Operator::Matrix(matrix) => couples(&matrix.delassus, index, local),
            };
            let compliance = parts.compliance[row];
            // rows that were emptied before have their compliance
            let carried = compliance == 0.0 || is_empty(parts, index, local);
            if !moves && carried && diagonal[row] < f64::INFINITY {
                diagonal[row] = 0.0;
                immobile.push(ImmobileRow { row, compliance });
            }
        }
        for immobile in &mut immobile[first..] {
            if immobile.compliance == 0.0 {
                immobile.compliance = substitute(block, immobile.row, diagonal);
            }
            if let Operator::Bodies(bodies) = &mut parts.operator {
                bodies.clear_row(index, immobile.row - block.first_row);
            }
        }
    }
}

/// True if a row has neither a Jacobian nor a velocity.
fn is_empty(parts: &ProblemParts, block: usize, local: usize) -> bool {
    let row = parts.blocks[block].first_row + local;
    let still = match &parts.operator {
        Operator::Bodies(bodies) => bodies.row(block, local).iter().all(|e| *e == [0.0; 6]),
        Operator::Matrix(matrix) => matrix.free_velocity[row] == 0.0,
    };
    still && parts.bias[row] == 0.0
}

/// The diagonal of the row that shares a disc with an immobile one; of the block where nothing
/// moves that row either.
fn substitute(block: &Block, row: usize, diagonal: &[f64]) -> f64 {
    let largest = |rows: Range<usize>| diagonal[rows].iter().fold(0.0, |max, a| a.max(max));
    // all laws of friction have discs of two rows, and a last row by itself
    let friction = block.first_row + block.law.normals(block.dim);
    let disc = row - (row - friction) % 2;
    let candidates = [disc..(disc + 2).min(block.rows().end), block.rows()];
    let found = candidates.into_iter().map(largest).find(|a| *a > 0.0);
    found.unwrap_or(1.0)
}

/// Keeps such rows at rest, whatever their numbers have been replaced by (P.15).
pub(super) fn hold(parts: &mut ProblemParts, immobile: &[ImmobileRow]) {
    for ImmobileRow { row, compliance } in immobile {
        parts.bias[*row] = 0.0;
        parts.compliance[*row] = *compliance;
        if let Operator::Matrix(matrix) = &mut parts.operator {
            matrix.free_velocity[*row] = 0.0;
        }
    }
}

/// True if a row of a matrix, or its column, has an entry.
fn couples(matrix: &BlockSparse, block: usize, local: usize) -> bool {
    let dim = matrix.dim(block);
    let in_row = |(column, values): (usize, &[f64])| {
        let width = matrix.dim(column);
        values[local * width..][..width].iter().any(|a| *a != 0.0)
    };
    let in_column = |row: usize| {
        let values = matrix.block(row, block).unwrap_or(&[]);
        values.iter().skip(local).step_by(dim).any(|a| *a != 0.0)
    };
    matrix.row(block).any(in_row) || (0..matrix.block_rows()).any(in_column)
}

impl BodyRows {
    /// True if an impulse on local row `local` of block `block` moves a body.
    fn moves(&self, block: usize, local: usize) -> bool {
        if let Some(point) = self.jacobian.point(block) {
            return self.moves_along(self.bodies_of(block), &point.row(local));
        }
        self.moves_along(self.bodies_of(block), self.row(block, local))
    }

    /// Makes a row zero.
    fn clear_row(&mut self, block: usize, local: usize) {
        let bodies = self.bodies_of(block).len();
        let first = self.first_entry[block] + local * bodies;
        self.jacobian
            .edit(|entries| entries[first..first + bodies].fill([0.0; 6]));
    }

    fn moves_along(&self, touched: &[u32], row: &[[f64; 6]]) -> bool {
        bodies::moves(touched.iter().map(|body| &self.mass[*body as usize]), row)
    }
}
