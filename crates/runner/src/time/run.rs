//! One timed cell: the problem made, the solver built, its sweeps timed, every failure a status.

use std::sync::{Arc, PoisonError};

use delassus_core::{ImpulseSolver, MemoryLimit, Start, Status, Unsupported, check_within};
use delassus_metrics::Evaluator;

use super::problem::ListedProblem;
use super::sweeps::{first_sweeps, timed_pair};
use super::{Passes, Timings};
use crate::driver::{SolveTask, accept};
use crate::judge::Judge;
use crate::matrix::cell::{Finish, MatrixCell, Turns, Workbench, build};
use crate::memory;
use crate::record::{Outcome, ProblemFacts, SolverLabel};
use crate::registry::Registry;
use crate::solve::problems::facts;

/// A cell between its passes.
struct Swept<'s> {
    made: Arc<ListedProblem>,
    passes: &'s Passes,
    solver: Box<dyn ImpulseSolver>,
    workbench: Workbench<'s>,
    outcome: Outcome,
    expected: Vec<f64>,
}

impl Turns for Swept<'_> {
    fn pass(&mut self) {
        let mut task = SolveTask {
            solver: self.solver.as_mut(),
            problem: &self.made.named.problem,
            start: Start::Cold,
        };
        let cancel = self.workbench.cancel;
        let (expected, outcome) = (&self.expected, &mut self.outcome);
        timed_pair(&mut task, self.passes, cancel, expected, outcome);
    }

    fn finish(self: Box<Self>) -> Finish {
        Finish {
            outcome: self.outcome,
            impulses: None,
        }
    }
}

impl Timings {
    /// Pairs of passes over a problem that has been made \[-\].
    pub(crate) fn rounds(&self, facts: &ProblemFacts) -> u64 {
        self.passes.pairs(facts.rows)
    }

    /// Sweeps of a short and of a long pass over a problem that has been made \[-\].
    pub(crate) fn sweeps(&self, facts: &ProblemFacts) -> [u64; 2] {
        self.passes.sweeps(facts.rows)
    }

    /// Makes the problem and sweeps it once without timing; the facts are those of the problem that
    /// was made.
    ///
    /// # Errors
    /// The outcome of a cell that has nothing to time.
    pub(crate) fn begin<'s>(
        &'s self,
        cell: &MatrixCell,
        workbench: &Workbench<'s>,
    ) -> (ProblemFacts, Result<Box<dyn Turns + 's>, Box<Outcome>>) {
        let failed = |reason: String| Box::new(Outcome::without_samples(Status::Failed, reason));
        match self.make(cell.subject, workbench.memory) {
            Ok(made) => {
                let facts = made.facts.clone();
                let begun = self.sweep(made, cell.method, workbench);
                (facts, begun.unwrap_or_else(|reason| Err(failed(reason))))
            }
            Err(reason) => (ProblemFacts::default(), Err(failed(reason))),
        }
    }

    /// What tables print about the problem of a cell, which is made within `memory`; `None` where
    /// it cannot be.
    pub(crate) fn facts(&self, cell: &MatrixCell, memory: MemoryLimit) -> Option<ProblemFacts> {
        let made = self.make(cell.subject, memory).ok()?;
        Some(made.facts.clone())
    }

    /// What the solver of a cell solves in place of its problem; `None` where it refuses it, or the
    /// problem does not fit into the memory.
    pub(crate) fn approximations(
        &self,
        cell: &MatrixCell,
        label: &SolverLabel,
        registry: &Registry,
        memory: MemoryLimit,
    ) -> Option<Vec<String>> {
        let made = self.make(cell.subject, memory).ok()?;
        let solver = build(label, registry).ok()?;
        accept(solver.as_ref(), &made.named.problem).ok()
    }

    fn make(&self, index: usize, memory: MemoryLimit) -> Result<Arc<ListedProblem>, String> {
        // a lock whose holder panicked holds a whole problem or none
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, made)) = &*latest
            && *known == index
        {
            return Ok(made.clone());
        }
        // the old one goes before the new one comes
        *latest = None;
        let named = self.problems[index].build(memory)?;
        let evaluator = Evaluator::new(&named.problem).map_err(|error| error.to_string())?;
        let scale = evaluator.energy_scale().joules;
        let facts = facts(&named, scale);
        let made = Arc::new(ListedProblem { named, facts });
        *latest = Some((index, made.clone()));
        Ok(made)
    }

    fn sweep<'s>(
        &'s self,
        made: Arc<ListedProblem>,
        solver: usize,
        workbench: &Workbench<'s>,
    ) -> Result<Result<Box<dyn Turns + 's>, Box<Outcome>>, String> {
        let built = workbench.solver(solver);
        let mut solver = built.map_err(|error| error.to_string())?;
        let problem = &made.named.problem;
        let judged = memory::of_metrics(problem, &self.metrics);
        let left = workbench.memory.less(judged);
        if let Err(error @ Unsupported::Memory { .. }) = check_within(&solver, problem, left) {
            let reason = error.to_string();
            let refused = Outcome::without_samples(Status::Unsupported, reason);
            return Ok(Err(Box::new(refused)));
        }
        let judge = Judge::new(problem, &self.metrics, &self.metrics);
        let mut judge = judge.map_err(|error| error.to_string())?;
        let mut task = SolveTask {
            solver: solver.as_mut(),
            problem,
            start: Start::Cold,
        };
        let (outcome, expected) =
            first_sweeps(&mut task, &mut judge, &self.passes, workbench.cancel);
        Ok(Ok(Box::new(Swept {
            passes: &self.passes,
            workbench: *workbench,
            made: made.clone(),
            solver,
            outcome,
            expected,
        })))
    }
}
