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

use delassus_core::{Checked, ParameterError, Parameters, Problem, SolverDescriptor};

use crate::laws::RowRule;
use crate::order::Schedule;
use crate::sweep::SWEEP;
use crate::sweep_method::{SweepMethod, SweepPlan};

/// Parameters of [`SymmetricPgs`]: none.
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct SymmetricPgsParameters {}

/// Symmetric projected Gauss–Seidel (G.28).
pub type SymmetricPgs = Checked<SweepMethod<SymmetricPgsParameters>>;

impl SweepPlan for SymmetricPgsParameters {
    type Parameters = Self;
    type Rule = RowRule;

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

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn rule(&self) -> RowRule {
        RowRule::new(1.0)
    }

    fn schedule(&mut self, _: &mut RowRule, problem: &Problem, memory: Schedule) -> Schedule {
        memory.there_and_back(problem.blocks().len())
    }
}
