//! Linear complementarity problems: `n`, matrix M, q; with bounds the relay format.

use super::friction::square;
use super::matrix;
use super::tokens::Tokens;
use crate::error::TextError;
use crate::field::{FieldProblem, Lcp, Relay};

/// Reads a linear complementarity problem, or the relay format, which has bounds after q.
pub(super) fn read(mut tokens: Tokens<'_>) -> Result<FieldProblem, TextError> {
    let rows = tokens.integer("the number of rows")?;
    let line = tokens.line();
    let m = matrix::read(&mut tokens)?;
    square(line, &m, rows)?;
    let q = tokens.numbers(rows, "q")?;
    if has_bounds(tokens, rows) {
        let lower = tokens.bounds(rows, "the lower bounds")?;
        let upper = tokens.bounds(rows, "the upper bounds")?;
        return Ok(FieldProblem::Relay(Relay { m, q, lower, upper }));
    }
    tokens.finish("q", "an LCP ends with its n numbers q; delete what follows")?;
    Ok(FieldProblem::Lcp(Lcp { m, q }))
}

/// True if exactly 2 n numbers follow, and perhaps a stray flag: bounds. A remark may follow an
/// LCP.
fn has_bounds(tokens: Tokens<'_>, rows: usize) -> bool {
    let (count, _) = tokens.count_numbers();
    let bounds = rows.checked_mul(2);
    rows > 0 && bounds == Some(count)
}
