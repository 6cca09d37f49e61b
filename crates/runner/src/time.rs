//! Frozen problems whose sweeps are timed: problems × solvers. Problems are checked now and made
//! when their cells run.
//!
//! The largest of them fill memory, and a problem follows from its parameters and the program
//! alone; both are in the key of a cell.

pub(crate) mod plan;
mod problem;
mod run;
mod sweeps;

use delassus_problems::generators::{GeneratorEntry, generators};
use serde_json::json;

use crate::document::laws;
use crate::document::text::all;
use crate::key::{self, Program};
use crate::matrix::cell::{MatrixCell, refused_key};
use crate::matrix::names;
use crate::matrix::solvers::ConfiguredSolvers;
use crate::matrix::unit_time::ROW;
use crate::record::SolverLabel;
use crate::solve::problems::{label, refused};
use crate::spec::{Spec, SpecError, size};

pub use plan::{GeneratorFamily, Passes, TimingPlan};
use problem::Latest;
pub use problem::TimedProblem;
pub use sweeps::time_sweeps;

/// The problems of an experiment whose sweeps are timed.
#[derive(Debug)]
pub struct Timings {
    /// The problems, in order.
    pub problems: Vec<TimedProblem>,
    /// How long and how often.
    passes: Passes,
    /// What is evaluated before and after the sweeps.
    metrics: Vec<String>,
    latest: Latest,
}

/// Number of cells, from the spec alone.
pub(crate) fn count(spec: &Spec, plan: &TimingPlan) -> u128 {
    let problems = plan.problems.iter().map(|entry| size(&entry.axes));
    let solvers = spec.solvers.iter().map(|entry| size(&entry.axes));
    let problems = problems.fold(0, u128::saturating_add);
    problems.saturating_mul(solvers.fold(0, u128::saturating_add))
}

/// Expands the grids and checks the parameters.
pub(crate) fn expand(
    spec: &Spec,
    plan: &TimingPlan,
    solvers: &ConfiguredSolvers,
) -> Result<(Timings, Vec<MatrixCell>), SpecError> {
    let known = generators();
    let mut problems = Vec::new();
    let mut spans = Vec::new();
    let families = plan.problems.iter();
    let families = all(families.map(|entry| family(spec, entry, &known)))?;
    for (entry, family) in plan.problems.iter().zip(families) {
        for problem in family {
            problems.push(problem);
            spans.push(entry.span.clone());
        }
    }
    let pairs = problems.iter().map(|p| p.label.name.as_str()).zip(spans);
    names::unique(spec, "problem", "name", pairs)?;
    let mut cells = Vec::with_capacity(problems.len() * solvers.labels.len());
    for (subject, problem) in problems.iter().enumerate() {
        let too_large = too_large(spec, problem, &known);
        for (method, (solver, built)) in solvers.labels.iter().zip(&solvers.built).enumerate() {
            cells.push(MatrixCell {
                subject,
                method,
                key: refused_key(
                    cell_key(plan, problem, solver, Program::here()),
                    too_large.as_deref(),
                ),
                skip: built.as_ref().err().cloned().or_else(|| too_large.clone()),
                replay: None,
            });
        }
    }
    let timings = Timings {
        problems,
        passes: plan.passes,
        metrics: plan.metrics.clone(),
        latest: Latest::default(),
    };
    Ok((timings, cells))
}

/// The errors of problems that cannot be made.
pub(crate) fn errors(spec: &Spec, plan: &TimingPlan) -> Option<SpecError> {
    let known = generators();
    let families = plan.problems.iter();
    all(families.map(|entry| family(spec, entry, &known))).err()
}

/// Why the problem is not made, if it would take more memory than there is.
fn too_large(spec: &Spec, problem: &TimedProblem, known: &[GeneratorEntry]) -> Option<String> {
    let needed = memory(problem.size(known)?.bytes());
    let admitted = spec.memory().admit("the problem with its solver", needed);
    admitted.err().map(|error| error.to_string())
}

fn family(
    spec: &Spec,
    entry: &GeneratorFamily,
    known: &[GeneratorEntry],
) -> Result<Vec<TimedProblem>, SpecError> {
    let id = &entry.id;
    let generator = known.iter().find(|g| g.descriptor.id == id);
    let generator = generator
        .ok_or_else(|| spec.error(entry.span.clone(), format!("unknown generator {id:?}")))?;
    let points = laws::fitting_points(generator, &entry.axes);
    let points = points.into_iter().map(|point| {
        let checked = generator.build_given(&point.parameters);
        checked.map_err(|error| refused(spec, &entry.span, &entry.axes, &point, &error))?;
        Ok(TimedProblem {
            label: label(generator, entry.name.as_deref(), &point),
            as_matrix: entry.as_matrix,
        })
    });
    all(points)
}

/// Everything that determines a record, but for the clock, in a program with the hash `build`.
pub(crate) fn cell_key(
    plan: &TimingPlan,
    problem: &TimedProblem,
    solver: &SolverLabel,
    program: Program<'_>,
) -> String {
    let Passes {
        row_updates,
        repetitions,
    } = plan.passes;
    key::of_json(&json!({
        "schema": program.schema,
        "build": program.build,
        "problem": { "label": problem.label, "as_matrix": problem.as_matrix },
        "solver": solver,
        "timing": { "row_updates": row_updates, "repetitions": repetitions },
    }))
}

/// Time of a row while its problem is made, and in a preparation \[s\]: a core of 2020, from
/// memory.
const MAKE: f64 = 1e-6;
const PREPARE: f64 = 300e-9;

/// Memory of a cell whose problem takes `problem` bytes to make: half of it stays, and the solver
/// takes as much again.
fn memory(problem: u64) -> u64 {
    problem.saturating_add(problem / 2)
}

impl Timings {
    /// Columns of the samples of every cell.
    pub(crate) fn columns(&self) -> &[String] {
        &self.metrics
    }

    /// Memory of a cell \[B\], and its time at most \[s\].
    pub(crate) fn estimate(&self, cell: &MatrixCell) -> (u64, f64) {
        let size = self.problems[cell.subject].size(&generators());
        let (bytes, rows) = size.map_or((0, 0), |size| (memory(size.bytes()), size.rows));
        let count = usize::try_from(rows).unwrap_or(usize::MAX);
        let [short, long] = self.passes.sweeps(count);
        let pairs = self.passes.pairs(count);
        let sweeps = long + pairs * (short + long);
        let of_a_row = MAKE + ROW * sweeps as f64 + PREPARE * (1 + 2 * pairs) as f64;
        (bytes, rows as f64 * of_a_row)
    }
}
