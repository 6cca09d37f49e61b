//! Step rules: how long a row may step when all rows step at once.
//!
//! Every rule is a pair of factors: row i of a piece between the bodies a and b steps by 1/D_i with
//! D_i = (c_a k_a,i + c_b k_b,i + R_i)/ω, where k_a,i = J_i M_a⁻¹ J_iᵀ is what body a contributes
//! to A_ii (J.4). The rules differ in the factors only, and a body whose mass is divided by c is
//! what a sweep inside a piece sees (J.6).
//!
//! | rule | c_a | A ≤ D |
//! |---|---|---|
//! | diagonal | 1 | no |
//! | count | n_a + n_b, points | no (J.9) |
//! | max-count | max(n_a, n_b), points | no |
//! | mass-split by rows | rows on a | yes (J.5) |
//! | mass-split by blocks | pieces on a | yes, with the piece solved as a block (J.6) |
//!
//! Theory: docs/theory/15-jacobi.md. Source: \[Tonge2012\].

use std::ops::Range;

use delassus_core::{BodyRows, Choice, Problem};

use crate::pack::plan::PiecePlan;
use crate::pack::{PackThreads, Slots};

/// Where the factors of a step come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum FactorRule {
    /// One on both sides: the inverse diagonal of A + R.
    Diagonal,
    /// The number of contact points and joint blocks on both bodies together.
    Count,
    /// The larger of the two numbers of contact points and joint blocks.
    MaxCount,
    /// The number of parts that each body's mass is split into.
    #[default]
    MassSplit,
}

/// What a body's mass is split among.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum Splitting {
    /// Scalar rows.
    Rows,
    /// Manifolds and joints, each solved as a block.
    #[default]
    Blocks,
}

/// Which velocities the rows of a piece see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Choice)]
pub enum LocalSweep {
    /// Those of the start of the iteration.
    Points,
    /// Those that the rows before it in the same piece leave, with the split masses.
    #[default]
    Block,
}

/// A step rule with its relaxation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepRule {
    /// Where the factors come from.
    pub rule: FactorRule,
    /// What [`FactorRule::MassSplit`] counts.
    pub splitting: Splitting,
    /// Which velocities the rows of a piece see.
    pub sweep: LocalSweep,
    /// Relaxation ω \[-\]: all steps are multiplied by it.
    pub omega: f64,
}

impl Default for StepRule {
    fn default() -> Self {
        Self {
            rule: FactorRule::default(),
            splitting: Splitting::default(),
            sweep: LocalSweep::default(),
            omega: 1.0,
        }
    }
}

/// What is counted on each body, for the rows that are solved for.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Counts {
    rule: StepRule,
    per_body: Vec<f64>,
}

impl Counts {
    /// Counts on the bodies of a problem; inactive rows do not count.
    pub(crate) fn count(
        &mut self,
        rule: StepRule,
        problem: &Problem,
        bodies: &BodyRows,
        plan: &PiecePlan,
    ) {
        self.rule = rule;
        self.per_body.clear();
        self.per_body.resize(bodies.len(), 0.0);
        for piece in plan.pieces() {
            let count = self.of_piece(problem, piece.blocks.clone());
            for body in bodies.bodies_of(piece.blocks.start as usize) {
                if !bodies.mass[*body as usize].is_immovable() {
                    self.per_body[*body as usize] += count;
                }
            }
        }
    }

    /// The same where a body has the slots that `slots` names, and `blocks` names the blocks of the
    /// piece that a slot belongs to.
    pub(crate) fn count_points(
        &mut self,
        rule: StepRule,
        problem: &Problem,
        slots: &Slots,
        blocks: impl Fn(u32) -> Range<u32> + Sync,
        threads: PackThreads,
    ) {
        self.rule = rule;
        let split = (rule.rule, rule.splitting) == (FactorRule::MassSplit, Splitting::Blocks);
        let each_once = split && problem.all_active();
        let bodies = slots.first_slot.len().saturating_sub(2);
        let mut per_body = std::mem::take(&mut self.per_body);
        per_body.clear();
        per_body.resize(bodies, 0.0);
        let of_slot = |slot: &u32| self.of_piece(problem, blocks(*slot));
        let count = |body: usize| {
            let range = slots.first_slot[body] as usize..slots.first_slot[body + 1] as usize;
            if each_once {
                return range.len() as f64;
            }
            slots.slots[range].iter().map(of_slot).sum()
        };
        let chunk = threads.chunk(bodies);
        let parts = per_body.chunks_mut(chunk).zip((0..).step_by(chunk));
        threads.each(parts, |(part, first)| {
            for (to, body) in part.iter_mut().zip(first..) {
                *to = count(body);
            }
        });
        self.per_body = per_body;
    }

    /// The rule that they were counted for.
    pub(crate) fn rule(&self) -> StepRule {
        self.rule
    }

    /// The factor c_b/ω of a body of a piece with `rows` active rows that are swept one after the
    /// other or not.
    pub(crate) fn factor(
        &self,
        touched: &[u32],
        rows: usize,
        sequential: bool,
    ) -> impl Fn(&u32) -> f64 + use<'_> {
        let own = self.rule;
        let count = move |body: &u32| self.per_body[*body as usize];
        let sum: f64 = touched.iter().map(count).sum();
        let largest = touched.iter().map(count).fold(0.0, f64::max);
        // a block whose rows step at once is split once more, among its rows (J.5)
        let again = match own.splitting {
            Splitting::Blocks if !sequential => rows.max(1) as f64,
            _ => 1.0,
        };
        move |body| {
            let factor = match own.rule {
                FactorRule::Diagonal => 1.0,
                FactorRule::Count => sum,
                FactorRule::MaxCount => largest,
                FactorRule::MassSplit => again * count(body),
            };
            // a piece whose rows are all held counts nothing and never steps
            factor.max(1.0) / own.omega
        }
    }

    fn of_piece(&self, problem: &Problem, blocks: Range<u32>) -> f64 {
        let blocks = blocks.map(|block| block as usize);
        let rows = |block| problem.active_dim(block);
        let number = match (self.rule.rule, self.rule.splitting) {
            (FactorRule::MassSplit, Splitting::Rows) => blocks.map(rows).sum(),
            (FactorRule::MassSplit, Splitting::Blocks) => {
                usize::from(blocks.map(rows).any(|n| n > 0))
            }
            _ => blocks.map(|block| points(problem, block)).sum(),
        };
        number as f64
    }
}

/// Contact points of a patch, and one of every other block; a block whose rows are inactive has
/// none.
fn points(problem: &Problem, block: usize) -> usize {
    let active = problem.active_dim(block);
    active.min(problem.blocks()[block].law.levers().len().max(1))
}
