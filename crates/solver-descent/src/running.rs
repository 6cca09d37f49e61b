//! The outer shape that the iterations of this crate share.

use delassus_core::{Changes, Prepared, Problem, Progress, SolveError, StateCoverage};

use crate::space::Space;

/// What one method does with a prepared problem.
pub trait Iteration: Default + Send {
    /// What the method is told.
    type Parameters;

    /// Begins at these impulses, in the memory of another problem; [`Self::restart`] comes next.
    ///
    /// # Errors
    /// Those of a product with A, a failed factorization.
    fn begin(
        &mut self,
        space: &mut Space,
        problem: &Problem,
        impulses: &[f64],
        parameters: Self::Parameters,
    ) -> Result<(), SolveError>;

    /// Takes over another b at the impulses reached and forgets directions, momentum and the best
    /// iterate.
    ///
    /// # Errors
    /// Those of a product with A.
    fn restart(&mut self, space: &mut Space, problem: &Problem) -> Result<(), SolveError>;

    /// One iteration; returns the row updates that it took (I.8) \[-\].
    ///
    /// # Errors
    /// Those of a product with A.
    fn advance(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError>;

    /// The impulses to hand out, one per row \[N·s\].
    fn answer(&self) -> &[f64];

    /// Appends what decides the iterations to come.
    fn remember(&self, out: &mut Vec<u64>) -> Option<StateCoverage>;

    /// As [`Prepared::factorizations`]. Default: `None`.
    fn factorizations(&self) -> Option<u64> {
        None
    }
}

/// A prepared problem and its iterate.
#[derive(Debug, Clone, Default)]
pub struct PreparedDescent<I> {
    space: Space,
    iteration: I,
}

impl<I: Iteration> PreparedDescent<I> {
    /// As [`delassus_core::Method::prepare`].
    pub(crate) fn prepare(
        problem: &Problem,
        impulses: &[f64],
        parameters: I::Parameters,
    ) -> Result<Self, SolveError> {
        let mut running = Self::default();
        running.repeat(problem, impulses, parameters)?;
        Ok(running)
    }

    /// As [`delassus_core::Method::prepare_into`].
    pub(crate) fn repeat(
        &mut self,
        problem: &Problem,
        impulses: &[f64],
        parameters: I::Parameters,
    ) -> Result<bool, SolveError> {
        let Self { space, iteration } = self;
        space.repeat(problem)?;
        iteration.begin(space, problem, impulses, parameters)?;
        iteration.restart(space, problem)?;
        Ok(true)
    }

    /// The metric and the sets.
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// The iterate.
    pub fn iteration(&self) -> &I {
        &self.iteration
    }
}

impl<I: Iteration> Prepared for PreparedDescent<I> {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        // both change the metric and the spectrum
        if changed.compliance || changed.activity {
            return Ok(false);
        }
        self.iteration.restart(&mut self.space, problem)?;
        Ok(true)
    }

    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let mut row_updates = 0;
        for _ in 0..sweeps {
            row_updates += self.iteration.advance(&mut self.space, problem)?;
        }
        Ok(Progress {
            sweeps,
            row_updates,
            finished: false,
        })
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(self.iteration.answer());
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.iteration.answer().iter().all(|x| x.is_finite())
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        Ok(self.iteration.remember(out))
    }

    fn factorizations(&self) -> Option<u64> {
        self.iteration.factorizations()
    }
}
