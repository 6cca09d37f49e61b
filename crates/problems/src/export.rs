//! Frozen problems as the data of other programs' files.

mod complementarity;
mod forms;
mod friction;
mod global;
mod order;
mod rows;

use delassus_core::{Activity, Law, Problem};
use delassus_formats::{FieldFile, Info, text};

use crate::error::ProblemWriteError;
use crate::named::NamedProblem;
pub use forms::{FieldForm, MatrixStorage};

impl FieldForm {
    /// The form that holds a problem by its laws: friction in Delassus form where there are
    /// contacts with friction.
    pub fn fitting(problem: &Problem) -> Self {
        let unilateral = |block: usize| complementarity::is_unilateral(problem, block);
        let law = |block: usize| &problem.blocks()[block].law;
        let all = |fits: &dyn Fn(usize) -> bool| (0..problem.blocks().len()).all(fits);
        if all(&unilateral) {
            Self::Lcp
        } else if all(&|block| *law(block) == Law::Equality || unilateral(block)) {
            Self::Mlcp
        } else if all(&|block| {
            matches!(law(block), Law::Bounds { .. } | Law::Equality) || unilateral(block)
        }) {
            Self::Relay
        } else {
            Self::Local
        }
    }
}

/// A problem as a file's data, and what the data has no place for.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// Problem, description, and known solution and warm start in the order of its rows.
    pub file: FieldFile,
    /// What is changed or left out, a sentence each; empty where the solutions are those of the
    /// frozen problem.
    pub losses: Vec<String>,
}

/// The data of a file that holds a problem in the form `form`, its matrix stored as `storage`.
///
/// Compliance, for which no format has a place, is added to the matrix, which gives the same
/// impulses; the losses say so.
///
/// # Errors
/// Laws that the form does not have, inactive rows, compliance in the global form, masses that the
/// form cannot express.
pub fn to_field(
    named: &NamedProblem,
    form: FieldForm,
    storage: MatrixStorage,
) -> Result<Exported, ProblemWriteError> {
    let problem = &named.problem;
    if problem.activity().iter().any(|a| *a != Activity::Solve) {
        return Err(form.refuse("it has no place for held rows"));
    }
    let mut losses = Vec::new();
    let soft = problem.soft_rows();
    if soft > 0 || !problem.coupled_compliance().is_empty() {
        if form == FieldForm::Global {
            return Err(form.refuse("it has no place for compliance"));
        }
        losses.push(format!(
            "the compliance of {soft} rows is added to the matrix: the impulses are the same, the velocities hold it"
        ));
    }
    if named.captured.is_some() {
        losses.push("the impulses and velocities of the engine that it was captured in".to_owned());
    }
    let (content, order) = match form {
        FieldForm::Local => friction::local(problem, storage)?,
        FieldForm::Global => global::global(problem)?,
        FieldForm::Lcp => complementarity::lcp(problem, storage)?,
        FieldForm::Relay => complementarity::relay(problem, storage)?,
        FieldForm::Mlcp => complementarity::mlcp(problem, storage)?,
    };
    let solution = |impulses: &[f64]| order.solution(problem, impulses, &content);
    let mut file = FieldFile::from(content.clone());
    file.solution = named
        .reference
        .as_ref()
        .map(|known| solution(&known.impulses));
    file.guesses = named
        .warm_start
        .iter()
        .map(|start| solution(start))
        .collect();
    file.info = Some(info(named));
    Ok(Exported { file, losses })
}

/// Name and provenance.
fn info(named: &NamedProblem) -> Info {
    Info {
        title: Some(named.name.clone().into_bytes()),
        description: Some(named.provenance.clone().into_bytes()),
        math_info: named
            .reference
            .as_ref()
            .map(|known| known.provenance.clone().into_bytes()),
        attributes: Vec::new(),
    }
}

/// Writes the local friction-contact format (fc3d, or fc2d for contacts of two rows, or rolling
/// friction of five).
///
/// # Errors
/// Laws other than Coulomb friction (F3 and F5 alike) and rolling friction, contacts of different
/// dimensions, joints, compliance, inactive rows.
pub fn contact_text(
    problem: &Problem,
    storage: MatrixStorage,
) -> Result<String, ProblemWriteError> {
    form_text(problem, FieldForm::Local, storage)
}

/// Writes the format of linear complementarity problems.
///
/// # Errors
/// Laws other than λ ≥ 0 ⊥ w ≥ 0, compliance, inactive rows.
pub fn lcp_text(problem: &Problem, storage: MatrixStorage) -> Result<String, ProblemWriteError> {
    form_text(problem, FieldForm::Lcp, storage)
}

/// Writes the text format of a form.
///
/// # Errors
/// What the form or its text format has no place for, compliance among it.
pub fn form_text(
    problem: &Problem,
    form: FieldForm,
    storage: MatrixStorage,
) -> Result<String, ProblemWriteError> {
    if problem.soft_rows() > 0 || !problem.coupled_compliance().is_empty() {
        return Err(form.refuse("it has no place for compliance"));
    }
    let named = NamedProblem::new("", problem.clone(), "");
    let exported = to_field(&named, form, storage)?;
    Ok(text::write(&exported.file.problem)?)
}
