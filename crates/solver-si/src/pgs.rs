//! `pgs`: scalar projected Gauss–Seidel, which is sequential impulses with accumulated clamping.
//!
//! Each row removes its own velocity error and projects its *accumulated* impulse onto its set
//! (G.1–G.5); the velocities follow at once, so that the next row sees them. Bodies: matrix-free,
//! one J v and one M⁻¹Jᵀ Δλ per row, 24 multiplications per body. Matrices: one block row of A λ
//! per block.
//!
//! Budget per sweep: one pass over all rows, no other vector operation. Nearest siblings: `psor`
//! multiplies the step by ω; `block-gs` solves a contact's rows together; `naive-impulses` clamps
//! the increments.
//!
//! Limitations: many sweeps on long chains and heavy-on-light stacks (G.17–G.19); the answer of an
//! unconverged run depends on the order; convergence is proved for symmetric A with fixed convex
//! sets only, not for F2, F3, F5 and patches, whose limits follow λ_n (G.20). Theory:
//! docs/theory/03-gauss-seidel.md. Source: \[Catto2006\], \[Cryer1971\].

use delassus_core::{
    Checked, Method, ParameterError, Parameters, Problem, SolveError, SolverDescriptor,
};

use crate::laws::RowRule;
use crate::order::{RowOrder, Schedule, check_rows};
use crate::parameters::SweepOrder;
use crate::sweep::{SWEEP, Swept};

/// Parameters of [`Pgs`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct PgsParameters {
    /// Order of the blocks in a sweep.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
    /// Order of normals and friction. Others than point-by-point need order = "natural".
    #[parameter(default = RowOrder::PointByPoint)]
    pub rows: RowOrder,
}

/// Scalar projected Gauss–Seidel (G.1–G.5).
pub type Pgs = Checked<PgsMethod>;

/// The method of [`Pgs`].
#[derive(Debug, Clone)]
pub struct PgsMethod {
    parameters: PgsParameters,
}

impl PgsMethod {
    fn schedule(&self, problem: &Problem, memory: Schedule) -> Schedule {
        let SweepOrder { order, seed } = self.parameters.sweep;
        memory.of_rows(self.parameters.rows, order, seed, problem)
    }
}

impl Method for PgsMethod {
    type Parameters = PgsParameters;
    type Prepared = Swept<RowRule>;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "pgs",
        aliases: &["si", "sequential-impulses", "projected-gauss-seidel"],
        name: "Projected Gauss-Seidel",
        summary: "Row by row, each accumulated impulse projected onto its set; psor without relaxation.",
        citations: &["Catto2006", "Cryer1971"],
        theory: &["G.1", "G.2", "G.3", "G.4", "G.5", "G.24", "G.25"],
        cost: "m",
        ..SWEEP
    };

    fn new(parameters: PgsParameters) -> Result<Self, ParameterError> {
        check_rows(parameters.rows, parameters.sweep.order)?;
        Ok(Self { parameters })
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        Swept::<RowRule>::memory(problem)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Swept<RowRule>, SolveError> {
        let schedule = self.schedule(problem, Schedule::default());
        Swept::new(RowRule::new(1.0), schedule, problem, impulses)
    }

    fn prepare_into(
        &mut self,
        swept: &mut Swept<RowRule>,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        swept.repeat(problem, impulses, |memory| self.schedule(problem, memory))
    }
}
