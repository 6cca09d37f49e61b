//! Numbers of a matrix that must agree.

use crate::error::TextError;
use crate::text::tokens::Tokens;

/// What errors call the numbers of a matrix.
pub(super) const ENTRIES: &str = "the matrix";

pub(super) fn index(
    line: usize,
    what: &'static str,
    index: u32,
    limit: usize,
) -> Result<(), TextError> {
    let index = index as usize;
    if index < limit {
        return Ok(());
    }
    Err(TextError::Index {
        line,
        what,
        index,
        limit,
    })
}

/// The next integer, which must be `expected`.
pub(super) fn size(
    tokens: &mut Tokens<'_>,
    what: &'static str,
    expected: usize,
) -> Result<(), TextError> {
    let found = tokens.integer(what)?;
    TextError::check_size(tokens.line(), what, found, expected)
}
