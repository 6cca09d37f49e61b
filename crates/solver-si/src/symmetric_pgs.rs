//! `symmetric-pgs`: projected Gauss–Seidel forwards and backwards in one sweep.
//!
//! The first pass visits the blocks in the problem's order, the second from the last to the first,
//! with the rows of joints and bounds from the last to the first as well (G.28). The error of
//! linear rows is then multiplied by a matrix with real eigenvalues between 0 and 1, which
//! `chebyshev-pgs` builds on, and neither end of a chain is treated better than the other. No row
//! update is saved: on the anchored chain of ten links a sweep contracts by .95706, two of `pgs` by
//! .95166.
//!
//! Budget per sweep: two passes over all rows, 2m row updates. Nearest siblings: `pgs`, whose order
//! `symmetric` does the same two passes as two sweeps, with the rows inside a block always
//! forwards; `chebyshev-pgs` extrapolates these sweeps.
//!
//! Departures: contacts are visited normal first in both passes, since friction is bounded by the
//! normal impulse just found. Limitations: those of `pgs`, at twice the price of a sweep. Theory:
//! docs/theory/25-sweeps.md. Source: \[Poulsen2010\].

use delassus_core::{
    Checked, Method, ParameterError, Parameters, Problem, SolveError, SolverDescriptor,
};

use crate::laws::RowRule;
use crate::order::Schedule;
use crate::sweep::{SWEEP, Swept};

/// Parameters of [`SymmetricPgs`]: none.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SymmetricPgsParameters {}

/// Symmetric projected Gauss–Seidel (G.28).
pub type SymmetricPgs = Checked<SymmetricPgsMethod>;

/// The method of [`SymmetricPgs`].
#[derive(Debug, Clone)]
pub struct SymmetricPgsMethod;

impl Method for SymmetricPgsMethod {
    type Parameters = SymmetricPgsParameters;
    type Prepared = Swept<RowRule>;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "symmetric-pgs",
        aliases: &["ssor"],
        name: "Symmetric projected Gauss-Seidel",
        summary: "pgs forwards and backwards in one sweep: no order bias, and no gain per row update.",
        citations: &["Poulsen2010", "Cryer1971"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.28"],
        cost: "2m",
        ..SWEEP
    };

    fn new(_: SymmetricPgsParameters) -> Result<Self, ParameterError> {
        Ok(Self)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        Swept::<RowRule>::memory(problem)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Swept<RowRule>, SolveError> {
        let schedule = Schedule::default().there_and_back(problem.blocks().len());
        Swept::new(RowRule::new(1.0), schedule, problem, impulses)
    }

    fn prepare_into(
        &mut self,
        swept: &mut Swept<RowRule>,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let blocks = problem.blocks().len();
        swept.repeat(problem, impulses, |memory| memory.there_and_back(blocks))
    }
}
