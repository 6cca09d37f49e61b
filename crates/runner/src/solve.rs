//! Frozen problems that are solved to a tolerance: problems × solvers.

mod draws;
mod files;
mod made;
pub(crate) mod measure;
mod other_law;
pub(crate) mod plan;
mod problem;
pub(crate) mod problems;
mod reference;
mod run;
mod worlds;

use delassus_core::{Choice, Unsupported, check_within};
use delassus_records::guard::caught;
use serde_json::{Value, json};

use crate::driver::{SampleSchedule, StopRule, accept, hash};
use crate::key::{self, Program};
use crate::matrix::cell::{MatrixCell, build, refused_key};
use crate::matrix::solvers::ConfiguredSolvers;
use crate::matrix::unit_time::sweep_seconds;
use crate::memory;
use crate::record::SolverLabel;
use crate::registry::Registry;
use crate::spec::{Spec, SpecError, size};

pub use draws::Draws;
pub use measure::{Measure, ReferenceSolver, ReferenceSource, Stop};
pub use plan::{ProblemFamily, ProblemSource, SolvePlan, StartKind};
pub use problem::MatrixProblem;
pub(crate) use reference::NO_REFERENCE;

/// The problems of an experiment, ready to be solved.
#[derive(Debug)]
pub struct Solves {
    /// The problems, in order.
    pub problems: Vec<MatrixProblem>,
    /// Metrics of every sample.
    metrics: Vec<String>,
    /// Where the reference of the velocity error comes from.
    reference: Option<ReferenceSource>,
    /// Orders of the blocks that spreads are of \[-\].
    orders: Option<u32>,
}

/// Number of cells, from the spec alone.
pub(crate) fn count(spec: &Spec, plan: &SolvePlan) -> u128 {
    let problems = plan.problems.iter().map(|entry| match &entry.source {
        _ if entry.as_worlds.is_some() => 1,
        ProblemSource::Generator { axes, .. } => size(axes),
        ProblemSource::Files { paths, .. } => paths.len() as u128,
    });
    let solvers = spec.solvers.iter().map(|entry| size(&entry.axes));
    let problems = problems.fold(0, u128::saturating_add);
    problems.saturating_mul(solvers.fold(0, u128::saturating_add))
}

/// Makes the problems and asks every solver about every problem.
pub(crate) fn expand(
    spec: &Spec,
    plan: &SolvePlan,
    solvers: &ConfiguredSolvers,
) -> Result<(Solves, Vec<MatrixCell>), SpecError> {
    let problems = problems::expand(spec, plan)?;
    let mut cells = Vec::with_capacity(problems.len() * solvers.labels.len());
    let memory = spec.memory();
    let held: u64 = problems.iter().map(MatrixProblem::memory).sum();
    for (subject, problem) in problems.iter().enumerate() {
        for (method, (label, solver)) in solvers.labels.iter().zip(&solvers.built).enumerate() {
            let mut too_large = None;
            let skip = match &problem.content {
                Err(reason) => Some(reason.clone()),
                Ok(_) if solver.is_err() => solver.as_ref().err().cloned(),
                Ok(_) if problem.start == StartKind::Stored && problem.stored().is_none() => {
                    Some("the problem comes without the solution to start from".to_owned())
                }
                Ok(_) if problem.start == StartKind::Warm && problem.stored().is_none() => {
                    Some("the problem comes without a warm start".to_owned())
                }
                Ok(_) if problem.start == StartKind::Captured && problem.stored().is_none() => {
                    Some("the problem comes without impulses of an engine".to_owned())
                }
                Ok(content) => {
                    let (content, held) = (&content.problem, held - problem.memory());
                    let judged = memory::of_metrics(content, &plan.measure.metrics);
                    let left = memory.less(held + judged);
                    let check = || check_within(solver.as_ref().ok()?, content, left).err();
                    // a check that panics is not a refusal: its cell runs, and fails with the
                    // message
                    let refusal = caught(check).ok().flatten();
                    let reason = refusal.as_ref().map(ToString::to_string);
                    if matches!(refusal, Some(Unsupported::Memory { .. })) {
                        too_large.clone_from(&reason);
                    }
                    reason
                }
            };
            let key = cell_key(plan, problem, label, Program::here());
            cells.push(MatrixCell {
                subject,
                method,
                key: refused_key(key, too_large.as_deref()),
                skip,
                replay: None,
            });
        }
    }
    let solves = Solves {
        problems,
        metrics: plan.measure.metrics.clone(),
        reference: plan.reference.clone(),
        orders: plan.measure.orders,
    };
    Ok((solves, cells))
}

/// The errors of problems that cannot be made.
pub(crate) fn errors(spec: &Spec, plan: &SolvePlan) -> Option<SpecError> {
    problems::expand(spec, plan).err()
}

/// Everything that determines a record, in a program with the hash `build`. Figures, tables and
/// comments of the spec do not.
pub(crate) fn cell_key(
    plan: &SolvePlan,
    problem: &MatrixProblem,
    solver: &SolverLabel,
    program: Program<'_>,
) -> String {
    let StopRule {
        tolerance,
        max_sweeps,
        max_seconds,
        divergence,
    } = &problem.options.stop;
    let schedule = match problem.options.schedule {
        SampleSchedule::Every(step) => json!({ "every": step }),
        SampleSchedule::Geometric(ratio) => json!({ "geometric": ratio }),
    };
    // the digest covers the problem and its known solution
    let warm_start = match problem.start {
        StartKind::Warm | StartKind::Captured => problem.stored().map(hash),
        _ => None,
    };
    let mut measure = json!({
        "metrics": plan.measure.metrics,
        "schedule": schedule,
        "repetitions": problem.options.repetitions,
    });
    // cells without a spread keep the keys that they had before there was one
    if let (Some(orders), Some(map)) = (plan.measure.orders, measure.as_object_mut()) {
        map.insert("orders".to_owned(), json!(orders));
    }
    let mut own = json!({ "label": problem.label, "digest": problem.digest });
    if let (false, Some(map)) = (problem.worlds.is_empty(), own.as_object_mut()) {
        map.insert("worlds".to_owned(), json!(problem.worlds));
    }
    key::of_json(&json!({
        "schema": program.schema,
        "build": program.build,
        "problem": own,
        "solver": solver,
        "start": problem.start.name(),
        "warm_start": warm_start,
        "stop": {
            "tolerance": tolerance,
            "max_sweeps": max_sweeps,
            "max_seconds": max_seconds,
            "divergence": divergence,
            "criteria": problem.criteria,
        },
        "measure": measure,
        "reference": reference_key(plan.reference.as_ref()),
    }))
}

fn reference_key(reference: Option<&ReferenceSource>) -> Value {
    match reference {
        None => Value::Null,
        Some(ReferenceSource::Stored) => json!("stored"),
        Some(ReferenceSource::Certified) => json!("certified"),
        Some(ReferenceSource::Solver(solver)) => json!({
            "solver": solver.id,
            "parameters": solver.parameters,
            "tolerance": solver.tolerance,
            "max_sweeps": solver.max_sweeps,
        }),
    }
}

impl Solves {
    /// Columns of the samples of every cell.
    pub(crate) fn columns(&self) -> &[String] {
        &self.metrics
    }

    /// What the solver of a cell solves in place of its problem; `None` where it refuses it, or
    /// there is none.
    pub(crate) fn approximations(
        &self,
        cell: &MatrixCell,
        label: &SolverLabel,
        registry: &Registry,
    ) -> Option<Vec<String>> {
        let content = self.problems[cell.subject].content.as_ref().ok()?;
        let solver = build(label, registry).ok()?;
        accept(solver.as_ref(), &content.problem).ok()
    }

    /// Bytes of all problems, which are held at the same time \[B\].
    pub(crate) fn held(&self) -> u64 {
        self.problems.iter().map(MatrixProblem::memory).sum()
    }

    /// Memory of a cell in addition to the problems that are held \[B\], and its time at most
    /// \[s\].
    pub(crate) fn estimate(
        &self,
        cell: &MatrixCell,
        label: &SolverLabel,
        registry: &Registry,
    ) -> (u64, f64) {
        let problem = &self.problems[cell.subject];
        let (Ok(content), Ok(built)) = (&problem.content, build(label, registry)) else {
            return (0, 0.0);
        };
        let (content, stop) = (&content.problem, &problem.options.stop);
        let judged = memory::of_metrics(content, &self.metrics);
        let memory = judged + built.footprint(content);
        let limit = stop.max_seconds.unwrap_or(f64::INFINITY);
        let each = sweep_seconds(built.descriptor(), content.rows());
        let orders = self.orders.map_or(0, |orders| orders - 1);
        let runs = 1.0 + f64::from(problem.options.repetitions) + f64::from(orders);
        (memory, runs * (each * stop.max_sweeps as f64).min(limit))
    }
}
