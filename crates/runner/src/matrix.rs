//! The matrix of an experiment, expanded, checked and keyed before anything runs: problems × solvers, or
//! scenes × schemes × solvers.

mod estimate;
mod names;
mod problems;
mod schemes;
mod solvers;
mod standing;
mod timed;
mod trajectories;
mod unstepped;

use std::panic::{AssertUnwindSafe, catch_unwind};

use delassus_core::Unsupported;
use delassus_problems::NamedProblem;
use serde::Serialize;
use serde_json::{Value, json};

use crate::driver::{Options, Schedule, StopRule};
use crate::key;
use crate::machine;
use crate::memory;
use crate::record::{ProblemFacts, ProblemLabel, SchemeLabel, SolverLabel};
use crate::registry::Registry;
use crate::spec::{self, ProblemSource, ReferenceSource, Spec, SpecError, StartKind};

pub use estimate::Estimate;
pub(crate) use problems::facts;
pub use schemes::MatrixScheme;
pub(crate) use standing::{Standing, standing};
pub use timed::TimedProblem;
pub use trajectories::MatrixScene;
pub(crate) use trajectories::observables;

/// Largest number of cells of one experiment.
pub const MAX_CELLS: u128 = 100_000;

/// An experiment, ready to run.
#[derive(Debug)]
pub struct Matrix {
    /// The spec.
    pub spec: Spec,
    /// The problems, in order; none in an experiment over time.
    pub problems: Vec<MatrixProblem>,
    /// The problems whose sweeps are timed, in order; each is made when its cells run.
    pub timed: Vec<TimedProblem>,
    /// The scenes of an experiment over time, in order.
    pub scenes: Vec<MatrixScene>,
    /// Its configured schemes, in order.
    pub schemes: Vec<MatrixScheme>,
    /// The configured solvers, in order.
    pub solvers: Vec<SolverLabel>,
    /// The cells: every problem with every solver, problems outside; or every scene with every scheme and each of the
    /// scheme's solvers, scenes outside.
    pub cells: Vec<Cell>,
}

/// One problem of the matrix.
#[derive(Debug)]
pub struct MatrixProblem {
    /// Name and origin.
    pub label: ProblemLabel,
    /// The problem; the reason if its file is of a format that is recognised and not supported.
    pub content: Result<Box<NamedProblem>, String>,
    /// What tables print about it.
    pub facts: ProblemFacts,
    /// Hash of its numbers.
    pub digest: String,
    /// The impulses that solves start from.
    pub start: StartKind,
    /// Metrics that must be within the tolerance.
    pub criteria: Vec<String>,
    /// How its cells run.
    pub options: Options,
}

impl MatrixProblem {
    /// Bytes that the problem takes; none if its file could not be read \[B\].
    pub(crate) fn memory(&self) -> u64 {
        let content = self.content.as_ref();
        content.map_or(0, |named| named.problem.memory())
    }
}

/// One cell of the matrix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell {
    /// What to do.
    pub task: Task,
    /// Hash of everything that determines the record.
    pub key: String,
    /// Why the cell cannot run, if it cannot.
    pub skip: Option<String>,
}

/// What a cell does, by indices into the matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Solve a frozen problem.
    Solve {
        /// The problem.
        problem: usize,
        /// The solver.
        solver: usize,
    },
    /// Time the sweeps of a solver.
    Time {
        /// The problem.
        problem: usize,
        /// The solver.
        solver: usize,
    },
    /// Step a scene.
    Simulate {
        /// The scene.
        scene: usize,
        /// The scheme.
        scheme: usize,
        /// The solver; `None` for a scheme that solves by itself.
        solver: Option<usize>,
    },
}

/// Expands the grids, makes the problems and asks every solver about every problem.
///
/// # Errors
/// More than [`MAX_CELLS`] cells, parameters that fit no problem or solver, files that cannot be read, names that
/// are not unique, figures of problems or solvers that do not exist.
pub fn expand(spec: Spec, registry: &Registry) -> Result<Matrix, SpecError> {
    let (count, product) = match &spec.trajectory {
        Some(plan) => (
            trajectories::count(&spec, plan),
            "scenes × schemes × solvers",
        ),
        None => (count(&spec), "problems × solvers"),
    };
    if count > MAX_CELLS {
        return Err(SpecError {
            file: spec.file,
            place: None,
            message: format!(
                "the matrix would have {} cells ({product}); at most {MAX_CELLS} are accepted",
                if count == u128::MAX {
                    "more than 10^38".to_owned()
                } else {
                    count.to_string()
                }
            ),
        });
    }
    let (solvers, built) = solvers::expand(&spec, registry)?;
    if let Some(plan) = &spec.trajectory {
        let (scenes, schemes, cells) = trajectories::expand(&spec, plan, &solvers, registry)?;
        let names: Vec<&str> = scenes.iter().map(|s| s.label.name.as_str()).collect();
        let labels: Vec<&str> = schemes.iter().map(|s| s.label.as_str()).collect();
        names::check_views(&spec, &names, &labels, &solvers)?;
        return Ok(Matrix {
            problems: Vec::new(),
            timed: Vec::new(),
            scenes,
            schemes,
            solvers,
            cells,
            spec,
        });
    }
    if let Some(plan) = &spec.timing {
        let (timed, cells) = timed::expand(&spec, plan, &solvers, &built)?;
        let names: Vec<&str> = timed.iter().map(|p| p.label.name.as_str()).collect();
        names::check_views(&spec, &names, &[], &solvers)?;
        return Ok(Matrix {
            problems: Vec::new(),
            timed,
            scenes: Vec::new(),
            schemes: Vec::new(),
            solvers,
            cells,
            spec,
        });
    }
    let problems = problems::expand(&spec)?;
    let names: Vec<&str> = problems.iter().map(|p| p.label.name.as_str()).collect();
    names::check_views(&spec, &names, &[], &solvers)?;
    let mut cells = Vec::with_capacity(problems.len() * solvers.len());
    let memory = spec.memory();
    let held: u64 = problems.iter().map(MatrixProblem::memory).sum();
    for (row, problem) in problems.iter().enumerate() {
        for (column, (label, solver)) in solvers.iter().zip(&built).enumerate() {
            let mut too_large = None;
            let skip = match &problem.content {
                Err(reason) => Some(reason.clone()),
                Ok(_) if solver.is_err() => solver.as_ref().err().cloned(),
                Ok(_) if problem.start == StartKind::Stored && stored(problem).is_none() => {
                    Some("the problem comes without the solution to start from".to_owned())
                }
                Ok(_) if problem.start == StartKind::Warm && stored(problem).is_none() => {
                    Some("the problem comes without a warm start".to_owned())
                }
                Ok(content) => {
                    let (content, held) = (&content.problem, held - problem.memory());
                    let left = memory.less(held + memory::of_metrics(content));
                    let check = || solver.as_ref().ok()?.check_within(content, left).err();
                    // a check that panics is not a refusal: its cell runs, and fails with the message
                    let refusal = catch_unwind(AssertUnwindSafe(check)).ok().flatten();
                    let reason = refusal.as_ref().map(ToString::to_string);
                    if matches!(refusal, Some(Unsupported::Memory { .. })) {
                        too_large.clone_from(&reason);
                    }
                    reason
                }
            };
            let key = cell_key(&spec, problem, label);
            cells.push(Cell {
                task: Task::Solve {
                    problem: row,
                    solver: column,
                },
                // a refusal is not kept for a machine or a limit with more memory
                key: match too_large {
                    Some(reason) => key::of_json(&json!([key, reason])),
                    None => key,
                },
                skip,
            });
        }
    }
    Ok(Matrix {
        spec,
        problems,
        timed: Vec::new(),
        scenes: Vec::new(),
        schemes: Vec::new(),
        solvers,
        cells,
    })
}

/// Number of cells, from the spec alone.
fn count(spec: &Spec) -> u128 {
    let problems = spec.problems.iter().map(|entry| match &entry.source {
        ProblemSource::Generator { axes, .. } => spec::size(axes),
        ProblemSource::Files { paths, .. } => paths.len() as u128,
    });
    let solvers = spec.solvers.iter().map(|entry| spec::size(&entry.axes));
    let problems = problems.fold(0, u128::saturating_add);
    problems.saturating_mul(solvers.fold(0, u128::saturating_add))
}

/// Impulses to start from that come with a problem: its warm start or its known solution \[N·s\].
pub(crate) fn stored(problem: &MatrixProblem) -> Option<&[f64]> {
    let content = problem.content.as_ref().ok()?;
    match problem.start {
        StartKind::Warm => content.warm_start.as_deref(),
        _ => content.reference_impulses(),
    }
}

/// Everything that determines a record. Figures, tables and comments of the spec do not.
fn cell_key(spec: &Spec, problem: &MatrixProblem, solver: &SolverLabel) -> String {
    let StopRule {
        tolerance,
        max_sweeps,
        max_seconds,
        divergence,
    } = &problem.options.stop;
    let schedule = match problem.options.schedule {
        Schedule::Every(step) => json!({ "every": step }),
        Schedule::Geometric(ratio) => json!({ "geometric": ratio }),
    };
    let reference = match &spec.reference {
        None => Value::Null,
        Some(ReferenceSource::Stored) => json!("stored"),
        Some(ReferenceSource::Solver {
            id,
            parameters,
            tolerance,
            max_sweeps,
        }) => json!({
            "solver": id,
            "parameters": parameters,
            "tolerance": tolerance,
            "max_sweeps": max_sweeps,
        }),
    };
    // the digest covers the problem and its known solution
    let warm_start = match problem.start {
        StartKind::Warm => stored(problem).map(crate::driver::hash),
        _ => None,
    };
    key::of_json(&json!({
        "schema": key::SCHEMA,
        "build": key::build_id(),
        "problem": { "label": problem.label, "digest": problem.digest },
        "solver": solver,
        "start": problem.start.id(),
        "warm_start": warm_start,
        "stop": {
            "tolerance": tolerance,
            "max_sweeps": max_sweeps,
            "max_seconds": max_seconds,
            "divergence": divergence,
            "criteria": problem.criteria,
        },
        "measure": {
            "metrics": spec.measure.metrics,
            "schedule": schedule,
            "repetitions": problem.options.repetitions,
        },
        "reference": reference,
    }))
}

/// One line of `--dry-run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Line {
    /// Name of the problem or the scene.
    pub problem: String,
    /// Its rows \[-\]; `None` for a problem that is made when its cells run.
    pub rows: Option<usize>,
    /// Label of the solver, or of scheme and solver.
    pub solver: String,
    /// Key of the cell.
    pub key: String,
    /// "done", "to do" or "skipped".
    pub state: &'static str,
    /// Why it is skipped, or why a kept file does not count.
    pub reason: Option<String>,
}

impl Matrix {
    /// The problem or scene of a cell, with its facts.
    pub fn subject(&self, cell: &Cell) -> (&ProblemLabel, &ProblemFacts) {
        match cell.task {
            Task::Solve { problem, .. } => {
                let problem = &self.problems[problem];
                (&problem.label, &problem.facts)
            }
            Task::Time { problem, .. } => {
                let problem = &self.timed[problem];
                (&problem.label, &problem.facts)
            }
            Task::Simulate { scene, .. } => (&self.scenes[scene].label, &self.scenes[scene].facts),
        }
    }

    /// The scheme of a cell, if it has one, and its solver.
    pub fn treatment(&self, cell: &Cell) -> (Option<SchemeLabel>, SolverLabel) {
        match cell.task {
            Task::Solve { solver, .. } | Task::Time { solver, .. } => {
                (None, self.solvers[solver].clone())
            }
            Task::Simulate { scheme, solver, .. } => {
                let scheme = &self.schemes[scheme];
                let solver = solver.map_or_else(SolverLabel::default, |i| self.solvers[i].clone());
                (Some(scheme.label_with(&solver, self.solvers.len())), solver)
            }
        }
    }

    /// Label of the solver of a cell, or of its scheme and solver.
    pub fn method(&self, cell: &Cell) -> String {
        match self.treatment(cell) {
            (Some(scheme), _) => scheme.method,
            (None, solver) => solver.label,
        }
    }

    /// What a run into `dir` would do with each cell.
    pub fn lines(&self, dir: &std::path::Path) -> Vec<Line> {
        let here = machine::machine();
        let lines = self.cells.iter().map(|cell| {
            let (label, facts) = self.subject(cell);
            let (state, reason) = match &cell.skip {
                Some(reason) => ("skipped", Some(reason.clone())),
                None => match standing(dir, cell, &here) {
                    Standing::Kept(_) => ("done", None),
                    Standing::New => ("to do", None),
                    Standing::Damaged(reason) => ("to do", Some(reason)),
                    Standing::Timed(elsewhere) => {
                        ("to do", Some(format!("timed elsewhere: {elsewhere}")))
                    }
                },
            };
            Line {
                problem: label.name.clone(),
                rows: (!matches!(cell.task, Task::Time { .. })).then_some(facts.rows),
                solver: self.method(cell),
                key: cell.key.clone(),
                state,
                reason,
            }
        });
        lines.collect()
    }
}
