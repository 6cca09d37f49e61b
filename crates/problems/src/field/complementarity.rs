//! Linear, bounded and mixed complementarity problems.

use delassus_core::{Block, Law, MemoryLimit, Problem};
use delassus_formats::{Lcp, MatrixForm, Mlcp, PartsForm, Relay, RowKind};

use super::freeze::{equalities, freeze};
use crate::error::ProblemReadError;

/// One unilateral row per block.
pub(super) fn lcp(lcp: &Lcp, limit: MemoryLimit) -> Result<Problem, ProblemReadError> {
    let blocks = (0..lcp.q.len()).map(unilateral).collect();
    freeze(lcp.m.entries(), blocks, lcp.q.clone(), limit)
}

/// One row between bounds per block.
pub(super) fn relay(relay: &Relay, limit: MemoryLimit) -> Result<Problem, ProblemReadError> {
    let bounds = relay.lower.iter().zip(&relay.upper).enumerate();
    let blocks = bounds.map(|(row, (lower, upper))| Block {
        first_row: row,
        dim: 1,
        law: Law::Bounds {
            lower: *lower,
            upper: *upper,
        },
        feature: row as u64,
    });
    freeze(relay.m.entries(), blocks.collect(), relay.q.clone(), limit)
}

/// Equality blocks and unilateral rows; by M and q where the file has them, else by parts.
pub(super) fn mlcp(mlcp: &Mlcp, limit: MemoryLimit) -> Result<Problem, ProblemReadError> {
    let unknowns = mlcp.equalities + mlcp.complementarities;
    match (&mlcp.matrix, &mlcp.parts) {
        (Some(form), _) if form.m.rows == unknowns => {
            let blocks = blocks(form);
            freeze(form.m.entries(), blocks, form.q.clone(), limit)
        }
        (Some(form), _) => rectangular(form, mlcp.equalities, mlcp.complementarities, limit),
        (None, Some(parts)) => by_parts(parts, mlcp.equalities, mlcp.complementarities, limit),
        (None, None) => Err(ProblemReadError::NotSquare {
            reason: "it has no form at all",
        }),
    }
}

/// The blocks of the file; complementarity rows one by one.
fn blocks(form: &MatrixForm) -> Vec<Block> {
    let mut blocks = Vec::new();
    let mut first = 0;
    for (end, kind) in form.ends.iter().zip(&form.kinds) {
        let end = *end as usize;
        match kind {
            RowKind::Equality => blocks.extend(equalities(first, end - first)),
            RowKind::Complementarity => blocks.extend((first..end).map(unilateral)),
        }
        first = end;
    }
    blocks
}

/// A mixed problem with more equations than free unknowns, or fewer: unknowns that nothing depends
/// on, or equations 0 = 0, make it square and leave its solutions as they are.
fn rectangular(
    form: &MatrixForm,
    free: usize,
    complementarities: usize,
    limit: MemoryLimit,
) -> Result<Problem, ProblemReadError> {
    let equations_first = form
        .kinds
        .is_sorted_by_key(|kind| *kind == RowKind::Complementarity);
    if !equations_first {
        return Err(ProblemReadError::NotSquare {
            reason: "M is a rectangle, and which of its rows are equations is known only where they come first",
        });
    }
    let equations = form.m.rows - complementarities;
    let square = equations.max(free);
    // rows of complementarities come after the equations, their unknowns after the free ones
    let row = |i: usize| {
        if i < equations {
            i
        } else {
            square + i - equations
        }
    };
    let column = |j: usize| if j < free { j } else { square + j - free };
    let entries = form.m.entries().map(|(i, j, x)| (row(i), column(j), x));
    let mut q = vec![0.0; square + complementarities];
    for (i, value) in form.q.iter().enumerate() {
        q[row(i)] = *value;
    }
    let mut blocks = equalities(0, square);
    blocks.extend((square..square + complementarities).map(unilateral));
    freeze(entries, blocks, q, limit)
}

/// Equations first, then complementarities.
fn by_parts(
    parts: &PartsForm,
    n: usize,
    m: usize,
    limit: MemoryLimit,
) -> Result<Problem, ProblemReadError> {
    let entries = place(&parts.a, n, 0, 0)
        .chain(place(&parts.c, m, 0, n))
        .chain(place(&parts.d, n, n, 0))
        .chain(place(&parts.b, m, n, n));
    let mut blocks = equalities(0, n);
    blocks.extend((n..n + m).map(unilateral));
    let q = [parts.a_vector.as_slice(), &parts.b_vector].concat();
    freeze(entries, blocks, q, limit)
}

/// The entries of a matrix row by row, its first one at a place of the whole.
fn place(
    values: &[f64],
    columns: usize,
    row: usize,
    column: usize,
) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
    let columns = columns.max(1);
    let values = values.iter().enumerate();
    values.map(move |(k, value)| (row + k / columns, column + k % columns, *value))
}

/// One row 0 ≤ λ ⊥ w ≥ 0.
fn unilateral(row: usize) -> Block {
    Block {
        first_row: row,
        dim: 1,
        law: Law::UNILATERAL,
        feature: row as u64,
    }
}
