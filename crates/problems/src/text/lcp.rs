//! Linear complementarity problems: `n`, matrix M, q; 0 ≤ z ⊥ M z + q ≥ 0.

use delassus_core::{Block, Law, MemoryLimit, Problem};

use super::contact::{freeze, square};
use super::nm_matrix;
use super::tokens::Tokens;
use crate::error::ReadError;

/// Reads a linear complementarity problem: one unilateral row per block.
pub(crate) fn read(mut tokens: Tokens<'_>, limit: MemoryLimit) -> Result<Problem, ReadError> {
    let rows = tokens.integer("the number of rows")?;
    let line = tokens.line();
    let matrix = nm_matrix::read(&mut tokens, limit)?;
    square(line, &matrix, rows)?;
    let free_velocity = tokens.numbers(rows, "q")?;
    if has_bounds(tokens, rows) {
        return Err(ReadError::UnsupportedFormat {
            format: "the relay format (M, q, lower and upper bounds)",
            hint: "2 n numbers follow q; an LCP has none".to_owned(),
        });
    }
    tokens.finish("q", "an LCP ends with its n numbers q; delete what follows")?;
    let blocks = (0..rows).map(unilateral).collect();
    freeze(matrix, blocks, free_velocity)
}

/// One row 0 ≤ λ ⊥ w ≥ 0.
pub(crate) fn unilateral(row: usize) -> Block {
    Block {
        first_row: row,
        dim: 1,
        law: Law::UNILATERAL,
        feature: row as u64,
    }
}

/// True if exactly 2 n numbers follow and nothing else: bounds. A remark may follow an LCP.
fn has_bounds(tokens: Tokens<'_>, rows: usize) -> bool {
    let (count, _) = tokens.count_numbers();
    rows > 0 && rows.checked_mul(2) == Some(count)
}
