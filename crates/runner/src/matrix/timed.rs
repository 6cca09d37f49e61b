//! The problems of a matrix whose sweeps are timed: checked now, made when their cells run.
//!
//! The largest of them fill memory, and a problem follows from its parameters and the program alone; both are in the
//! key of a cell.

use delassus_core::MemoryLimit;
use delassus_problems::NamedProblem;
use delassus_problems::generators::{GeneratorEntry, generate_within, generators};
use serde_json::json;

use super::estimate::timed_memory;
use super::solvers::Available;
use super::{Cell, Task, names, problems};
use crate::driver::TimingPlan;
use crate::key;
use crate::record::{ProblemFacts, ProblemLabel, SolverLabel};
use crate::spec::{self, ProblemEntry, ProblemSource, Spec, SpecError};

/// One problem whose sweeps are timed.
#[derive(Debug, Clone, PartialEq)]
pub struct TimedProblem {
    /// Name and origin.
    pub label: ProblemLabel,
    /// Give solvers the Delassus matrix instead of the bodies.
    pub as_matrix: bool,
    /// Nothing yet: a record has the facts of the problem that was made.
    pub facts: ProblemFacts,
}

impl TimedProblem {
    /// Makes the problem.
    ///
    /// # Errors
    /// Parameters that are each in range but give no valid problem together; a problem that takes more than `limit`.
    pub fn build(&self, limit: MemoryLimit) -> Result<NamedProblem, String> {
        let made = generate_within(&self.label.source, &self.label.parameters, limit);
        let named = made.map_err(|error| error.to_string())?;
        if self.as_matrix {
            return problems::as_matrix(Box::new(named), limit).map(|named| *named);
        }
        Ok(named)
    }
}

/// Expands the grids and checks the parameters.
pub(super) fn expand(
    spec: &Spec,
    plan: &TimingPlan,
    solvers: &[SolverLabel],
    built: &[Available],
) -> Result<(Vec<TimedProblem>, Vec<Cell>), SpecError> {
    let known = generators();
    let mut timed = Vec::new();
    let mut spans = Vec::new();
    for entry in &spec.problems {
        for problem in points(spec, entry, &known)? {
            timed.push(problem);
            spans.push(entry.span.clone());
        }
    }
    let pairs = timed.iter().map(|p| p.label.name.as_str()).zip(spans);
    names::unique(spec, "problem", "name", pairs)?;
    let mut cells = Vec::with_capacity(timed.len() * solvers.len());
    for (row, problem) in timed.iter().enumerate() {
        let too_large = too_large(spec, problem, &known);
        for (column, (solver, built)) in solvers.iter().zip(built).enumerate() {
            cells.push(Cell {
                task: Task::Time {
                    problem: row,
                    solver: column,
                },
                // a refusal is not kept for a machine or a limit with more memory
                key: match &too_large {
                    Some(reason) => key::of_json(&json!([cell_key(plan, problem, solver), reason])),
                    None => cell_key(plan, problem, solver),
                },
                skip: built.as_ref().err().cloned().or_else(|| too_large.clone()),
            });
        }
    }
    Ok((timed, cells))
}

/// Why the problem is not made, if it would take more memory than there is.
fn too_large(spec: &Spec, problem: &TimedProblem, known: &[GeneratorEntry]) -> Option<String> {
    let label = &problem.label;
    let generator = known.iter().find(|g| g.descriptor.id == label.source)?;
    let size = generator.build(&label.parameters).ok()?.counts();
    let needed = timed_memory(size.bytes());
    let admitted = spec.memory().admit("the problem with its solver", needed);
    admitted.err().map(|error| error.to_string())
}

fn points(
    spec: &Spec,
    entry: &ProblemEntry,
    known: &[GeneratorEntry],
) -> Result<Vec<TimedProblem>, SpecError> {
    let ProblemSource::Generator { id, axes } = &entry.source else {
        return Err(spec.error(entry.span.clone(), "timing goes with generators"));
    };
    let generator = known.iter().find(|g| g.descriptor.id == id);
    let generator = generator
        .ok_or_else(|| spec.error(entry.span.clone(), format!("unknown generator {id:?}")))?;
    let points = spec::points(axes).into_iter().map(|point| {
        let checked = generator.build(&point.parameters);
        checked.map_err(|error| problems::refused(spec, entry, axes, &point, &error))?;
        let parameters = generator.complete(&point.parameters);
        Ok(TimedProblem {
            label: ProblemLabel {
                name: names::of_point(id, entry.name.as_deref(), &point),
                source: id.clone(),
                parameters,
            },
            as_matrix: entry.as_matrix,
            facts: ProblemFacts::default(),
        })
    });
    points.collect()
}

/// Everything that determines a record, but for the clock.
fn cell_key(plan: &TimingPlan, problem: &TimedProblem, solver: &SolverLabel) -> String {
    key::of_json(&json!({
        "schema": key::SCHEMA,
        "build": key::build_id(),
        "problem": { "label": problem.label, "as_matrix": problem.as_matrix },
        "solver": solver,
        "timing": { "row_updates": plan.row_updates, "repetitions": plan.repetitions },
    }))
}
