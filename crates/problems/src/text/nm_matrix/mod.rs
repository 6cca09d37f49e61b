//! Matrices inside text files: dense, block-sparse and sparse storage.

mod blocks;
mod sparse;

use delassus_core::BlockSparse;

use super::tokens::Tokens;
use crate::error::ReadError;

/// A matrix as its entries; zeros are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NmMatrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Row, column, value; equal places are summed.
    entries: Vec<Entry>,
}

/// Row, column, value.
type Entry = (usize, usize, f64);

const ENTRIES: &str = "the matrix";

/// Reads `storage size0 size1` and what follows.
pub(crate) fn read(tokens: &mut Tokens<'_>) -> Result<NmMatrix, ReadError> {
    let storage = tokens.expect("the storage of the matrix (0, 1 or 2)")?;
    let rows = tokens.integer("the number of rows of the matrix")?;
    let columns = tokens.integer("the number of columns of the matrix")?;
    let entries = match storage.integer() {
        Some(0) => dense(tokens, rows, columns)?,
        Some(1) => blocks::read(tokens, rows, columns)?,
        Some(2) => sparse::read(tokens, rows, columns)?,
        _ => return Err(storage.unexpected("the storage of the matrix (0, 1 or 2)")),
    };
    Ok(NmMatrix {
        rows,
        columns,
        entries,
    })
}

impl NmMatrix {
    /// The matrix partitioned into blocks of `dims` rows; blocks of zeros are left out.
    ///
    /// The caller has checked that the matrix is square with as many rows as `dims` have.
    pub(crate) fn into_blocks(mut self, dims: &[usize]) -> Result<BlockSparse, ReadError> {
        let mut place = Vec::with_capacity(self.rows);
        for (block, dim) in dims.iter().enumerate() {
            place.extend((0..*dim).map(|local| (block, local)));
        }
        let block_of = |i: usize, j: usize| (place[i].0, place[j].0);
        // stable: the order of summation is that of the file
        self.entries.sort_by_key(|(i, j, _)| block_of(*i, *j));
        let mut blocks: Vec<(usize, usize, Vec<f64>)> = Vec::new();
        for (i, j, value) in self.entries {
            let (row, column) = block_of(i, j);
            let same = blocks
                .last()
                .is_some_and(|(r, c, _)| (*r, *c) == (row, column));
            if !same {
                blocks.push((row, column, vec![0.0; dims[row] * dims[column]]));
            }
            if let Some((_, _, values)) = blocks.last_mut() {
                values[place[i].1 * dims[column] + place[j].1] += value;
            }
        }
        // entries that cancel
        blocks.retain(|(_, _, values)| values.iter().any(|v| *v != 0.0));
        Ok(BlockSparse::from_blocks(dims, blocks)?)
    }
}

/// Size again, then all numbers column by column.
fn dense(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<Vec<Entry>, ReadError> {
    let what = "the number of rows of the dense matrix";
    size(tokens, what, rows)?;
    let what = "the number of columns of the dense matrix";
    size(tokens, what, columns)?;
    let count = tokens.room(rows.checked_mul(columns), ENTRIES)?;
    let mut entries = Vec::new();
    for k in 0..count {
        let value = tokens.number("the matrix")?;
        if value != 0.0 {
            entries.push((k % rows, k / rows, value));
        }
    }
    Ok(entries)
}

fn index(line: usize, what: &'static str, index: usize, limit: usize) -> Result<(), ReadError> {
    if index < limit {
        return Ok(());
    }
    Err(ReadError::Index {
        line,
        what,
        index,
        limit,
    })
}

/// The next integer, which must be `expected`.
fn size(tokens: &mut Tokens<'_>, what: &'static str, expected: usize) -> Result<(), ReadError> {
    let found = tokens.integer(what)?;
    if found == expected {
        return Ok(());
    }
    Err(ReadError::Size {
        line: tokens.line(),
        what,
        found,
        expected,
    })
}
