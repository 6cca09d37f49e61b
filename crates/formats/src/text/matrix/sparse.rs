//! Sparse storage as a library for sparse matrices prints it.

use super::{ENTRIES, index, size};
use crate::error::TextError;
use crate::matrix::{Compressed, MatrixEntries, Triplets};
use crate::text::tokens::{Token, Tokens};

/// Origin, a line of the library that wrote it, a summary line, then the entries.
pub(super) fn read(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
) -> Result<MatrixEntries, TextError> {
    let expected = "the origin of the sparse matrix (1 to 4)";
    let origin = tokens.expect(expected)?;
    if !matches!(origin.integer(), Some(1..=4)) {
        return Err(origin.unexpected(expected));
    }
    let library = tokens.expect("the line of the sparse library")?;
    if library.text != b"CSparse" {
        return Err(library.unexpected("the line of the sparse library"));
    }
    tokens.skip_line();
    let size = summary(tokens, rows, columns)?;
    Ok(match origin.integer() {
        Some(1) => MatrixEntries::Triplets(triplets(tokens, rows, columns, size)?),
        Some(2) => MatrixEntries::Columns(compressed(tokens, "col", columns, rows, size)?),
        Some(3) => MatrixEntries::Rows(compressed(tokens, "row", rows, columns, size)?),
        _ => MatrixEntries::HalfTriplets(half_triplets(tokens, rows, columns, size)?),
    })
}

/// How many entries a file says that there are, and for how many there is room.
#[derive(Clone, Copy)]
struct EntryCount {
    count: usize,
    capacity: u64,
}

/// `[triplet:|csr:] R-by-C, nzmax: a nnz: b[, 1-norm: x]`.
fn summary(tokens: &mut Tokens<'_>, rows: usize, columns: usize) -> Result<EntryCount, TextError> {
    let mut token = tokens.expect("the size of the sparse matrix (R-by-C)")?;
    while token.text.ends_with(b":") || token.text == b"half" {
        token = tokens.expect("the size of the sparse matrix (R-by-C)")?;
    }
    let parsed = parse_by(&token).ok_or_else(|| token.unexpected("R-by-C"))?;
    let what = "the number of rows of the sparse matrix";
    TextError::check_size(token.line, what, parsed.0, rows)?;
    let what = "the number of columns of the sparse matrix";
    TextError::check_size(token.line, what, parsed.1, columns)?;
    tokens.literal("nzmax:")?;
    let capacity = tokens.expect("nzmax")?;
    tokens.literal("nnz:")?;
    let expected = "the number of entries";
    let count = without_comma(tokens.expect(expected)?);
    let count = count.integer().ok_or_else(|| count.unexpected(expected))?;
    tokens.skip_line();
    let count = tokens.room(Some(count), ENTRIES)?;
    // an empty matrix may declare room of −1 or 0, and nobody needs it
    let capacity = without_comma(capacity).integer();
    Ok(EntryCount {
        count,
        capacity: capacity.map_or(count as u64, |c| c as u64),
    })
}

fn without_comma(token: Token<'_>) -> Token<'_> {
    Token {
        text: token.text.strip_suffix(b",").unwrap_or(token.text),
        line: token.line,
    }
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
    size: EntryCount,
) -> Result<Triplets, TextError> {
    let EntryCount { count, capacity } = size;
    // four words an entry
    let words = count.checked_mul(4);
    tokens.room(words, ENTRIES)?;
    let mut triplets = Triplets {
        rows: Vec::with_capacity(count),
        columns: Vec::with_capacity(count),
        values: Vec::with_capacity(count),
        capacity,
    };
    for _ in 0..count {
        let i = tokens.index("the row of an entry")?;
        index(tokens.line(), "row", i, rows)?;
        let j = tokens.index("the column of an entry")?;
        index(tokens.line(), "column", j, columns)?;
        tokens.literal(":")?;
        triplets.rows.push(i);
        triplets.columns.push(j);
        triplets.values.push(tokens.number("a matrix entry")?);
    }
    Ok(triplets)
}

/// One triangle of a symmetric matrix.
fn half_triplets(
    tokens: &mut Tokens<'_>,
    rows: usize,
    columns: usize,
    size: EntryCount,
) -> Result<Triplets, TextError> {
    let triplets = triplets(tokens, rows, columns, size)?;
    let mut places = triplets.rows.iter().zip(&triplets.columns);
    let below = places.clone().any(|(i, j)| i > j);
    let above = places.any(|(i, j)| i < j);
    let square = rows == columns;
    if square && !(below && above) {
        return Ok(triplets);
    }
    let found = if square {
        "both triangles"
    } else {
        "a rectangle"
    };
    Err(TextError::Unexpected {
        line: tokens.line(),
        expected: "one triangle of a square matrix (half triplet storage)",
        found: found.to_owned(),
    })
}

/// `col j : locations p0 to p1` and lines `row : value` for each column, or the same with rows and
/// columns exchanged.
fn compressed(
    tokens: &mut Tokens<'_>,
    word: &'static str,
    majors: usize,
    minors: usize,
    size: EntryCount,
) -> Result<Compressed, TextError> {
    let EntryCount { count, capacity } = size;
    tokens.room(Some(majors), "rows or columns")?;
    let mut compressed = Compressed {
        pointers: Vec::with_capacity(majors + 1),
        indices: Vec::with_capacity(count),
        values: Vec::with_capacity(count),
        capacity,
    };
    compressed.pointers.push(0);
    let mut next = 0usize;
    for major in 0..majors {
        let end = locations(tokens, word, major, next, count)?;
        for _ in next..end {
            let minor = tokens.index("the index of an entry")?;
            index(tokens.line(), "index", minor, minors)?;
            tokens.literal(":")?;
            compressed.indices.push(minor);
            compressed.values.push(tokens.number("a matrix entry")?);
        }
        next = end;
        let pointer = u32::try_from(end).unwrap_or(u32::MAX);
        compressed.pointers.push(pointer);
    }
    TextError::check_size(tokens.line(), "the number of entries", next, count)?;
    Ok(compressed)
}

/// The line of column `major`, whose entries begin at `next`; returns the location after its last
/// one.
fn locations(
    tokens: &mut Tokens<'_>,
    word: &'static str,
    major: usize,
    next: usize,
    count: usize,
) -> Result<usize, TextError> {
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
        let last = token.integer();
        let last = last.ok_or_else(|| token.unexpected("the last location"))?;
        last.saturating_add(1)
    };
    if (next..=count).contains(&end) {
        return Ok(end);
    }
    Err(TextError::Size {
        line: token.line,
        what: "the location after the last",
        found: end,
        expected: count,
    })
}
