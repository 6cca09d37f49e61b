//! Methods that differ in the equations that the engine solves.

use std::fmt::Debug;

use delassus_core::{Method, ParameterError, Parameters, Problem, SolveError, SolverDescriptor};

use super::{Newton, NewtonSettings};
use crate::assembly;

/// The equations of a nonsmooth Newton method.
pub trait Equations: Debug + Send + 'static {
    /// As [`Method::Parameters`].
    type Parameters: Parameters + Debug + Send;

    /// Declared properties of the solver.
    const DESCRIPTOR: SolverDescriptor;

    /// The settings of the engine.
    fn settings(parameters: &Self::Parameters) -> NewtonSettings;
}

/// The method of some equations.
#[derive(Debug)]
pub struct NewtonMethod<E: Equations> {
    parameters: E::Parameters,
}

impl<E: Equations> Method for NewtonMethod<E> {
    type Parameters = E::Parameters;
    type Prepared = Newton;

    const DESCRIPTOR: SolverDescriptor = E::DESCRIPTOR;

    fn new(parameters: E::Parameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        // A, S, the factors and what assembling them takes
        assembly::memory(problem, 4)
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Newton, SolveError> {
        Newton::prepare(problem, impulses, E::settings(&self.parameters))
    }
}
