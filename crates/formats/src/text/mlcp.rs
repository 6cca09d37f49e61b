//! Mixed linear complementarity problems: equality blocks and complementarity blocks.

use super::matrix;
use super::tokens::Tokens;
use crate::error::TextError;
use crate::field::{FieldProblem, MatrixForm, Mlcp, PartsForm, RowKind};

/// Reads `st1 st2 n m`; if st1 block ends, one flag per block, matrix M, q; if st2 A, B, C, D, a,
/// b; then what follows.
///
/// With both flags the second form may be missing, or be another size than n and m ask for where M
/// is a rectangle: its numbers are kept as they are.
pub(super) fn read(mut tokens: Tokens<'_>) -> Result<FieldProblem, TextError> {
    let first = tokens.integer("the first storage flag (0 or 1)")? == 1;
    let second = tokens.integer("the second storage flag (0 or 1)")? == 1;
    let equalities = tokens.integer("the number of equalities")?;
    let complementarities = tokens.integer("the number of complementarities")?;
    let total = equalities.saturating_add(complementarities);
    tokens.room(Some(total), "rows")?;
    let matrix = match first {
        true => Some(matrix_form(&mut tokens, equalities, total)?),
        false => None,
    };
    let (count, _) = tokens.count_numbers();
    let form = total.saturating_mul(total).saturating_add(total);
    let most = form.saturating_add(total.saturating_mul(2));
    let rectangular = matrix.as_ref().is_some_and(|form| form.m.rows != total);
    let by_parts = second && (!first || (!rectangular && (form..=most).contains(&count)));
    let (mut parts, mut trailing) = (None, Vec::new());
    if by_parts {
        parts = Some(parts_form(&mut tokens, equalities, complementarities)?);
        let (count, _) = tokens.count_numbers();
        if count <= total.saturating_mul(2) {
            trailing = tokens.numbers(count, "the numbers after the problem")?;
        }
    } else if second && rectangular {
        trailing = tokens.numbers(count, "the numbers after q")?;
    }
    let last = if parts.is_some() { "b" } else { "q" };
    tokens.finish(
        last,
        "only the form by A, B, C, D, a, b may follow, if the second storage flag is 1; delete the rest",
    )?;
    Ok(FieldProblem::Mlcp(Mlcp {
        equalities,
        complementarities,
        matrix,
        parts,
        trailing,
    }))
}

/// Block ends, one flag per block, matrix M, q.
fn matrix_form(
    tokens: &mut Tokens<'_>,
    equalities: usize,
    total: usize,
) -> Result<MatrixForm, TextError> {
    let ends = block_ends(tokens, total)?;
    let (mut equal, mut previous) = (0, 0);
    let mut kinds = Vec::with_capacity(ends.len());
    for end in &ends {
        let expected = "the kind of a block (0 equality, 1 complementarity)";
        let flag = tokens.expect(expected)?;
        kinds.push(match flag.integer() {
            Some(0) => RowKind::Equality,
            Some(1) => RowKind::Complementarity,
            _ => return Err(flag.unexpected(expected)),
        });
        if kinds.last() == Some(&RowKind::Equality) {
            equal += (end - previous) as usize;
        }
        previous = *end;
    }
    let what = "the number of rows of equality blocks";
    TextError::check_size(tokens.line(), what, equal, equalities)?;
    let line = tokens.line();
    let m = matrix::read(tokens)?;
    // M may have more equations than free unknowns, or fewer; its columns are the unknowns
    let what = "the number of columns of the matrix";
    TextError::check_size(line, what, m.columns, total)?;
    let rows = m.rows;
    let complementarities = total - equalities;
    if rows < complementarities {
        let what = "the number of rows of the matrix";
        TextError::check_size(line, what, rows, total)?;
    }
    let q = tokens.numbers(rows, "q")?;
    Ok(MatrixForm { ends, kinds, m, q })
}

/// A, B, C, D, a, b, matrices row by row.
fn parts_form(tokens: &mut Tokens<'_>, n: usize, m: usize) -> Result<PartsForm, TextError> {
    let total = n.saturating_add(m);
    let count = total.checked_mul(total).and_then(|c| c.checked_add(total));
    tokens.room(count, "A, B, C, D, a, b")?;
    Ok(PartsForm {
        a: tokens.numbers(n * n, "A")?,
        b: tokens.numbers(m * m, "B")?,
        c: tokens.numbers(n * m, "C")?,
        d: tokens.numbers(m * n, "D")?,
        a_vector: tokens.numbers(n, "a")?,
        b_vector: tokens.numbers(m, "b")?,
    })
}

/// `0 … total`, strictly growing; without the zero.
fn block_ends(tokens: &mut Tokens<'_>, total: usize) -> Result<Vec<u32>, TextError> {
    let what = "block ends";
    let zero = tokens.integer(what)?;
    TextError::check_size(tokens.line(), "the first block end", zero, 0)?;
    let mut ends: Vec<u32> = Vec::new();
    let mut previous = 0;
    while previous < total {
        let end = tokens.index(what)?;
        let found = end as usize;
        if found <= previous || found > total {
            return Err(TextError::Order {
                line: tokens.line(),
                what,
                previous,
                found,
            });
        }
        ends.push(end);
        previous = found;
    }
    Ok(ends)
}

/// True if the file starts like a mixed problem.
pub(super) fn recognised(mut tokens: Tokens<'_>) -> bool {
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
        return second == 1 && total > 0;
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
