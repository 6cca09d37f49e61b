//! Local friction-contact problems: `dim nc`, matrix W, q, μ.

use delassus_core::{
    Block, CoupledCompliance, FrictionLaw, Law, MatrixRows, MemoryLimit, Operator, Problem,
    ProblemParts,
};

use super::nm_matrix::{self, NmMatrix};
use super::tokens::Tokens;
use crate::error::ReadError;

/// Reads a friction-contact problem; a global one is recognised and refused.
pub(crate) fn read(
    mut tokens: Tokens<'_>,
    law: FrictionLaw,
    limit: MemoryLimit,
) -> Result<Problem, ReadError> {
    let (dim, contacts) = size(&mut tokens)?;
    let line = tokens.line();
    let matrix = nm_matrix::read(&mut tokens, limit)?;
    let rows = contacts.saturating_mul(dim);
    if is_global(tokens, &matrix, rows) {
        return Err(global());
    }
    square(line, &matrix, rows)?;
    let free_velocity = tokens.numbers(rows, "q")?;
    let coefficients = coefficients(&mut tokens, contacts, dim)?;
    tokens.finish(
        "the friction coefficients",
        "a contact has one coefficient: delete what follows, or the line that stands in their place before them",
    )?;
    let blocks = coefficients.into_iter().enumerate();
    let blocks = blocks.map(|(contact, mu)| Block {
        first_row: contact * dim,
        dim,
        law: Law::Contact(law.with(mu)),
        feature: contact as u64,
    });
    freeze(matrix, blocks.collect(), free_velocity)
}

/// Rows of a contact and number of contacts. The first line holds the rows of a contact, or those of all.
fn size(tokens: &mut Tokens<'_>) -> Result<(usize, usize), ReadError> {
    let expected = "the dimension of the contacts (2 or 3), or their rows";
    let token = tokens.expect(expected)?;
    let first = token.integer().ok_or_else(|| token.unexpected(expected))?;
    let contacts = tokens.integer("the number of contacts")?;
    let of_all = |dim: usize| contacts > 0 && contacts.checked_mul(dim) == Some(first);
    match first {
        2 | 3 => Ok((first, contacts)),
        _ if of_all(3) => Ok((3, contacts)),
        _ if of_all(2) => Ok((2, contacts)),
        _ if first == 5 || of_all(5) => Err(rolling()),
        _ => Err(token.unexpected(expected)),
    }
}

/// One friction coefficient per contact.
fn coefficients(
    tokens: &mut Tokens<'_>,
    contacts: usize,
    dim: usize,
) -> Result<Vec<f64>, ReadError> {
    tokens.room(Some(contacts), "friction coefficients")?;
    let mut coefficients = Vec::with_capacity(contacts);
    let mut first_line = None;
    for contact in 0..contacts {
        let mu = tokens.number("the friction coefficients")?;
        first_line.get_or_insert(tokens.line());
        if mu < 0.0 {
            return Err(ReadError::NegativeFriction {
                line: tokens.line(),
                contact,
                value: mu,
            });
        }
        coefficients.push(mu);
    }
    // 0, 3, 6, …: an older print has a line of indices here
    let offsets = (0..contacts).map(|contact| (contact * dim) as f64);
    if let (Some(line), true) = (
        first_line,
        contacts > 1 && offsets.eq(coefficients.iter().copied()),
    ) {
        return Err(ReadError::RowOffsets { line, dim });
    }
    Ok(coefficients)
}

/// Freezes a matrix problem without bias and compliance.
pub(crate) fn freeze(
    matrix: NmMatrix,
    blocks: Vec<Block>,
    free_velocity: Vec<f64>,
) -> Result<Problem, ReadError> {
    let rows = free_velocity.len();
    let dims: Vec<usize> = blocks.iter().map(|block| block.dim).collect();
    let parts = ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus: matrix.into_blocks(&dims)?,
            free_velocity,
        }),
        blocks,
        bias: vec![0.0; rows],
        compliance: vec![0.0; rows],
        coupled_compliance: CoupledCompliance::new(),
        activity: Vec::new(),
        step: None,
    };
    Ok(Problem::new(parts)?)
}

/// Fails unless the matrix is `rows` × `rows`.
pub(crate) fn square(line: usize, matrix: &NmMatrix, rows: usize) -> Result<(), ReadError> {
    let what = "the number of rows of the matrix";
    ReadError::check_size(line, what, matrix.rows, rows)?;
    let what = "the number of columns of the matrix";
    ReadError::check_size(line, what, matrix.columns, rows)
}

/// True if a second matrix follows the first, as H follows M in a global problem.
///
/// In a local file q follows, and its numbers are not the header of a matrix of just that size.
fn is_global(mut tokens: Tokens<'_>, first: &NmMatrix, rows: usize) -> bool {
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

fn global() -> ReadError {
    ReadError::UnsupportedFormat {
        format: "the global friction-contact format (M, H, f, w)",
        hint: "reduce it to the local form, W = H^T M^-1 H and q = H^T M^-1 f + w".to_owned(),
    }
}

/// Rolling friction: five rows a contact.
pub(crate) fn rolling() -> ReadError {
    ReadError::UnsupportedFormat {
        format: "the rolling friction format (5 rows a contact)",
        hint: "there is no rolling friction law yet".to_owned(),
    }
}
