//! Matrices inside text files: dense, block-sparse and sparse storage.

mod blocks;
mod sparse;

use delassus_core::{BlockSparse, MemoryLimit, ProblemError};

use super::tokens::Tokens;
use crate::error::ReadError;

/// A matrix as its entries; zeros are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NmMatrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Equal places are summed.
    entries: Entries,
}

/// Row, column, value.
type Entry = (u32, u32, f64);

/// The entries of a matrix that are not zero, within a limit of memory.
#[derive(Debug, Clone, PartialEq)]
struct Entries {
    list: Vec<Entry>,
    limit: MemoryLimit,
}

impl Entries {
    fn new(limit: MemoryLimit) -> Self {
        Self {
            list: Vec::new(),
            limit,
        }
    }

    /// Adds an entry, unless it is zero.
    fn push(&mut self, row: usize, column: usize, value: f64) -> Result<(), ReadError> {
        if value == 0.0 {
            return Ok(());
        }
        if self.list.len() == self.list.capacity() {
            // the old vector and one of twice its size
            let bytes = 3 * size_of_val(self.list.as_slice()) as u64;
            self.limit
                .admit("the list of the matrix's entries", bytes)?;
        }
        self.list.push((narrow(row)?, narrow(column)?, value));
        Ok(())
    }
}

/// An index as it is stored.
fn narrow(index: usize) -> Result<u32, ReadError> {
    let large = |_| ReadError::Problem(ProblemError::TooLarge { rows: index });
    u32::try_from(index).map_err(large)
}

const ENTRIES: &str = "the matrix";

/// Reads `storage size0 size1` and what follows.
pub(crate) fn read(tokens: &mut Tokens<'_>, limit: MemoryLimit) -> Result<NmMatrix, ReadError> {
    let storage = tokens.expect("the storage of the matrix (0, 1 or 2)")?;
    let rows = tokens.integer("the number of rows of the matrix")?;
    let columns = tokens.integer("the number of columns of the matrix")?;
    let mut entries = Entries::new(limit);
    match storage.integer() {
        Some(0) => dense(tokens, (rows, columns), &mut entries)?,
        Some(1) => blocks::read(tokens, (rows, columns), &mut entries)?,
        Some(2) => sparse::read(tokens, (rows, columns), &mut entries)?,
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
    pub(crate) fn into_blocks(self, dims: &[usize]) -> Result<BlockSparse, ReadError> {
        let Entries { list, limit } = self.entries;
        let held = size_of_val(list.as_slice()) as u64;
        let made = BlockSparse::from_entries(dims, list, limit.less(held));
        made.map_err(|error| match error {
            ProblemError::Memory(memory) => ReadError::Memory(memory),
            other => ReadError::Problem(other),
        })
    }
}

/// Size again, then all numbers column by column.
fn dense(
    tokens: &mut Tokens<'_>,
    (rows, columns): (usize, usize),
    entries: &mut Entries,
) -> Result<(), ReadError> {
    let what = "the number of rows of the dense matrix";
    size(tokens, what, rows)?;
    let what = "the number of columns of the dense matrix";
    size(tokens, what, columns)?;
    let count = tokens.room(rows.checked_mul(columns), ENTRIES)?;
    for k in 0..count {
        let value = tokens.number("the matrix")?;
        entries.push(k % rows, k / rows, value)?;
    }
    Ok(())
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
    ReadError::check_size(tokens.line(), what, found, expected)
}
