//! The natural map of an iterate, the larger of its two forms; scales of the problem are kept.

use delassus_core::Problem;
use delassus_metrics::{Evaluator, EvaluatorMemory};

/// Memory of the evaluator of one problem (M.5).
#[derive(Debug, Default)]
pub(crate) struct Judge {
    memory: EvaluatorMemory,
}

impl Judge {
    /// The natural map of `impulses` as it ends solves (M.39) \[-\]; infinite where it cannot be
    /// told.
    pub(crate) fn residual(&mut self, problem: &Problem, impulses: &[f64]) -> f64 {
        let memory = std::mem::take(&mut self.memory);
        let Ok(mut evaluator) = Evaluator::again(memory, problem) else {
            return f64::INFINITY;
        };
        let found = evaluator.deciding_natural_map(impulses);
        self.memory = evaluator.into_memory();
        match found {
            Ok(residual) if residual.is_finite() => residual,
            _ => f64::INFINITY,
        }
    }
}
