//! The matrix of an experiment, expanded, checked and keyed before anything runs: problems ×
//! solvers, or scenes × schemes × solvers.

pub(crate) mod cell;
mod cell_reuse;
pub(crate) mod estimate;
mod lines;
pub(crate) mod names;
mod notes;
pub(crate) mod recorded;
mod running;
pub(crate) mod solvers;
pub(crate) mod unit_time;

use std::collections::BTreeSet;

use delassus_core::{MemoryLimit, Status};

use crate::isolate::CellLimits;
use crate::key::Program;
use crate::record::{
    ENDED, FrameBudget, Outcome, ProblemFacts, ProblemLabel, SchemeLabel, SolverLabel, TIMED,
};
use crate::registry::Registry;
use crate::simulate::{self, SchemeWithSolver, Simulations};
use crate::solve::{self, Solves};
use crate::spec::{Plan, Spec, SpecError};
use crate::time::{self, Timings};
use crate::view::Kind;

pub use cell::MatrixCell;
pub(crate) use cell::{CellRun, Workbench};
pub(crate) use cell_reuse::{CellReuse, standing};
pub use estimate::Estimate;
pub use lines::PlanLine;
use names::CellNames;
pub use notes::halvings;
pub(crate) use running::Begun;
use solvers::Presence;

/// Largest number of cells of one experiment.
pub const MAX_CELLS: u128 = 100_000;

/// An experiment, ready to run.
#[derive(Debug)]
pub struct CellMatrix {
    /// The spec.
    pub spec: Spec,
    /// The configured solvers, in order.
    pub solvers: Vec<SolverLabel>,
    /// What the cells are about.
    pub experiment: Experiment,
    /// The cells: every problem with every solver, problems outside; or every scene with every
    /// scheme and each of the scheme's solvers, scenes outside.
    pub cells: Vec<MatrixCell>,
    /// What a cell may take where it runs in a process of its own.
    pub limits: CellLimits,
    /// Whether the solvers are on this machine, in their order.
    presence: Vec<Presence>,
    /// Indices of the methods whose solver or device is that of the records and not the one that is
    /// on this machine.
    recorded: BTreeSet<usize>,
}

/// What an experiment does with its cells, and to what.
#[derive(Debug)]
pub enum Experiment {
    /// Solve frozen problems.
    Solve(Solves),
    /// Time sweeps over frozen problems.
    Time(Timings),
    /// Step scenes.
    Simulate(Simulations),
}

/// Expands the grids, makes the problems and asks every solver about every problem.
///
/// # Errors
/// More than [`MAX_CELLS`] cells, parameters that fit no problem or solver, files that cannot be
/// read, names that are not unique, figures of problems or solvers that do not exist.
pub fn expand(spec: Spec, registry: &Registry) -> Result<CellMatrix, SpecError> {
    refuse_too_many(&spec)?;
    let solvers = solvers::expand(&spec, registry).map_err(|error| {
        // errors of all families are shown together
        let others = other_errors(&spec, registry);
        SpecError::of_all(std::iter::once(error.clone()).chain(others).collect()).unwrap_or(error)
    })?;
    let (experiment, cells) = match &spec.plan {
        Plan::Solve(plan) => {
            let (solves, cells) = solve::expand(&spec, plan, &solvers)?;
            (Experiment::Solve(solves), cells)
        }
        Plan::Time(plan) => {
            let (timings, cells) = time::expand(&spec, plan, &solvers)?;
            (Experiment::Time(timings), cells)
        }
        Plan::Simulate(plan) => {
            let (trajectories, cells) = simulate::expand(&spec, plan, &solvers, registry)?;
            (Experiment::Simulate(trajectories), cells)
        }
    };
    let matrix = CellMatrix {
        limits: spec.limits.complete(spec.memory()),
        spec,
        solvers: solvers.labels,
        experiment,
        cells,
        presence: solvers.presence,
        recorded: BTreeSet::new(),
    };
    names::check_views(&matrix.spec, &matrix.cell_names())?;
    Ok(matrix)
}

/// The errors of a spec, or of the part of one that could be read, that show when its solvers and
/// schemes are built.
pub(crate) fn family_errors(spec: &Spec, registry: &Registry) -> Vec<SpecError> {
    if refuse_too_many(spec).is_err() {
        return Vec::new();
    }
    let solvers = solvers::build(spec, registry).err();
    let others = match &spec.plan {
        Plan::Simulate(plan) => [
            simulate::file_errors(spec, plan),
            simulate::scheme_errors(spec, plan, registry),
        ],
        Plan::Solve(_) | Plan::Time(_) => [None, None],
    };
    solvers
        .into_iter()
        .chain(others.into_iter().flatten())
        .collect()
}

impl CellMatrix {
    /// The names that views ask for.
    fn cell_names(&self) -> CellNames<'_> {
        let methods = match &self.experiment {
            Experiment::Solve(_) | Experiment::Time(_) => self.solvers.len(),
            Experiment::Simulate(over) => over.methods.len(),
        };
        CellNames {
            problems: self.experiment.names(),
            schemes: self.experiment.schemes(),
            solvers: self.solvers.iter().map(|s| s.label.as_str()).collect(),
            methods: (0..methods)
                .map(|method| self.method_label(method))
                .collect(),
        }
    }
}

/// The errors of what has no solvers: problems, or scenes and schemes.
fn other_errors(spec: &Spec, registry: &Registry) -> Vec<SpecError> {
    let errors = match &spec.plan {
        Plan::Solve(plan) => [solve::errors(spec, plan), None],
        Plan::Time(plan) => [time::errors(spec, plan), None],
        Plan::Simulate(plan) => [
            simulate::errors(spec, plan),
            simulate::scheme_errors(spec, plan, registry),
        ],
    };
    errors.into_iter().flatten().collect()
}

fn refuse_too_many(spec: &Spec) -> Result<(), SpecError> {
    let (count, product) = match &spec.plan {
        Plan::Solve(plan) => (solve::count(spec, plan), "problems × solvers"),
        Plan::Time(plan) => (time::count(spec, plan), "problems × solvers"),
        Plan::Simulate(plan) => (simulate::count(spec, plan), "scenes × schemes × solvers"),
    };
    if count <= MAX_CELLS {
        return Ok(());
    }
    let count = match count {
        u128::MAX => "more than 10^38".to_owned(),
        count => count.to_string(),
    };
    Err(SpecError::of_file(
        &spec.file,
        format!(
            "the matrix would have {count} cells ({product}); at most {MAX_CELLS} are accepted"
        ),
    ))
}

impl Experiment {
    /// Names of the problems or scenes, in order.
    pub fn names(&self) -> Vec<&str> {
        fn name(label: &ProblemLabel) -> &str {
            &label.name
        }
        match self {
            Self::Solve(solves) => solves.problems.iter().map(|p| name(&p.label)).collect(),
            Self::Time(timings) => timings.problems.iter().map(|p| name(&p.label)).collect(),
            Self::Simulate(over) => over.scenes.iter().map(|s| name(&s.label)).collect(),
        }
    }

    /// Labels of the schemes, in order.
    fn schemes(&self) -> Vec<&str> {
        match self {
            Self::Solve(_) | Self::Time(_) => Vec::new(),
            Self::Simulate(over) => over.schemes.iter().map(|s| s.label.as_str()).collect(),
        }
    }

    /// The problem or scene of a cell.
    pub fn subject(&self, cell: &MatrixCell) -> &ProblemLabel {
        match self {
            Self::Solve(solves) => &solves.problems[cell.subject].label,
            Self::Time(timings) => &timings.problems[cell.subject].label,
            Self::Simulate(over) => &over.scenes[cell.subject].label,
        }
    }

    /// What tables print about it; `None` for a problem that is made when its cells run.
    pub fn facts(&self, cell: &MatrixCell) -> Option<&ProblemFacts> {
        match self {
            Self::Solve(solves) => Some(&solves.problems[cell.subject].facts),
            Self::Time(_) => None,
            Self::Simulate(over) => Some(&over.scenes[cell.subject].facts),
        }
    }

    /// The scheme of a cell with its solver, if scenes are stepped.
    fn method(&self, cell: &MatrixCell) -> Option<&SchemeWithSolver> {
        match self {
            Self::Solve(_) | Self::Time(_) => None,
            Self::Simulate(over) => Some(&over.methods[cell.method]),
        }
    }

    /// What records say about the scheme of a cell, if scenes are stepped.
    pub(crate) fn scheme_label(&self, cell: &MatrixCell) -> Option<&SchemeLabel> {
        Some(&self.method(cell)?.label)
    }

    /// What tables print about the problem or scene of a cell; a problem that is made when its
    /// cells run is made within `memory`. `None` where that is too little.
    pub(crate) fn facts_again(
        &self,
        cell: &MatrixCell,
        memory: MemoryLimit,
    ) -> Option<ProblemFacts> {
        match self {
            Self::Time(timings) => timings.facts(cell, memory),
            Self::Solve(_) | Self::Simulate(_) => self.facts(cell).cloned(),
        }
    }

    /// The label of the scheme of a cell, if scenes are stepped.
    pub fn scheme(&self, cell: &MatrixCell) -> Option<&str> {
        Some(&self.method(cell)?.label.label)
    }

    /// What it does with its cells.
    pub fn kind(&self) -> Kind {
        match self {
            Self::Solve(_) => Kind::Solves,
            Self::Time(_) => Kind::Timings,
            Self::Simulate(_) => Kind::Trajectories,
        }
    }

    /// True if nothing but times counts.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Time(_))
    }

    /// True if its cells run one at a time, because others would change what they come to.
    pub(crate) fn runs_alone(&self) -> bool {
        match self {
            Self::Solve(_) => false,
            Self::Time(_) => true,
            Self::Simulate(over) => over.budget().is_some_and(FrameBudget::is_time),
        }
    }

    /// The word for a cell that did what the spec asks for.
    pub fn good_ending(&self) -> &'static str {
        match self {
            Self::Solve(_) => Status::Solved.id(),
            Self::Time(_) => TIMED,
            Self::Simulate(_) => ENDED,
        }
    }

    /// The outcome of a cell that did not come to anything, for the reason in `message`.
    pub(crate) fn unstarted(&self, cell: &MatrixCell, status: Status, message: String) -> Outcome {
        match self {
            Self::Solve(_) | Self::Time(_) => Outcome::without_samples(status, message),
            Self::Simulate(over) => over.unstarted(cell, status, message),
        }
    }
}

impl CellMatrix {
    /// The solver of a cell; one without names where a scheme solves by itself.
    pub fn solver(&self, cell: &MatrixCell) -> SolverLabel {
        let index = match self.experiment.method(cell) {
            None => Some(cell.method),
            Some(method) => method.solver,
        };
        let label = index.map(|index| self.solvers[index].clone());
        label.unwrap_or_default()
    }

    /// The key of a cell in `program`, where memory does not refuse it.
    pub(crate) fn key(&self, cell: &MatrixCell, program: Program<'_>) -> String {
        match (&self.experiment, &self.spec.plan) {
            (Experiment::Solve(solves), Plan::Solve(plan)) => {
                let problem = &solves.problems[cell.subject];
                solve::cell_key(plan, problem, &self.solvers[cell.method], program)
            }
            (Experiment::Time(timings), Plan::Time(plan)) => {
                let problem = &timings.problems[cell.subject];
                time::cell_key(plan, problem, &self.solvers[cell.method], program)
            }
            (Experiment::Simulate(over), _) => over.key(cell, &self.solvers, program),
            // an experiment is made of its own plan
            (Experiment::Solve(_) | Experiment::Time(_), _) => cell.key.clone(),
        }
    }

    /// Label of the solver of a cell, or of its scheme and solver.
    pub fn method(&self, cell: &MatrixCell) -> &str {
        match self.experiment.method(cell) {
            None => &self.solvers[cell.method].label,
            Some(method) => &method.label.method,
        }
    }

    /// Labels of the solvers and schemes with the devices that they compute on.
    pub fn devices(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        let schemes = match &self.experiment {
            Experiment::Solve(_) | Experiment::Time(_) => [].as_slice(),
            Experiment::Simulate(over) => &over.schemes,
        };
        let solvers = self.solvers.iter().map(|s| (&s.label, &s.device));
        let both = solvers.chain(schemes.iter().map(|s| (&s.label, &s.device)));
        both.map(|(label, device)| (label.as_str(), device.as_deref()))
    }

    /// Names of the scenes that no scheme of the spec steps: they have no cell.
    pub fn unstepped(&self) -> Vec<String> {
        match &self.experiment {
            Experiment::Solve(_) | Experiment::Time(_) => Vec::new(),
            Experiment::Simulate(over) => over.unstepped(&self.cells),
        }
    }
}
