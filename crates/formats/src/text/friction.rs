//! Friction-contact problems: `dim nc`, then matrix W, q, μ, or matrices M and H, f, w, μ; with
//! five rows μ_r as well.

use super::matrix;
use super::tokens::Tokens;
use crate::error::TextError;
use crate::field::{FieldProblem, Global, Local};
use crate::matrix::StoredMatrix;

/// Reads a friction-contact problem, local or global.
pub(super) fn read(mut tokens: Tokens<'_>) -> Result<FieldProblem, TextError> {
    let (declared, contacts) = size(&mut tokens)?;
    let line = tokens.line();
    let first = matrix::read(&mut tokens)?;
    let rows = |dim: usize| contacts.saturating_mul(dim);
    // some programs print the dimension of space for contacts with rolling friction
    let dims: &[usize] = if declared == 3 { &[3, 5] } else { &[declared] };
    let global = dims.iter().copied().rev();
    let mut global = global.filter(|dim| is_global(tokens, &first, rows(*dim)));
    if let Some(dim) = global.next() {
        return global_problem(tokens, line, first, dim, contacts);
    }
    let rolling = declared == 3 && contacts > 0 && first.rows == rows(5);
    let dim = if rolling { 5 } else { declared };
    let rows = rows(dim);
    square(line, &first, rows)?;
    let q = tokens.numbers(rows, "q")?;
    let (mu, mu_r) = coefficients(&mut tokens, contacts, dim)?;
    tokens.finish(after(dim), HINT)?;
    Ok(FieldProblem::Local(Local {
        dim,
        w: first,
        q,
        mu,
        mu_r,
        bilateral: None,
    }))
}

/// The rest of a global problem, M being read.
fn global_problem(
    mut tokens: Tokens<'_>,
    line: usize,
    m: StoredMatrix,
    dim: usize,
    contacts: usize,
) -> Result<FieldProblem, TextError> {
    let freedoms = m.rows;
    let rows = contacts.saturating_mul(dim);
    square(line, &m, freedoms)?;
    let line = tokens.line();
    let h = matrix::read(&mut tokens)?;
    TextError::check_size(line, "the number of rows of H", h.rows, freedoms)?;
    TextError::check_size(line, "the number of columns of H", h.columns, rows)?;
    let f = tokens.numbers(freedoms, "f")?;
    let w = tokens.numbers(rows, "w")?;
    let (mu, mu_r) = coefficients(&mut tokens, contacts, dim)?;
    tokens.finish(after(dim), HINT)?;
    Ok(FieldProblem::Global(Global {
        dim,
        m,
        h,
        f,
        w,
        mu,
        mu_r,
        bilateral: None,
    }))
}

/// What stands before numbers that are left over.
fn after(dim: usize) -> &'static str {
    match dim {
        5 => "the rolling friction coefficients",
        _ => "the friction coefficients",
    }
}

const HINT: &str = "a contact has one coefficient: delete what follows, or the line that stands in their place before them";

/// Rows of a contact and number of contacts. The first line holds the rows of a contact, or those
/// of all.
fn size(tokens: &mut Tokens<'_>) -> Result<(usize, usize), TextError> {
    let expected = "the dimension of the contacts (2, 3 or 5), or their rows";
    let token = tokens.expect(expected)?;
    let first = token.integer().ok_or_else(|| token.unexpected(expected))?;
    let contacts = tokens.integer("the number of contacts")?;
    let of_all = |dim: &usize| contacts > 0 && contacts.checked_mul(*dim) == Some(first);
    match [2, 3, 5].into_iter().find(|dim| *dim == first) {
        Some(dim) => Ok((dim, contacts)),
        None => match [3, 2, 5].into_iter().find(of_all) {
            Some(dim) => Ok((dim, contacts)),
            None => Err(token.unexpected(expected)),
        },
    }
}

/// One friction coefficient per contact, and with five rows a second one.
fn coefficients(
    tokens: &mut Tokens<'_>,
    contacts: usize,
    dim: usize,
) -> Result<(Vec<f64>, Option<Vec<f64>>), TextError> {
    let (mu, first_line) = friction(tokens, contacts, "the friction coefficients")?;
    // 0, 3, 6, …: an older print has a line of indices here
    let offsets = (0..contacts).map(|contact| (contact * dim) as f64);
    if let (Some(line), true) = (first_line, contacts > 1 && offsets.eq(mu.iter().copied())) {
        return Err(TextError::RowOffsets { line, dim });
    }
    if dim != 5 {
        return Ok((mu, None));
    }
    let (mu_r, _) = friction(tokens, contacts, "the rolling friction coefficients")?;
    Ok((mu, Some(mu_r)))
}

/// Coefficients of all contacts, and the line of the first.
fn friction(
    tokens: &mut Tokens<'_>,
    contacts: usize,
    what: &'static str,
) -> Result<(Vec<f64>, Option<usize>), TextError> {
    let mut coefficients = Vec::with_capacity(tokens.room(Some(contacts), what)?);
    let mut first_line = None;
    for contact in 0..contacts {
        let value = tokens.number(what)?;
        first_line.get_or_insert(tokens.line());
        if value < 0.0 {
            return Err(TextError::NegativeFriction {
                line: tokens.line(),
                contact,
                value,
            });
        }
        coefficients.push(value);
    }
    Ok((coefficients, first_line))
}

/// Fails unless the matrix is `rows` × `rows`.
pub(super) fn square(line: usize, matrix: &StoredMatrix, rows: usize) -> Result<(), TextError> {
    let what = "the number of rows of the matrix";
    TextError::check_size(line, what, matrix.rows, rows)?;
    let what = "the number of columns of the matrix";
    TextError::check_size(line, what, matrix.columns, rows)
}

/// True if a second matrix follows the first, as H follows M in a global problem.
///
/// In a local file q follows, and its numbers are not the header of a matrix of just that size.
fn is_global(mut tokens: Tokens<'_>, first: &StoredMatrix, rows: usize) -> bool {
    let mut next = || tokens.next().and_then(|token| token.integer());
    let header = [next(), next(), next(), next()];
    let size = header[1] == Some(first.rows) && header[2] == Some(rows);
    let storage = match header[0] {
        Some(0) => header[3] == Some(first.rows) && next() == Some(rows),
        Some(1) => header[3].is_some(),
        Some(2) => matches!(header[3], Some(1..=4)),
        _ => false,
    };
    size && storage
}
