//! `random-pgs`: projected Gauss–Seidel on blocks drawn at random.
//!
//! Each visit draws the block that is updated next: all alike, in proportion to the trace of its
//! diagonal block, or by shuffling all blocks before every sweep. With weights, rows of a linear
//! problem contract in expectation by at least 1 − λ⁺_min/tr(A) per update, in the energy of the
//! error, whatever the structure of the problem (G.32).
//!
//! Budget per sweep: draws until as many rows are updated as are solved for; one random number per
//! draw. Nearest siblings: `pgs` with order = "random", which `shuffled` is; `greedy-pgs` looks
//! instead of drawing.
//!
//! Departures: blocks of several rows are drawn whole and swept row by row, so that friction is
//! bounded by its normal. Limitations: draws with replacement leave some rows out of a sweep, a
//! third of them where they are alike; no faster than a fixed order on most problems. Theory:
//! docs/theory/25-sweeps.md. Source: \[Strohmer2009\], \[Leventhal2010\].

use delassus_core::{
    Changes, Checked, Choice, Method, ParameterError, Parameters, Prepared, Problem, Progress,
    SolveError, SolverDescriptor, StateCoverage,
};

use crate::laws::RowRule;
use crate::packed::{PackedRows, read_packed};
use crate::random::SplitMix64;
use crate::sweep::{Rule, SWEEP};
use crate::view::{BlockView, Visit};

/// How the next block is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Sampling {
    /// All blocks alike, with replacement.
    Uniform,
    /// In proportion to the trace of A_cc + R_cc, with replacement.
    #[default]
    Weighted,
    /// A new permutation for every sweep.
    Shuffled,
}

/// Parameters of [`RandomPgs`].
#[derive(Debug, Clone, PartialEq, Parameters)]
pub struct RandomPgsParameters {
    /// How the next block is chosen.
    pub sampling: Sampling,
    /// Seed of the draws. Any 64-bit number.
    #[parameter(default = 0, unit = "-")]
    pub seed: u64,
}

/// Randomised projected Gauss–Seidel (G.32).
pub type RandomPgs = Checked<RandomPgsParameters>;

impl Method for RandomPgsParameters {
    type Parameters = Self;
    type Prepared = RandomSweeps;

    const DESCRIPTOR: SolverDescriptor = SolverDescriptor {
        id: "random-pgs",
        aliases: &["randomized-gauss-seidel", "randomised-gauss-seidel"],
        name: "Randomised projected Gauss-Seidel",
        summary: "Blocks in random order: uniform, weighted by their diagonal, or shuffled; pgs visits them in a fixed order.",
        citations: &["Strohmer2009", "Leventhal2010"],
        theory: &["G.2", "G.3", "G.4", "G.5", "G.32"],
        cost: "m",
        // from a new start the same blocks come first
        unit_is_map: false,
        ..SWEEP
    };

    fn new(parameters: Self) -> Result<Self, ParameterError> {
        Ok(parameters)
    }

    fn footprint(&self, problem: &Problem) -> u64 {
        let block = size_of::<f64>() + size_of::<u32>() + size_of::<u64>();
        let drawn = (block * problem.blocks().len()) as u64;
        PackedRows::memory(problem) + RowRule::memory(problem) + drawn
    }

    fn prepare(
        &mut self,
        problem: &Problem,
        impulses: Vec<f64>,
    ) -> Result<RandomSweeps, SolveError> {
        let RandomPgsParameters { sampling, seed } = *self;
        let mut rule = RowRule::new(1.0);
        rule.build(problem)?;
        let mut drawn = RandomSweeps {
            packed: PackedRows::new(problem, impulses)?,
            rule,
            sampling,
            seed,
            random: SplitMix64::new(seed),
            blocks: Vec::new(),
            sums: Vec::new(),
            still: Vec::new(),
            epoch: 1,
            unseen: 0,
        };
        drawn.take_over(problem);
        Ok(drawn)
    }

    fn prepare_into(
        &mut self,
        drawn: &mut RandomSweeps,
        problem: &Problem,
        impulses: &[f64],
    ) -> Result<bool, SolveError> {
        drawn.rule.build(problem)?;
        drawn.packed.prepare_into(problem, impulses, &[])?;
        drawn.take_over(problem);
        Ok(true)
    }
}

/// A prepared problem with its lottery.
#[derive(Debug, Clone)]
pub struct RandomSweeps {
    packed: PackedRows,
    rule: RowRule,
    sampling: Sampling,
    seed: u64,
    random: SplitMix64,
    /// The blocks that are solved for.
    blocks: Vec<u32>,
    /// Sums of their weights, ascending.
    sums: Vec<f64>,
    /// The epoch in which each of them was last visited without a change; a change begins an epoch.
    still: Vec<u64>,
    epoch: u64,
    /// Blocks that were not visited since the last change: none of them left is a proof of rest.
    unseen: usize,
}

impl RandomSweeps {
    fn packed(&self) -> &PackedRows {
        &self.packed
    }

    /// The blocks that are solved for, and their weights; the draws begin again.
    fn take_over(&mut self, problem: &Problem) {
        self.random = SplitMix64::new(self.seed);
        self.blocks.clear();
        self.sums.clear();
        let mut sum = 0.0;
        for (index, block) in (0u32..).zip(problem.blocks()) {
            if self.packed.active[index as usize] == 0 {
                continue;
            }
            sum += match self.sampling {
                Sampling::Uniform | Sampling::Shuffled => 1.0,
                Sampling::Weighted => (block.rows())
                    .map(|row| problem.diagonal()[row] + problem.compliance()[row])
                    .sum(),
            };
            self.blocks.push(index);
            self.sums.push(sum);
        }
        self.still.clear();
        self.still.resize(self.blocks.len(), 0);
        (self.epoch, self.unseen) = (1, self.blocks.len());
    }

    /// The place of a drawn block among those that are solved for.
    fn draw(&mut self) -> usize {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let x = self.random.unit() * total;
        let place = self.sums.partition_point(|sum| *sum <= x);
        place.min(self.sums.len().saturating_sub(1))
    }

    /// Updates a block; returns the number of its rows.
    fn update(&mut self, place: usize) -> usize {
        let block = self.blocks[place] as usize;
        let active = self.packed.active[block];
        let mut changed = false;
        self.packed.visit_any(
            block,
            Watched {
                rule: &mut self.rule,
                block,
                active,
                changed: &mut changed,
            },
        );
        if changed {
            self.epoch += 1;
            self.unseen = self.blocks.len();
        } else if self.still[place] != self.epoch {
            self.still[place] = self.epoch;
            self.unseen -= 1;
        }
        active
    }

    /// Draws with replacement until as many rows are updated as are solved for; returns their
    /// number.
    fn with_replacement(&mut self) -> u64 {
        let mut rows = 0;
        while rows < self.packed.active_rows {
            let place = self.draw();
            rows += self.update(place);
        }
        rows as u64
    }

    /// Fisher–Yates as the blocks are visited: the sweep ends with a permutation of the places, of
    /// which `blocks` keeps none.
    fn permuted(&mut self) -> u64 {
        let mut rows = 0;
        for last in (0..self.blocks.len()).rev() {
            let other = self.random.below(last + 1);
            self.blocks.swap(last, other);
            self.still.swap(last, other);
            rows += self.update(last);
        }
        rows as u64
    }
}

/// A visit that notes whether an impulse changes.
struct Watched<'a> {
    rule: &'a mut RowRule,
    block: usize,
    active: usize,
    changed: &'a mut bool,
}

impl Visit for Watched<'_> {
    #[inline(always)]
    fn visit<V: BlockView>(self, view: &mut V) {
        let mut watching = Watching {
            view,
            changed: self.changed,
        };
        self.rule.update(self.block, self.active, &mut watching);
    }
}

struct Watching<'a, V> {
    view: &'a mut V,
    changed: &'a mut bool,
}

impl<V: BlockView> BlockView for Watching<'_, V> {
    #[inline(always)]
    fn impulse(&self, local: usize) -> f64 {
        self.view.impulse(local)
    }

    #[inline(always)]
    fn velocity(&self, local: usize) -> f64 {
        self.view.velocity(local)
    }

    #[inline(always)]
    fn effective_mass(&self, local: usize) -> f64 {
        self.view.effective_mass(local)
    }

    #[inline(always)]
    fn set_impulse(&mut self, local: usize, impulse: f64) {
        *self.changed |= impulse.to_bits() != self.view.impulse(local).to_bits();
        self.view.set_impulse(local, impulse);
    }
}

impl Prepared for RandomSweeps {
    fn update(&mut self, problem: &Problem, changed: Changes) -> Result<bool, SolveError> {
        if changed.compliance {
            self.rule.build(problem)?;
        }
        self.packed.take_over(problem)?;
        self.take_over(problem);
        Ok(true)
    }

    fn iterate(&mut self, _: &Problem, sweeps: u32) -> Result<Progress, SolveError> {
        let mut progress = Progress::of_sweeps(sweeps, 0);
        for _ in 0..sweeps {
            progress.row_updates += match self.sampling {
                Sampling::Uniform | Sampling::Weighted => self.with_replacement(),
                Sampling::Shuffled => self.permuted(),
            };
        }
        Ok(progress)
    }

    read_packed!(packed);

    /// Impulses and velocities; until every block was visited without a change, the generator as
    /// well, which does not come back.
    fn fingerprint(&self, out: &mut Vec<u64>) -> Result<Option<StateCoverage>, SolveError> {
        self.packed.push_state(out);
        if self.unseen > 0 {
            out.push(self.random.state());
        }
        Ok(Some(StateCoverage::Complete))
    }
}
