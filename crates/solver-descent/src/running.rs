//! The outer shape that the iterations of this crate share.

use std::fmt::Debug;

use delassus_core::{
    Changes, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, StateCoverage,
};

use crate::space::Space;

/// What one method does with a prepared problem.
pub trait Iteration: Default + Send + 'static {
    /// The parameters of the method.
    type Parameters: Parameters + Copy + Debug + Send;

    /// Declared properties of the solver.
    const DESCRIPTOR: SolverDescriptor;

    /// As [`Method::footprint`].
    fn footprint(problem: &Problem) -> u64 {
        problem.memory().saturating_mul(2)
    }

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

    /// Takes over another b at the impulses reached and drops directions, momentum and the best
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

    /// The impulses to return, one per row \[N·s\].
    fn best_impulses(&self) -> &[f64];

    /// Appends what decides the iterations to come.
    fn push_state(&self, out: &mut Vec<u64>) -> Option<StateCoverage>;

    /// As [`Prepared::factorizations`]. Default: `None`.
    fn factorizations(&self) -> Option<u64> {
        None
    }
}

/// The method of an iteration.
#[derive(Debug)]
pub struct DescentMethod<I: Iteration> {
    parameters: I::Parameters,
}

impl<I: Iteration> Method for DescentMethod<I> {
    type Parameters = I::Parameters;
    type Prepared = PreparedDescent<I>;

    const DESCRIPTOR: SolverDescriptor = I::DESCRIPTOR;

    fn new(parameters: I::Parameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        I::footprint(problem)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<PreparedDescent<I>, SolveError> {
        let mut prepared = PreparedDescent::default();
        self.prepare_into(&mut prepared, problem, &impulses)?;
        Ok(prepared)
    }

    fn prepare_into(
        &mut self,
        prepared: &mut PreparedDescent<I>,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let PreparedDescent {
            space,
            iteration,
            cut,
        } = prepared;
        *cut = false;
        space.repeat(problem)?;
        iteration.begin(space, problem, impulses, self.parameters)?;
        iteration.restart(space, problem)?;
        Ok(true)
    }
}

/// A prepared problem and its iterate.
#[derive(Debug, Clone, Default)]
pub struct PreparedDescent<I> {
    space: Space,
    iteration: I,
    /// True if a limit has ended an iteration before its end.
    cut: bool,
}

impl<I: Iteration> PreparedDescent<I> {
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
        self.cut = false;
        Ok(true)
    }

    /// A limit that ends an iteration leaves the impulses of the last whole one, where the next
    /// call begins anew.
    fn iterate(&mut self, problem: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        if self.cut {
            self.iteration.restart(&mut self.space, problem)?;
            self.cut = false;
        }
        let mut row_updates = 0;
        for done in 0..sweeps {
            match self.iteration.advance(&mut self.space, problem) {
                Ok(more) => row_updates += more,
                Err(SolveError::Interrupted) => {
                    self.cut = true;
                    if done == 0 {
                        return Err(SolveError::Interrupted);
                    }
                    return Ok(Progress {
                        sweeps: done,
                        row_updates,
                        finished: false,
                    });
                }
                Err(error) => return Err(error),
            }
        }
        Ok(Progress {
            sweeps,
            row_updates,
            finished: false,
        })
    }

    fn impulses(&self, out: &mut [f64]) -> Result<(), SolveError> {
        out.copy_from_slice(self.iteration.best_impulses());
        Ok(())
    }

    fn is_finite(&self) -> bool {
        self.iteration.best_impulses().iter().all(|x| x.is_finite())
    }

    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        Ok(self.iteration.push_state(out))
    }

    fn factorizations(&self) -> Option<u64> {
        self.iteration.factorizations()
    }
}
