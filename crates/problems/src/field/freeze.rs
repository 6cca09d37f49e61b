//! Matrix problems from the entries of files.

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, Law, MatrixRows, MemoryLimit, Operator, Problem,
    ProblemError, ProblemParts,
};

use crate::error::ProblemReadError;

/// Freezes a matrix problem without bias and compliance. Zeros are left out, equal places are
/// added.
pub(super) fn freeze(
    entries: impl Iterator<Item = (usize, usize, f64)>,
    blocks: Vec<Block>,
    free_velocity: Vec<f64>,
    limit: MemoryLimit,
) -> Result<Problem, ProblemReadError> {
    let rows = free_velocity.len();
    let dims: Vec<usize> = blocks.iter().map(|block| block.dim).collect();
    let list = list(entries, limit)?;
    let held = size_of_val(list.as_slice()) as u64;
    let delassus = BlockSparse::from_entries(&dims, list, limit.less(held));
    let delassus = delassus.map_err(|error| match error {
        ProblemError::Memory(memory) => ProblemReadError::Memory(memory),
        other => ProblemReadError::Problem(other),
    })?;
    let parts = ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus,
            free_velocity,
        }),
        blocks,
        bias: vec![0.0; rows],
        compliance: vec![0.0; rows],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    };
    Ok(Problem::new(parts)?)
}

/// The entries that are not zero, with indices of 32 bits.
fn list(
    entries: impl Iterator<Item = (usize, usize, f64)>,
    limit: MemoryLimit,
) -> Result<Vec<(u32, u32, f64)>, ProblemReadError> {
    let narrow = |index: usize| {
        let large = |_| ProblemReadError::Problem(ProblemError::TooLarge { rows: index });
        u32::try_from(index).map_err(large)
    };
    let mut list: Vec<(u32, u32, f64)> = Vec::new();
    for (row, column, value) in entries.filter(|entry| entry.2 != 0.0) {
        if list.len() == list.capacity() {
            // the old list and one of twice its size
            let bytes = 3 * size_of_val(list.as_slice()) as u64;
            limit.admit("the list of the matrix's entries", bytes)?;
        }
        list.push((narrow(row)?, narrow(column)?, value));
    }
    Ok(list)
}

/// Rows of an equality block that stays one block at most \[-\]: as one block its matrix is stored
/// dense.
const MAX_BLOCK: usize = 1000;

/// Equality rows from `first` on, `count` of them: one block, or one per row where they are many.
pub(super) fn equalities(first: usize, count: usize) -> Vec<Block> {
    let equality = |first_row: usize, dim: usize| Block {
        first_row,
        dim,
        law: Law::Equality,
        feature: first_row as u64,
    };
    match count {
        0 => Vec::new(),
        _ if count <= MAX_BLOCK => vec![equality(first, count)],
        _ => (first..first + count).map(|row| equality(row, 1)).collect(),
    }
}
