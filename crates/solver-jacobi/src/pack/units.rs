//! Units of row blocks: joints, limits, drives, patches and contacts that are no points in 3D.

use delassus_core::{BodyRows, Factor, Law, Polygon, Problem};

use super::coupling::Coupling;
use super::plan::{PiecePlan, UnitBlocks, index};
use super::slots::Slots;
use super::{law, own};
use crate::real::{Quad, Real, quad};
use crate::rule::{Counts, LocalSweep};

/// Bodies of a unit at most whose rows are swept one after the other \[-\]; the rows of larger
/// units step at once.
pub const MAX_SIDES: usize = 4;

/// The row blocks of a problem.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RowBlocks<T> {
    /// Heads of the units, of the blocks and of the slots, four words each.
    pub heads: Vec<[u32; 4]>,
    /// Numbers of the blocks: one quad of the law, one per row, then two per row and body.
    pub numbers: Vec<Quad<T>>,
    /// Row of the problem of every packed row; the rows of a block start at a multiple of four.
    pub rows: Vec<u32>,
    /// Compliance off the diagonal of R, which the shaders have no room for.
    coupling: Coupling<T>,
    units: usize,
    blocks: usize,
}

/// Packed row without a row of the problem.
const PADDING: u32 = u32::MAX;

/// Where a block of rows lies in a pack.
pub(crate) struct ActiveBlock {
    /// Index of its first number.
    pub(crate) numbers: usize,
    /// Index of its first packed row.
    pub(crate) first_row: usize,
    /// Rows that are solved for, from the first on \[-\].
    pub(crate) active: usize,
}

impl<T: Real> RowBlocks<T> {
    /// Takes over the structure of a plan.
    pub(crate) fn pack(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        plan: &PiecePlan,
        slots: &Slots,
    ) {
        self.heads.clear();
        self.numbers.clear();
        self.rows.clear();
        let sides = |unit: &UnitBlocks| bodies.bodies_of(unit.blocks.start as usize).len();
        let first_slot = 2 * plan.manifolds.len();
        let (mut block, mut slot) = (0, first_slot);
        for unit in &plan.units {
            let sides = sides(unit);
            let heads = [block, unit.blocks.len(), slot, sides];
            self.heads.push(heads.map(index));
            block += unit.blocks.len();
            slot += sides;
        }
        (self.units, self.blocks) = (plan.units.len(), block);
        for unit in &plan.units {
            for block in unit.blocks.clone() {
                let head = self.add_block(problem, block as usize, sides(unit));
                self.heads.push(head);
            }
        }
        let bodies = slots.body[first_slot..slot].iter();
        self.heads.extend(bodies.map(|b| [*b, 0, 0, 0]));
        self.coupling.pack(problem, plan);
    }

    fn add_block(&mut self, problem: &Problem, block: usize, sides: usize) -> [u32; 4] {
        let entry = &problem.blocks()[block];
        let (first, number) = (index(self.rows.len()), index(self.numbers.len()));
        self.rows.extend(entry.rows().map(index));
        self.rows
            .resize(self.rows.len().next_multiple_of(4), PADDING);
        let quads = 1 + entry.dim * (1 + 2 * sides);
        self.numbers
            .resize(self.numbers.len() + quads, [T::ZERO; 4]);
        [first, index(entry.dim), law::of(&entry.law), number]
    }

    /// Number of units \[-\].
    pub fn len(&self) -> usize {
        self.units
    }

    /// True if there is no unit.
    pub fn is_empty(&self) -> bool {
        self.units == 0
    }

    /// Number of blocks of all units \[-\]; the heads of the slots follow theirs.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// First of the heads of the slots.
    #[inline(always)]
    pub fn first_slot_head(&self) -> usize {
        self.units + self.blocks
    }

    /// Quads that hold the impulses of all packed rows \[-\].
    pub fn impulse_quads(&self) -> usize {
        self.rows.len() / 4
    }

    /// Compliance that rows of one block share.
    #[inline(always)]
    pub(crate) fn coupling(&self) -> &Coupling<T> {
        &self.coupling
    }

    /// Every block, where its numbers and rows are.
    pub(crate) fn active_blocks(&self) -> impl Iterator<Item = ActiveBlock> {
        let blocks = &self.heads[self.units..self.units + self.blocks];
        blocks.iter().map(|head| {
            let [first_row, _, flags, numbers] = head.map(|x| x as usize);
            ActiveBlock {
                numbers,
                first_row,
                active: flags >> 8,
            }
        })
    }

    /// The packed rows that stand for rows of the problem.
    pub(crate) fn packed_rows(&self) -> impl Iterator<Item = (usize, usize)> {
        let all = self.rows.iter().enumerate();
        all.filter(|(_, row)| **row != PADDING)
            .map(|(packed, row)| (packed, *row as usize))
    }

    /// Fills everything but the structure; factors and steps are memory.
    pub(crate) fn fill(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        units: &[UnitBlocks],
        counts: &Counts,
        factors: &mut Vec<f64>,
        steps: &mut Vec<f64>,
    ) {
        self.coupling.fill(problem);
        let omega = counts.rule().omega;
        let mut head = self.units;
        for unit in units {
            let touched = bodies.bodies_of(unit.blocks.start as usize);
            let sequential = counts.rule().sweep == LocalSweep::Block && touched.len() <= MAX_SIDES;
            let blocks = unit.blocks.clone();
            let rows = blocks.clone().map(|b| problem.active_dim(b as usize)).sum();
            factors.clear();
            factors.extend(touched.iter().map(counts.factor(touched, rows, sequential)));
            for block in blocks {
                let block = block as usize;
                let entry = &problem.blocks()[block];
                steps.clear();
                steps.resize(entry.dim, 0.0);
                own::steps(problem, bodies, block, factors, omega, steps);
                let active = index(problem.active_dim(block));
                self.heads[head][2] = law::of(&entry.law) | active << 8;
                let at = self.heads[head][3] as usize;
                self.fill_block(problem, bodies, block, at, steps, factors);
                head += 1;
            }
        }
        self.fill_bias(problem);
    }

    fn fill_block(
        &mut self,
        problem: &Problem,
        bodies: &BodyRows,
        block: usize,
        at: usize,
        steps: &[f64],
        factors: &[f64],
    ) {
        let entry = &problem.blocks()[block];
        let numbers = &mut self.numbers[at..];
        numbers[0] = law_numbers(&entry.law);
        let levers = entry.law.levers();
        for local in 0..entry.dim {
            let lever = levers.get(local).copied().unwrap_or_default();
            let compliance = problem.compliance()[entry.first_row + local];
            numbers[1 + local] = quad([0.0, compliance, steps[local]], lever);
            let first = 1 + entry.dim + 2 * factors.len() * local;
            for (side, j) in bodies.row(block, local).iter().enumerate() {
                numbers[first + 2 * side] = quad([j[0], j[1], j[2]], factors[side]);
                numbers[first + 2 * side + 1] = quad([j[3], j[4], j[5]], 0.0);
            }
        }
    }

    pub(crate) fn fill_bias(&mut self, problem: &Problem) {
        for head in self.units..self.units + self.blocks {
            let [first, rows, _, at] = self.heads[head].map(|x| x as usize);
            for local in 0..rows {
                let row = self.rows[first + local] as usize;
                self.numbers[at + 1 + local][0] = T::of(problem.bias()[row]);
            }
        }
    }
}

fn law_numbers<T: Real>(law: &Law) -> Quad<T> {
    let points = law.contact_points();
    match law::of(law) {
        law::FREE => quad([0.0; 3], 0.0),
        law::BOUNDS => {
            let [lower, upper] = law.row_bounds().unwrap_or_default();
            quad([lower, upper, 0.0], 0.0)
        }
        law::ROLLING => {
            // a normal row, sliding, rolling, and spinning if there is any
            let factors = law.factors(6);
            let coefficient = |index| factors.get(index).map_or(0.0, of_radius);
            quad([coefficient(2), coefficient(3), coefficient(1)], 1.0)
        }
        law::FACETS => {
            let facets = law.polygon().map_or(0, Polygon::facets);
            quad([0.0, 0.0, law.mu()], f64::from(facets))
        }
        _ => quad([law.limit(), 0.0, law.mu()], points as f64),
    }
}

fn of_radius(factor: &Factor<'_>) -> f64 {
    factor.radius.coefficient()
}
