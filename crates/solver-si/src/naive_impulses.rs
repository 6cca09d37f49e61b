//! `naive-impulses`: sequential impulses that clamp every increment instead of the total. A
//! negative control.
//!
//! The increments of a row are projected as if each were the impulse of the whole step: a normal
//! row never takes back what it gave, and friction is bounded by the normal increment of the same
//! visit (G.16). This is the mistake that accumulated clamping repairs; it is here to be measured,
//! not to be used. A start impulse is applied as it is and never taken back either.
//!
//! Budget per sweep: one pass over all rows.
//! Nearest sibling: `pgs`, which clamps the totals.
//!
//! Limitations: with more than one contact row on a body its fixed points are not solutions: bodies
//! bounce (G.22), friction sums exceed their bounds. Equality rows are exact. Theory:
//! docs/theory/03-gauss-seidel.md. Source: \[Catto2006\], "Naive Impulses" against "Accumulated
//! Impulses".

use delassus_core::{
    Checked, LawForm, ParameterError, Parameters, Problem, SolveError, SolverDescriptor, Support,
};

use crate::laws::RowRule;
use crate::order::Schedule;
use crate::parameters::SweepOrder;
use crate::sweep::{Rule, prepared_sweeps};
use crate::sweep_method::{SweepMethod, SweepPlan};
use crate::view::BlockView;

const CLAMPS_INCREMENTS: Support =
    Support::Approximate("clamps the increments of a sweep, not their sum");

/// Parameters of [`NaiveImpulses`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct NaiveImpulsesParameters {
    /// Order of the blocks in a sweep.
    #[parameter(flatten)]
    pub sweep: SweepOrder,
}

/// Sequential impulses with clamped increments (G.16).
pub type NaiveImpulses = Checked<SweepMethod<NaiveImpulsesParameters>>;

/// Free rows have no bound that an increment could be clamped to.
const FORMS: [(LawForm, Support); 11] = {
    let mut forms = SolverDescriptor::all_forms_with(CLAMPS_INCREMENTS);
    forms[0] = (LawForm::Free, Support::Exact);
    forms
};

impl SweepPlan for NaiveImpulsesParameters {
    type Parameters = Self;
    type Rule = IncrementRule;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "naive-impulses",
        aliases: &[],
        name: "Naive sequential impulses",
        summary: "Clamps the increments of each row instead of their sum: a negative control for pgs.",
        citations: &["Catto2006"],
        theory: &["G.16"],
        cost: "m",
        forms: &FORMS,
        cone_rows: 6,
        ..SolverDescriptor::COMPLETE
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn rule(&self) -> IncrementRule {
        IncrementRule {
            rows: RowRule::new(1.0),
            increments: Vec::new(),
        }
    }

    fn schedule(&mut self, _: &mut IncrementRule, problem: &Problem, memory: Schedule) -> Schedule {
        self.sweep.schedule(problem, memory)
    }
}

/// Projects the increments (G.16): the rule of `pgs` on impulses that begin at zero in every visit.
#[derive(Debug, Clone)]
pub struct IncrementRule {
    rows: RowRule,
    /// Increments of the block under update \[N·s\].
    increments: Vec<f64>,
}

prepared_sweeps!(IncrementRule);

impl Rule for IncrementRule {
    fn memory(problem: &Problem) -> u64 {
        RowRule::memory(problem)
    }

    fn build(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.rows.build(problem)?;
        let largest = problem.blocks().iter().map(|block| block.dim).max();
        self.increments.resize(largest.unwrap_or(0), 0.0);
        Ok(())
    }

    #[inline(always)]
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V) {
        let increments = &mut self.increments[..];
        increments[..active].fill(0.0);
        let mut added = Increments {
            view: &mut *view,
            increments,
        };
        self.rows.update(block, active, &mut added);
        // what a start has along them is no increment
        if self.rows.is_frictionless(block) {
            (1..active).for_each(|row| view.set_impulse(row, 0.0));
        }
    }
}

/// A block whose impulses are what a visit has added to them.
struct Increments<'a, V> {
    view: &'a mut V,
    increments: &'a mut [f64],
}

impl<V: BlockView> BlockView for Increments<'_, V> {
    #[inline(always)]
    fn impulse(&self, local: usize) -> f64 {
        self.increments[local]
    }

    #[inline(always)]
    fn velocity(&self, local: usize) -> f64 {
        self.view.velocity(local)
    }

    #[inline(always)]
    fn effective_mass(&self, local: usize) -> f64 {
        self.view.effective_mass(local)
    }

    /// A visit sets each row once.
    #[inline(always)]
    fn set_impulse(&mut self, local: usize, increment: f64) {
        self.increments[local] = increment;
        self.view
            .set_impulse(local, self.view.impulse(local) + increment);
    }
}
