//! Matrices inside text files: dense, block-sparse and sparse storage.

use delassus_core::BlockSparse;

use super::tokens::{Token, Tokens};
use crate::error::ReadError;

/// A matrix as its entries; zeros are left out.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct NmMatrix {
    pub(crate) rows: usize,
    pub(crate) columns: usize,
    /// Row, column, value; equal places are summed.
    entries: Vec<(usize, usize, f64)>,
}

const ENTRIES: &str = "the matrix";

/// Reads `storage size0 size1` and what follows.
pub(crate) fn read(tokens: &mut Tokens<'_>) -> Result<NmMatrix, ReadError> {
    let storage = tokens.expect("the storage of the matrix (0, 1 or 2)")?;
    let rows = tokens.integer("the number of rows of the matrix")?;
    let columns = tokens.integer("the number of columns of the matrix")?;
    let entries = match storage.integer() {
        Some(0) => dense(tokens, rows, columns)?,
        Some(1) => block_sparse(tokens, rows, columns)?,
        Some(2) => sparse(tokens, rows, columns)?,
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
fn dense(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
) -> Result<Vec<(usize, usize, f64)>, ReadError> {
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

/// Block ends per direction, row pointers, block columns, then the blocks column by column.
fn block_sparse(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
) -> Result<Vec<(usize, usize, f64)>, ReadError> {
    let mut entries = Vec::new();
    let blocks = tokens.integer("the number of matrix blocks")?;
    if blocks == 0 {
        return Ok(entries);
    }
    let block_rows = tokens.integer("the number of block rows")?;
    let block_columns = tokens.integer("the number of block columns")?;
    let row_ends = ends(tokens, block_rows, rows, "block row ends")?;
    let column_ends = ends(tokens, block_columns, columns, "block column ends")?;
    let pointers = tokens.integer("the number of block row pointers")?;
    if pointers > block_rows + 1 {
        return Err(ReadError::Size {
            line: tokens.line(),
            what: "the number of block row pointers",
            found: pointers,
            expected: block_rows + 1,
        });
    }
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
                if value != 0.0 {
                    entries.push((first + place % height, left + place / height, value));
                }
            }
        }
    }
    Ok(entries)
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
    if previous == last {
        return Ok(ends);
    }
    Err(ReadError::Size {
        line: tokens.line(),
        what: "the last block end",
        found: previous,
        expected: last,
    })
}

/// Row pointers run from zero to the number of blocks without falling.
fn check_pointers(tokens: &Tokens<'_>, pointers: &[usize], blocks: usize) -> Result<(), ReadError> {
    let line = tokens.line();
    let what = "block row pointers";
    let first = pointers.first().copied().unwrap_or(usize::MAX);
    if first != 0 {
        return Err(ReadError::Size {
            line,
            what: "the first block row pointer",
            found: first,
            expected: 0,
        });
    }
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
    if last == blocks {
        return Ok(());
    }
    Err(ReadError::Size {
        line,
        what: "the last block row pointer",
        found: last,
        expected: blocks,
    })
}

/// Storage order of a sparse matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Triplet,
    Columns,
    Rows,
    HalfTriplet,
}

/// Origin, a line of the library that wrote it, a summary line, then the entries.
fn sparse(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
) -> Result<Vec<(usize, usize, f64)>, ReadError> {
    let expected = "the origin of the sparse matrix (1 to 4)";
    let token = tokens.expect(expected)?;
    let origin = match token.integer() {
        Some(1) => Origin::Triplet,
        Some(2) => Origin::Columns,
        Some(3) => Origin::Rows,
        Some(4) => Origin::HalfTriplet,
        _ => return Err(token.unexpected(expected)),
    };
    let library = tokens.expect("the line of the sparse library")?;
    if library.text != b"CSparse" {
        return Err(library.unexpected("the line of the sparse library"));
    }
    tokens.skip_line();
    let count = summary(tokens, rows, columns)?;
    match origin {
        Origin::Triplet => triplets(tokens, rows, columns, count),
        Origin::HalfTriplet => half_triplets(tokens, rows, columns, count),
        Origin::Columns => compressed(tokens, "col", columns, rows, count),
        Origin::Rows => {
            let entries = compressed(tokens, "row", rows, columns, count)?;
            Ok(entries.into_iter().map(|(i, j, v)| (j, i, v)).collect())
        }
    }
}

/// `[triplet:|csr:] R-by-C, nzmax: a nnz: b[, 1-norm: x]`; returns b.
fn summary(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<usize, ReadError> {
    let mut token = tokens.expect("the size of the sparse matrix (R-by-C)")?;
    while token.text.ends_with(b":") || token.text == b"half" {
        token = tokens.expect("the size of the sparse matrix (R-by-C)")?;
    }
    let parsed = parse_by(&token).ok_or_else(|| token.unexpected("R-by-C"))?;
    for (what, found, expected) in [
        ("the number of rows of the sparse matrix", parsed.0, rows),
        (
            "the number of columns of the sparse matrix",
            parsed.1,
            columns,
        ),
    ] {
        if found != expected {
            return Err(ReadError::Size {
                line: token.line,
                what,
                found,
                expected,
            });
        }
    }
    tokens.literal("nzmax:")?;
    tokens.expect("nzmax")?;
    tokens.literal("nnz:")?;
    let count = tokens.expect("the number of entries")?;
    let digits = Token {
        text: count.text.strip_suffix(b",").unwrap_or(count.text),
        line: count.line,
    };
    let count = digits
        .integer()
        .ok_or_else(|| digits.unexpected("the number of entries"))?;
    tokens.skip_line();
    tokens.room(Some(count), ENTRIES)
}

/// `R-by-C,`
fn parse_by(token: &Token<'_>) -> Option<(usize, usize)> {
    let text = std::str::from_utf8(token.text).ok()?;
    let (rows, columns) = text.strip_suffix(',').unwrap_or(text).split_once("-by-")?;
    Some((rows.parse().ok()?, columns.parse().ok()?))
}

/// Lines `row column : value`.
fn triplets(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
    count: usize,
) -> Result<Vec<(usize, usize, f64)>, ReadError> {
    let mut entries = Vec::new();
    for _ in 0..count {
        let i = tokens.integer("the row of an entry")?;
        index(tokens.line(), "row", i, rows)?;
        let j = tokens.integer("the column of an entry")?;
        index(tokens.line(), "column", j, columns)?;
        tokens.literal(":")?;
        let value = tokens.number("a matrix entry")?;
        if value != 0.0 {
            entries.push((i, j, value));
        }
    }
    Ok(entries)
}

/// One triangle of a symmetric matrix.
fn half_triplets(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
    count: usize,
) -> Result<Vec<(usize, usize, f64)>, ReadError> {
    let mut entries = triplets(tokens, rows, columns, count)?;
    let below = entries.iter().any(|(i, j, _)| i > j);
    let above = entries.iter().any(|(i, j, _)| i < j);
    let square = rows == columns;
    if !square || (below && above) {
        return Err(ReadError::Unexpected {
            line: tokens.line(),
            expected: "one triangle of a square matrix (half triplet storage)",
            found: if square {
                "both triangles"
            } else {
                "a rectangle"
            }
            .to_owned(),
        });
    }
    let mirrored: Vec<(usize, usize, f64)> = entries
        .iter()
        .filter(|(i, j, _)| i != j)
        .map(|(i, j, v)| (*j, *i, *v))
        .collect();
    entries.extend(mirrored);
    Ok(entries)
}

/// `col j : locations p0 to p1` and lines `row : value` for each column; `(minor, major, value)`.
fn compressed(
    tokens: &mut Tokens<'_>,
    word: &'static str,
    majors: usize,
    minors: usize,
    count: usize,
) -> Result<Vec<(usize, usize, f64)>, ReadError> {
    tokens.room(Some(majors), "rows or columns")?;
    let mut entries = Vec::new();
    let mut next = 0usize;
    for major in 0..majors {
        tokens.literal(word)?;
        size(tokens, "the number of the row or column", major)?;
        tokens.literal(":")?;
        tokens.literal("locations")?;
        size(tokens, "the first location", next)?;
        tokens.literal("to")?;
        // an empty column ends one before it begins; the first of all at −1
        let token = tokens.expect("the last location")?;
        let end = if token.text == b"-1" && next == 0 {
            0
        } else {
            let last = token
                .integer()
                .ok_or_else(|| token.unexpected("the last location"))?;
            last.saturating_add(1)
        };
        if end < next || end > count {
            return Err(ReadError::Size {
                line: token.line,
                what: "the location after the last",
                found: end,
                expected: count,
            });
        }
        for _ in next..end {
            let minor = tokens.integer("the index of an entry")?;
            index(tokens.line(), "index", minor, minors)?;
            tokens.literal(":")?;
            let value = tokens.number("a matrix entry")?;
            if value != 0.0 {
                entries.push((minor, major, value));
            }
        }
        next = end;
    }
    if next == count {
        return Ok(entries);
    }
    Err(ReadError::Size {
        line: tokens.line(),
        what: "the number of entries",
        found: next,
        expected: count,
    })
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
