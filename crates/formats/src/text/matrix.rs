//! Matrices inside text files: dense, block-sparse and sparse storage.

mod blocks;
mod checks;
mod sparse;

use super::tokens::Tokens;
use crate::error::TextError;
use crate::matrix::{MatrixEntries, StoredMatrix};
use checks::{ENTRIES, index, size};

/// Reads `storage size0 size1` and what follows.
pub(crate) fn read(tokens: &mut Tokens<'_>) -> Result<StoredMatrix, TextError> {
    let storage = tokens.expect("the storage of the matrix (0, 1 or 2)")?;
    let rows = tokens.integer("the number of rows of the matrix")?;
    let columns = tokens.integer("the number of columns of the matrix")?;
    let storage = match storage.integer() {
        Some(0) => dense(tokens, rows, columns)?,
        Some(1) => blocks::read(tokens, rows, columns)?,
        Some(2) => sparse::read(tokens, rows, columns)?,
        _ => return Err(storage.unexpected("the storage of the matrix (0, 1 or 2)")),
    };
    Ok(StoredMatrix::new(rows, columns, storage))
}

/// Size again, then all numbers column by column.
fn dense(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<MatrixEntries, TextError> {
    size(tokens, "the number of rows of the dense matrix", rows)?;
    size(tokens, "the number of columns of the dense matrix", columns)?;
    let count = tokens.room(rows.checked_mul(columns), ENTRIES)?;
    Ok(MatrixEntries::Dense(tokens.numbers(count, ENTRIES)?))
}
