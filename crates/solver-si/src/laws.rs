//! Row-by-row update of every law: the rule of `pgs` and `psor`.

use delassus_core::projection::interval;
use delassus_core::{Factor, Problem, Radius, SetShape, SolveError, norm};

use crate::order::BlockPart;
use crate::sweep::{Rule, prepared_sweeps};
use crate::view::BlockView;

mod kernel;

pub(crate) use kernel::{BUILDING, has_simple_law};
use kernel::{Kernels, LawKernel, kernel_memory};
pub use kernel::{largest_of, own_block};

/// Projects λ − ω D⁻¹ w onto the set of each law, row by row (G.1–G.6).
#[derive(Debug, Clone)]
pub struct RowRule {
    omega: f64,
    kernels: Kernels,
}

impl RowRule {
    /// `omega` in (0, 2); one is projected Gauss–Seidel.
    pub fn new(omega: f64) -> Self {
        Self {
            omega,
            kernels: Kernels::default(),
        }
    }

    /// Takes over some blocks only: `update` then counts them from zero.
    pub fn build_some(&mut self, problem: &Problem, blocks: &[u32]) {
        let own_of = |block: usize, own: &mut Vec<f64>| own_block(problem, block, own);
        let blocks = blocks.iter().map(|block| *block as usize);
        let kernels = &mut self.kernels;
        kernels.renew_some(problem, blocks, self.omega, &own_of);
    }
}

impl RowRule {
    /// As `build`, with other diagonal blocks, which `own_of` writes.
    pub(crate) fn build_with(
        &mut self,
        problem: &Problem,
        own_of: &dyn Fn(usize, &mut Vec<f64>),
    ) -> Result<(), SolveError> {
        self.kernels.renew_with(problem, self.omega, own_of)
    }
}

prepared_sweeps!(RowRule);

impl Rule for RowRule {
    const HAS_PARTS: bool = true;

    fn memory(problem: &Problem) -> u64 {
        kernel_memory(problem)
    }

    fn build(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.kernels.renew(problem, self.omega)
    }

    fn update_compliance(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.kernels.update_compliance(problem, self.omega)
    }

    fn bytes(&self) -> Option<u64> {
        Some(self.kernels.bytes() as u64)
    }

    #[inline(always)]
    fn update<V: BlockView>(&mut self, block: usize, active: usize, view: &mut V) {
        self.update_part(block, BlockPart::Normals, active, view);
        self.update_part(block, BlockPart::Friction, active, view);
    }

    #[inline(always)]
    fn update_part<V: BlockView>(
        &mut self,
        block: usize,
        part: BlockPart,
        active: usize,
        view: &mut V,
    ) {
        match part {
            BlockPart::Normals => self.update_normals_in(block, 0..active, view),
            BlockPart::Friction => self.update_friction(block, active, view),
            BlockPart::Backwards => {
                self.update_normals_in(block, (0..active).rev(), view);
                self.update_friction(block, active, view);
            }
            BlockPart::Gather | BlockPart::Scatter => {}
        }
    }
}

impl RowRule {
    /// True if a block is a contact point whose tangents have no impulse.
    #[inline(always)]
    pub(crate) fn is_frictionless(&self, block: usize) -> bool {
        matches!(self.kernels.of[block], LawKernel::Frictionless)
    }

    /// Everything but friction, joints and bounds in the order `rows`. A cone goes with friction:
    /// its rows are projected together.
    #[inline(always)]
    fn update_normals_in<V: BlockView>(
        &self,
        block: usize,
        rows: impl Iterator<Item = usize>,
        view: &mut V,
    ) {
        let omega = self.omega;
        match self.kernels.of[block] {
            LawKernel::Free => rows.for_each(|row| free_row(view, row, omega)),
            LawKernel::Bounded { lower, upper } => {
                rows.for_each(|row| bounded_row(view, row, omega, lower, upper));
            }
            LawKernel::Frictionless
            | LawKernel::Box { .. }
            | LawKernel::Disc { .. }
            | LawKernel::Facets { .. } => normal_row(view, 0, omega),
            LawKernel::Cone { .. } => {}
            LawKernel::Factors { .. } if !view.has_any_law() => {}
            LawKernel::Factors { first, count } => self.bounded_factors(first, count, view),
        }
    }

    #[inline(always)]
    fn update_friction<V: BlockView>(&self, block: usize, active: usize, view: &mut V) {
        let omega = self.omega;
        match self.kernels.of[block] {
            LawKernel::Free | LawKernel::Bounded { .. } => {}
            LawKernel::Frictionless => (1..active).for_each(|row| view.set_impulse(row, 0.0)),
            LawKernel::Box { limit, mu } => {
                for row in 1..active {
                    let limit = limit + mu * view.impulse(0);
                    bounded_row(view, row, omega, -limit, limit);
                }
            }
            LawKernel::Disc { mu, step } => match active {
                2 => interval_row(view, 1, omega, mu * view.impulse(0)),
                3 => {
                    let radius = mu * view.impulse(0);
                    stepped_pair(view, 1, step, |t| project_disc(t, radius));
                }
                _ => {}
            },
            LawKernel::Cone { mu, step } => match active {
                2 => stepped_pair(view, 0, step, |[n, t]| {
                    let [n, t, _] = project_cone([n, t, 0.0], mu);
                    [n, t]
                }),
                3 => cone_triple(view, step, mu),
                _ => normal_row(view, 0, omega),
            },
            LawKernel::Facets { mu, step, polygon } => {
                if active == 3 {
                    let radius = mu * view.impulse(0);
                    stepped_pair(view, 1, step, |t| polygon.project(t, radius));
                }
            }
            LawKernel::Factors { .. } if !view.has_any_law() => {}
            LawKernel::Factors { first, count } => {
                self.friction_factors(first, count, active, view);
            }
        }
    }

    /// The factors of a block between fixed bounds. Not inlined, so that sweeps of simple laws keep
    /// their registers; the same holds for [`Self::friction_factors`].
    #[inline(never)]
    fn bounded_factors<V: BlockView>(&self, first: u32, count: u32, view: &mut V) {
        let factors = self.kernels.factors(first, count);
        for (_, factor) in factors.filter(|(_, factor)| is_bounded(factor)) {
            factor_rows(view, 0.0, &factor, self.omega);
        }
    }

    /// The other factors of a block.
    #[inline(never)]
    fn friction_factors<V: BlockView>(&self, first: u32, count: u32, active: usize, view: &mut V) {
        for (step, factor) in self.kernels.factors(first, count) {
            if factor.shape == SetShape::Cone && active < factor.rows().end {
                (0..active.min(1)).for_each(|row| normal_row(view, row, self.omega));
            } else if !is_bounded(&factor) && factor.first < active {
                factor_rows(view, step, &factor, self.omega);
            }
        }
    }
}

/// λ ← λ − ω w / D (G.2 with no bounds).
#[inline(always)]
pub(crate) fn free_row<V: BlockView>(view: &mut V, row: usize, omega: f64) {
    let step = omega * view.effective_mass(row);
    view.set_impulse(row, view.impulse(row) - step * view.velocity(row));
}

/// λ ← Π_[l, u](λ − ω w / D) (G.2).
#[inline(always)]
pub(crate) fn bounded_row<V: BlockView>(
    view: &mut V,
    row: usize,
    omega: f64,
    lower: f64,
    upper: f64,
) {
    let step = omega * view.effective_mass(row);
    let impulse = view.impulse(row) - step * view.velocity(row);
    view.set_impulse(row, interval(impulse, lower, upper));
}

/// λ_n ← max(0, λ_n − ω w_n / D).
#[inline(always)]
pub(crate) fn normal_row<V: BlockView>(view: &mut V, row: usize, omega: f64) {
    bounded_row(view, row, omega, 0.0, f64::INFINITY);
}

/// One friction row, |λ| ≤ radius.
#[inline(always)]
pub(crate) fn interval_row<V: BlockView>(view: &mut V, row: usize, omega: f64, radius: f64) {
    bounded_row(view, row, omega, -radius, radius);
}

/// Two rows that are projected together, one scalar step for both (G.3, G.24). Written out, because
/// the same over arrays of any length makes a sweep a tenth slower.
#[inline(always)]
fn stepped_pair<V: BlockView>(
    view: &mut V,
    first: usize,
    step: f64,
    project: impl FnOnce([f64; 2]) -> [f64; 2],
) {
    let (w_1, w_2) = (view.velocity(first), view.velocity(first + 1));
    let moved_1 = view.impulse(first) - step * w_1;
    let moved_2 = view.impulse(first + 1) - step * w_2;
    let [impulse_1, impulse_2] = project([moved_1, moved_2]);
    view.set_impulse(first, impulse_1);
    view.set_impulse(first + 1, impulse_2);
}

/// The three rows of a cone, one scalar step for all (G.4).
#[inline(always)]
fn cone_triple<V: BlockView>(view: &mut V, step: f64, mu: f64) {
    let (w_0, w_1, w_2) = (view.velocity(0), view.velocity(1), view.velocity(2));
    let moved_0 = view.impulse(0) - step * w_0;
    let moved_1 = view.impulse(1) - step * w_1;
    let moved_2 = view.impulse(2) - step * w_2;
    let [impulse_0, impulse_1, impulse_2] = project_cone([moved_0, moved_1, moved_2], mu);
    view.set_impulse(0, impulse_0);
    view.set_impulse(1, impulse_1);
    view.set_impulse(2, impulse_2);
}

/// True for rows between fixed bounds: they go with the normals.
#[inline(always)]
fn is_bounded(factor: &Factor<'_>) -> bool {
    let is_interval = matches!(factor.shape, SetShape::Interval { .. });
    is_interval && matches!(factor.radius, Radius::Fixed(_))
}

/// The rows of a factor (G.2, G.5, G.25), one scalar step for those that are projected together.
#[inline(always)]
fn factor_rows<V: BlockView>(view: &mut V, step: f64, factor: &Factor<'_>, omega: f64) {
    let radius = radius_of(view, factor);
    match factor.shape {
        SetShape::Interval { lower, upper } => {
            for row in factor.rows() {
                bounded_row(view, row, omega, lower * radius, upper * radius);
            }
        }
        SetShape::Ball if factor.len == 2 => {
            stepped_pair(view, factor.first, step, |t| project_disc(t, radius));
        }
        _ => projected_rows(view, step, factor, radius),
    }
}

/// Rows of any shape, one scalar step for all.
fn projected_rows<V: BlockView>(view: &mut V, step: f64, factor: &Factor<'_>, radius: f64) {
    let mut moved = [0.0; 6];
    for (x, row) in moved.iter_mut().zip(factor.rows()) {
        *x = view.impulse(row) - step * view.velocity(row);
    }
    let set = factor.set_of_radius(radius);
    set.project(&mut moved[..factor.len]);
    for (x, row) in moved.iter().zip(factor.rows()) {
        view.set_impulse(row, *x);
    }
}

/// The radius of a factor at the impulses of a view.
#[inline(always)]
fn radius_of<V: BlockView>(view: &V, factor: &Factor<'_>) -> f64 {
    let Radius::Linear { coefficient, .. } = factor.radius else {
        return factor.radius_at(&[]);
    };
    let mut load = 0.0;
    for (index, row) in factor.depends_on().enumerate() {
        load += factor.weights.get(index).unwrap_or(&1.0) * view.impulse(row);
    }
    coefficient * load
}

/// What the normals of a patch let its friction bear (P.8).
pub(crate) struct PatchLoad {
    /// Σλ_n \[N·s\].
    pub(crate) normal: f64,
    /// Σ ℓ λ_n \[N·m·s\].
    pub(crate) moment: f64,
}

#[inline(always)]
pub(crate) fn patch_load<V: BlockView>(view: &V, levers: &[f64]) -> PatchLoad {
    let (mut normal, mut moment) = (0.0, 0.0);
    for (row, lever) in levers.iter().enumerate() {
        normal += view.impulse(row);
        moment += lever * view.impulse(row);
    }
    PatchLoad { normal, moment }
}

/// Projection onto ‖t‖ ≤ radius.
#[inline(always)]
pub(crate) fn project_disc(t: [f64; 2], radius: f64) -> [f64; 2] {
    let square = t[0] * t[0] + t[1] * t[1];
    if !(norm::LEAST..f64::INFINITY).contains(&square) {
        return project_far_disc(t, radius);
    }
    // no root while the contact sticks
    if square <= radius * radius {
        return t;
    }
    shortened(t, square.sqrt(), radius)
}

/// The same where the squares underflow or overflow.
#[cold]
#[inline(never)]
fn project_far_disc(t: [f64; 2], radius: f64) -> [f64; 2] {
    shortened(t, norm::norm(&t), radius)
}

#[inline(always)]
fn shortened(t: [f64; 2], length: f64, radius: f64) -> [f64; 2] {
    if length > radius {
        let scale = radius / length;
        [t[0] * scale, t[1] * scale]
    } else {
        t
    }
}

/// Projection onto the cone K_μ (P.9).
#[inline(always)]
pub(crate) fn project_cone(impulse: [f64; 3], mu: f64) -> [f64; 3] {
    let mut projected = impulse;
    delassus_core::projection::cone(mu, &mut projected);
    projected
}

#[cfg(test)]
mod tests;
