//! `shock-propagation`: sweeps, then passes from the ground up in which bodies below stay where
//! they are.
//!
//! Every body has a level, the number of contacts and joints between it and the ground. After
//! `plain_sweeps` sweeps of `pgs` every further sweep is a freeze-below pass (G.37): blocks come
//! level by level from the ground, and an impulse between two levels moves the upper bodies only. A
//! stack of single contacts stands after one such pass, whatever its height and masses.
//!
//! This changes the problem. The returned velocities are those of the passes, in which reactions
//! on lower bodies are lost: they are not v_f + M⁻¹Jᵀλ, momentum goes to the ground, and the
//! impulses carry a body's own weight, not the load above it. The descriptor says so for every law.
//! Bodies without a way to the ground, and blocks between bodies of one level, are treated as by
//! `pgs`.
//!
//! Budget per sweep: one pass over all rows. Nearest sibling: `pgs`, which it is until the passes
//! begin.
//!
//! Departures: levels are distances in the graph of blocks, where the paper moves bodies one at a
//! time under gravity to see what they rest on; a level is visited once per pass, where the paper
//! iterates on it. Theory: docs/theory/25-sweeps.md. Source: \[Guendelman2003\].

mod levels;

use delassus_core::{
    Changes, Checked, Method, ParameterError, Parameters, Prepared, Problem, Progress, SolveError,
    SolverDescriptor, StateCoverage, Support, interrupt,
};

use crate::laws::RowRule;
use crate::packed::{PackedRows, read_packed};
use crate::sweep::{Rule, update_block};
use levels::Levels;

/// Sweeps before the first pass when none are given \[-\]: the paper lets ordinary iterations come
/// first.
const DEFAULT_PLAIN: u64 = 10;

/// Parameters of [`ShockPropagation`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct ShockPropagationParameters {
    /// Sweeps of `pgs` before the passes begin.
    #[parameter(default = DEFAULT_PLAIN, unit = "-", range = "[0, 1000000]")]
    pub plain_sweeps: u64,
}

/// Shock propagation (G.37).
pub type ShockPropagation = Checked<ShockPropagationParameters>;

/// What it solves in place of every law.
const BIASED: Support = Support::Approximate(
    "bodies below stay where they are, so that they do not feel what rests on them",
);

impl Method for ShockPropagationParameters {
    type Parameters = Self;
    type Prepared = Shock;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "shock-propagation",
        aliases: &["freeze-below"],
        name: "Shock propagation",
        summary: "Sweeps of pgs, then passes from the ground up with the bodies below held; stacks stand, momentum is lost.",
        citations: &["Guendelman2003"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.37"],
        cost: "m",
        forms: &SolverDescriptor::all_forms_with(BIASED),
        cone_rows: 6,
        needs_bodies: true,
        ..SolverDescriptor::COMPLETE
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let lists = 64 * (problem.blocks().len() + problem.rows()) as u64;
        2 * (PackedRows::memory(problem) + RowRule::memory(problem)) + lists
    }

    fn prepare(&mut self, problem: &Problem, impulses: Vec<f64>) -> Result<Shock, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let mut levels = Levels::default();
        levels.renew(problem, bodies);
        interrupt::check()?;
        let stays = |block: usize, body: u32| levels.of_body(body) < levels.of_block(bodies, block);
        let mut order = Vec::new();
        levels.order(problem, bodies, &mut order);
        let mut shock = Shock {
            frozen: PackedRows::frozen(problem, impulses.clone(), stays)?,
            plain: PackedRows::new(problem, impulses)?,
            plain_rule: RowRule::new(1.0),
            frozen_rule: RowRule::new(1.0),
            levels,
            order,
            plain_sweeps: self.plain_sweeps,
            done: 0,
        };
        shock.build(problem)?;
        Ok(shock)
    }

    fn prepare_into(
        &mut self,
        shock: &mut Shock,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        let bodies = problem.bodies().ok_or(SolveError::NoBodies)?;
        let levels = &mut shock.levels;
        levels.renew(problem, bodies);
        interrupt::check()?;
        levels.order(problem, bodies, &mut shock.order);
        let levels = &shock.levels;
        let stays = |block: usize, body: u32| levels.of_body(body) < levels.of_block(bodies, block);
        shock.frozen.prepare_frozen_into(problem, impulses, stays)?;
        shock.plain.prepare_into(problem, impulses, &[])?;
        shock.done = 0;
        shock.build(problem)?;
        Ok(true)
    }
}

/// A prepared problem, as it is and with lower bodies held.
#[derive(Debug, Clone)]
pub struct Shock {
    plain: PackedRows,
    frozen: PackedRows,
    plain_rule: RowRule,
    frozen_rule: RowRule,
    levels: Levels,
    /// The blocks from the ground up.
    order: Vec<u32>,
    plain_sweeps: u64,
    /// Sweeps done, no more than `plain_sweeps` of them counted.
    done: u64,
}

impl Shock {
    fn build(&mut self, problem: &Problem) -> Result<(), SolveError> {
        self.plain_rule.build(problem)?;
        let Self {
            frozen,
            frozen_rule,
            ..
        } = self;
        frozen_rule.build_with(problem, &|block, own| frozen.own_of_rows(block, own))
    }

    /// The packing that holds the impulses.
    fn live(&self) -> &PackedRows {
        if self.done < self.plain_sweeps {
            &self.plain
        } else {
            &self.frozen
        }
    }

    fn step(&mut self) {
        if self.done < self.plain_sweeps {
            for block in 0..self.plain.active.len() {
                update_block(&mut self.plain, &mut self.plain_rule, block);
            }
            self.done += 1;
            if self.done == self.plain_sweeps {
                self.frozen.continue_from(&self.plain);
            }
            return;
        }
        for block in &self.order {
            update_block(&mut self.frozen, &mut self.frozen_rule, *block as usize);
        }
    }
}

impl Prepared for Shock {
    /// The impulses stay, the plain sweeps begin again.
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        if self.done == self.plain_sweeps {
            let Self { plain, frozen, .. } = self;
            plain.impulses.copy_from_slice(&frozen.impulses);
        }
        self.done = 0;
        self.plain.take_over(problem)?;
        self.frozen.impulses.copy_from_slice(&self.plain.impulses);
        self.frozen.take_over(problem)?;
        if changed.compliance {
            self.build(problem)?;
        }
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        for _ in 0..sweeps {
            self.step();
        }
        Ok(Progress::of_sweeps(sweeps, self.plain.active_rows))
    }

    // the velocities of the sweeps, which reactions on held bodies do not enter
    read_packed!(live);

    /// Impulses, velocities and how many plain sweeps are done.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.live().push_state(out);
        out.push(self.done);
        Ok(Some(StateCoverage::Complete))
    }
}
