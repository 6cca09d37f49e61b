//! The natural map of an iterate, the larger of its two forms; scales of the problem are kept.

use delassus_core::Problem;
use delassus_metrics::{Evaluator, EvaluatorMemory};

/// Judges iterates of one problem during one call (M.39).
pub(crate) struct Judge<'p> {
    problem: &'p Problem,
    memory: EvaluatorMemory,
    /// Made when first asked.
    evaluator: Option<Evaluator<'p>>,
}

impl<'p> Judge<'p> {
    /// One with the scales of the last call for the same problem, if it has made any.
    pub(crate) fn new(problem: &'p Problem, memory: EvaluatorMemory) -> Self {
        Self {
            problem,
            memory,
            evaluator: None,
        }
    }

    /// What the next call needs.
    pub(crate) fn into_memory(self) -> EvaluatorMemory {
        self.evaluator.map_or(self.memory, Evaluator::into_memory)
    }

    /// The natural map of `impulses` as it ends solves (M.39) \[-\]; infinite where it cannot be
    /// computed.
    pub(crate) fn residual(&mut self, impulses: &[f64]) -> f64 {
        if self.evaluator.is_none() {
            let memory = std::mem::take(&mut self.memory);
            self.evaluator = Evaluator::again(memory, self.problem).ok();
        }
        let found = self.evaluator.as_mut();
        match found.map(|evaluator| evaluator.deciding_natural_map(impulses)) {
            Some(Ok(residual)) if residual.is_finite() => residual,
            _ => f64::INFINITY,
        }
    }
}
