//! `jacobi-f32`: [`crate::jacobi`] in f32, the twin of the compute shaders.
//!
//! Same kernels, same order of operations, same layout; see there for the method and its limits.
//!
//! Limitations: with momentum the residual ends at about 1e-6 for equal masses and earlier for
//! large mass ratios, because velocities are differences of sums of impulses in f32 (J.15). Theory:
//! docs/theory/15-jacobi.md. Source: \[Tonge2012\], \[Nesterov1983\], \[ODonoghue2015\],
//! \[Wang2015\].

use delassus_core::{
    Checked, Method, ParameterError, Precision, Problem, SolveError, SolverDescriptor,
};

use crate::parameters::{self, JacobiParameters};
use crate::simultaneous::Simultaneous;

/// Mass-split projected Jacobi with momentum, in f32 (J.1–J.16).
pub type JacobiF32 = Checked<JacobiF32Method>;

/// The method of [`JacobiF32`].
#[derive(Debug, Clone)]
pub struct JacobiF32Method {
    parameters: JacobiParameters,
}

impl Method for JacobiF32Method {
    type Parameters = JacobiParameters;
    type Prepared = Simultaneous<f32>;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "jacobi-f32",
        aliases: &["jacobi-twin"],
        name: "Projected Jacobi in f32",
        summary: "The jacobi solver in f32, operation by operation what the compute shaders do.",
        citations: parameters::CITATIONS,
        theory: parameters::THEORY,
        precision: Precision::F32,
        cost: "m",
        forms: SolverDescriptor::ALL_FORMS,
        needs_bodies: true,
        ..SolverDescriptor::COMPLETE
    };

    fn new(parameters: JacobiParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Simultaneous<f32>, SolveError> {
        Simultaneous::new(problem, impulses, self.parameters)
    }

    fn prepare_into(
        &mut self,
        prepared: &mut Simultaneous<f32>,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        prepared.repeat(problem, impulses)
    }
}
