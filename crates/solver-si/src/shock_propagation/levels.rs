//! How many blocks lie between a body and the ground.

use delassus_core::{BodyRows, Problem};

/// Levels of bodies: zero for those that nothing moves. The next problem reuses the memory.
#[derive(Debug, Clone, Default)]
pub(super) struct Levels {
    /// One per body; the largest number where no block leads to the ground.
    of_body: Vec<u32>,
    /// Where the blocks of each body begin, and the blocks.
    first_block: Vec<usize>,
    blocks: Vec<usize>,
    front: Vec<u32>,
    next: Vec<u32>,
}

impl Levels {
    /// Breadth-first from the bodies that nothing moves, over contacts and joints.
    pub(super) fn renew(&mut self, problem: &Problem, bodies: &BodyRows) {
        self.list_blocks(problem, bodies);
        self.of_body.clear();
        self.of_body.resize(bodies.len(), u32::MAX);
        self.front.clear();
        self.front.reserve(bodies.len());
        self.next.reserve(bodies.len());
        for (body, mass) in (0u32..).zip(&bodies.mass) {
            if mass.is_immovable() {
                self.of_body[body as usize] = 0;
                self.front.push(body);
            }
        }
        let mut level = 0;
        while !self.front.is_empty() {
            level += 1;
            self.next.clear();
            for body in &self.front {
                let body = *body as usize;
                let touching = self.first_block[body]..self.first_block[body + 1];
                for block in &self.blocks[touching] {
                    for near in bodies.bodies_of(*block) {
                        let found = &mut self.of_body[*near as usize];
                        if *found == u32::MAX {
                            *found = level;
                            self.next.push(*near);
                        }
                    }
                }
            }
            std::mem::swap(&mut self.front, &mut self.next);
        }
    }

    /// The blocks of every body, by counting.
    fn list_blocks(&mut self, problem: &Problem, bodies: &BodyRows) {
        let count = problem.blocks().len();
        self.first_block.clear();
        self.first_block.resize(bodies.len() + 1, 0);
        for body in (0..count).flat_map(|block| bodies.bodies_of(block)) {
            self.first_block[*body as usize] += 1;
        }
        // every number becomes the end of its body's blocks, and their first when they are written
        // from the last one on
        let mut end = 0;
        for first in &mut self.first_block {
            end += *first;
            *first = end;
        }
        self.blocks.clear();
        self.blocks.resize(end, 0);
        for block in (0..count).rev() {
            for body in bodies.bodies_of(block) {
                let at = &mut self.first_block[*body as usize];
                *at -= 1;
                self.blocks[*at] = block;
            }
        }
    }

    pub(super) fn of_body(&self, body: u32) -> u32 {
        self.of_body[body as usize]
    }

    /// The level of the upper bodies of a block.
    pub(super) fn of_block(&self, bodies: &BodyRows, block: usize) -> u32 {
        let levels = bodies
            .bodies_of(block)
            .iter()
            .map(|body| self.of_body(*body));
        levels.max().unwrap_or(0)
    }

    /// The blocks from the ground up, those of one level in the problem's order.
    pub(super) fn order(&self, problem: &Problem, bodies: &BodyRows, out: &mut Vec<u32>) {
        out.clear();
        out.extend((0u32..).take(problem.blocks().len()));
        out.sort_unstable_by_key(|block| (self.of_block(bodies, *block as usize), *block));
    }
}
