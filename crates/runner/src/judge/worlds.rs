//! How each of many worlds of one structure fares, as a problem of its own.

use delassus_core::{Island, Problem, ProblemError, Status};
use delassus_metrics::{Evaluator, EvaluatorMemory, MetricError};
use serde_json::{Map, Value};

use crate::record::WorldEnd;

/// Judges the impulses of one world.
type JudgeOfWorld = fn(&mut Evaluator<'_>, &[f64]) -> Result<f64, MetricError>;

/// Judges the worlds of a problem. All have equally many blocks, one world after the other.
#[derive(Debug)]
pub(crate) struct WorldsJudge {
    worlds: Vec<Island>,
    /// One evaluator for each, without its problem.
    memory: Vec<EvaluatorMemory>,
    tolerance: f64,
    /// Sweeps since which a world has been within the tolerance.
    since: Vec<Option<u64>>,
}

impl WorldsJudge {
    /// Takes so many worlds apart.
    ///
    /// # Errors
    /// Those of [`Problem::island`].
    pub(crate) fn new(
        problem: &Problem,
        worlds: usize,
        tolerance: f64,
    ) -> Result<Self, ProblemError> {
        let each = problem.blocks().len() / worlds.max(1);
        let blocks = |world: usize| (world * each..(world + 1) * each).collect::<Vec<_>>();
        let islands = (0..worlds).map(|world| problem.island(&blocks(world)));
        Ok(Self {
            worlds: islands.collect::<Result<_, _>>()?,
            memory: (0..worlds).map(|_| EvaluatorMemory::default()).collect(),
            tolerance,
            since: vec![None; worlds],
        })
    }

    /// The natural map of every world \[-\] (M.38); `None` beyond the range of residuals.
    pub(crate) fn residuals(&mut self, impulses: &[f64]) -> Vec<Option<f64>> {
        self.each(impulses, |world, own| world.natural_map(own))
    }

    /// True of every world whose natural map is within the tolerance in the form that decides
    /// (M.39).
    pub(crate) fn are_within(&mut self, impulses: &[f64]) -> Vec<bool> {
        let residuals = self.each(impulses, |world, own| world.deciding_natural_map(own));
        let within = |residual: Option<f64>| residual.is_some_and(|one| one <= self.tolerance);
        residuals.into_iter().map(within).collect()
    }

    /// What `judge` makes of the impulses of every world.
    fn each(&mut self, impulses: &[f64], judge: JudgeOfWorld) -> Vec<Option<f64>> {
        let mut own = Vec::new();
        let pairs = self.worlds.iter().zip(&mut self.memory);
        let residuals = pairs.map(|(world, memory)| {
            world.gather(impulses, &mut own);
            let kept = std::mem::take(memory);
            let mut evaluator = Evaluator::again(kept, &world.problem).ok()?;
            let residual = judge(&mut evaluator, &own);
            *memory = evaluator.into_memory();
            residual.ok()
        });
        residuals.collect()
    }

    /// Notes which worlds are within the tolerance after so many sweeps.
    pub(crate) fn look(&mut self, sweeps: u64, impulses: &[f64]) {
        let within = self.are_within(impulses);
        for (since, within) in self.since.iter_mut().zip(within) {
            *since = within.then(|| since.unwrap_or(sweeps));
        }
    }

    /// How each world ended; `status` is that of the whole solve, and the last look was at these
    /// impulses.
    pub(crate) fn ends(
        &mut self,
        status: Status,
        impulses: &[f64],
        parameters: &[Map<String, Value>],
    ) -> Vec<WorldEnd> {
        let residuals = self.residuals(impulses);
        let all = parameters.iter().zip(residuals).zip(&self.since);
        let end = |((parameters, residual), since): ((&Map<_, _>, _), &Option<u64>)| WorldEnd {
            parameters: parameters.clone(),
            status: of_world(status, *since),
            residual,
            sweeps: *since,
        };
        all.map(end).collect()
    }
}

/// How a world ended that has been within the tolerance since so many sweeps.
fn of_world(status: Status, since: Option<u64>) -> Status {
    match (since, status) {
        (Some(_), _) => Status::Solved,
        // worlds of several islands may miss what each island meets
        (None, Status::Solved) => Status::MaxSweeps,
        (None, status) => status,
    }
}
