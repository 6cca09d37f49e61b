//! Block-sparse storage.

use super::{ENTRIES, index, size};
use crate::error::TextError;
use crate::matrix::{Blocks, MatrixEntries};
use crate::text::tokens::Tokens;

/// Block ends per direction, row pointers, block columns, then the blocks column by column.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
) -> Result<MatrixEntries, TextError> {
    let stored = tokens.integer("the number of matrix blocks")?;
    let mut blocks = Blocks::default();
    if stored == 0 {
        return Ok(MatrixEntries::Blocks(blocks));
    }
    let block_rows = tokens.integer("the number of block rows")?;
    let block_columns = tokens.integer("the number of block columns")?;
    blocks.row_ends = ends(tokens, block_rows, rows, "block row ends")?;
    blocks.column_ends = ends(tokens, block_columns, columns, "block column ends")?;
    let pointers = pointer_count(tokens, block_rows)?;
    size(tokens, "the number of stored blocks", stored)?;
    blocks.pointers = tokens.indices(pointers, "block row pointers")?;
    check_pointers(tokens, &blocks.pointers, stored)?;
    blocks.columns = tokens.indices(stored, "block columns")?;
    read_values(tokens, &mut blocks)?;
    Ok(MatrixEntries::Blocks(blocks))
}

/// Each block: its running number, then its numbers.
fn read_values(tokens: &mut Tokens<'_>, blocks: &mut Blocks) -> Result<(), TextError> {
    blocks.values = Vec::with_capacity(count_values(blocks).min(tokens.remaining() / 2 + 1));
    // last block row that holds each block column
    let mut seen = vec![0u32; blocks.column_ends.len()];
    let mut row = 0;
    let mut first = 0;
    for pair in blocks.pointers.windows(2) {
        let height = blocks.row_ends[row as usize] - first;
        first += height;
        row += 1;
        for k in pair[0]..pair[1] {
            let column = blocks.columns[k as usize];
            index(tokens.line(), "block column", column, seen.len())?;
            let at = column as usize;
            if std::mem::replace(&mut seen[at], row) == row {
                return Err(TextError::Order {
                    line: tokens.line(),
                    what: "block columns of a row",
                    previous: at,
                    found: at,
                });
            }
            size(tokens, "the running number of the block", k as usize)?;
            let left = if at > 0 {
                blocks.column_ends[at - 1]
            } else {
                0
            };
            let width = blocks.column_ends[at] - left;
            let count = tokens.room((height as usize).checked_mul(width as usize), ENTRIES)?;
            for _ in 0..count {
                blocks.values.push(tokens.number("a matrix block")?);
            }
        }
    }
    Ok(())
}

/// Numbers of all blocks whose places are in range.
fn count_values(blocks: &Blocks) -> usize {
    let width = |column: &u32| {
        let at = *column as usize;
        let end = blocks.column_ends.get(at).copied().unwrap_or(0);
        let left = at.checked_sub(1).and_then(|at| blocks.column_ends.get(at));
        end.saturating_sub(left.copied().unwrap_or(0))
    };
    let mut first = 0;
    let mut count = 0usize;
    for (pair, end) in blocks.pointers.windows(2).zip(&blocks.row_ends) {
        for column in &blocks.columns[pair[0] as usize..pair[1] as usize] {
            let size = ((end - first) as usize).saturating_mul(width(column) as usize);
            count = count.saturating_add(size);
        }
        first = *end;
    }
    count
}

/// Cumulative ends, strictly growing up to `last`.
fn ends(
    tokens: &mut Tokens<'_>,
    count: usize,
    last: usize,
    what: &'static str,
) -> Result<Vec<u32>, TextError> {
    let ends = tokens.indices(count, what)?;
    let mut previous = 0;
    for end in &ends {
        if *end <= previous {
            return Err(TextError::Order {
                line: tokens.line(),
                what,
                previous: previous as usize,
                found: *end as usize,
            });
        }
        previous = *end;
    }
    TextError::check_size(tokens.line(), "the last block end", previous as usize, last)?;
    Ok(ends)
}

/// Number of row pointers: one more than block rows, fewer if the last rows are empty.
fn pointer_count(tokens: &mut Tokens<'_>, block_rows: usize) -> Result<usize, TextError> {
    let what = "the number of block row pointers";
    let found = tokens.integer(what)?;
    if found <= block_rows + 1 {
        return Ok(found);
    }
    Err(TextError::Size {
        line: tokens.line(),
        what,
        found,
        expected: block_rows + 1,
    })
}

/// Row pointers run from zero to the number of blocks without falling.
fn check_pointers(tokens: &Tokens<'_>, pointers: &[u32], blocks: usize) -> Result<(), TextError> {
    let line = tokens.line();
    let what = "block row pointers";
    let first = pointers.first().map_or(usize::MAX, |p| *p as usize);
    TextError::check_size(line, "the first block row pointer", first, 0)?;
    for pair in pointers.windows(2) {
        if pair[1] < pair[0] {
            return Err(TextError::Order {
                line,
                what,
                previous: pair[0] as usize,
                found: pair[1] as usize,
            });
        }
    }
    let last = pointers[pointers.len() - 1] as usize;
    TextError::check_size(line, "the last block row pointer", last, blocks)
}
