//! The matrix of an experiment, expanded, checked and keyed before anything runs: problems × solvers, or
//! scenes × schemes × solvers.

pub(crate) mod cell;
pub(crate) mod estimate;
pub(crate) mod names;
pub(crate) mod solvers;
mod standing;

use std::path::Path;

use delassus_core::Status;
use delassus_records::guard::caught;
use serde::Serialize;

use crate::isolate::CellLimits;
use crate::machine;
use crate::record::{ENDED, Outcome, ProblemFacts, ProblemLabel, SolverLabel, TIMED};
use crate::registry::Registry;
use crate::simulate::{self, SchemeWithSolver, Simulations};
use crate::solve::{self, Solves};
use crate::spec::{Plan, Spec, SpecError};
use crate::time::{self, Timings};
use crate::view::Kind;

pub use cell::MatrixCell;
pub(crate) use cell::{Turns, Workbench};
pub use estimate::Estimate;
pub(crate) use standing::{Standing, standing};

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
    /// The cells: every problem with every solver, problems outside; or every scene with every scheme and each of the
    /// scheme's solvers, scenes outside.
    pub cells: Vec<MatrixCell>,
    /// What a cell may take where it runs in a process of its own.
    pub limits: CellLimits,
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
/// More than [`MAX_CELLS`] cells, parameters that fit no problem or solver, files that cannot be read, names that
/// are not unique, figures of problems or solvers that do not exist.
pub fn expand(spec: Spec, registry: &Registry) -> Result<CellMatrix, SpecError> {
    refuse_too_many(&spec)?;
    let solvers = solvers::expand(&spec, registry)?;
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
    names::check_views(
        &spec,
        &experiment.names(),
        &experiment.schemes(),
        &solvers.labels,
    )?;
    Ok(CellMatrix {
        limits: spec.limits.complete(spec.memory()),
        spec,
        solvers: solvers.labels,
        experiment,
        cells,
    })
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
    Err(SpecError {
        file: spec.file.clone(),
        place: None,
        message: format!(
            "the matrix would have {count} cells ({product}); at most {MAX_CELLS} are accepted"
        ),
    })
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

    /// Runs a cell that is not skipped, all passes one after the other. A solver of the user may panic: its cell has failed,
    /// the others have not.
    pub(crate) fn run_guarded(&self, cell: &MatrixCell, workbench: &Workbench<'_>) -> CellRun {
        caught(|| self.begin(cell, workbench).complete())
            .unwrap_or_else(|text| self.panicked(cell, &text))
    }

    /// Runs a cell that is not skipped up to its timed passes; one whose solver panics is over.
    pub(crate) fn begin_guarded<'e>(
        &'e self,
        cell: &MatrixCell,
        workbench: &Workbench<'e>,
    ) -> Begun<'e> {
        caught(|| self.begin(cell, workbench))
            .unwrap_or_else(|text| self.panicked(cell, &text).into())
    }

    /// What a cell comes to after its last pass.
    pub(crate) fn finish_guarded(&self, cell: &MatrixCell, begun: Begun<'_>) -> CellRun {
        match begun {
            Begun::Over(run) => *run,
            Begun::Open { turns, facts, .. } => match caught(|| turns.finish()) {
                Ok(finish) => finish.with(facts),
                Err(text) => self.panicked(cell, &text),
            },
        }
    }

    /// What a cell comes to whose solver panicked.
    pub(crate) fn panicked(&self, cell: &MatrixCell, text: &str) -> CellRun {
        self.without_run(cell, Status::Failed, format!("panicked: {text}"))
    }

    /// What there is of a cell that did not come to anything.
    pub(crate) fn without_run(
        &self,
        cell: &MatrixCell,
        status: Status,
        message: String,
    ) -> CellRun {
        let facts = self.facts(cell).cloned().unwrap_or_default();
        CellRun::of(self.unstarted(cell, status, message), facts)
    }

    /// True if a cell is timed several times, so that its passes can take turns with those of other cells.
    pub(crate) fn takes_turns(&self, cell: &MatrixCell) -> bool {
        match self {
            Self::Solve(solves) => solves.rounds(cell) > 1,
            Self::Time(_) => true,
            // a scene is stepped from its start to its end, pass after pass
            Self::Simulate(_) => false,
        }
    }

    /// True if a cell of this experiment is timed several times.
    pub(crate) fn repeats(&self, cell: &MatrixCell) -> bool {
        match self {
            Self::Simulate(over) => over.repetitions() > 1,
            Self::Solve(_) | Self::Time(_) => self.takes_turns(cell),
        }
    }

    /// Runs a cell that is not skipped up to its timed passes; a solver that panics does so here.
    pub(crate) fn begin<'e>(&'e self, cell: &MatrixCell, workbench: &Workbench<'e>) -> Begun<'e> {
        let facts = || self.facts(cell).cloned().unwrap_or_default();
        let (begun, facts, rounds) = match self {
            Self::Solve(solves) => (solves.begin(cell, workbench), facts(), solves.rounds(cell)),
            Self::Time(timings) => {
                let (facts, begun) = timings.begin(cell, workbench);
                let rounds = timings.rounds(&facts);
                (begun, facts, rounds)
            }
            Self::Simulate(over) => {
                let (outcome, replay) = over.run(cell, workbench);
                return Begun::from(CellRun {
                    replay,
                    ..CellRun::of(outcome, facts())
                });
            }
        };
        match begun {
            Ok(turns) => Begun::Open {
                turns,
                rounds,
                facts,
            },
            Err(outcome) => Begun::from(CellRun::of(*outcome, facts)),
        }
    }
}

/// A cell whose first pass is over.
pub(crate) enum Begun<'e> {
    /// There is nothing to time.
    Over(Box<CellRun>),
    /// There are timed passes to make.
    Open {
        turns: Box<dyn Turns + 'e>,
        /// How many \[-\].
        rounds: u64,
        facts: ProblemFacts,
    },
}

impl From<CellRun> for Begun<'_> {
    fn from(run: CellRun) -> Self {
        Self::Over(Box::new(run))
    }
}

impl Begun<'_> {
    /// Timed passes to make \[-\].
    pub(crate) fn rounds(&self) -> u64 {
        match self {
            Self::Over(_) => 0,
            Self::Open { rounds, .. } => *rounds,
        }
    }

    /// One timed pass, if there are any.
    pub(crate) fn pass(&mut self) {
        if let Self::Open { turns, .. } = self {
            turns.pass();
        }
    }

    /// All passes one after the other; a solver that panics does so here.
    pub(crate) fn complete(self) -> CellRun {
        match self {
            Self::Over(run) => *run,
            Self::Open {
                mut turns,
                rounds,
                facts,
            } => {
                (0..rounds).for_each(|_| turns.pass());
                turns.finish().with(facts)
            }
        }
    }
}

/// What running a cell leaves.
#[derive(Debug)]
pub(crate) struct CellRun {
    pub(crate) outcome: Outcome,
    /// Those of its problem or scene.
    pub(crate) facts: ProblemFacts,
    /// The file of its replay, if its motion was recorded.
    pub(crate) replay: Option<Vec<u8>>,
    /// The final impulses of a solve \[N·s\].
    pub(crate) impulses: Option<Vec<f64>>,
}

impl CellRun {
    /// A run that leaves nothing beside its record.
    pub(crate) fn of(outcome: Outcome, facts: ProblemFacts) -> Self {
        Self {
            outcome,
            facts,
            replay: None,
            impulses: None,
        }
    }
}

/// One line of `--dry-run`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PlanLine {
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

    /// The key of a cell in a program whose executable has the hash `build`, where memory does not refuse it.
    pub(crate) fn key(&self, cell: &MatrixCell, build: &str) -> String {
        match (&self.experiment, &self.spec.plan) {
            (Experiment::Solve(solves), Plan::Solve(plan)) => {
                let problem = &solves.problems[cell.subject];
                solve::cell_key(plan, problem, &self.solvers[cell.method], build)
            }
            (Experiment::Time(timings), Plan::Time(plan)) => {
                let problem = &timings.problems[cell.subject];
                time::cell_key(plan, problem, &self.solvers[cell.method], build)
            }
            (Experiment::Simulate(over), _) => over.key(cell, &self.solvers, build),
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

    /// What a run into `dir` would do with each cell.
    pub fn lines(&self, dir: &Path) -> Vec<PlanLine> {
        let here = machine::machine();
        let kind = self.experiment.kind();
        let lines = self.cells.iter().map(|cell| {
            let (state, reason) = match &cell.skip {
                Some(reason) => ("skipped", Some(reason.clone())),
                None => match standing(dir, cell, (&here, &self.limits), kind) {
                    Standing::Kept(_) => ("done", None),
                    Standing::New => ("to do", None),
                    Standing::Damaged(reason) => ("to do", Some(reason)),
                    Standing::Timed(elsewhere) => {
                        ("to do", Some(format!("timed elsewhere: {elsewhere}")))
                    }
                },
            };
            PlanLine {
                problem: self.experiment.subject(cell).name.clone(),
                rows: self.experiment.facts(cell).map(|facts| facts.rows),
                solver: self.method(cell).to_owned(),
                key: cell.key.clone(),
                state,
                reason,
            }
        });
        lines.collect()
    }
}
