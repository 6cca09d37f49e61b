//! Problems made of the data of other programs' files.

mod bodies;
mod complementarity;
mod freeze;
mod friction;
mod known;

use delassus_core::{ContactLaw, MemoryLimit, Problem};
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
/// A law beyond [`ContactLaw::OF_FILES`], parts that do not fit each other, a mass matrix without
/// inverse, a mixed problem that has no square form, memory beyond the limit.
pub fn problem_of(
    file: &FieldFile,
    law: ContactLaw,
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
    law: ContactLaw,
    form: GlobalForm,
    limit: MemoryLimit,
) -> Result<NamedProblem, ProblemReadError> {
    file.validate()?;
    if !law.is_of_files() {
        return Err(ProblemReadError::ContactLaw { law });
    }
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
    law: ContactLaw,
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
