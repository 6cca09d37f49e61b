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

use delassus_core::{Checked, ParameterError, Parameters, Problem, SolverDescriptor};

use crate::laws::RowRule;
use crate::order::{RowOrder, Schedule, check_rows};
use crate::parameters::SweepOrder;
use crate::sweep::SWEEP;
use crate::sweep_method::{SweepMethod, SweepPlan};

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
pub type Pgs = Checked<SweepMethod<PgsParameters>>;

impl SweepPlan for PgsParameters {
    type Parameters = Self;
    type Rule = RowRule;

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

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        check_rows(parameters.rows, parameters.sweep.order)?;
        Ok(parameters)
    }

    fn rule(&self) -> RowRule {
        RowRule::new(1.0)
    }

    fn schedule(&mut self, _: &mut RowRule, problem: &Problem, memory: Schedule) -> Schedule {
        let SweepOrder { order, seed } = self.sweep;
        memory.of_rows(self.rows, order, seed, problem)
    }
}
