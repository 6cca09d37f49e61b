//! `psor`: projected successive over-relaxation.
//!
//! Differs from `pgs` only in multiplying every step by ω before it is projected (G.6); both run
//! the same code, and ω = 1 is `pgs` bit for bit. Over-relaxation pays where few bounds change, as
//! on chains and stacks (G.18).
//!
//! Budget per sweep: one pass over all rows.
//!
//! Limitations: those of `pgs`; a large ω makes contacts that open and close chatter, and for the
//! laws without a convergence proof (F2, F3, F5, patches) it may diverge where `pgs` does not.
//! Theory: docs/theory/03-gauss-seidel.md. Source: \[Cryer1971\], \[Mangasarian1977\].

use delassus_core::{Checked, ParameterError, Parameters, Problem, SolverDescriptor};

use crate::laws::RowRule;
use crate::order::{RowOrder, Schedule, check_rows};
use crate::parameters::SweepOrder;
use crate::sweep::SWEEP;
use crate::sweep_method::{SweepMethod, SweepPlan};

/// Relaxation factor when none is given \[-\]: the chain of two equal links has its optimum at
/// 1.17, that of five at 1.53 (G.18); above, contacts that open and close tend to chatter.
const DEFAULT_OMEGA: f64 = 1.3;

/// Parameters of [`Psor`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct PsorParameters {
    /// Relaxation factor. 1 is pgs.
    #[parameter(default = DEFAULT_OMEGA, unit = "-", range = "(0, 2)")]
    pub omega: f64,
    /// Order of the blocks in a sweep.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
    /// Order of normals and friction. Others than point-by-point need order = "natural".
    #[parameter(default = RowOrder::PointByPoint)]
    pub rows: RowOrder,
}

/// Projected successive over-relaxation (G.6).
pub type Psor = Checked<SweepMethod<PsorParameters>>;

impl SweepPlan for PsorParameters {
    type Parameters = Self;
    type Rule = RowRule;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "psor",
        aliases: &["projected-sor"],
        name: "Projected successive over-relaxation",
        summary: "pgs with every step multiplied by omega before it is projected.",
        citations: &["Cryer1971", "Mangasarian1977"],
        theory: &["G.6"],
        cost: "m",
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        check_rows(parameters.rows, parameters.sweep.order)?;
        Ok(parameters)
    }

    fn rule(&self) -> RowRule {
        RowRule::new(self.omega)
    }

    fn schedule(&mut self, _: &mut RowRule, problem: &Problem, memory: Schedule) -> Schedule {
        let SweepOrder { order, seed } = self.sweep;
        memory.of_rows(self.rows, order, seed, problem)
    }
}
