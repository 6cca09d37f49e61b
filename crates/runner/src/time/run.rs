//! One timed cell: the problem made, the solver built, its sweeps timed, every failure a status.

use std::sync::{Arc, Mutex, PoisonError};

use delassus_core::{Start, Status, Unsupported};
use delassus_metrics::Evaluator;
use delassus_problems::NamedProblem;

use super::{Timings, time_sweeps};
use crate::judge::Judge;
use crate::matrix::cell::{MatrixCell, Workbench};
use crate::memory;
use crate::record::{Outcome, ProblemFacts};
use crate::solve::problems::facts;

/// A problem with what tables print about it.
#[derive(Debug)]
pub(super) struct Made {
    named: NamedProblem,
    facts: ProblemFacts,
}

/// The problem of the last cell with its index: the cells of a problem follow each other, and the largest problems
/// would fill memory if all were kept.
pub(super) type Latest = Mutex<Option<(usize, Arc<Made>)>>;

impl Timings {
    /// Runs one cell; the facts are those of the problem that was made.
    pub(crate) fn run(
        &self,
        cell: &MatrixCell,
        workbench: &Workbench<'_>,
    ) -> (Outcome, ProblemFacts) {
        let failed = |reason: String| Outcome::without_samples(Status::Failed, reason);
        let made = match self.make(cell.subject, workbench) {
            Ok(made) => made,
            Err(reason) => return (failed(reason), ProblemFacts::default()),
        };
        let outcome = self.time(&made, cell.method, workbench);
        (outcome.unwrap_or_else(failed), made.facts.clone())
    }

    fn make(&self, index: usize, workbench: &Workbench<'_>) -> Result<Arc<Made>, String> {
        // a lock whose holder panicked holds a whole problem or none
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, made)) = &*latest
            && *known == index
        {
            return Ok(made.clone());
        }
        // the old one goes before the new one comes
        *latest = None;
        let named = self.problems[index].build(workbench.memory)?;
        let evaluator = Evaluator::new(&named.problem).map_err(|error| error.to_string())?;
        let scale = evaluator.energy_scale().joules;
        let facts = facts(&named, scale);
        let made = Arc::new(Made { named, facts });
        *latest = Some((index, made.clone()));
        Ok(made)
    }

    fn time(
        &self,
        made: &Made,
        solver: usize,
        workbench: &Workbench<'_>,
    ) -> Result<Outcome, String> {
        let built = workbench.solver(solver);
        let mut solver = built.map_err(|error| error.to_string())?;
        let problem = &made.named.problem;
        let left = workbench.memory.less(memory::of_metrics(problem));
        if let Err(error @ Unsupported::Memory { .. }) = solver.check_within(problem, left) {
            let reason = error.to_string();
            return Ok(Outcome::without_samples(Status::Unsupported, reason));
        }
        let judge = Judge::new(problem, &self.metrics, &self.metrics);
        let mut judge = judge.map_err(|error| error.to_string())?;
        Ok(time_sweeps(
            solver.as_mut(),
            problem,
            Start::Cold,
            &mut judge,
            &self.passes,
            workbench.cancel,
        ))
    }
}
