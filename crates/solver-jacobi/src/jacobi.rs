//! `jacobi`: all pieces at once, with masses split among them and momentum.
//!
//! Every manifold and joint makes one Gauss–Seidel sweep over its own rows, with each body's mass
//! divided by the number of pieces on it (J.4, J.6), from velocities that no other piece changes
//! meanwhile; then every body sums what its pieces did (J.2). The split masses make the step short
//! enough to be safe and too short to be fast; Nesterov's momentum with gradient restart repairs
//! that (J.12, J.13). Step rules, relaxation and acceleration are parameters, down to the plain
//! diagonal. `jacobi-f32` is the same in f32, bit for bit what the compute shaders are compared
//! with.
//!
//! Budget per iteration: one pass over all rows, one over all bodies, one sum; 164 bytes per
//! contact point of manifolds of four in f32 (J.16). Nearest siblings: `pgs` lets the next row see
//! each change; `async-jacobi` writes while others read.
//!
//! Limitations: the proofs of descent are for convex sets and, with momentum, for steps of single
//! rows; the guard is what remains otherwise. The diagonal and the counting rules are not safe in
//! general (J.9). Problems without bodies are refused. Theory: docs/theory/15-jacobi.md. Source:
//! \[Tonge2012\], \[Nesterov1983\], \[ODonoghue2015\], \[Wang2015\].

use std::marker::PhantomData;

use delassus_core::{
    Checked, Method, ParameterError, Prepared, Problem, SolveError, SolverDescriptor,
};

use crate::parameters::{self, JacobiParameters};
use crate::real::Real;
use crate::simultaneous::Simultaneous;

/// Mass-split projected Jacobi with momentum, in f64 (J.1–J.16).
pub type Jacobi = Checked<JacobiMethod<f64>>;

/// A number in which [`JacobiMethod`] calculates.
pub trait JacobiScalar: Real {
    /// What the solver of this precision declares about itself.
    const DESCRIPTOR: SolverDescriptor;
}

impl JacobiScalar for f64 {
    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "jacobi",
        aliases: &["projected-jacobi", "mass-splitting"],
        name: "Projected Jacobi",
        summary: "All manifolds and joints at once, with split masses and restarted momentum; pgs without an order.",
        citations: parameters::CITATIONS,
        theory: parameters::THEORY,
        cost: "m",
        forms: SolverDescriptor::ALL_FORMS,
        needs_bodies: true,
        ..SolverDescriptor::COMPLETE
    };
}

/// The method of [`Jacobi`] and [`crate::JacobiF32`].
#[derive(Debug, Clone)]
pub struct JacobiMethod<T> {
    parameters: JacobiParameters,
    scalar: PhantomData<T>,
}

impl<T: JacobiScalar> Method for JacobiMethod<T>
where
    Simultaneous<T>: Prepared,
{
    type Parameters = JacobiParameters;
    type Prepared = Simultaneous<T>;

    const DESCRIPTOR: SolverDescriptor = T::DESCRIPTOR;

    fn new(parameters: JacobiParameters) -> Result<Self, ParameterError> {
        Ok(Self {
            parameters,
            scalar: PhantomData,
        })
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Simultaneous<T>, SolveError> {
        Simultaneous::new(problem, impulses, self.parameters)
    }

    fn prepare_into(
        &mut self,
        prepared: &mut Simultaneous<T>,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        prepared.repeat(problem, impulses)
    }
}
