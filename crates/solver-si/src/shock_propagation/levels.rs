//! How many blocks lie between a body and the ground.

use delassus_core::{BodyRows, Problem};

/// Levels of bodies: zero for those that nothing moves.
#[derive(Debug, Clone)]
pub(super) struct Levels {
    /// One per body; the largest number where no block leads to the ground.
    of_body: Vec<u32>,
}

impl Levels {
    /// Breadth-first from the bodies that nothing moves, over contacts and joints.
    pub(super) fn new(problem: &Problem, bodies: &BodyRows) -> Self {
        let mut of_body = vec![u32::MAX; bodies.len()];
        let mut blocks_of = vec![Vec::new(); bodies.len()];
        for block in 0..problem.blocks().len() {
            for body in bodies.bodies_of(block) {
                blocks_of[*body as usize].push(block);
            }
        }
        let mut front: Vec<u32> = (0u32..)
            .zip(&bodies.mass)
            .filter(|(_, mass)| mass.is_immovable())
            .map(|(body, _)| body)
            .collect();
        let mut level = 0;
        while !front.is_empty() {
            front
                .iter()
                .for_each(|body| of_body[*body as usize] = level);
            let near = front.iter().flat_map(|body| &blocks_of[*body as usize]);
            let mut next: Vec<u32> = near
                .flat_map(|block| bodies.bodies_of(*block))
                .copied()
                .filter(|body| of_body[*body as usize] == u32::MAX)
                .collect();
            next.sort_unstable();
            next.dedup();
            front = next;
            level += 1;
        }
        Self { of_body }
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
    pub(super) fn order(&self, problem: &Problem, bodies: &BodyRows) -> Vec<u32> {
        let mut order: Vec<u32> = (0u32..).take(problem.blocks().len()).collect();
        order.sort_by_key(|block| self.of_block(bodies, *block as usize));
        order
    }
}
