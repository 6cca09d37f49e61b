//! Units: consecutive blocks between the same bodies, which share a colour.
//!
//! The points of one manifold are blocks of their own. They always conflict, so colouring them one
//! by one would cost a colour per point; a unit keeps them together, and they are visited in the
//! problem's order.

use delassus_core::{BodyRows, MatrixRows, Operator, Problem};

use crate::colouring::Groups;

/// Blocks of one unit at most \[-\]: a unit is solved in one piece by one lane.
const MAX_BLOCKS: usize = 64;

/// The units of a problem.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Units {
    /// Offsets into the blocks, one per unit and one past the end.
    pub first_block: Vec<u32>,
}

impl Units {
    /// Groups the blocks of a problem, and says what each unit touches.
    pub fn new(problem: &Problem) -> (Self, Groups) {
        let (mut units, mut groups) = (Self::default(), Groups::new(0));
        units.update(problem, &mut groups);
        (units, groups)
    }

    /// As [`Self::new`], in the memory of these units and of some groups.
    pub fn update(&mut self, problem: &Problem, groups: &mut Groups) {
        self.first_block.clear();
        match problem.operator() {
            Operator::Bodies(bodies) => of_bodies(problem, bodies, &mut self.first_block, groups),
            Operator::Matrix(matrix) => of_matrix(problem, matrix, &mut self.first_block, groups),
        }
    }

    /// The blocks of a unit.
    #[inline]
    pub fn blocks(&self, unit: usize) -> std::ops::Range<u32> {
        self.first_block[unit]..self.first_block[unit + 1]
    }
}

fn of_bodies(
    problem: &Problem,
    bodies: &BodyRows,
    first_block: &mut Vec<u32>,
    groups: &mut Groups,
) {
    let moves = |body: &u32| !bodies.mass[*body as usize].is_immovable();
    groups.clear(bodies.len());
    first_block.push(0);
    let blocks = problem.blocks().len();
    let mut first = 0;
    while first < blocks {
        let touched = bodies.bodies_of(first);
        let limit = blocks.min(first + MAX_BLOCKS);
        let other = |block: &usize| differ(bodies.bodies_of(*block), touched);
        let last = (first + 1..limit).find(other).unwrap_or(limit);
        let moved = touched.iter().copied().filter(moves);
        groups.push(moved);
        // a problem holds fewer than 2³² blocks
        first_block.push(u32::try_from(last).unwrap_or(u32::MAX));
        first = last;
    }
}

/// True if two lists of bodies are not the same; nearly all have two.
#[inline(always)]
fn differ(one: &[u32], other: &[u32]) -> bool {
    match (one, other) {
        ([a, b], [c, d]) => a != c || b != d,
        _ => one != other,
    }
}

/// Without bodies two blocks conflict where the matrix couples them: the nodes are the stored
/// couplings.
fn of_matrix(
    problem: &Problem,
    matrix: &MatrixRows,
    first_block: &mut Vec<u32>,
    groups: &mut Groups,
) {
    let blocks = problem.blocks().len();
    let mut couplings: Vec<(usize, usize)> = Vec::new();
    for block in 0..blocks {
        let row = matrix.delassus.row(block).map(|(other, _)| other);
        couplings.extend(
            row.filter(|o| *o != block)
                .map(|o| (block.min(o), block.max(o))),
        );
    }
    couplings.sort_unstable();
    couplings.dedup();
    let mut touched = vec![Vec::new(); blocks];
    for (node, (a, b)) in (0u32..).zip(&couplings) {
        touched[*a].push(node);
        touched[*b].push(node);
    }
    groups.clear(couplings.len());
    for nodes in touched {
        groups.push(nodes);
    }
    first_block.extend((0u32..).take(blocks + 1));
}
