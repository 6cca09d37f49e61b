//! Which text format a file has, from the arithmetic of its first numbers.

use super::tokens::Tokens;
use super::{complementarity, friction, mlcp};
use crate::error::TextError;
use crate::field::{FieldFile, FieldProblem};

/// Reads a text problem of any format, told apart by content.
///
/// A few short headers fit two formats; then the first that reads the whole file wins. What is read
/// takes at most a few times the size of the file: declared sizes are compared with the bytes that
/// are left before anything is allocated.
///
/// # Errors
/// What is wrong, and the line.
pub fn read(bytes: &[u8]) -> Result<FieldFile, TextError> {
    let problem = detect(Tokens::new(bytes))?;
    let valid = problem.validate();
    valid.map_err(|source| TextError::Content {
        line: 1 + bytes.iter().filter(|byte| **byte == b'\n').count(),
        source,
    })?;
    Ok(problem.into())
}

fn detect(tokens: Tokens<'_>) -> Result<FieldProblem, TextError> {
    let header = header(tokens);
    let contact = || friction::read(tokens);
    let linear = || complementarity::read(tokens);
    if mlcp::recognised(tokens) {
        return mlcp::read(tokens);
    }
    match (is_lcp(&header), is_contact(&header)) {
        // of two readers that both fail, the one that gets further was meant
        (true, true) => linear().or_else(|first| match (first, contact()) {
            (_, Ok(problem)) => Ok(problem),
            (leftover @ TextError::Leftover { .. }, Err(_)) => Err(leftover),
            (first, Err(second)) if first.line() < second.line() => Err(second),
            (first, Err(_)) => Err(first),
        }),
        (true, false) => linear(),
        (false, true) => contact(),
        // no header fits: the reader that gets furthest says where it goes wrong
        (false, false) => match header[0] {
            Some(2 | 3 | 5) if header[1].is_some() => contact(),
            Some(_) if has_square(&header) => contact(),
            Some(_) => linear(),
            None => Err(unknown(tokens)),
        },
    }
}

/// The first five words, where they are integers.
fn header(mut tokens: Tokens<'_>) -> [Option<usize>; 5] {
    let mut header = [None; 5];
    for slot in &mut header {
        match tokens.next().and_then(|token| token.integer()) {
            Some(value) => *slot = Some(value),
            None => break,
        }
    }
    header
}

/// `n storage n n`
fn is_lcp(header: &[Option<usize>; 5]) -> bool {
    let storage = matches!(header[1], Some(0..=2));
    header[0].is_some() && storage && header[2] == header[0] && header[3] == header[0]
}

/// `dim nc storage s s`, or `s nc storage s s`
fn is_contact(header: &[Option<usize>; 5]) -> bool {
    let dim = matches!(header[0], Some(2 | 3 | 5));
    // in place of the dimension, the number of all rows
    let all = |dim: usize| header[1].and_then(|nc| nc.checked_mul(dim)) == header[0];
    let rows = header[1] > Some(0) && header[0] == header[3] && [2, 3, 5].into_iter().any(all);
    (dim || rows) && has_square(header)
}

/// A matrix with as many rows as columns follows two numbers.
fn has_square(header: &[Option<usize>; 5]) -> bool {
    let storage = matches!(header[2], Some(0..=2));
    storage && header[3].is_some() && header[3] == header[4]
}

fn unknown(mut tokens: Tokens<'_>) -> TextError {
    let reason = match tokens.next() {
        None => "the file is empty".to_owned(),
        Some(token) => format!(
            "it starts with {:?}, and no known text format does",
            token.shown()
        ),
    };
    TextError::UnknownFormat { reason }
}
