//! One timed cell: the problem made, the solver built, its sweeps timed, every failure a status.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use delassus_core::{Start, Status, Unsupported};
use delassus_metrics::Evaluator;
use delassus_problems::NamedProblem;

use super::locked;
use crate::driver;
use crate::judge::Judge;
use crate::matrix::{self, Cell, Matrix};
use crate::memory;
use crate::record::{Outcome, ProblemFacts};
use crate::registry::Registry;

/// A problem with what tables print about it.
#[derive(Debug)]
pub(super) struct Made {
    named: NamedProblem,
    facts: ProblemFacts,
}

/// The problem of the last cell with its index: the cells of a problem follow each other, and the largest problems
/// would fill memory if all were kept.
pub(super) type Latest = Mutex<Option<(usize, Arc<Made>)>>;

/// Runs one cell: the solver on the problem of these indices.
pub(super) fn run(
    matrix: &Matrix,
    cell: &Cell,
    (problem, solver): (usize, usize),
    registry: &Registry,
    latest: &Latest,
    cancel: &AtomicBool,
) -> (Outcome, ProblemFacts) {
    let failed = |reason: String| Outcome::without_samples(Status::Failed, reason);
    if let Some(reason) = &cell.skip {
        let outcome = Outcome::without_samples(Status::Unsupported, reason.clone());
        return (outcome, ProblemFacts::default());
    }
    let made = match make(matrix, problem, latest) {
        Ok(made) => made,
        Err(reason) => return (failed(reason), ProblemFacts::default()),
    };
    let outcome = timed(matrix, &made, solver, registry, cancel);
    (outcome.unwrap_or_else(failed), made.facts.clone())
}

fn make(matrix: &Matrix, index: usize, latest: &Latest) -> Result<Arc<Made>, String> {
    let mut latest = locked(latest);
    if let Some((known, made)) = &*latest
        && *known == index
    {
        return Ok(made.clone());
    }
    // the old one goes before the new one comes
    *latest = None;
    let named = matrix.timed[index].build(matrix.spec.memory())?;
    let evaluator = Evaluator::new(&named.problem).map_err(|error| error.to_string())?;
    let scale = evaluator.energy_scale().joules;
    let facts = matrix::facts(&named, scale);
    let made = Arc::new(Made { named, facts });
    *latest = Some((index, made.clone()));
    Ok(made)
}

fn timed(
    matrix: &Matrix,
    made: &Made,
    solver: usize,
    registry: &Registry,
    cancel: &AtomicBool,
) -> Result<Outcome, String> {
    let label = &matrix.solvers[solver];
    let built = registry
        .find(&label.id)
        .and_then(|entry| entry.build(&label.parameters));
    let mut solver = built.map_err(|error| error.to_string())?;
    let plan = matrix.spec.timing.ok_or("the spec times nothing")?;
    let problem = &made.named.problem;
    let left = matrix.spec.memory().less(memory::of_metrics(problem));
    if let Err(error @ Unsupported::Memory { .. }) = solver.check_within(problem, left) {
        return Ok(Outcome::without_samples(
            Status::Unsupported,
            error.to_string(),
        ));
    }
    let metrics = &matrix.spec.measure.metrics;
    let mut judge = Judge::new(problem, metrics, metrics).map_err(|error| error.to_string())?;
    Ok(driver::time_sweeps(
        solver.as_mut(),
        problem,
        Start::Cold,
        &mut judge,
        &plan,
        cancel,
    ))
}
