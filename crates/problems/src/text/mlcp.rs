//! Mixed linear complementarity problems: equality blocks and complementarity blocks.

use delassus_core::{Block, Law, MemoryLimit, Problem};

use super::contact::{freeze, square};
use super::lcp::unilateral;
use super::nm_matrix;
use super::tokens::Tokens;
use crate::error::ReadError;

/// Reads the first form of a mixed problem: `1 st2 n m`, block ends, one flag per block, matrix M, q.
///
/// An equality block of at most [`MAX_BLOCK`] rows stays one block; complementarity rows and those of larger blocks become
/// one block each. The second form, which may follow, repeats the same numbers and is not read.
pub(crate) fn read(mut tokens: Tokens<'_>, limit: MemoryLimit) -> Result<Problem, ReadError> {
    let first = tokens.integer("the first storage flag (0 or 1)")?;
    let second = tokens.integer("the second storage flag (0 or 1)")?;
    if first != 1 {
        return Err(ReadError::UnsupportedFormat {
            format: "the MLCP format by matrices A, B, C, D",
            hint: "write the form by M and q too (first storage flag 1)".to_owned(),
        });
    }
    let equalities = tokens.integer("the number of equalities")?;
    let complementarities = tokens.integer("the number of complementarities")?;
    let total = equalities.saturating_add(complementarities);
    tokens.room(Some(total), "rows")?;
    let ends = block_ends(&mut tokens, total)?;
    let mut blocks = Vec::new();
    for pair in ends.windows(2) {
        let expected = "the kind of a block (0 equality, 1 complementarity)";
        let flag = tokens.expect(expected)?;
        match flag.integer() {
            Some(0) if pair[1] - pair[0] > MAX_BLOCK => {
                blocks.extend((pair[0]..pair[1]).map(|row| equality(row, 1)));
            }
            Some(0) => blocks.push(equality(pair[0], pair[1] - pair[0])),
            Some(1) => blocks.extend((pair[0]..pair[1]).map(unilateral)),
            _ => return Err(flag.unexpected(expected)),
        }
    }
    let equal: usize = blocks
        .iter()
        .filter(|block| block.law == Law::Equality)
        .map(|block| block.dim)
        .sum();
    let what = "the number of rows of equality blocks";
    ReadError::check_size(tokens.line(), what, equal, equalities)?;
    let line = tokens.line();
    let matrix = nm_matrix::read(&mut tokens, limit)?;
    if matrix.rows != matrix.columns {
        return Err(ReadError::UnsupportedFormat {
            format: "a rectangular mixed problem",
            hint: format!(
                "M is {} x {}; it must be square",
                matrix.rows, matrix.columns
            ),
        });
    }
    square(line, &matrix, total)?;
    let free_velocity = tokens.numbers(total, "q")?;
    finish(tokens, total, second == 1)?;
    freeze(matrix, blocks, free_velocity)
}

/// Rows of an equality block that stays one block at most \[-\]: as one block its matrix is stored dense.
const MAX_BLOCK: usize = 1000;

fn equality(first_row: usize, dim: usize) -> Block {
    Block {
        first_row,
        dim,
        law: Law::Equality,
        feature: first_row as u64,
    }
}

/// Fails if something follows q but a stray flag, a remark, or the second form: A, B, C, D, a, b of `total` rows, and after it
/// the numbers of a solution, two per row at most.
fn finish(tokens: Tokens<'_>, total: usize, second: bool) -> Result<(), ReadError> {
    let (count, _) = tokens.count_numbers();
    let form = total.saturating_mul(total).saturating_add(total);
    let most = form.saturating_add(total.saturating_mul(2));
    if second && (form..=most).contains(&count) {
        return Ok(());
    }
    tokens.finish(
        "q",
        "only the form by A, B, C, D, a, b may follow, if the second storage flag is 1; delete the rest",
    )
}

/// `0 … total`, strictly growing.
fn block_ends(tokens: &mut Tokens<'_>, total: usize) -> Result<Vec<usize>, ReadError> {
    let what = "block ends";
    let mut ends = vec![tokens.integer(what)?];
    ReadError::check_size(tokens.line(), "the first block end", ends[0], 0)?;
    let mut previous = 0;
    while previous < total {
        let end = tokens.integer(what)?;
        if end <= previous || end > total {
            return Err(ReadError::Order {
                line: tokens.line(),
                what,
                previous,
                found: end,
            });
        }
        ends.push(end);
        previous = end;
    }
    Ok(ends)
}

/// True if the file starts like a mixed problem.
pub(crate) fn recognised(mut tokens: Tokens<'_>) -> bool {
    let mut next = || tokens.next().and_then(|token| token.integer());
    let (Some(first @ 0..=1), Some(second @ 0..=1), Some(n), Some(m)) =
        (next(), next(), next(), next())
    else {
        return false;
    };
    let Some(total) = n.checked_add(m) else {
        return false;
    };
    if first == 0 {
        return second == 1;
    }
    // 0 … n + m, strictly growing
    let mut previous = match next() {
        Some(0) => 0,
        _ => return false,
    };
    while previous < total {
        match next() {
            Some(end) if end > previous && end <= total => previous = end,
            _ => return false,
        }
    }
    total > 0
}
