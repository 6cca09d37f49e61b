//! What a wrapper judges iterates by: the natural map of the problem as it ends solves, in f64,
//! from the impulses alone (M.4, M.39).

use delassus_core::Problem;
use delassus_metrics::{Evaluator, EvaluatorMemory};

/// Memory of evaluations: after the first of a problem nothing is allocated.
#[derive(Debug, Clone, Default)]
pub(crate) struct Judge {
    memory: EvaluatorMemory,
}

impl Judge {
    /// Runs `work` with the natural map of the problem \[-\], which is infinite where it cannot be
    /// evaluated.
    pub(crate) fn with<T>(
        &mut self,
        problem: &Problem,
        work: impl FnOnce(&mut dyn FnMut(&[f64]) -> f64) -> T,
    ) -> T {
        let memory = std::mem::take(&mut self.memory);
        match Evaluator::in_memory_of(memory, problem) {
            Ok(mut evaluator) => {
                let done = work(&mut |impulses| {
                    let map = evaluator.deciding_natural_map(impulses);
                    map.unwrap_or(f64::INFINITY)
                });
                self.memory = evaluator.into_memory();
                done
            }
            // numbers without an energy scale
            Err(_) => work(&mut |_| f64::INFINITY),
        }
    }

    /// The natural map of one iterate \[-\].
    pub(crate) fn of(&mut self, problem: &Problem, impulses: &[f64]) -> f64 {
        self.with(problem, |map| map(impulses))
    }
}

/// The best iterate so far and what it is worth.
#[derive(Debug, Clone, Default)]
pub(crate) struct Best {
    /// λ \[N·s\].
    pub(crate) impulses: Vec<f64>,
    /// Its natural map \[-\].
    pub(crate) map: f64,
}

impl Best {
    /// Takes an iterate that is better; where none can be judged the latest counts. True if it was
    /// taken.
    pub(crate) fn offer(&mut self, impulses: &[f64], map: f64) -> bool {
        let better = map < self.map || self.map.is_infinite();
        if better {
            self.impulses.copy_from_slice(impulses);
            self.map = map;
        }
        better
    }
}
