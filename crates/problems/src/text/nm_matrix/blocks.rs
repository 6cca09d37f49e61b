//! Block-sparse storage.

use super::{ENTRIES, Entries, index, size};
use crate::error::ReadError;
use crate::text::tokens::Tokens;

/// Block ends per direction, row pointers, block columns, then the blocks column by column.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    (rows, columns): (usize, usize),
    entries: &mut Entries,
) -> Result<(), ReadError> {
    let blocks = tokens.integer("the number of matrix blocks")?;
    if blocks == 0 {
        return Ok(());
    }
    let block_rows = tokens.integer("the number of block rows")?;
    let block_columns = tokens.integer("the number of block columns")?;
    let row_ends = ends(tokens, block_rows, rows, "block row ends")?;
    let column_ends = ends(tokens, block_columns, columns, "block column ends")?;
    let pointers = pointer_count(tokens, block_rows)?;
    size(tokens, "the number of stored blocks", blocks)?;
    let row_pointers = tokens.integers(pointers, "block row pointers")?;
    check_pointers(tokens, &row_pointers, blocks)?;
    let block_column = tokens.integers(blocks, "block columns")?;
    // last block row that holds each block column
    let mut seen = vec![0; block_columns];
    for row in 1..row_pointers.len() {
        let first = if row > 1 { row_ends[row - 2] } else { 0 };
        let height = row_ends[row - 1] - first;
        let stored = row_pointers[row - 1]..row_pointers[row];
        for k in stored {
            let column = block_column[k];
            index(tokens.line(), "block column", column, block_columns)?;
            if std::mem::replace(&mut seen[column], row) == row {
                return Err(ReadError::Order {
                    line: tokens.line(),
                    what: "block columns of a row",
                    previous: column,
                    found: column,
                });
            }
            size(tokens, "the running number of the block", k)?;
            let left = if column > 0 {
                column_ends[column - 1]
            } else {
                0
            };
            let count = tokens.room(height.checked_mul(column_ends[column] - left), ENTRIES)?;
            for place in 0..count {
                let value = tokens.number("a matrix block")?;
                entries.push(first + place % height, left + place / height, value)?;
            }
        }
    }
    Ok(())
}

/// Cumulative ends, strictly growing up to `last`.
fn ends(
    tokens: &mut Tokens<'_>,
    count: usize,
    last: usize,
    what: &'static str,
) -> Result<Vec<usize>, ReadError> {
    let ends = tokens.integers(count, what)?;
    let mut previous = 0;
    for end in &ends {
        if *end <= previous {
            return Err(ReadError::Order {
                line: tokens.line(),
                what,
                previous,
                found: *end,
            });
        }
        previous = *end;
    }
    ReadError::check_size(tokens.line(), "the last block end", previous, last)?;
    Ok(ends)
}

/// Number of row pointers: one more than block rows, fewer if the last rows are empty.
fn pointer_count(tokens: &mut Tokens<'_>, block_rows: usize) -> Result<usize, ReadError> {
    let what = "the number of block row pointers";
    let found = tokens.integer(what)?;
    if found <= block_rows + 1 {
        return Ok(found);
    }
    Err(ReadError::Size {
        line: tokens.line(),
        what,
        found,
        expected: block_rows + 1,
    })
}

/// Row pointers run from zero to the number of blocks without falling.
fn check_pointers(tokens: &Tokens<'_>, pointers: &[usize], blocks: usize) -> Result<(), ReadError> {
    let line = tokens.line();
    let what = "block row pointers";
    let first = pointers.first().copied().unwrap_or(usize::MAX);
    ReadError::check_size(line, "the first block row pointer", first, 0)?;
    for pair in pointers.windows(2) {
        if pair[1] < pair[0] {
            return Err(ReadError::Order {
                line,
                what,
                previous: pair[0],
                found: pair[1],
            });
        }
    }
    let last = pointers[pointers.len() - 1];
    ReadError::check_size(line, "the last block row pointer", last, blocks)
}
