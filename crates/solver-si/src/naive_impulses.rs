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

use delassus_core::projection::interval;
use delassus_core::{
    Checked, Factor, LawKind, Method, ParameterError, Parameters, Problem, SetShape, SolveError,
    SolverDescriptor, Support,
};

use crate::laws::{
    self, Kernels, LawKernel, free_row, project_cone, project_disc,
};
use crate::order::Schedule;
use crate::parameters::SweepOrder;
use crate::sweep::{Rule, Swept, prepared_sweeps};
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
pub type NaiveImpulses = Checked<NaiveImpulsesMethod>;

/// The method of [`NaiveImpulses`].
#[derive(Debug, Clone)]
pub struct NaiveImpulsesMethod {
    parameters: NaiveImpulsesParameters,
}

impl Method for NaiveImpulsesMethod {
    type Parameters = NaiveImpulsesParameters;
    type Prepared = Swept<IncrementRule>;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "naive-impulses",
        aliases: &[],
        name: "Naive sequential impulses",
        summary: "Clamps the increments of each row instead of their sum: a negative control for pgs.",
        citations: &["Catto2006"],
        theory: &["G.16"],
        cost: "m",
        laws: &[
            (LawKind::Equality, Support::Exact),
            (LawKind::Bounds, CLAMPS_INCREMENTS),
            (LawKind::Frictionless, CLAMPS_INCREMENTS),
            (LawKind::FixedBox, CLAMPS_INCREMENTS),
            (LawKind::Pyramid, CLAMPS_INCREMENTS),
            (LawKind::Disc, CLAMPS_INCREMENTS),
            (LawKind::Coulomb, CLAMPS_INCREMENTS),
            (LawKind::ConvexCone, CLAMPS_INCREMENTS),
            (LawKind::Patch, CLAMPS_INCREMENTS),
            (LawKind::Facets, CLAMPS_INCREMENTS),
            (LawKind::Rolling, CLAMPS_INCREMENTS),
        ],
        holds_rows: true,
        coupled_compliance: true,
        ..SolverDescriptor::BASE
    };

    fn new(parameters: NaiveImpulsesParameters) -> Result<Self, ParameterError> {
        Ok(Self { parameters })
    }

    fn memory(&self, problem: &Problem) -> u64 {
        Swept::<IncrementRule>::memory(problem)
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<Swept<IncrementRule>, SolveError> {
        let schedule = self.parameters.sweep.schedule(problem, Schedule::default());
        Swept::new(IncrementRule::default(), schedule, problem, impulses)
    }

    fn repeat(
        &mut self,
        swept: &mut Swept<IncrementRule>,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let order = self.parameters.sweep;
        swept.repeat(problem, impulses, |memory| order.schedule(problem, memory))
    }
}

/// Projects the increments (G.16).
#[derive(Debug, Clone, Default)]
pub struct IncrementRule {
    kernels: Kernels,
    /// Increments of the block under update \[N·s\].
    increments: Vec<f64>,
}

prepared_sweeps!(IncrementRule);

impl Rule for IncrementRule {
    fn memory(problem: &Problem) -> u64 {
        laws::kernel_memory(problem)
    }

    fn build(&mut self, problem: &Problem) {
        self.kernels.renew(problem, 1.0);
        let largest = problem.blocks().iter().map(|block| block.dim).max();
        self.increments.clear();
        self.increments.resize(largest.unwrap_or(0), 0.0);
    }

    #[inline(always)]
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V) {
        match self.kernels.of[block] {
            LawKernel::Free => (0..active).for_each(|row| free_row(view, row, 1.0)),
            LawKernel::Bounded { lower, upper } => {
                for row in 0..active {
                    add_bounded(view, row, lower, upper);
                }
            }
            LawKernel::Frictionless => {
                add_bounded(view, 0, 0.0, f64::INFINITY);
                (1..active).for_each(|row| view.set_impulse(row, 0.0));
            }
            LawKernel::Box { limit, mu } => {
                let normal = add_bounded(view, 0, 0.0, f64::INFINITY);
                let limit = limit + mu * normal;
                for row in 1..active {
                    add_bounded(view, row, -limit, limit);
                }
            }
            LawKernel::Disc { mu, step } => {
                let normal = add_bounded(view, 0, 0.0, f64::INFINITY);
                add_tangents(view, 1, active, step, mu * normal);
            }
            LawKernel::Cone { .. } if active == 1 => {
                add_bounded(view, 0, 0.0, f64::INFINITY);
            }
            LawKernel::Cone { mu, step } => {
                let mut increment = [0.0; 3];
                for row in 0..active {
                    increment[row] = -step * view.velocity(row);
                }
                add(view, 0, &project_cone(increment, mu)[..active]);
            }
            LawKernel::Facets { mu, step, polygon } => {
                let normal = add_bounded(view, 0, 0.0, f64::INFINITY);
                if active == 3 {
                    let increment = [-step * view.velocity(1), -step * view.velocity(2)];
                    add(view, 1, &polygon.project(increment, mu * normal));
                }
            }
            LawKernel::Factors { first, count } => {
                for (step, factor) in self.kernels.factors(first, count) {
                    if factor.first < active {
                        add_factor(view, step, &factor, &mut self.increments);
                    }
                }
            }
        }
    }
}

/// λ ← λ + Π_[l, u](−w / D); returns the increment.
#[inline(always)]
fn add_bounded<V: BlockView>(view: &mut V, row: usize, lower: f64, upper: f64) -> f64 {
    let increment = interval(-view.velocity(row) * view.effective_mass(row), lower, upper);
    view.set_impulse(row, view.impulse(row) + increment);
    increment
}

/// Adds one or two tangential increments within `radius`.
#[inline(always)]
fn add_tangents<V: BlockView>(view: &mut V, first: usize, last: usize, step: f64, radius: f64) {
    if last == first + 1 {
        add_bounded(view, first, -radius, radius);
    } else if last == first + 2 {
        let increment = [
            -step * view.velocity(first),
            -step * view.velocity(first + 1),
        ];
        add(view, first, &project_disc(increment, radius));
    }
}

/// Adds increments to consecutive rows.
#[inline(always)]
fn add<V: BlockView>(view: &mut V, first: usize, increments: &[f64]) {
    for (local, increment) in increments.iter().enumerate() {
        let row = first + local;
        view.set_impulse(row, view.impulse(row) + increment);
    }
}

/// Adds the increments of one factor, bounded by those of the normal rows before it.
fn add_factor<V: BlockView>(
    view: &mut V,
    step: f64,
    factor: &Factor<'_>,
    increments: &mut [f64],
) {
    let set = factor.set_at(increments);
    match (set.shape, factor.len) {
        (SetShape::Interval { lower, upper }, _) => {
            for row in factor.rows() {
                let (lower, upper) = (lower * set.radius, upper * set.radius);
                increments[row] = add_bounded(view, row, lower, upper);
            }
        }
        (SetShape::Ball, 2) if set.scales.is_empty() => {
            add_tangents(view, factor.first, factor.rows().end, step, set.radius);
        }
        _ => {
            let moved = &mut increments[factor.rows()];
            for (increment, row) in moved.iter_mut().zip(factor.rows()) {
                *increment = -step * view.velocity(row);
            }
            set.project(moved);
            add(view, factor.first, moved);
        }
    }
}
