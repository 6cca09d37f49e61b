//! Problems made of the data of other programs' files.

mod bodies;
mod complementarity;
mod friction;
mod known;

use delassus_core::{
    Block, BlockSparse, CoupledCompliance, FrictionLaw, MatrixRows, MemoryLimit, Operator, Problem,
    ProblemError, ProblemParts,
};
use delassus_formats::{FieldFile, FieldProblem, Global};

use crate::error::ProblemReadError;
use crate::named::NamedProblem;

/// How a global problem becomes a frozen one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GlobalForm {
    /// Bodies and Jacobians where the mass matrix is that of rigid bodies, else the Delassus
    /// matrix.
    #[default]
    Fitting,
    /// The Delassus matrix W = Hᵀ M⁻¹ H.
    Reduced,
}

/// The frozen problem of a file's data, contacts with the friction law `law`, within `limit`.
///
/// The provenance says how a global problem was treated, and is empty otherwise; the name is empty.
///
/// # Errors
/// Parts that do not fit each other, a mass matrix without inverse, a mixed problem that has no
/// square form, memory beyond the limit.
pub fn problem_of(
    file: &FieldFile,
    law: FrictionLaw,
    limit: MemoryLimit,
) -> Result<NamedProblem, ProblemReadError> {
    problem_of_in(file, law, GlobalForm::default(), limit)
}

/// The same with the form of a global problem chosen.
///
/// # Errors
/// Those of [`problem_of`].
pub fn problem_of_in(
    file: &FieldFile,
    law: FrictionLaw,
    form: GlobalForm,
    limit: MemoryLimit,
) -> Result<NamedProblem, ProblemReadError> {
    file.validate()?;
    let (problem, note) = match &file.problem {
        FieldProblem::Local(local) => (friction::local(local, law, limit)?, String::new()),
        FieldProblem::Global(global) => global_problem(global, law, form, limit)?,
        FieldProblem::Lcp(lcp) => (complementarity::lcp(lcp, limit)?, String::new()),
        FieldProblem::Relay(relay) => (complementarity::relay(relay, limit)?, String::new()),
        FieldProblem::Mlcp(mlcp) => (complementarity::mlcp(mlcp, limit)?, String::new()),
    };
    let mut named = NamedProblem::new("", problem, note);
    known::attach(file, &mut named);
    Ok(named)
}

/// Bodies and Jacobians, or the reduced form; with a note that says which.
fn global_problem(
    global: &Global,
    law: FrictionLaw,
    form: GlobalForm,
    limit: MemoryLimit,
) -> Result<(Problem, String), ProblemReadError> {
    if form == GlobalForm::Fitting
        && let Some((problem, bodies)) = bodies::problem(global, law, limit)?
    {
        let note = format!("matrix-free: M is that of {bodies} rigid bodies, the Jacobian is H^T");
        return Ok((problem, note));
    }
    let reduced = global.reduce(limit)?;
    let note = format!(
        "reduced by {}: W = H^T M^-1 H, q = H^T M^-1 f + w",
        reduced.factorization.name()
    );
    Ok((friction::local(&reduced.local, law, limit)?, note))
}

/// Freezes a matrix problem without bias and compliance. Zeros are left out, equal places are
/// added.
fn freeze(
    entries: impl Iterator<Item = (usize, usize, f64)>,
    blocks: Vec<Block>,
    free_velocity: Vec<f64>,
    limit: MemoryLimit,
) -> Result<Problem, ProblemReadError> {
    let rows = free_velocity.len();
    let dims: Vec<usize> = blocks.iter().map(|block| block.dim).collect();
    let list = list(entries, limit)?;
    let held = size_of_val(list.as_slice()) as u64;
    let delassus = BlockSparse::from_entries(&dims, list, limit.less(held));
    let delassus = delassus.map_err(|error| match error {
        ProblemError::Memory(memory) => ProblemReadError::Memory(memory),
        other => ProblemReadError::Problem(other),
    })?;
    let parts = ProblemParts {
        operator: Operator::Matrix(MatrixRows {
            delassus,
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

/// The entries that are not zero, with indices of 32 bits.
fn list(
    entries: impl Iterator<Item = (usize, usize, f64)>,
    limit: MemoryLimit,
) -> Result<Vec<(u32, u32, f64)>, ProblemReadError> {
    let narrow = |index: usize| {
        let large = |_| ProblemReadError::Problem(ProblemError::TooLarge { rows: index });
        u32::try_from(index).map_err(large)
    };
    let mut list: Vec<(u32, u32, f64)> = Vec::new();
    for (row, column, value) in entries.filter(|entry| entry.2 != 0.0) {
        if list.len() == list.capacity() {
            // the old list and one of twice its size
            let bytes = 3 * size_of_val(list.as_slice()) as u64;
            limit.admit("the list of the matrix's entries", bytes)?;
        }
        list.push((narrow(row)?, narrow(column)?, value));
    }
    Ok(list)
}

/// Rows of an equality block that stays one block at most \[-\]: as one block its matrix is stored
/// dense.
const MAX_BLOCK: usize = 1000;

/// Equality rows from `first` on, `count` of them: one block, or one per row where they are many.
fn equalities(first: usize, count: usize) -> Vec<Block> {
    let equality = |first_row: usize, dim: usize| Block {
        first_row,
        dim,
        law: delassus_core::Law::Equality,
        feature: first_row as u64,
    };
    match count {
        0 => Vec::new(),
        _ if count <= MAX_BLOCK => vec![equality(first, count)],
        _ => (first..first + count).map(|row| equality(row, 1)).collect(),
    }
}
