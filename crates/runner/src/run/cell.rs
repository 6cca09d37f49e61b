//! One cell: the solver built, the problem judged, every failure a status.

use std::any::Any;
use std::sync::atomic::AtomicBool;

use delassus_core::{Start, Status};

use super::reference::Reference;
use crate::driver;
use crate::judge::Judge;
use crate::matrix::{Cell, Matrix, stored};
use crate::record::Outcome;
use crate::registry::Registry;
use crate::spec::StartKind;

/// Runs one cell: the solver on the problem of these indices.
pub(super) fn run(
    matrix: &Matrix,
    cell: &Cell,
    (problem, solver): (usize, usize),
    registry: &Registry,
    reference: &Reference,
    cancel: &AtomicBool,
) -> Outcome {
    let failed = |reason: String| Outcome::without_samples(Status::Failed, reason);
    if let Some(reason) = &cell.skip {
        return Outcome::without_samples(Status::Unsupported, reason.clone());
    }
    let problem = &matrix.problems[problem];
    let content = match &problem.content {
        Ok(content) => &content.problem,
        Err(reason) => return Outcome::without_samples(Status::Unsupported, reason.clone()),
    };
    let label = &matrix.solvers[solver];
    let built = registry
        .find(&label.id)
        .and_then(|entry| entry.build(&label.parameters));
    let mut solver = match built {
        Ok(solver) => solver,
        Err(error) => return failed(error.to_string()),
    };
    let metrics = &matrix.spec.measure.metrics;
    let mut judge = match Judge::new(content, metrics, &problem.criteria) {
        Ok(judge) => judge,
        Err(error) => return failed(error.to_string()),
    };
    if let Reference::Known { impulses, source } = reference {
        judge = judge.with_reference(impulses, source);
    }
    let ones;
    let start = match problem.start {
        StartKind::Cold => Start::Cold,
        StartKind::Ones => {
            ones = vec![1.0; content.rows()];
            Start::Warm(&ones)
        }
        StartKind::Stored | StartKind::Warm => match stored(problem) {
            Some(impulses) => Start::Warm(impulses),
            None => return failed("the problem comes without stored impulses".to_owned()),
        },
    };
    let options = &problem.options;
    let (mut outcome, _) =
        driver::drive(solver.as_mut(), content, start, &mut judge, options, cancel);
    if let Reference::Unknown(reason) = reference {
        outcome.reference = Some(format!("no reference: {reason}"));
    }
    outcome
}

/// The outcome of a cell whose solver panicked.
pub(super) fn panicked(payload: &(dyn Any + Send)) -> Outcome {
    let text = payload
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| payload.downcast_ref::<&str>().copied())
        .unwrap_or("without a message");
    Outcome::without_samples(Status::Failed, format!("panicked: {text}"))
}
