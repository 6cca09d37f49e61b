//! `projected-gradient`: the steepest step in scaled impulses, cut back to the admissible set, with
//! one length for ever.
//!
//! λ ← Π(λ − α D⁻¹ŵ) with α = 1/(1.05 λ_max) (I.3, I.7): f falls in every iteration where the
//! problem is convex, with a factor 1 − 1/κ where A is regular. For friction that follows the
//! normal impulse there is no f; the same map with the De Saxcé term, or with bounds of the new
//! normal impulses, has the solutions as its fixed points (I.4, I.5).
//!
//! Budget per iteration: one product with A, m row updates; 40 products when it is prepared.
//! Nearest siblings: `spg` learns the length of its steps, `apgd` adds momentum; `jacobi` takes
//! longer steps row by row because it splits masses.
//!
//! Departures: \[Goldstein1964\] and \[Levitin1966\] have convex sets; the iteration for coupled
//! friction is a fixed point iteration of the same form without a proof of convergence.
//! Limitations: slow where A is ill-conditioned, which is what the others are for. Theory:
//! docs/theory/24-first-order.md. Source: \[Goldstein1964\], \[Levitin1966\].

use delassus_core::{Checked, Parameters, Problem, SolveError, SolverDescriptor, StateCoverage};

use crate::running::{DescentMethod, Iteration};
use crate::space::{Space, copy, zeros};
use crate::spectrum;

/// Projected gradient with a fixed step (I.3, I.7).
pub type ProjectedGradient = Checked<DescentMethod<FixedStep>>;

/// Parameters of `projected-gradient`.
#[derive(Debug, Clone, Copy, PartialEq, Parameters)]
pub struct ProjectedGradientParameters {
    /// Length of the step over 1/(1.05 lambda_max).
    #[parameter(default = 1.0, unit = "-", range = "(0, 2)")]
    pub step: f64,
}

/// The iterate of [`ProjectedGradient`].
#[derive(Debug, Clone, Default)]
pub struct FixedStep {
    x: Vec<f64>,
    w: Vec<f64>,
    next: Vec<f64>,
    alpha: f64,
}

impl Iteration for FixedStep {
    type Parameters = ProjectedGradientParameters;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "projected-gradient",
        aliases: &["pgd"],
        name: "Projected gradient",
        summary: "λ ← Π(λ − ρw) on all rows at once with the step 1/(1.05 λ_max): jacobi without split masses and \
                  momentum, and the measure of apgd and spg.",
        citations: &["Goldstein1964", "Levitin1966", "DeSaxce1998"],
        theory: &[
            "I.1", "I.2", "I.3", "I.4", "I.5", "I.6", "I.7", "I.8", "I.9",
        ],
        cost: "m",
        forms: SolverDescriptor::ALL_FORMS,
        cone_rows: 6,
        ..SolverDescriptor::COMPLETE
    };

    fn begin(
        &mut self,
        space: &mut Space,
        problem: &Problem,
        impulses: &[f64],
        parameters: Self::Parameters,
    ) -> Result<(), SolveError> {
        self.alpha = parameters.step * spectrum::safe_step(space, problem)?;
        copy(&mut self.x, impulses);
        zeros(&mut self.w, impulses.len());
        zeros(&mut self.next, impulses.len());
        Ok(())
    }

    fn restart(&mut self, _: &mut Space, _: &Problem) -> Result<(), SolveError> {
        Ok(())
    }

    fn advance(&mut self, space: &mut Space, problem: &Problem) -> Result<u64, SolveError> {
        space.velocity(problem, &self.x, &mut self.w)?;
        space.step(&self.x, &self.w, self.alpha, &mut self.next);
        std::mem::swap(&mut self.x, &mut self.next);
        Ok(space.row_updates(1))
    }

    fn best_impulses(&self) -> &[f64] {
        &self.x
    }

    fn push_state(&self, out: &mut Vec<u64>) -> Option<StateCoverage> {
        StateCoverage::push(out, self.x.iter().copied());
        Some(StateCoverage::Complete)
    }
}
