//! The data layout: what a kernel reads and writes, as vectors that a GPU takes over unchanged.
//!
//! ```text
//! bodies     free      2 quads  | v_f: linear, 0 | angular, 0 |
//!            mass      3 quads  | 1/m_x 1/m_y 1/m_z I_xx | I_xy I_xz I_yy I_yz | I_zz 0 0 0 |      (I is the inverse inertia)
//!            one body more than the problem has: the world, which nothing moves
//! manifolds  heads     4 words  | first point | count, law, flags | body a | body b |
//!            numbers   3 quads  | normal, μ | tangent, c_a | centre a → centre b, c_b |             (c contain 1/ω)
//!                    + 2 quads  | centre b → point, bias | 1/D_n 1/D_t 1/D_s R_n |                  per point
//!            extras    2 quads  | limit bias_t bias_s 0 | 0 R_t R_s 0 |                             per point, if any
//! units      heads     4 words  | first block | blocks | first slot | slots |                       per unit
//!                    + 4 words  | first row | rows | law, active | numbers |                        per block
//!                    + 4 words  | body 0 0 0 |                                                      per slot
//!            numbers   1 quad   | lower or limit | upper | μ | normals |                            per block
//!                    + 1 quad   | bias R 1/D lever |                                                per row
//!                    + 2 quads  | J linear, c | J angular, 0 |                                      per row and slot
//! slots      slot 2 m + side of manifold m, then those of the units; body → slots, ascending
//! ```
//!
//! A **piece** is what one thread solves: a manifold of one to four contact points with one frame
//! and one law, or a **unit** of row blocks between the same bodies (joints, patches, whatever is
//! no contact point), with any number of bodies. A piece writes one wrench per slot and nothing
//! else that others read; a body sums its slots in order (J.2). So no thing is written by two
//! threads, and no sum depends on their number.
//!
//! Everything that is divided by is divided in f64 here and rounded; kernels multiply.
//! `refresh` updates numbers and keeps the structure. Theory: docs/theory/15-jacobi.md.

mod bodies;
mod coupling;
mod extras;
pub mod law;
mod manifolds;
mod own;
pub(crate) mod plan;
mod points;
mod slots;
mod state;
mod threads;
mod units;

use delassus_core::{BodyRows, Changes, Problem, SolveError, Traffic};

use crate::power::Power;
use crate::real::{Quad, Real};
use crate::rule::{Counts, LocalSweep, StepRule};

pub use bodies::{BODY_FREE, BODY_MASS, Bodies};
pub(crate) use coupling::NONE as NOT_COUPLED;
pub use delassus_structure::geometry::FIXED;
pub use manifolds::{
    EXTRA, FRAME_QUADS, Manifolds, POINT_QUADS, active_of, count_of, has_extras, law_of,
};
pub use plan::MAX_POINTS;
pub use slots::Slots;
pub use state::Iterate;
pub use threads::PackThreads;
pub(crate) use threads::pool_starts;
pub use units::{MAX_SIDES, RowBlocks};

use plan::{Grouping, PiecePlan};

/// A problem in the layout of the kernels.
#[derive(Debug, Clone, Default)]
pub struct Pack<T> {
    /// Free velocities and inverse masses.
    pub bodies: Bodies<T>,
    /// Contact manifolds.
    pub manifolds: Manifolds<T>,
    /// Row blocks.
    pub units: RowBlocks<T>,
    /// Which wrenches a body sums.
    pub slots: Slots,
    rule: StepRule,
    threads: PackThreads,
    plan: PiecePlan,
    rows: usize,
    active_rows: usize,
    spare: Spare,
    /// Memory of power iterations.
    pub(crate) power: Power,
}

/// Memory of packing.
#[derive(Debug, Clone, Default)]
struct Spare {
    grouping: Grouping,
    counts: Counts,
    /// Of a block: factors per body and steps per row.
    factors: Vec<f64>,
    steps: Vec<f64>,
}

impl<T: Real> Pack<T> {
    /// Packs a problem with bodies for one step rule.
    ///
    /// # Errors
    /// [`SolveError::NoBodies`] without bodies; a [`SolveError::Length`] if 32-bit indices cannot
    /// name what there is.
    pub fn new(problem: &Problem, rule: StepRule) -> Result<Self, SolveError> {
        Self::on(PackThreads::One, problem, rule)
    }

    /// The same on one thread or on all, which changes no bit.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn on(threads: PackThreads, problem: &Problem, rule: StepRule) -> Result<Self, SolveError> {
        let mut pack = Self::empty(threads);
        pack.repeat(problem, rule)?;
        Ok(pack)
    }

    /// The same with every block a unit of its own and no manifolds.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub(crate) fn of_blocks(problem: &Problem, rule: StepRule) -> Result<Self, SolveError> {
        let mut pack = Self::empty(PackThreads::One);
        pack.repeat_blocks(problem, rule)?;
        Ok(pack)
    }

    /// Nothing, not even the world.
    fn empty(threads: PackThreads) -> Self {
        Self {
            bodies: Bodies::default(),
            manifolds: Manifolds::default(),
            units: RowBlocks::default(),
            slots: Slots::default(),
            rule: StepRule::default(),
            threads,
            plan: PiecePlan::default(),
            rows: 0,
            active_rows: 0,
            spare: Spare::default(),
            power: Power::default(),
        }
    }

    /// As [`Self::on`] the same threads, in the memory of another problem.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub fn repeat(&mut self, problem: &Problem, rule: StepRule) -> Result<(), SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        check_indices(problem, bodies)?;
        self.rule = rule;
        self.plan.clear();
        self.plan.given = self.manifolds.pack_points(problem, bodies, self.threads);
        if !self.plan.given {
            let grouping = &mut self.spare.grouping;
            self.plan.cut(problem, bodies, self.threads, grouping);
        }
        self.lay_out(problem, bodies);
        Ok(())
    }

    /// As [`Self::of_blocks`], in the memory of another problem.
    ///
    /// # Errors
    /// Those of [`Self::new`].
    pub(crate) fn repeat_blocks(
        &mut self,
        problem: &Problem,
        rule: StepRule,
    ) -> Result<(), SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        check_indices(problem, bodies)?;
        self.rule = rule;
        self.plan.cut_blocks(problem);
        self.lay_out(problem, bodies);
        Ok(())
    }

    /// Packs the pieces of the plan.
    fn lay_out(&mut self, problem: &Problem, bodies: &BodyRows) {
        self.rows = problem.rows();
        self.bodies.pack(bodies, self.threads);
        if self.plan.given {
            let heads = &self.manifolds.heads;
            self.slots.pack_points(heads, bodies.len(), self.threads);
        } else {
            self.slots.pack(problem, bodies, &self.plan, self.threads);
            self.manifolds.pack(problem, bodies, &self.plan.manifolds);
        }
        self.units.pack(problem, bodies, &self.plan, &self.slots);
        self.fill(problem, bodies);
    }

    /// The step rule in use.
    pub fn rule(&self) -> StepRule {
        self.rule
    }

    /// Rows of the problem \[-\].
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Rows that are solved for \[-\].
    pub fn active_rows(&self) -> usize {
        self.active_rows
    }

    /// Takes over another step rule.
    ///
    /// # Errors
    /// A problem without bodies.
    pub fn set_rule(&mut self, problem: &Problem, rule: StepRule) -> Result<(), SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        self.rule = rule;
        self.fill(problem, bodies);
        Ok(())
    }

    /// Takes over what changed. False if the structure no longer fits and the problem must be
    /// packed anew: a tangent row got its first bias or compliance, other blocks share compliance.
    ///
    /// # Errors
    /// A problem without bodies.
    pub fn refresh(&mut self, problem: &Problem, what: Changes) -> Result<bool, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        if (what.bias || what.compliance) && !self.manifolds.fits(problem) {
            return Ok(false);
        }
        if what.compliance && !self.units.coupling().fits(problem) {
            return Ok(false);
        }
        if what.compliance || what.activity {
            self.fill(problem, bodies);
        } else if what.bias {
            self.manifolds.fill_bias(problem);
            self.units.fill_bias(problem);
        }
        if what.free_velocity {
            self.bodies.fill_free(&bodies.free_velocity);
        }
        Ok(true)
    }

    /// Takes over all numbers of a problem with the blocks, bodies and geometry of the packed one:
    /// masses, friction coefficients, free velocities, bias, compliance. False if other manifolds
    /// would be cut, because tangents have or lose bias or compliance; the pack is then unchanged.
    ///
    /// # Errors
    /// A problem without bodies.
    pub(crate) fn renumber(&mut self, problem: &Problem) -> Result<bool, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        if !self.manifolds.has_extras_of(problem) {
            return Ok(false);
        }
        self.plan.set_friction(problem);
        self.bodies.pack(bodies, self.threads);
        self.fill(problem, bodies);
        Ok(true)
    }

    /// Writes the steps of the rows that are solved for, zero for the others \[kg\].
    pub fn read_steps(&self, out: &mut [f64]) {
        out.fill(0.0);
        for (manifold, head) in self.manifolds.heads.iter().enumerate() {
            for point in 0..count_of(head[1]) {
                let row = self.manifolds.first_row[(head[0] + point) as usize] & !FIXED;
                let steps = self.manifolds.steps(manifold, head[0], point);
                for local in 0..active_of(head[1], point) as usize {
                    out[row as usize + local] = steps[local].widen();
                }
            }
        }
        for block in self.units.active_blocks() {
            for local in 0..block.active {
                let row = self.units.rows[block.first_row + local] as usize;
                out[row] = self.units.numbers[block.numbers + 1 + local][2].widen();
            }
        }
    }

    fn fill(&mut self, problem: &Problem, bodies: &BodyRows) {
        let Spare {
            counts,
            factors,
            steps,
            ..
        } = &mut self.spare;
        let threads = self.threads;
        if self.plan.given {
            let heads = &self.manifolds.heads;
            let blocks = |slot: u32| {
                let [first, flags, ..] = heads[slot as usize / 2];
                first..first + count_of(flags)
            };
            counts.count_points(self.rule, problem, &self.slots, blocks, threads);
            self.manifolds.fill_points(problem, bodies, counts, threads);
        } else {
            counts.count(self.rule, problem, bodies, &self.plan);
            self.manifolds
                .fill(problem, bodies, &self.plan.manifolds, counts, threads);
        }
        let units = &self.plan.units;
        self.units
            .fill(problem, bodies, units, counts, factors, steps);
        self.active_rows = problem.active_rows();
    }

    /// Bytes that one iteration moves: pieces, then bodies; `accelerated` with momentum (J.16).
    pub fn traffic(&self, accelerated: bool) -> Traffic {
        let quad = 4 * size_of::<T>() as u64;
        let block = self.rule.sweep == LocalSweep::Block;
        let [points, manifolds] = [self.manifolds.points(), self.manifolds.len()].map(as_u64);
        let numbers = as_u64(self.manifolds.numbers.len() + self.units.numbers.len());
        let heads = 16 * as_u64(self.manifolds.heads.len() + self.units.heads.len());
        let impulses = quad * (points + as_u64(self.units.impulse_quads()));
        let bodies = as_u64(self.bodies.len());
        let gathers = as_u64(self.slots.body.len());
        let linked = as_u64(self.slots.slots.len());
        // a body: v_f, masses, velocity; with momentum the last velocity is read, and two are
        // written
        let states = BODY_FREE + BODY_MASS + if accelerated { 6 } else { 2 };
        let seen = 2 + if block { BODY_MASS } else { 0 };
        debug_assert!(manifolds <= gathers);
        Traffic {
            read: quad * numbers
                + self.units.coupling().bytes()
                + heads
                + impulses * if accelerated { 2 } else { 1 },
            written: impulses + 2 * quad * linked,
            gathered: quad * as_u64(seen) * gathers
                + (2 * quad + 4) * linked
                + (quad * as_u64(states) + 4) * bodies,
        }
    }
}

/// Makes a list as long as `quads`; what it holds is to be overwritten. Memory that has to be new
/// is not touched here, but by the threads that fill it.
fn fit<T: Real>(list: &mut Vec<Quad<T>>, quads: usize) {
    if list.capacity() < quads {
        *list = vec![[T::ZERO; 4]; quads];
    } else {
        list.resize(quads, [T::ZERO; 4]);
    }
}

fn as_u64(x: usize) -> u64 {
    x as u64
}

/// Refuses what the 32-bit indices of the layout cannot name.
fn check_indices(problem: &Problem, bodies: &BodyRows) -> Result<(), SolveError> {
    // the largest index is that of a quad of a unit: eight per Jacobian entry and per row are more
    // than any uses; the top bit of a body index is a mark
    let limit = (FIXED as usize) / 8;
    let sizes = [
        ("rows", problem.rows()),
        ("bodies", bodies.len()),
        ("Jacobian", bodies.jacobian.len()),
    ];
    for (what, found) in sizes {
        if found >= limit {
            let expected = limit - 1;
            return Err(SolveError::Length {
                what,
                found,
                expected,
            });
        }
    }
    Ok(())
}
