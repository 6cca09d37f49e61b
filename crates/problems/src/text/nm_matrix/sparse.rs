//! Sparse storage as a library for sparse matrices prints it.

use super::{ENTRIES, Entries, index, size};
use crate::error::ReadError;
use crate::text::tokens::{Token, Tokens};

/// Storage order of a sparse matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Origin {
    Triplet,
    Columns,
    Rows,
    HalfTriplet,
}

/// Origin, a line of the library that wrote it, a summary line, then the entries.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    (rows, columns): (usize, usize),
    entries: &mut Entries,
) -> Result<(), ReadError> {
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
    let columnwise = |minor, major| (minor, major);
    let rowwise = |minor, major| (major, minor);
    match origin {
        Origin::Triplet => triplets(tokens, (rows, columns), count, entries),
        Origin::HalfTriplet => half_triplets(tokens, (rows, columns), count, entries),
        Origin::Columns => compressed(tokens, "col", (columns, rows), count, columnwise, entries),
        Origin::Rows => compressed(tokens, "row", (rows, columns), count, rowwise, entries),
    }
}

/// `[triplet:|csr:] R-by-C, nzmax: a nnz: b[, 1-norm: x]`; returns b.
fn summary(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<usize, ReadError> {
    let mut token = tokens.expect("the size of the sparse matrix (R-by-C)")?;
    while token.text.ends_with(b":") || token.text == b"half" {
        token = tokens.expect("the size of the sparse matrix (R-by-C)")?;
    }
    let parsed = parse_by(&token).ok_or_else(|| token.unexpected("R-by-C"))?;
    let what = "the number of rows of the sparse matrix";
    ReadError::check_size(token.line, what, parsed.0, rows)?;
    let what = "the number of columns of the sparse matrix";
    ReadError::check_size(token.line, what, parsed.1, columns)?;
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
    (rows, columns): (usize, usize),
    count: usize,
    entries: &mut Entries,
) -> Result<(), ReadError> {
    for _ in 0..count {
        let i = tokens.integer("the row of an entry")?;
        index(tokens.line(), "row", i, rows)?;
        let j = tokens.integer("the column of an entry")?;
        index(tokens.line(), "column", j, columns)?;
        tokens.literal(":")?;
        let value = tokens.number("a matrix entry")?;
        entries.push(i, j, value)?;
    }
    Ok(())
}

/// One triangle of a symmetric matrix.
fn half_triplets(
    tokens: &mut Tokens<'_>,
    (rows, columns): (usize, usize),
    count: usize,
    entries: &mut Entries,
) -> Result<(), ReadError> {
    triplets(tokens, (rows, columns), count, entries)?;
    let below = entries.list.iter().any(|(i, j, _)| i > j);
    let above = entries.list.iter().any(|(i, j, _)| i < j);
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
    for k in 0..entries.list.len() {
        let (i, j, value) = entries.list[k];
        if i != j {
            entries.push(j as usize, i as usize, value)?;
        }
    }
    Ok(())
}

/// `col j : locations p0 to p1` and lines `row : value` for each column; `place` makes (row, column) of (minor, major).
fn compressed(
    tokens: &mut Tokens<'_>,
    word: &'static str,
    (majors, minors): (usize, usize),
    count: usize,
    place: impl Fn(usize, usize) -> (usize, usize),
    entries: &mut Entries,
) -> Result<(), ReadError> {
    tokens.room(Some(majors), "rows or columns")?;
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
            let (row, column) = place(minor, major);
            entries.push(row, column, value)?;
        }
        next = end;
    }
    if next == count {
        return Ok(());
    }
    Err(ReadError::Size {
        line: tokens.line(),
        what: "the number of entries",
        found: next,
        expected: count,
    })
}
